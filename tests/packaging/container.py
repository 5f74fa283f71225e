# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: 2026 The Vicinity authors

"""Building and running images without a daemon: debootstrap, buildah, podman and runc, as root.

Everything they keep is in one folder; the configuration of the machine is neither read nor changed.
"""

import os
import pathlib
import shutil
import subprocess

TOOLS = ("debootstrap", "buildah", "podman", "runc", "tar")

CONTAINERS_CONF = """
[containers]
default_ulimits = ["nofile=4096:4096", "nproc=8192:8192"]
netns = "host"
[engine]
runtime = "runc"
cgroup_manager = "cgroupfs"
events_logger = "file"
"""

STORAGE_CONF = """
[storage]
driver = "{driver}"
graphroot = "{folder}/store"
runroot = "{folder}/run"
"""


def why_not():
    """Why no image can be built here; None when one can."""
    missing = [tool for tool in TOOLS if shutil.which(tool) is None]
    if missing:
        return "not installed: " + ", ".join(missing)
    if os.geteuid() != 0:
        return "needs root"
    return None


class Containers:
    """The tools, with a store in `folder` that is kept: the next run finds the base image there."""

    def __init__(self, folder):
        self._folder = pathlib.Path(folder)
        self._folder.mkdir(parents=True, exist_ok=True)
        (self._folder / "containers.conf").write_text(CONTAINERS_CONF)
        # No VICINITY_... of this shell: the server would take it for a setting.
        self._environment = {name: value for name, value in os.environ.items()
                             if not name.startswith("VICINITY_")}
        self._environment["CONTAINERS_CONF"] = str(self._folder / "containers.conf")
        self._environment["CONTAINERS_STORAGE_CONF"] = str(self._folder / "storage.conf")
        self._write_storage("overlay")
        if self.run("podman", "info", check=False).returncode != 0:
            self._write_storage("vfs")  # a file system on which overlay cannot be mounted

    def _write_storage(self, driver):
        (self._folder / "storage.conf").write_text(
            STORAGE_CONF.format(driver=driver, folder=self._folder))

    def run(self, *command, check=True, timeout=900):
        """The finished command; one that fails fails the test with what it said."""
        done = subprocess.run(list(map(str, command)), env=self._environment, text=True,
                              capture_output=True, timeout=timeout)
        if check and done.returncode != 0:
            raise AssertionError(f"{' '.join(map(str, command))}: exit code {done.returncode}\n"
                                 f"{done.stdout[-4000:]}\n{done.stderr[-4000:]}")
        return done

    def import_base(self, name, suite):
        """A minimal system of this suite, from a mirror, under the name that a Dockerfile uses."""
        if self.run("podman", "image", "exists", name, check=False).returncode == 0:
            return
        root = self._folder / "base"
        shutil.rmtree(root, ignore_errors=True)
        self.run("debootstrap", "--variant=minbase", suite, root)
        self.run("tar", "-C", root, "-cf", self._folder / "base.tar", ".")
        self.run("podman", "import", "--change", 'CMD ["bash"]', self._folder / "base.tar", name)
        shutil.rmtree(root)
        (self._folder / "base.tar").unlink()

    def build(self, dockerfile, context, image, contexts=(), arguments=(), target="runtime"):
        """docker build. `contexts` (NAME=FOLDER) replace stages of that name."""
        command = ["buildah", "bud", "--isolation", "chroot", "--pull-never", "--network", "host",
                   "--format", "docker", "--target", target, "-f", dockerfile, "-t", image]
        for given in contexts:
            command += ["--build-context", given]
        for given in arguments:
            command += ["--build-arg", given]
        self.run(*command, context)
