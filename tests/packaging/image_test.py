# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: 2026 The Vicinity authors

"""The image of docker/Dockerfile, built and run: `DEV_TEST_IMAGE=1 ctest -R image`.

The programs are those of this build (--build-context programs=...), so nothing is compiled; with
DEV_TEST_IMAGE=whole the image is built as a stranger would build it, compiler and all.
"""

import argparse
import http.client
import json
import os
import pathlib
import re
import shutil
import socket
import subprocess
import sys
import tempfile
import time
import unittest

import container

OPTIONS = None
PATIENCE_S = 60
STOP_S = 5  # the server promises two; podman needs some, too
SKIPPED = 77  # what ctest takes for skipped
PROGRAMS = ("vicinity-server", "vicinity-token", "vicinity-bots", "vicinity-query",
            "vicinity-replay")
CONFINED = ("--read-only", "--cap-drop=all", "--security-opt", "no-new-privileges",
            "--pids-limit", "128", "--memory", "1g")


def wait_until(what, condition):
    end = time.monotonic() + PATIENCE_S
    while time.monotonic() < end:
        value = condition()
        if value:
            return value
        time.sleep(0.1)
    raise AssertionError(f"not within {PATIENCE_S} s: {what}")


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def base_of(dockerfile):
    """Name and suite of the image that the runtime is made from."""
    name, suite = re.search(r"^FROM (debian:([a-z]+)-slim) AS runtime$", dockerfile.read_text(),
                            re.MULTILINE).groups()
    return "docker.io/library/" + name, suite


class Image(unittest.TestCase):
    containers = None
    image = "localhost/vicinity:test"
    build_id = "a-build-id"

    @classmethod
    def setUpClass(cls):
        repository = pathlib.Path(OPTIONS.repository)
        dockerfile = repository / "docker" / "Dockerfile"
        cls.containers = container.Containers(OPTIONS.work)
        cls.containers.import_base(*base_of(dockerfile))
        with tempfile.TemporaryDirectory() as programs:
            contexts = []
            if os.environ["DEV_TEST_IMAGE"] != "whole":
                for program in pathlib.Path(OPTIONS.bin).glob("vicinity-*"):
                    shutil.copy(program, programs)
                contexts = [f"programs={programs}"]
            cls.containers.build(dockerfile, repository, cls.image, contexts,
                                 [f"BUILD_ID={cls.build_id}"])

    def setUp(self):
        self.port, self.admin_port = free_port(), free_port()
        self.name = f"vicinity-test-{os.getpid()}-{self._testMethodName[-20:]}"

    def tearDown(self):
        self.podman("rm", "--force", "--ignore", "--time", "0", self.name, check=False)

    def podman(self, *arguments, check=True):
        return self.containers.run("podman", *arguments, check=check)

    def start(self, *arguments, options=()):
        """A confined server in a container that shares the network of this machine."""
        self.podman("run", "--detach", "--name", self.name, "--network", "host", *CONFINED,
                    "--env", f"VICINITY_ADMIN_PORT={self.admin_port}", *options, self.image,
                    "--port", self.port, "--admin", *arguments)
        wait_until("the server is healthy or gone",
                   lambda: self.healthy() or not self.is_running())
        self.assertTrue(self.is_running(), self.logs())

    def logs(self):
        done = self.podman("logs", self.name)
        return done.stdout + done.stderr

    def state(self):
        return json.loads(self.podman("inspect", self.name).stdout)[0]["State"]

    def is_running(self):
        return self.state()["Running"]

    def healthy(self):
        return self.podman("healthcheck", "run", self.name, check=False).returncode == 0

    def ask(self, method, path):
        connection = http.client.HTTPConnection("127.0.0.1", self.admin_port, timeout=PATIENCE_S)
        connection.request(method, path)
        answer = connection.getresponse()
        return answer.status, answer.read().decode()

    def stop(self):
        """Seconds until SIGTERM had ended it, and its exit code."""
        begin = time.monotonic()
        self.podman("kill", "--signal", "TERM", self.name)
        code = int(self.podman("wait", self.name).stdout)
        return time.monotonic() - begin, code

    def test_it_says_what_it_is(self):
        config = json.loads(self.podman("inspect", self.image).stdout)[0]["Config"]
        labels = config["Labels"]
        said = self.podman("run", "--rm", "--no-healthcheck", *CONFINED, self.image,
                           "--version").stdout
        self.assertEqual(re.match(r"vicinity-server ([0-9.]+)", said).group(1),
                         labels["org.opencontainers.image.version"])
        self.assertEqual(labels["org.opencontainers.image.revision"], self.build_id)
        self.assertEqual((config["User"], config["StopSignal"]), ("10001:10001", "SIGTERM"))

    def test_every_program_finds_its_libraries(self):
        for program in sorted(pathlib.Path(OPTIONS.bin).glob("vicinity-*")):
            said = self.podman("run", "--rm", "--no-healthcheck", *CONFINED, "--entrypoint",
                               program.name, self.image, "--help")
            self.assertIn(program.name, said.stdout)

    def test_without_tokens_and_tls_it_does_not_listen_to_everybody(self):
        refused = self.podman("run", "--rm", "--no-healthcheck", *CONFINED, self.image,
                              check=False)
        self.assertEqual(refused.returncode, 2, refused.stderr)
        self.assertIn("insecure", refused.stderr)

    def test_bots_from_outside_see_what_is_there_and_sigterm_ends_it(self):
        self.start("--listen-address", "0.0.0.0", "--insecure")
        self.assertEqual(self.podman("exec", self.name, "id", "-u").stdout.strip(), "10001")
        written = self.podman("exec", self.name, "touch", "/usr/local/bin/x", check=False)
        self.assertIn("Read-only file system", written.stderr)

        # Not the exit code: a busy machine may leave bots without a truth to compare with.
        said = subprocess.run(
            [pathlib.Path(OPTIONS.bin) / "vicinity-bots", "--connect", f"127.0.0.1:{self.port}",
             "--bots", "50", "--scenario", "crowd", "--duration", "5s", "--report", "json"],
            capture_output=True, text=True, timeout=PATIENCE_S,
            env={"PATH": os.environ["PATH"]})
        seen = json.loads(said.stdout)
        self.assertEqual((seen["wrong_views"], seen["disconnects"], seen["entities"]), (0, 0, 50))
        self.assertGreater(seen["checked_views"], 500)
        self.assertGreater(seen["enters"], 0)
        self.assertTrue(self.healthy())

        took_s, code = self.stop()
        self.assertEqual(code, 0, self.logs())
        self.assertLess(took_s, STOP_S)
        self.assertFalse(self.healthy())

    def test_drain_is_one_command_within_the_container(self):
        self.start()
        said = self.podman("exec", self.name, "vicinity-admin", "POST", "/drain")
        self.assertEqual(said.returncode, 0)
        self.assertEqual(self.ask("GET", "/readyz")[0], 503)
        not_ready = self.podman("exec", self.name, "vicinity-admin", "GET", "/readyz", check=False)
        self.assertEqual(not_ready.returncode, 1)
        self.assertIn("drain", not_ready.stdout)
        self.assertTrue(self.healthy())

    def test_a_token_for_operators_is_sent_where_there_is_one(self):
        with tempfile.TemporaryDirectory() as folder:
            os.chmod(folder, 0o755)
            (pathlib.Path(folder) / "token").write_text("0123456789abcdef\n")
            self.start("--admin-address", "0.0.0.0",
                       options=("--env", "VICINITY_ADMIN_TOKEN_FILE=/run/secrets/token",
                                "--volume", f"{folder}:/run/secrets:ro"))
            self.assertEqual(self.ask("POST", "/drain")[0], 401)
            self.podman("exec", self.name, "vicinity-admin", "POST", "/drain")
            self.assertEqual(self.ask("GET", "/readyz")[0], 503)

    def test_with_tokens_and_tls_it_serves_strangers_who_have_one(self):
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            os.chmod(folder, 0o755)
            token = self.make_access(folder)
            self.start("--listen-address", "0.0.0.0", "--token-keys", "/access/game-1.pem",
                       "--tls-certificate", "/access/tls.crt", "--tls-private-key",
                       "/access/tls.key", options=("--volume", f"{folder}:/access:ro"))
            self.assertNotIn("insecure", self.logs())
            question = [pathlib.Path(OPTIONS.bin) / "vicinity-query", "--connect",
                        f"127.0.0.1:{self.port}", "--tls", "--tls-ca", folder / "tls.crt",
                        "--tls-name", "vicinity.test", "nearest", "0,0,0", "1"]
            known = self.containers.run(*question, "--token", token)
            self.assertIn("complete", known.stdout)
            self.assertEqual(self.containers.run(*question, check=False).returncode, 1)

            # Another key and another certificate, in force from SIGHUP on.
            new_token = self.make_access(folder)
            self.podman("kill", "--signal", "HUP", self.name)
            wait_until("the new token is taken", lambda: self.containers.run(
                *question, "--token", new_token, check=False).returncode == 0)
            refused = self.containers.run(*question, "--token", token, check=False)
            self.assertEqual(refused.returncode, 1)

    def make_access(self, folder):
        """Key pair, certificate and key as files that the server can read; a token."""
        tool = pathlib.Path(OPTIONS.bin) / "vicinity-token"
        for file in folder.iterdir():
            file.unlink()
        self.containers.run(tool, "generate-key", "--alg", "ES256", "--key", folder / "issuer.pem",
                            "--public", folder / "game-1.pem")
        self.containers.run("openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt",
                            "ec_paramgen_curve:P-256", "-nodes", "-days", "2", "-subj",
                            "/CN=vicinity.test", "-addext", "subjectAltName=DNS:vicinity.test",
                            "-keyout", folder / "tls.key", "-out", folder / "tls.crt")
        for file in ("game-1.pem", "tls.crt", "tls.key"):
            os.chmod(folder / file, 0o644)
        return self.containers.run(tool, "mint", "--key", folder / "issuer.pem", "--kid", "game-1",
                                   "--subject", "ada", "--role", "observer").stdout.strip()

    def test_a_world_goes_on_from_a_journal_on_a_volume(self):
        volume = self.name + "-journal"
        self.addCleanup(self.podman, "volume", "rm", "--force", volume, check=False)
        mount = ("--volume", f"{volume}:/var/lib/vicinity")
        self.start("--journal-dir", "/var/lib/vicinity", options=mount)
        wait_until("ticks are in the journal", lambda: re.search(
            r"^vicinity_journal_durable_tick [1-9]", self.ask("GET", "/metrics")[1], re.MULTILINE))
        self.assertEqual(self.stop()[1], 0, self.logs())
        self.podman("rm", self.name)
        replayed = json.loads(self.podman(
            "run", "--rm", "--no-healthcheck", *CONFINED, "--entrypoint", "vicinity-replay",
            *mount, self.image, "/var/lib/vicinity", "--json").stdout)

        self.start("--journal-dir", "/var/lib/vicinity", options=mount)
        restored = re.search(r"world restored from the journal .*\btick=(\d+) hash=(\S+)",
                             self.logs())
        self.assertEqual((int(restored.group(1)), restored.group(2)),
                         (replayed["last_tick"], replayed["hash"]))


def why_skipped():
    if not os.environ.get("DEV_TEST_IMAGE"):
        return "DEV_TEST_IMAGE is not set (it takes minutes and a package mirror)"
    missing = [name for name in PROGRAMS if not (pathlib.Path(OPTIONS.bin) / name).exists()]
    if missing:
        return "not built: " + ", ".join(missing)
    if shutil.which("openssl") is None:
        return "not installed: openssl"
    return container.why_not()


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--bin", required=True)
    parser.add_argument("--repository", required=True)
    parser.add_argument("--work", required=True)
    OPTIONS, rest = parser.parse_known_args()
    reason = why_skipped()
    if reason:
        print(f"SKIPPED: {reason}")
        sys.exit(SKIPPED)
    unittest.main(argv=[sys.argv[0], "-v", *rest])
