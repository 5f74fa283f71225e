# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: 2026 The Vicinity authors

"""What docker/ and docs/ say about programs, files and each other is true.

Files are parsed, and every flag, setting, port, path and name in them is looked up where it is
made.
"""

import argparse
import functools
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

import settings_table

try:
    import yaml
except ImportError:
    yaml = None

OPTIONS = None


def program(name):
    return pathlib.Path(OPTIONS.bin) / name


@functools.cache
def help_of(name):
    """--help, of the subcommands as well."""
    environment = {"PATH": os.environ["PATH"]}

    def ask(*command):
        return subprocess.run([program(name), *command, "--help"], capture_output=True, text=True,
                              check=True, env=environment).stdout
    text = ask()
    listed = text.partition("Subcommands:\n")[2].partition("\n\n")[0]
    for line in re.findall(r"^  ([a-z-]+) ", listed, re.MULTILINE):
        text += ask(line)
    return text


def flags_of(name):
    return set(re.findall(r"--[a-z][a-z0-9-]*", help_of(name)))


def flags_in(words):
    return {word.partition("=")[0] for word in words if word.startswith("--")}


def repository(*parts):
    return pathlib.Path(OPTIONS.repository, *parts)


def documents(*parts):
    """The YAML documents of a file, or of all files of a folder."""
    place = repository(*parts)
    files = sorted(place.glob("*.yaml")) if place.is_dir() else [place]
    return [document for file in files for document in yaml.safe_load_all(file.read_text())]


def read_settings(case, text, arguments=(), variables=()):
    """The settings as the server reads them; it refuses unknown keys and wrong values."""
    with tempfile.TemporaryDirectory() as folder:
        file = pathlib.Path(folder) / "vicinity.toml"
        file.write_text(text)
        said = subprocess.run([program("vicinity-server"), *arguments, "--config", file,
                               "--print-config"], capture_output=True, text=True,
                              env={"PATH": os.environ["PATH"], **dict(variables)})
    case.assertEqual(said.returncode, 0, said.stderr)
    return dict(re.findall(r"^([a-z_0-9]+) = (.*)$", said.stdout, re.MULTILINE))


def bytes_of(text):
    """2Gi of Kubernetes, 2g of compose."""
    number, unit = re.fullmatch(r"(\d+)([GgMm])i?", text).groups()
    return int(number) << (30 if unit in "Gg" else 20)


class Dockerfile(unittest.TestCase):
    def setUp(self):
        self.text = repository("docker", "Dockerfile").read_text()
        self.joined = self.text.replace("\\\n", " ")

    def test_what_is_copied_exists(self):
        for source in re.findall(r"^COPY (?!--from)(\S+) ", self.text, re.MULTILINE):
            self.assertTrue(repository(source).exists(), source)

    def test_its_version_is_that_of_the_project(self):
        version = re.search(r"project\(vicinity VERSION (\S+)", repository("CMakeLists.txt")
                            .read_text()).group(1)
        self.assertIn(f"ARG VERSION={version}\n", self.text)
        for document in documents("docker", "kubernetes"):
            for image in re.findall(r"'image': '(.*?)'", str(document)):
                self.assertEqual(image, f"vicinity:{version}")

    def test_every_library_of_the_programs_is_installed(self):
        packages = set(re.search(r"no-install-recommends(.*?)&&", self.joined).group(1).split())
        for tool in ("dpkg-query", "objdump"):
            if shutil.which(tool) is None:
                self.skipTest(f"{tool} is not installed")
        missing = set()
        for file in pathlib.Path(OPTIONS.bin).glob("vicinity-*"):
            needed = subprocess.run(["objdump", "-p", file], capture_output=True, text=True).stdout
            for library in re.findall(r"NEEDED +(\S+)", needed):
                owners = subprocess.run(["dpkg-query", "-S", f"*/{library}"], capture_output=True,
                                        text=True).stdout
                owners = set(re.findall(r"^([a-z0-9.+-]+):", owners, re.MULTILINE))
                if not owners & (packages | {"libc6", "libstdc++6", "libgcc-s1"}):
                    missing.add((file.name, library, *owners))
        self.assertEqual(missing, set())

    def test_the_command_is_understood(self):
        command = re.search(r"^CMD (\[.*\])$", self.text, re.MULTILINE).group(1)
        flags = flags_in(yaml.safe_load(command))
        self.assertTrue(flags)
        self.assertLessEqual(flags, flags_of("vicinity-server"))

    def test_ports_are_the_defaults(self):
        settings = read_settings(self, "")
        exposed = re.search(r"^EXPOSE (.*)$", self.text, re.MULTILINE).group(1).split()
        self.assertEqual(exposed, [settings[key] for key in
                                   ("port", "websocket_port", "admin_port")])
        self.assertIn(f"VICINITY_ADMIN_PORT:-{settings['admin_port']}",
                      repository("docker", "vicinity-admin").read_text())


class Compose(unittest.TestCase):
    def setUp(self):
        self.demo = yaml.safe_load(repository("docker", "compose.yaml").read_text())
        self.public = yaml.safe_load(repository("docker", "compose.public.yaml").read_text())

    def test_the_cap_on_memory_is_below_that_of_the_container(self):
        limit = bytes_of(self.demo["services"]["server"]["mem_limit"])
        for file in (self.demo, self.public):
            command = " ".join(file["services"]["server"]["command"]).replace("=", " ")
            cap = int(re.search(r"--max-memory (\d+)", command).group(1))
            self.assertTrue(limit * 3 // 4 <= cap <= limit * 7 // 8, (cap, limit))

    def test_flags_exist(self):
        for file in (self.demo, self.public):
            for service, name in (("server", "vicinity-server"), ("bots", "vicinity-bots")):
                flags = flags_in(file["services"][service]["command"])
                self.assertTrue(flags)
                self.assertLessEqual(flags, flags_of(name), service)

    def test_mounted_files_exist(self):
        mounted = 0
        for service in self.demo["services"].values():
            for volume in service.get("volumes", []):
                source = volume.partition(":")[0]
                if source.startswith("."):
                    self.assertTrue(repository("docker", source).exists(), source)
                    mounted += 1
                else:
                    self.assertIn(source, self.demo["volumes"])
        self.assertEqual(mounted, 4)

    def test_the_demo_is_reachable_from_this_machine_only(self):
        for service in self.demo["services"].values():
            for port in service.get("ports", []):
                self.assertTrue(port.startswith("127.0.0.1:"), port)
        command = self.demo["services"]["server"]["command"]
        self.assertEqual(flags_in(command) & {"--insecure", "--listen-address"}, set())
        for name in set(self.demo["services"]) - {"server"}:
            self.assertEqual(self.demo["services"][name]["network_mode"], "service:server")

    def test_secrets_are_declared_where_they_are_used(self):
        for service in self.public["services"].values():
            used = set(re.findall(r"/run/secrets/([^'\s]+)", " ".join(service["command"])))
            self.assertEqual(used, set(service["secrets"]))
            self.assertLessEqual(used, set(self.public["secrets"]))

    def test_the_public_server_has_tokens_and_tls(self):
        flags = flags_in(self.public["services"]["server"]["command"])
        self.assertLessEqual({"--token-keys", "--tls-certificate", "--tls-private-key"}, flags)
        self.assertNotIn("--insecure", flags)


class Kubernetes(unittest.TestCase):
    def setUp(self):
        self.all = documents("docker", "kubernetes")
        self.pods = {kind: self.only(kind)["spec"]["template"]
                     for kind in ("StatefulSet", "Deployment")}
        text = self.only("ConfigMap")["data"]["vicinity.toml"]
        self.settings = {kind: self.settings_of(pod, text) for kind, pod in self.pods.items()}

    def settings_of(self, pod, text):
        """What is in force in a pod: file, variables and arguments together."""
        container = pod["spec"]["containers"][0]
        self.assertEqual(container["args"][:2], ["--config", "/etc/vicinity/vicinity.toml"])
        return read_settings(self, text, container["args"][2:],
                             {entry["name"]: entry["value"] for entry in container["env"]})

    def only(self, kind):
        found = [document for document in self.all if document["kind"] == kind]
        self.assertEqual(len(found), 1, kind)
        return found[0]

    def names(self, kind):
        return {document["metadata"]["name"]: document for document in self.all
                if document["kind"] == kind}

    def test_kustomization_names_files_that_exist(self):
        resources = self.only("Kustomization")["resources"]
        self.assertTrue(resources)
        for resource in resources:
            self.assertTrue(repository("docker", "kubernetes", resource).exists(), resource)

    def test_labels_find_the_pods(self):
        for kind, pod in self.pods.items():
            labels = pod["metadata"]["labels"]
            self.assertEqual(self.only(kind)["spec"]["selector"]["matchLabels"], labels)
            for service in self.names("Service").values():
                self.assertEqual(service["spec"]["selector"], labels)
            budget = self.only("PodDisruptionBudget")
            self.assertEqual(budget["spec"]["selector"]["matchLabels"], labels)
        self.assertIn(self.only("StatefulSet")["spec"]["serviceName"], self.names("Service"))

    def test_ports_are_those_of_the_settings(self):
        for kind, pod in self.pods.items():
            settings = self.settings[kind]
            ports = {port["name"]: port["containerPort"]
                     for port in pod["spec"]["containers"][0]["ports"]}
            self.assertEqual(ports, {"game": int(settings["port"]),
                                     "admin": int(settings["admin_port"])})
            for service in self.names("Service").values():
                for port in service["spec"]["ports"]:
                    self.assertEqual(ports[port["targetPort"]], port["port"])

    def test_probes_ask_pages_that_exist(self):
        pages = repository("docs", "OPERATIONS.md").read_text()
        for pod in self.pods.values():
            container = pod["spec"]["containers"][0]
            for probe, path in (("startupProbe", "/healthz"), ("livenessProbe", "/healthz"),
                                ("readinessProbe", "/readyz")):
                asked = container[probe]["httpGet"]
                self.assertEqual((asked["path"], asked["port"]), (path, "admin"))
                self.assertIn(f"`GET {path}`", pages)
        drain = self.pods["Deployment"]["spec"]["containers"][0]["lifecycle"]["preStop"]["exec"]
        self.assertEqual(drain["command"], ["vicinity-admin", "POST", "/drain"])
        self.assertIn("`POST /drain`", pages)
        # Drained sessions end; those of a journal are to go on.
        self.assertNotIn("lifecycle", self.pods["StatefulSet"]["spec"]["containers"][0])

    def test_arguments_and_variables_are_settings(self):
        flags, variables = flags_of("vicinity-server"), help_of("vicinity-server")
        for pod in self.pods.values():
            container = pod["spec"]["containers"][0]
            self.assertLessEqual(flags_in(container["args"]), flags)
            for variable in container["env"]:
                self.assertIn(f"Variable {variable['name']}.", variables)

    def test_every_path_is_mounted_and_every_mount_has_its_source(self):
        for kind, pod in self.pods.items():
            spec, container = pod["spec"], pod["spec"]["containers"][0]
            mounts = {mount["mountPath"]: mount["name"] for mount in container["volumeMounts"]}
            texts = [*self.settings[kind].values(), *container["args"]]
            paths = {text.strip('"') for text in texts if text.strip('"').startswith("/")}
            self.assertGreaterEqual(len(paths), 5)
            for path in paths:
                self.assertTrue(path in mounts or str(pathlib.Path(path).parent) in mounts, path)
            volumes = {volume["name"]: volume for volume in spec["volumes"]}
            claims = {claim["metadata"]["name"]
                      for claim in self.only(kind)["spec"].get("volumeClaimTemplates", [])}
            self.assertEqual(set(mounts.values()), set(volumes) | claims)
            for volume in volumes.values():
                if "secret" in volume:
                    self.assertIn(volume["secret"]["secretName"], self.names("Secret"))
                else:
                    self.assertIn(volume["configMap"]["name"], self.names("ConfigMap"))

    def test_files_of_secrets_have_the_names_that_the_settings_expect(self):
        keys = self.names("Secret")["vicinity-keys"]["stringData"]
        self.assertTrue(all(re.fullmatch(r"[\w-]+\.(pem|hs256)", name) for name in keys))
        tls = self.names("Secret")["vicinity-tls"]["stringData"]
        admin = self.names("Secret")["vicinity-admin"]["stringData"]
        for settings in self.settings.values():
            def named(key):
                return pathlib.Path(settings[key].strip('"')).name
            self.assertEqual({named("tls_certificate"), named("tls_private_key")}, set(tls))
            self.assertEqual({named("admin_token_file")}, set(admin))

    def test_pods_are_confined(self):
        user = int(re.search(r"^USER (\d+)", repository("docker", "Dockerfile").read_text(),
                             re.MULTILINE).group(1))
        for pod in self.pods.values():
            whole, one = pod["spec"]["securityContext"], pod["spec"]["containers"][0]
            self.assertTrue(whole["runAsNonRoot"])
            self.assertEqual((whole["runAsUser"], whole["fsGroup"]), (user, user))
            self.assertTrue(one["securityContext"]["readOnlyRootFilesystem"])
            self.assertFalse(one["securityContext"]["allowPrivilegeEscalation"])
            self.assertEqual(one["securityContext"]["capabilities"], {"drop": ["ALL"]})
            self.assertIn("memory", one["resources"]["limits"])
            self.assertGreaterEqual(pod["spec"]["terminationGracePeriodSeconds"], 10)

    def test_the_cap_on_memory_is_below_that_of_the_container(self):
        for kind, pod in self.pods.items():
            limits = pod["spec"]["containers"][0]["resources"]["limits"]
            limit, cap = bytes_of(limits["memory"]), int(self.settings[kind]["max_memory"])
            self.assertTrue(limit * 3 // 4 <= cap <= limit * 7 // 8, (kind, cap, limit))


class Systemd(unittest.TestCase):
    def setUp(self):
        self.folder = repository("docker", "systemd")
        self.unit = (self.folder / "vicinity.service").read_text()

    def test_systemd_finds_no_fault(self):
        if shutil.which("systemd-analyze") is None:
            self.skipTest("systemd-analyze is not installed")
        server = program("vicinity-server").resolve()
        with tempfile.TemporaryDirectory() as folder:
            unit = pathlib.Path(folder) / "vicinity.service"
            unit.write_text(self.unit.replace("ExecStart=vicinity-server", f"ExecStart={server}"))
            said = subprocess.run(["systemd-analyze", "verify", "--man=no", unit],
                                  capture_output=True, text=True)
        about_us = [line for line in said.stderr.splitlines() if "vicinity" in line]
        self.assertEqual(about_us, [])

    def test_the_unit_starts_what_there_is(self):
        command = re.search(r"^ExecStart=(.*)$", self.unit, re.MULTILINE).group(1).split()
        self.assertEqual(command[0], "vicinity-server")
        self.assertTrue(program(command[0]).exists())
        self.assertLessEqual(flags_in(command), flags_of(command[0]))

    def test_the_journal_is_in_the_folder_that_the_unit_makes(self):
        settings = read_settings(self, (self.folder / "vicinity.toml").read_text())
        state = re.search(r"^StateDirectory=(.*)$", self.unit, re.MULTILINE).group(1)
        self.assertEqual(settings["journal_dir"].strip('"'), f"/var/lib/{state}")

    def test_the_lines_to_take_in_are_settings_too(self):
        text = (self.folder / "vicinity.toml").read_text()
        text = re.sub(r"^# ([a-z_]+ = )", r"\1", text, flags=re.MULTILINE)
        text = text.replace('listen_address = "127.0.0.1"\n', "")
        self.assertIn("tls_private_key", text)
        read_settings(self, text)

    def test_the_user_is_made(self):
        user = re.search(r"^User=(.*)$", self.unit, re.MULTILINE).group(1)
        self.assertRegex((self.folder / "vicinity.sysusers").read_text(), rf"(?m)^u {user} ")


class Documents(unittest.TestCase):
    def files(self):
        return sorted(repository("docs").glob("*.md")) + [repository("README.md")]

    def anchors(self, file):
        return {re.sub("[^a-z0-9 -]", "", heading.lower()).strip().replace(" ", "-")
                for heading in re.findall(r"^#+ (.*)$", file.read_text(), re.MULTILINE)}

    def test_links_lead_somewhere(self):
        checked = 0
        for file in self.files():
            for path, anchor in re.findall(r"\]\(([^)#\s]*)(?:#([^)\s]+))?\)", file.read_text()):
                if re.match(r"[a-z]+:", path):
                    continue
                target = file.parent / path if path else file
                self.assertTrue(target.exists(), f"{file.name}: {path}")
                if anchor:
                    self.assertIn(anchor, self.anchors(target), f"{file.name}: {path}")
                checked += 1
        self.assertGreater(checked, 20)

    def test_flags_in_examples_exist(self):
        known = {path.name: flags_of(path.name)
                 for path in pathlib.Path(OPTIONS.bin).glob("vicinity-*")
                 if not path.name.startswith("vicinity-example-")}
        for file in self.files():
            text = file.read_text().replace("\\\n", " ")
            for block in re.findall(r"^ *```\w*\n(.*?)^ *```", text, re.MULTILINE | re.DOTALL):
                for name, rest in re.findall(r"^ *(?:\$ )?(?:\S*/)?(vicinity-[a-z]+) (.*)$", block,
                                             re.MULTILINE):
                    words = rest.partition(" #")[0].partition(" & ")[0].split()
                    if name in known:
                        self.assertLessEqual(flags_in(words), known[name], f"{file.name}: {name}")

    def test_the_list_of_settings_is_what_the_server_says(self):
        text = repository("docs", "SETTINGS.md").read_text()
        said = settings_table.table(settings_table.printed_config(program("vicinity-server")))
        self.assertGreater(said.count("\n"), 50)
        self.assertEqual(text, settings_table.with_table(text, said))


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--bin", required=True)
    parser.add_argument("--repository", required=True)
    OPTIONS, rest = parser.parse_known_args()
    if yaml is None:
        print("SKIPPED: python3-yaml is not installed")
        sys.exit(77)
    unittest.main(argv=[sys.argv[0], "-v", *rest])
