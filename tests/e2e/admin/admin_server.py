# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: 2026 The Vicinity authors

"""A running vicinity-server with its listener for operators, and bots, for tests."""

import http.client
import json
import pathlib
import re
import subprocess
import tempfile
import time

PATIENCE_S = 60


def wait_until(what, condition):
    """The first true value of the condition."""
    end = time.monotonic() + PATIENCE_S
    while time.monotonic() < end:
        value = condition()
        if value:
            return value
        time.sleep(0.05)
    raise AssertionError(f"not within {PATIENCE_S} s: {what}")


class Answer:
    def __init__(self, response):
        self.status = response.status
        self.headers = response.headers
        self.body = response.read().decode()

    def json(self):
        return json.loads(self.body)


class AdminServer:
    """A server in a folder of its own; `with` stops it."""

    def __init__(self, bin_folder, *arguments, token=None):
        self._bin = pathlib.Path(bin_folder)
        self._folder = tempfile.TemporaryDirectory()
        folder = pathlib.Path(self._folder.name)
        self._token = token
        command = [str(self._bin / "vicinity-server"), "--port", "0", "--admin",
                   "--admin-port", "0", "--port-file", str(folder / "port"),
                   "--admin-port-file", str(folder / "admin_port"), *arguments]
        if token is not None:
            (folder / "token").write_text(token + "\n")
            command += ["--admin-token-file", str(folder / "token")]
        self.log_path = folder / "log"
        self._log = open(self.log_path, "wb")
        self._process = subprocess.Popen(command, stderr=self._log)
        wait_until("the server listens", lambda: (folder / "port").exists()
                   or self._process.poll() is not None)
        assert self._process.poll() is None, self.log()
        self.port = int((folder / "port").read_text())
        self.admin_port = int((folder / "admin_port").read_text())
        self._bots = []

    def __enter__(self):
        return self

    def __exit__(self, *_):
        for bots in self._bots:
            bots.kill()
            bots.wait()
        self._process.terminate()
        code = self._process.wait(PATIENCE_S)
        log = self.log()
        self._log.close()
        self._folder.cleanup()
        assert code == 0, log

    def log(self):
        return self.log_path.read_text()

    def start_bots(self, count, *arguments):
        """Bots that stay until the test is over."""
        self._bots.append(subprocess.Popen(
            [str(self._bin / "vicinity-bots"), "--connect", f"127.0.0.1:{self.port}", "--bots", str(count),
             "--duration", "600s", *arguments],
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL))
        bots = self._bots[-1]

        def there():
            assert bots.poll() is None, f"the bots ended with {bots.returncode}"
            return self.metrics()["vicinity_sessions", "state", "live"] >= count
        wait_until(f"{count} bots are there", there)

    def ask(self, path, method="GET", body=None, headers=None):
        connection = http.client.HTTPConnection("127.0.0.1", self.admin_port, timeout=PATIENCE_S)
        headers = dict(headers or {})
        if self._token is not None:
            headers.setdefault("Authorization", "Bearer " + self._token)
        connection.request(method, path, body=body, headers=headers)
        answer = Answer(connection.getresponse())
        connection.close()
        return answer

    def variables(self):
        """For a script that asks as the server's own container would."""
        variables = {"VICINITY_ADMIN_PORT": str(self.admin_port)}
        if self._token is not None:
            variables["VICINITY_ADMIN_TOKEN_FILE"] = str(self.log_path.parent / "token")
        return variables

    def metrics(self):
        return Metrics(self.ask("/metrics").body)


class Metrics:
    """The text format, read by hand: samples, and for each family its type and help."""

    _sample = re.compile(r'^([a-zA-Z_:][a-zA-Z0-9_:]*)(?:\{(.*)\})? (\S+)$')
    _label = re.compile(r'([a-zA-Z_][a-zA-Z0-9_]*)="((?:[^"\\\\]|\\\\.)*)"')

    def __init__(self, text):
        self.text = text
        self.types = {}
        self.helps = {}
        self.samples = []
        for line in text.splitlines():
            if line.startswith("# HELP "):
                name, text_ = line[len("# HELP "):].split(" ", 1)
                self.helps[name] = text_
            elif line.startswith("# TYPE "):
                name, kind = line[len("# TYPE "):].split(" ")
                self.types[name] = kind
            else:
                match = self._sample.match(line)
                assert match, line
                labels = dict(self._label.findall(match[2] or ""))
                self.samples.append((match[1], labels, float(match[3])))

    def __getitem__(self, key):
        """By name, or by (name, label, value)."""
        name, label, value = key if isinstance(key, tuple) else (key, None, None)
        found = [number for sample, labels, number in self.samples
                 if sample == name and (label is None or labels.get(label) == value)]
        assert len(found) == 1, f"{key}: {found}"
        return found[0]

    def labels_of(self, name):
        return [labels for sample, labels, _ in self.samples if sample == name]

    def names(self):
        """What a query may name."""
        return {name for name, _, _ in self.samples} | set(self.types)
