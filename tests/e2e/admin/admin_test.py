# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: 2026 The Vicinity authors

"""The pages for operators, of a real server with bots on it."""

import argparse
import http.client
import os
import pathlib
import re
import shutil
import socket
import subprocess
import sys
import tempfile
import threading
import unittest

from admin_server import AdminServer, Metrics, wait_until

OPTIONS = argparse.Namespace()


def server(*arguments, **others):
    return AdminServer(OPTIONS.bin, *arguments, **others)


class Pages(unittest.TestCase):
    def test_the_index_names_every_page(self):
        with server() as running:
            index = running.ask("/")
            self.assertEqual(index.status, 200)
            for page in ("/healthz", "/readyz", "/version", "/metrics", "/debug/tick",
                         "/debug/trace", "/debug/sessions", "/sessions/*/kick", "/drain",
                         "/log/level"):
                self.assertIn(f" {page} ", index.body)

    def test_unknown_pages_and_wrong_methods_are_told_apart(self):
        with server() as running:
            self.assertEqual(running.ask("/nothing").status, 404)
            wrong = running.ask("/drain")
            self.assertEqual((wrong.status, wrong.headers["Allow"]), (405, "POST"))
            head = running.ask("/metrics", "HEAD")
            self.assertEqual((head.status, head.body), (200, ""))
            self.assertGreater(int(head.headers["Content-Length"]), 1000)

    def test_the_version_is_the_same_everywhere(self):
        program = pathlib.Path(OPTIONS.bin) / "vicinity-server"
        said = subprocess.run([program, "--version"], capture_output=True, text=True).stdout
        version, build = re.fullmatch(r"vicinity-server (\S+)\+(\S+)\n", said).groups()
        with server() as running:
            self.assertEqual(running.ask("/version").body, f"{version}+{build}\n")
            info = running.metrics().labels_of("vicinity_build_info")
            self.assertEqual(info, [{"version": version, "build": build}])
            self.assertIn(f"server started version={version} build={build} ", running.log())

    def test_the_log_level_can_be_changed(self):
        with server() as running:
            self.assertEqual(running.ask("/log/level").body, "info\n")
            self.assertEqual(running.ask("/log/level", "PUT", "loud").status, 400)
            self.assertEqual(running.ask("/log/level", "PUT", "error").status, 200)
            self.assertEqual(running.ask("/log/level").body, "error\n")
            said = "an operator set the log level level="
            wait_until("the change is logged", lambda: f"info {said}error" in running.log())
            running.start_bots(1)
            self.assertNotIn("session open", running.log())
            self.assertEqual(running.ask("/log/level", "PUT", "warning").status, 200)
            wait_until("the change is logged", lambda: f"warning {said}warning" in running.log())

    def test_pages_of_other_origins_are_counted(self):
        with tempfile.TemporaryDirectory() as folder:
            port = pathlib.Path(folder) / "port"
            with server("--websocket", "--websocket-port", "0",
                        "--websocket-port-file", str(port)) as running:
                page = http.client.HTTPConnection("127.0.0.1", int(port.read_text()), timeout=60)
                page.request("GET", "/", headers={
                    "Connection": "Upgrade", "Upgrade": "websocket", "Sec-WebSocket-Version": "13",
                    "Sec-WebSocket-Key": "dGhlIHNhbXBsZSBub25jZQ==", "Origin": "https://evil.test"})
                self.assertEqual(page.getresponse().status, 403)
                page.close()
                name = "vicinity_connections_rejected_total"
                wait_until("it is counted by its code",
                           lambda: running.metrics()[name, "code", "HandshakeExpected"] == 1)
                self.assertIn("peer=127.0.0.1:", running.log())

    def test_the_script_of_the_image_sends_bodies(self):
        script = pathlib.Path(OPTIONS.repository) / "docker" / "vicinity-admin"
        with server(token="a-secret-of-operators") as running:
            def said(*arguments):
                done = subprocess.run(["bash", script, *arguments], capture_output=True, text=True,
                                      timeout=60, env={**os.environ, **running.variables()})
                return done.returncode, done.stdout
            self.assertEqual(said("PUT", "/log/level", "error"), (0, "error\n"))
            self.assertEqual(said("GET", "/log/level"), (0, "error\n"))
            self.assertEqual(said("PUT", "/log/level", "l\u00e4rm")[0], 1)
            self.assertEqual(said("PUT", "/log/level")[0], 1)
            self.assertEqual(said("GET"), (2, ""))

    def test_a_silent_crowd_keeps_nobody_out(self):
        with server() as running:
            crowd = [socket.create_connection(("127.0.0.1", running.admin_port))
                     for _ in range(60)]
            self.assertEqual(running.ask("/healthz").status, 200)
            for one in crowd:
                one.close()


class Access(unittest.TestCase):
    def test_a_token_is_asked_for_but_not_by_probes(self):
        with server(token="a-secret-of-operators") as running:
            self.assertEqual(running.ask("/metrics").status, 200)
            for wrong in ("Bearer another-secret-of-ops", "Basic a-secret-of-operators", ""):
                headers = {"Authorization": wrong}
                for path in ("/", "/metrics", "/debug/tick", "/nothing"):
                    self.assertEqual(running.ask(path, headers=headers).status, 401)
                self.assertEqual(running.ask("/drain", "POST", headers=headers).status, 401)
                self.assertEqual(running.ask("/healthz", headers=headers).status, 200)
                self.assertEqual(running.ask("/readyz", headers=headers).status, 200)
            self.assertNotIn("a-secret", running.log())

    def refused(self, *arguments):
        program = pathlib.Path(OPTIONS.bin) / "vicinity-server"
        return subprocess.run([program, "--port", "0", "--admin", *arguments],
                              capture_output=True, text=True, timeout=60)

    def test_other_machines_need_a_token(self):
        refused = self.refused("--admin-address", "0.0.0.0")
        self.assertEqual(refused.returncode, 2)
        self.assertIn("--admin-token-file", refused.stderr)

    def test_a_token_file_that_holds_none_is_refused(self):
        for path in ("/dev/null", "/nowhere/token"):
            refused = self.refused("--admin-token-file", path)
            self.assertEqual(refused.returncode, 2)
            self.assertIn(f"admin_token_file {path}", refused.stderr)

    def test_nobody_listens_unless_asked_to(self):
        program = pathlib.Path(OPTIONS.bin) / "vicinity-server"
        printed = subprocess.run([program, "--print-config"], capture_output=True, text=True)
        self.assertIn("\nadmin = false\n", printed.stdout)


class Health(unittest.TestCase):
    def test_a_server_that_ticks_is_ready(self):
        with server("--audit-rate", "1") as running:
            running.start_bots(3)
            wait_until("audited", lambda: running.metrics()["vicinity_audit_checked_total"] > 0)
            self.assertEqual(running.ask("/healthz").body, "ok\n")
            ready = running.ask("/readyz")
            self.assertEqual(ready.status, 200)
            self.assertEqual(ready.json(), {"ready": True, "reasons": [],
                                            "checks": ["ticks", "audit", "drain"]})

    def test_a_server_in_manual_mode_is_ready_without_ticks(self):
        with server("--tick-mode", "manual") as running:
            self.assertEqual(running.ask("/readyz").status, 200)
            self.assertEqual(running.ask("/debug/tick").json(), {"ticks": []})
            self.assertEqual(running.metrics()["vicinity_ticks_total"], 0)

    def test_a_cap_on_memory_is_among_the_checks(self):
        cap = 1 << 30
        with server("--max-memory", str(cap)) as running:
            ready = running.ask("/readyz")
            self.assertEqual((ready.status, ready.json()["checks"]),
                             (200, ["memory", "ticks", "audit", "drain"]))
            metrics = running.metrics()
            self.assertEqual(metrics["vicinity_memory_cap_bytes"], cap)
            self.assertEqual(metrics["vicinity_memory_closed"], 0)
            # Of anonymous pages there are some, and never more than of all.
            self.assertGreater(metrics["vicinity_memory_used_bytes"], 1 << 20)
            self.assertLess(metrics["vicinity_memory_used_bytes"],
                            metrics["process_resident_memory_bytes"])

    def test_a_drained_server_sends_everybody_away(self):
        with server() as running:
            running.start_bots(5)
            self.assertEqual(running.ask("/drain", "POST").status, 200)
            self.assertEqual(running.ask("/drain", "POST").status, 200)
            ready = running.ask("/readyz")
            self.assertEqual(ready.status, 503)
            self.assertEqual([reason["check"] for reason in ready.json()["reasons"]], ["drain"])
            self.assertEqual(running.ask("/healthz").status, 200)

            def nobody_is_left():
                metrics = running.metrics()
                return (metrics["vicinity_sessions", "state", "live"] == 0
                        and metrics["vicinity_sessions", "state", "parked"] == 0)
            wait_until("all sessions have ended", nobody_is_left)
            metrics = running.metrics()
            self.assertEqual(metrics["vicinity_draining"], 1)
            self.assertGreaterEqual(
                metrics["vicinity_sessions_ended_total", "code", "ServerStopping"], 5)
            newcomer = socket.create_connection(("127.0.0.1", running.port))
            said = b""
            while part := newcomer.recv(4096):
                said += part
            newcomer.close()
            self.assertIn(b"the server stops; connect again in a moment", said)
            wait_until("that was counted", lambda: running.metrics()[
                "vicinity_connections_rejected_total", "code", "ServerStopping"] >= 1)


class Sessions(unittest.TestCase):
    def test_sessions_come_in_pages(self):
        with server() as running:
            running.start_bots(7)
            wait_until("bots see something", lambda: any(
                session["visible"] > 0 and session["frames"] > 0
                for session in running.ask("/debug/sessions").json()["sessions"]))
            seen = []
            after = 0
            while after is not None:
                page = running.ask(f"/debug/sessions?limit=3&after={after}").json()
                self.assertLessEqual(len(page["sessions"]), 3)
                seen += page["sessions"]
                after = page["next_after"]
            ids = [session["session"] for session in seen]
            self.assertEqual(ids, sorted(set(ids)))
            self.assertGreaterEqual(len(ids), 7)
            self.assertEqual(len(ids), page["live"] + page["parked"])
            for session in seen:
                self.assertEqual(session["state"], "live")
                self.assertTrue(session["address"].startswith("127.0.0.1:"))
                self.assertIn(session["role"], ("observer", "player", "authority"))
            self.assertTrue(any(session["frames"] > 0 and session["frame_bytes"] > 0
                                for session in seen))
            self.assertTrue(any(session["visible"] > 0 for session in seen))
            # Each bot sees through one observer; the numbers of its areas are the bot's own.
            listed = wait_until("the observers are listed", lambda: [
                session for session in running.ask("/debug/sessions?limit=1000").json()["sessions"]
                if re.fullmatch(r"vicinity-bots \d+", session["client"]) and session["views"]])
            for session in listed:
                self.assertEqual(len(session["views"]), 1)
                view = session["views"][0]
                self.assertEqual(set(view), {"observer", "areas", "visible"})
                self.assertEqual(len(view["areas"]), 1)
            for wrong in ("limit=0", "limit=1001", "limit=x", "after=-1"):
                self.assertEqual(running.ask(f"/debug/sessions?{wrong}").status, 400)
            self.assertNotIn("token", str(seen))

    def test_lines_about_sessions_name_them_and_the_tick(self):
        with server() as running:
            running.start_bots(1)
            lines = [line for line in running.log().splitlines() if " session open " in line]
            self.assertTrue(lines)
            for line in lines:
                self.assertRegex(line, r" session=\d+ tick=\d+ role=")

    def test_a_session_can_be_kicked(self):
        with server() as running:
            running.start_bots(2)
            first = running.ask("/debug/sessions?limit=1").json()["sessions"][0]["session"]
            self.assertEqual(running.ask(f"/sessions/{first}/kick", "POST").status, 200)
            self.assertEqual(running.ask(f"/sessions/{first}/kick", "POST").status, 404)
            self.assertEqual(running.ask("/sessions/x/kick", "POST").status, 400)
            page = running.ask(f"/debug/sessions?limit=1&after={first - 1}").json()
            self.assertFalse([one for one in page["sessions"] if one["session"] == first])
            self.assertGreaterEqual(
                running.metrics()["vicinity_sessions_ended_total", "code", "None"], 1)
            self.assertRegex(running.log(), rf"an operator ended a session session={first}\n")


class Ticks(unittest.TestCase):
    def test_the_last_ticks_are_told_in_order(self):
        with server("--tick-rate-hz", "60") as running:
            running.start_bots(5)
            wait_until("ticks", lambda: running.metrics()["vicinity_ticks_total"] > 30)
            ticks = running.ask("/debug/tick?last=20").json()["ticks"]
            numbers = [tick["tick"] for tick in ticks]
            self.assertGreaterEqual(len(numbers), 18)  # one may be overtaken while it is read
            self.assertEqual(numbers, sorted(set(numbers)))
            for tick in ticks:
                self.assertRegex(tick["hash"], "^[0-9a-f]{16}$")
                self.assertLessEqual(sum(tick["stages_us"].values()), tick["busy_us"] + 1)
                self.assertEqual(len(tick["stages_us"]), 16)
                self.assertEqual(set(tick["audit"]), {"entities", "skipped", "misses"})
            for wrong in ("last=0", "last=513", "last=", "last=ten"):
                self.assertEqual(running.ask(f"/debug/tick?{wrong}").status, 400)

    def test_a_trace_shows_stages_and_threads(self):
        with server("--workers", "2", "--net-threads", "2") as running:
            running.start_bots(5)
            trace = running.ask("/debug/trace?ticks=4").json()
            events = [event for event in trace["traceEvents"] if event["ph"] == "X"]
            names = [event["name"] for event in events]
            self.assertEqual(names.count("tick"), 4)
            for stage in ("commands", "advance", "freeze", "bounds", "index", "search", "pairs",
                          "narrow", "events", "interest", "audit", "hash", "outputs", "publish",
                          "streams", "send"):
                self.assertGreaterEqual(names.count(stage), 4, stage)
            self.assertIn("frame", names)
            threads = {event["args"]["name"].split(" ")[0] for event in trace["traceEvents"]
                       if event["ph"] == "M"}
            self.assertLessEqual({"tick", "net"}, threads)
            ticks = [event for event in events if event["name"] == "tick"]
            inside = [event for event in events if event["name"] == "search"]
            for event in inside:
                self.assertTrue(any(tick["tid"] == event["tid"] and tick["ts"] <= event["ts"]
                                    and event["ts"] + event["dur"] <= tick["ts"] + tick["dur"] + 1
                                    for tick in ticks))
            self.assertEqual(running.ask("/debug/trace?ticks=0").status, 400)
            self.assertEqual(running.ask("/debug/trace?ticks=1001").status, 400)
            misspelt = running.ask("/debug/trace?tick=5")
            self.assertEqual(misspelt.status, 400)
            self.assertIn("unknown parameter 'tick'; /debug/trace takes ticks", misspelt.body)

    def test_two_traces_do_not_mix(self):
        with server("--tick-mode", "manual") as running:
            first = socket.create_connection(("127.0.0.1", running.admin_port))
            first.sendall(b"GET /debug/trace HTTP/1.1\r\nHost: localhost\r\n\r\n")
            wait_until("it records",
                       lambda: running.ask("/debug/trace?ticks=x").status == 400
                       and running.ask("/debug/trace").status == 409)
            first.close()
            # It is given up with who asked for it: the next one is not refused but waits for ticks.
            wait_until("another is recorded", lambda: self.is_kept_waiting(running))

    def is_kept_waiting(self, running):
        with socket.create_connection(("127.0.0.1", running.admin_port)) as other:
            other.sendall(b"GET /debug/trace HTTP/1.1\r\nHost: localhost\r\n\r\n")
            other.settimeout(0.5)
            try:
                other.recv(16)
            except TimeoutError:
                return True
        return False

    def test_ticks_go_on_while_everything_is_read(self):
        with server() as running:
            running.start_bots(20)
            begin = running.metrics()["vicinity_ticks_total"]
            stop = threading.Event()
            statuses = []

            def read():
                while not stop.is_set():
                    for path in ("/metrics", "/debug/tick?last=512", "/debug/sessions",
                                 "/debug/trace?ticks=1"):
                        statuses.append(running.ask(path).status)
            readers = [threading.Thread(target=read) for _ in range(4)]
            for reader in readers:
                reader.start()
            wait_until("ticks", lambda: running.metrics()["vicinity_ticks_total"] > begin + 40)
            stop.set()
            for reader in readers:
                reader.join()
            self.assertLessEqual(set(statuses), {200, 409})
            self.assertGreater(len(statuses), 40)
            self.assertEqual(running.ask("/healthz").status, 200)


class MetricNames(unittest.TestCase):
    """One server for all: nothing here changes it."""

    @classmethod
    def setUpClass(cls):
        journal = tempfile.TemporaryDirectory()
        cls.addClassCleanup(journal.cleanup)
        cls.running = server("--websocket", "--websocket-port", "0", "--journal", journal.name)
        cls.addClassCleanup(cls.running.__exit__)
        cls.running.start_bots(3)
        cls.metrics = cls.running.metrics()
        cls.repository = pathlib.Path(OPTIONS.repository)

    def test_names_follow_the_conventions(self):
        for name, kind in self.metrics.types.items():
            self.assertRegex(name, "^(vicinity|process)_[a-z][a-z0-9_]*[a-z0-9]$")
            self.assertEqual(name.endswith("_total"), kind == "counter", name)
            self.assertNotRegex(name, "_(ms|us|ns|milliseconds|kb|mb|count|sum|bucket)(_|$)")
            if kind == "histogram":
                self.assertRegex(name, "_(seconds|bytes)$")
            self.assertRegex(self.metrics.helps[name], r"^[A-Z0-9].*\.$", name)
        self.assertEqual(set(self.metrics.types), set(self.metrics.helps))

    def test_every_family_has_samples_before_anything_happens(self):
        sampled = {re.sub("_(bucket|sum|count)$", "", name) for name, _, _ in self.metrics.samples}
        self.assertEqual(set(self.metrics.types) - sampled, set())
        for name in ("vicinity_sessions_ended_total", "vicinity_connections_rejected_total"):
            codes = {labels["code"] for labels in self.metrics.labels_of(name)}
            self.assertLessEqual({"None", "ServerFull", "SlowConsumer", "ServerStopping"}, codes)

    def test_histograms_add_up(self):
        total = self.metrics["vicinity_ticks_total"]
        self.assertEqual(self.metrics["vicinity_tick_duration_seconds_count"], total)
        stages = self.metrics.labels_of("vicinity_tick_stage_duration_seconds_count")
        self.assertEqual(len(stages), 16)
        for name, labels, count in self.metrics.samples:
            if not name.endswith("_seconds_count"):
                continue
            buckets = [(float(others["le"].replace("+Inf", "inf")), number)
                       for sample, others, number in self.metrics.samples
                       if sample == name.replace("_count", "_bucket")
                       and others == {**labels, "le": others["le"]}]
            self.assertGreaterEqual(len(buckets), 8, name)
            self.assertEqual(buckets, sorted(buckets), name)
            numbers = [number for _, number in buckets]
            self.assertEqual(numbers, sorted(numbers), name)
            self.assertEqual(numbers[-1], count, name)
        frames = self.metrics["vicinity_frame_lateness_seconds_count", "listener", "tcp"]
        self.assertGreater(frames, 0)

    def test_the_engine_and_the_index_are_named(self):
        engines = {labels["listener"]: labels["engine"]
                   for labels in self.metrics.labels_of("vicinity_socket_engine_info")}
        self.assertEqual(engines["websocket"], "epoll")
        self.assertIn(engines["tcp"], ("epoll", "io_uring"))
        self.assertEqual(self.metrics.labels_of("vicinity_index_info")[0]["kind"] != "", True)

    def test_the_journal_is_written(self):
        wait_until("something is written",
                   lambda: self.running.metrics()["vicinity_journal_written_bytes_total"] > 0)
        self.assertEqual(self.running.metrics()["vicinity_journal_writable"], 1)
        self.assertEqual(self.running.ask("/readyz").status, 200)

    def test_promtool_finds_nothing(self):
        promtool = shutil.which("promtool")
        if promtool is None:
            self.skipTest("promtool is not installed")
        checked = subprocess.run([promtool, "check", "metrics"], input=self.metrics.text,
                                 capture_output=True, text=True)
        self.assertEqual((checked.returncode, checked.stdout, checked.stderr), (0, "", ""))

    def names_in(self, text):
        return set(re.findall(r"\b(?:vicinity|process)_[a-z0-9_]+\b", text))

    def exported(self):
        histograms = {name for name, kind in self.metrics.types.items() if kind == "histogram"}
        return self.metrics.names() | {name + "_bucket" for name in histograms}

    def test_dashboards_and_rules_use_what_is_exported(self):
        files = sorted((self.repository / "docker").rglob("*.json"))
        files += sorted((self.repository / "docker").rglob("*.yml"))
        self.assertGreaterEqual(len(files), 4)
        for file in files:
            # `vicinity_recorded:...` would be a rule of its own; there is none.
            names = self.names_in(file.read_text())
            self.assertEqual(names - self.exported(), set(), file.name)

    def test_the_table_in_the_documents_is_complete(self):
        text = (self.repository / "docs" / "OPERATIONS.md").read_text()
        table = set(re.findall(r"^\| `((?:vicinity|process)_[a-z0-9_]+)`", text, re.MULTILINE))
        self.assertEqual(table, set(self.metrics.types))

    def test_every_alert_has_a_runbook(self):
        rules = (self.repository / "docker" / "prometheus" / "rules.yml").read_text()
        text = (self.repository / "docs" / "OPERATIONS.md").read_text()
        anchors = {re.sub("[^a-z0-9 -]", "", heading.lower()).strip().replace(" ", "-")
                   for heading in re.findall(r"^#+ (.*)$", text, re.MULTILINE)}
        alerts = re.findall(r"- alert: (\S+)", rules)
        runbooks = re.findall(r"runbook: docs/OPERATIONS.md#(\S+)", rules)
        self.assertGreaterEqual(len(alerts), 8)
        self.assertEqual([alert.lower() for alert in alerts], runbooks)
        self.assertLessEqual(set(runbooks), anchors)

    def test_promtool_reads_the_rules(self):
        promtool = shutil.which("promtool")
        if promtool is None:
            self.skipTest("promtool is not installed")
        folder = self.repository / "docker" / "prometheus"
        for arguments in (["check", "rules", folder / "rules.yml"],
                          ["check", "config", folder / "prometheus.yml"]):
            checked = subprocess.run([promtool, *arguments], capture_output=True, text=True)
            self.assertEqual(checked.returncode, 0, checked.stdout + checked.stderr)


class ReadingMetrics(unittest.TestCase):
    def test_labels_and_values_are_told_apart(self):
        metrics = Metrics('# HELP a_b Text.\n# TYPE a_b gauge\na_b{x="1",y="}\\""} 2.5\nc 3\n')
        self.assertEqual(metrics["a_b", "x", "1"], 2.5)
        self.assertEqual(metrics["c"], 3)
        self.assertEqual(metrics.types, {"a_b": "gauge"})


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--bin", required=True)
    parser.add_argument("--repository", required=True)
    OPTIONS, rest = parser.parse_known_args()
    unittest.main(argv=[sys.argv[0], *rest])
