#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: 2026 The Vicinity authors
"""A long run that must change nothing: a server with journal, audit and pages for operators, and
bots of all kinds that stay, beside visitors that come and go with entities of their own.

At the end nothing may have grown, nothing may be wrong, nothing may be left, and the journal must
come to the same results again with other workers and another index. Each of that is a line; exit
code 1 when one does not hold.

Everything is written to build/soak/DATE: server.log, samples.csv, bots.json and those of the
visitors, report.json, and the journal where it did not replay. The journal takes snapshots, so that
what is replayed begins at the last one: about a third of the run.
"""

import argparse
import csv
import datetime
import http.client
import json
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "e2e" / "admin"))
import admin_server  # noqa: E402  (the text format of metrics)
import soak_checks  # noqa: E402

TICK_RATE_HZ = 20
GRACE_MS = 5_000
# One second to say goodbye to clients, and what a busy disk takes for the last ticks.
STOP_LIMIT_S = 10
# How long it may take until the world is empty: grace, and the patience with the last readers.
EMPTY_LIMIT_S = 90
# What connecting and saying goodbye may take bots on a busy machine.
CROWD_LIMIT_S = 180
# So that the last snapshot is taken when two thirds of the run are over.
SNAPSHOTS = 2.9
SETUP_S = 15
BEHAVIOURS = ("normal:80,slow-reader:4,stalled-reader:2,reconnect-storm:4,border-hugger:5,"
              "spectator:2,malformed:2,flood:1")
NETWORK = "delay=60ms,jitter=20ms,cut-every=40s"
REPLAYS = [(index, workers) for index in ("rows", "sweep") for workers in (1, 2, 8)]

# Column: metric, and for those with a label which line of it.
METRICS = {
    "tick": "vicinity_tick_number",
    "ticks": "vicinity_ticks_total",
    "ticks_skipped": "vicinity_ticks_skipped_total",
    "entities": "vicinity_entities",
    "sessions_live": ("vicinity_sessions", "state", "live"),
    "sessions_parked": ("vicinity_sessions", "state", "parked"),
    "sessions_opened": "vicinity_sessions_opened_total",
    "sessions_resumed": "vicinity_sessions_resumed_total",
    "contacts": "vicinity_contacts",
    "contact_begins": "vicinity_contact_begins_total",
    "contact_ends": "vicinity_contact_ends_total",
    "visible": "vicinity_visible_entities",
    "candidate_pairs": "vicinity_candidate_pairs",
    "registrations": "vicinity_index_registrations",
    "transition_registrations": "vicinity_index_transition_registrations",
    "index_bytes": "vicinity_index_size_bytes",
    "audit_checked": "vicinity_audit_checked_total",
    "audit_misses": "vicinity_audit_misses_total",
    "shedding": "vicinity_shedding_level",
    "journal_writable": "vicinity_journal_writable",
    "journal_bytes": "vicinity_journal_size_bytes",
    "journal_lag_ticks": "vicinity_journal_lag_ticks",
    "journal_snapshot_tick": "vicinity_journal_snapshot_tick",
    "journal_write_errors": "vicinity_journal_write_errors_total",
    "journal_dropped_ticks": "vicinity_journal_dropped_ticks_total",
}


class Failure(Exception):
    """The run cannot go on."""


def say(text):
    print(f"soak: {text}", file=sys.stderr, flush=True)


def wait_until(what, seconds, condition):
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if condition():
            return True
        time.sleep(0.1)
    say(f"not within {seconds} s: {what}")
    return False


class Server:
    def __init__(self, options, folder):
        self.folder = folder
        self.journal = folder / "journal"
        ports = [folder / "port", folder / "admin_port"]
        command = [
            str(options.bin / "vicinity-server"), "--port", "0", "--port-file", str(ports[0]),
            "--admin", "--admin-port", "0", "--admin-port-file", str(ports[1]),
            "--tick-rate-hz", str(TICK_RATE_HZ), "--audit-rate", "1",
            "--socket-engine", "auto", "--journal", str(self.journal),
            "--snapshot-interval-s", str(options.snapshot_interval_s),
            # A machine that does much else must not end visits: overload has tests of its own.
            "--shed-load", "false",
            "--grace-ms", str(GRACE_MS), "--log-format", "json"]
        with open(folder / "server.log", "wb") as log:
            self.process = subprocess.Popen(command, stderr=log, stdout=subprocess.DEVNULL)
        self.pid = self.process.pid
        there = lambda: all(p.exists() for p in ports) or self.process.poll() is not None
        if not wait_until("the server listens", 60, there) or self.process.poll() is not None:
            raise Failure("the server did not start; see " + str(folder / "server.log"))
        self.port, self.admin_port = (int(p.read_text()) for p in ports)

    def ask(self, path):
        connection = http.client.HTTPConnection("127.0.0.1", self.admin_port, timeout=60)
        try:
            connection.request("GET", path)
            return connection.getresponse().read().decode()
        finally:
            connection.close()

    def sample(self):
        if self.process.poll() is not None:
            raise Failure(f"the server ended with {self.process.returncode}")
        try:
            metrics = admin_server.Metrics(self.ask("/metrics"))
        except OSError as error:
            raise Failure(f"the server does not answer: {error}") from error
        out = {"time_s": round(time.monotonic(), 1)}
        status = pathlib.Path(f"/proc/{self.pid}/status").read_text(encoding="ascii")
        fields = dict(line.split(":", 1) for line in status.splitlines())
        out["resident_bytes"] = int(fields["VmRSS"].split()[0]) * 1024
        out["anonymous_bytes"] = int(fields["RssAnon"].split()[0]) * 1024
        out["threads"] = int(fields["Threads"])
        out["descriptors"] = len(os.listdir(f"/proc/{self.pid}/fd"))
        stat = pathlib.Path(f"/proc/{self.pid}/stat").read_text(encoding="ascii")
        ticks = stat.rsplit(")", 1)[1].split()
        out["cpu_s"] = (int(ticks[11]) + int(ticks[12])) / os.sysconf("SC_CLK_TCK")
        return out | {column: metrics[metric] for column, metric in METRICS.items()}

    def stop(self):
        """Exit code and seconds; a server that does not end is killed, and says so."""
        begin = time.monotonic()
        self.process.send_signal(signal.SIGTERM)
        try:
            self.process.wait(timeout=60)
        except subprocess.TimeoutExpired:
            self.kill()
        return self.process.returncode, time.monotonic() - begin

    def kill(self):
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()


class Bots:
    """vicinity-bots with all kinds of clients, from now on."""

    def __init__(self, options, server, name, seed, count, entities, seconds):
        self.report_file = server.folder / f"{name}.json"
        command = [
            str(options.bin / "vicinity-bots"), "--connect", f"127.0.0.1:{server.port}",
            "--bots", str(count), "--entities", str(entities), "--seed", str(seed),
            "--duration", f"{seconds}s", "--scenario", "crowd", "--behaviours", BEHAVIOURS,
            "--net", NETWORK, "--net-share", "0.2", "--check-share", "0.2",
            "--report", "json", "--out", str(self.report_file)]
        with open(server.folder / f"{name}.log", "wb") as log:
            self.process = subprocess.Popen(command, stderr=log, stdout=subprocess.DEVNULL)

    def is_over(self):
        return self.process.poll() is not None

    def report(self):
        self.process.wait()
        try:
            return json.loads(self.report_file.read_text())
        except (OSError, ValueError):
            return None

    def kill(self):
        if not self.is_over():
            self.process.kill()
            self.process.wait()


class Run:
    def __init__(self, options, folder):
        self.options = options
        self.folder = folder
        self.checks = soak_checks.Checks()
        self.samples = []
        self.visits = []  # reports
        self.processes = []
        self.server = None
        self.report = None

    def start_bots(self, name, seed, count, entities, seconds):
        bots = Bots(self.options, self.server, name, seed, count, entities, seconds)
        self.processes.append(bots)
        return bots

    def run(self):
        options = self.options
        self.server = Server(options, self.folder)
        self.processes.append(self.server)
        say(f"server on port {self.server.port}, operators on {self.server.admin_port}; "
            f"{options.bots} bots and {options.entities} entities for {options.duration_s} s; "
            f"results in {self.folder}")
        crowd = self.start_bots("bots", 1, options.bots, options.entities, options.duration_s)
        self.accompany(crowd)
        self.report = crowd.report()
        emptied = wait_until("the world is empty", EMPTY_LIMIT_S, self.is_empty)
        last = self.take_sample()
        say("all bots have left" if emptied else "something is left")
        soak_checks.check_stop(self.checks, *self.server.stop(), STOP_LIMIT_S)
        self.judge(last)
        self.replay(last)

    def is_empty(self):
        sample = self.server.sample()
        return not any(sample[name] for name in ("sessions_live", "sessions_parked", "entities",
                                                 "contacts", "transition_registrations"))

    def take_sample(self):
        self.samples.append(self.server.sample())
        return self.samples[-1]

    def accompany(self, crowd):
        """Samples, and visitors one after the other, until the crowd has left."""
        options = self.options
        end = time.monotonic() + options.duration_s
        next_sample = next_visit = time.monotonic()
        visitors = None
        while not crowd.is_over():
            now = time.monotonic()
            if now > end + CROWD_LIMIT_S:
                raise Failure(f"the bots have not ended {CROWD_LIMIT_S} s after their time")
            if now >= next_sample:
                next_sample += options.sample_s
                sample = self.take_sample()
                self.server.ask("/debug/tick?last=10")
                self.server.ask("/debug/sessions?limit=1000")
                if len(self.samples) % 30 == 1:
                    say(f"tick {sample['tick']:.0f}, {sample['sessions_live']:.0f} sessions, "
                        f"{sample['entities']:.0f} entities, "
                        f"{sample['anonymous_bytes'] / soak_checks.MIB:.0f} MiB private, "
                        f"{sample['ticks_skipped']:.0f} ticks skipped")
            if visitors is not None and visitors.is_over():
                self.visits.append(visitors.report())
                visitors = None
            if visitors is None and next_visit <= now < end - 2 * options.visit_s:
                next_visit = now + options.visit_s
                number = len(self.visits) + 1
                visitors = self.start_bots(f"visitors{number}", 1000 + number, options.visitors,
                                           options.visitor_entities, options.visit_s)
            time.sleep(0.1)
        if visitors is not None:
            self.visits.append(visitors.report())

    def judge(self, last):
        checks, during = self.checks, self.samples[:-1]
        soak_checks.check_bots(checks, "bots", self.report)
        visits = soak_checks.Checks()
        for number, visit in enumerate(self.visits, 1):
            soak_checks.check_bots(visits, f"visit {number}", visit)
        failed = [f"{each['name']}: {each['text']}" for each in visits.verdicts if not each["ok"]]
        checks.add("visitors", self.visits and not failed,
                   f"{len(self.visits)} visits of {self.options.visitors} bots; "
                   + ("; ".join(failed) or "the views of all of them were right"))
        soak_checks.check_memory(checks, during, self.options.duration_s)
        soak_checks.check_descriptors(checks, during)
        soak_checks.check_threads(checks, during)
        soak_checks.check_audit(checks, last)
        soak_checks.check_journal(checks, self.samples)
        soak_checks.check_emptied(checks, last)

    def replay(self, last):
        base = last["journal_snapshot_tick"]
        share = (last["tick"] - base) / max(last["tick"], 1)
        say(f"replaying {last['tick'] - base:.0f} ticks, behind the snapshot of tick {base:.0f}: "
            f"{100 * share:.0f} % of the run, {len(REPLAYS)} times")
        self.checks.add("snapshots", base > 0,
                        f"the last one at tick {base:.0f} of {last['tick']:.0f}; needed: one")
        hashes = set()
        for index, workers in REPLAYS:
            done = subprocess.run(
                [str(self.options.bin / "vicinity-replay"), str(self.server.journal), "--index",
                 index, "--workers", str(workers), "--json"], capture_output=True, text=True,
                check=False)
            report = json.loads(done.stdout) if done.stdout.startswith("{") else None
            hashes.add(report["hash"] if report else done.stderr)
            soak_checks.check_replay(self.checks, f"replay {index} {workers}", done.returncode,
                                     report, last["tick"])
        self.checks.add("replays agree", len(hashes) == 1, ", ".join(sorted(hashes)))

    def write(self):
        """Whatever there is; the journal only if it is worth a look."""
        if self.samples:
            with open(self.folder / "samples.csv", "w", newline="", encoding="ascii") as file:
                writer = csv.DictWriter(file, self.samples[0].keys())
                writer.writeheader()
                writer.writerows(self.samples)
        ok = self.checks.ok() and bool(self.checks.verdicts)
        report = {"ok": ok, "duration_s": self.options.duration_s, "bots": self.options.bots,
                  "entities": self.options.entities,
                  "snapshot_interval_s": self.options.snapshot_interval_s,
                  "visits": len(self.visits), "samples": len(self.samples),
                  "last_sample": self.samples[-1] if self.samples else None,
                  "checks": self.checks.verdicts}
        (self.folder / "report.json").write_text(json.dumps(report, indent=2) + "\n")
        if ok:
            shutil.rmtree(self.folder / "journal", ignore_errors=True)
        return report


def parse_arguments():
    parser = argparse.ArgumentParser(prog="./dev soak", description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    length = parser.add_mutually_exclusive_group()
    length.add_argument("--hours", type=float, help="length of the run [1]")
    length.add_argument("--minutes", type=float, help="length of the run")
    length.add_argument("--seconds", type=float, help=argparse.SUPPRESS)
    parser.add_argument("--bots", type=int, default=200, help="that stay [%(default)s]")
    parser.add_argument("--entities", type=int, default=10_000,
                        help="that walk about besides [%(default)s]")
    parser.add_argument("--visitors", type=int, default=25,
                        help="bots that come and go together [%(default)s]")
    parser.add_argument("--visitor-entities", type=int, default=500,
                        help="that they bring along [%(default)s]")
    parser.add_argument("--visit-s", type=int, default=30, help="how long [%(default)s s]")
    parser.add_argument("--sample-s", type=float, default=10,
                        help="time between two samples [%(default)s s]")
    parser.add_argument("--out", type=pathlib.Path, help="folder [build/soak/DATE]")
    parser.add_argument("--bin", type=pathlib.Path, default="build/release/bin",
                        help=argparse.SUPPRESS)
    parser.add_argument("--json", action="store_true", help="report.json on standard output")
    options = parser.parse_args()
    if options.seconds is None:
        options.seconds = 60 * (options.minutes or 60 * (options.hours or 1))
    options.duration_s = max(1, round(options.seconds))
    options.snapshot_interval_s = max(1, round((options.duration_s + SETUP_S) / SNAPSHOTS))
    return options


def main():
    options = parse_arguments()
    date = datetime.datetime.now().strftime("%Y-%m-%d-%H%M%S")
    folder = options.out or pathlib.Path("build/soak") / date
    shutil.rmtree(folder / "journal", ignore_errors=True)
    folder.mkdir(parents=True, exist_ok=True)
    for stale in ("port", "admin_port"):
        (folder / stale).unlink(missing_ok=True)
    run = Run(options, folder)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    try:
        run.run()
    except Failure as failure:
        run.checks.add("run", False, str(failure))
    finally:
        for process in run.processes:
            process.kill()
        report = run.write()
    print(json.dumps(report, indent=2) if options.json else run.checks.text(), flush=True)
    return 0 if report["ok"] else 1


if __name__ == "__main__":
    sys.exit(main())
