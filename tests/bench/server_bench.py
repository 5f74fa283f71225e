#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: 2026 The Vicinity authors
"""How many clients one server serves: vicinity-server and vicinity-bots on this machine, with more
bots from run to run, for each socket engine.

A number of bots holds when the server keeps its tick rate, hardly a bot misses a frame of a tick, 99
of 100 frames leave within 10 ms of their moment, the update age of the inner ring stays below 150 ms
(p99) and no view is wrong. Each bot walks, tells the server where to in every tick, and sees some
fifty others; one in a hundred is checked against a witness that sees all around it. Every run is one line; --json writes them as JSON lines.

--minutes N runs the first number of bots for so long. Each minute a few fresh clients say how old
updates are; memory or ages that grow from minute to minute are drift, and make the run fail.

--slow compares the first number of bots alone with the same beside 200 slow readers and one that
reads nothing: three rounds of both, in turn. It fails when the ages of the healthy ones (median of
the rounds, p50 or p99) are more than a tenth above those without.
"""

import argparse
import json
import os
import re
import signal
import statistics
import subprocess
import sys
import tempfile
import time

RATE_SHARE_MIN = 0.995  # of the tick rate: 19.9 of 20 Hz
LATENESS_MAX_MS = 10
AGE_MAX_MS = 150
# --minutes: how much more the later half of the minutes may have than the first, in parts and
# beside that.
DRIFT_SHARE = {"server_resident_mb": 1.05, "probe_age_p50_ms": 1.5, "probe_age_p99_ms": 1.5}
DRIFT_MORE = {"server_resident_mb": 4, "probe_age_p50_ms": 10, "probe_age_p99_ms": 20}
PROBE_BOTS = 20
PROBE_SECONDS = 30
# --slow
SLOW_BOTS = ["--bots", "201", "--behaviours", "slow-reader:200,stalled-reader:1"]
SLOW_ROUNDS = 3
SLOW_RATIO_MAX = 1.1


def cpu_seconds(pid):
    with open(f"/proc/{pid}/stat", encoding="ascii") as file:
        fields = file.read().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def resident_mb(pid):
    with open(f"/proc/{pid}/status", encoding="ascii") as file:
        return int(re.search(r"VmRSS:\s+(\d+)", file.read()).group(1)) / 1024


class Server:
    def __init__(self, options, engine, folder):
        self.port_file = os.path.join(folder, "port")
        self.log = os.path.join(folder, "server.log")
        command = [os.path.join(options.bin, "vicinity-server"), "--port", "0", "--port-file",
                   self.port_file, "--tick-rate-hz", str(options.rate), "--socket-engine", engine,
                   "--log-format", "json", "--session-count-max", "20000",
                   "--unauthenticated-count-max", "4096"] + options.server
        with open(self.log, "w", encoding="utf-8") as log:
            self.process = subprocess.Popen(command, stderr=log, stdout=subprocess.DEVNULL)
        end = time.monotonic() + 10
        while not os.path.exists(self.port_file):
            if self.process.poll() is not None or time.monotonic() > end:
                with open(self.log, encoding="utf-8") as log:
                    raise SystemExit("server_bench: the server did not start:\n" + log.read())
            time.sleep(0.02)
        with open(self.port_file, encoding="ascii") as file:
            self.port = file.read().strip()
        self.pid = self.process.pid

    def stop(self):
        """The last figures of the log."""
        self.process.send_signal(signal.SIGTERM)
        self.process.wait(timeout=30)
        stopped = {}
        with open(self.log, encoding="utf-8") as log:
            for line in log:
                try:
                    entry = json.loads(line)
                except ValueError:
                    continue
                if "frame_lateness_p99_us" in entry:
                    stopped = entry
        return stopped


class Bots:
    """vicinity-bots against the server, from the start on."""

    def __init__(self, options, server, name, arguments):
        folder = os.path.dirname(server.log)
        self.report_file = os.path.join(folder, name + ".json")
        self.said_file = os.path.join(folder, name + ".log")
        command = [os.path.join(options.bin, "vicinity-bots"), "--connect",
                   f"127.0.0.1:{server.port}", "--scenario", "walk", "--area-radius",
                   str(options.radius), "--schedule", "open", "--query-interval", "0s",
                   "--connect-rate", "400", "--report", "json", "--out", self.report_file]
        with open(self.said_file, "w", encoding="utf-8") as said:
            self.process = subprocess.Popen(command + arguments, stdout=subprocess.DEVNULL,
                                            stderr=said)
        self.pid = self.process.pid

    def said(self):
        with open(self.said_file, encoding="utf-8") as file:
            return file.read()

    def wait_until_running(self):
        while " running " not in self.said() and self.process.poll() is None:
            time.sleep(0.05)

    def report(self):
        self.process.wait()
        try:
            with open(self.report_file, encoding="utf-8") as file:
                return json.load(file)
        except (OSError, ValueError) as error:
            raise SystemExit(f"server_bench: no report of the bots ({error}):\n"
                             + self.said()) from error


def bots_arguments(options, bots, seconds):
    return ["--bots", str(bots), "--entities", str(options.entities), "--duration", f"{seconds}s",
            "--check-share", str(options.check_share)] + options.bots_arguments


class CpuShare:
    """Of the processor time of two processes since the last question, percent of one core."""

    def __init__(self, *pids):
        self.pids = pids
        self.take()

    def take(self):
        now, cpu = time.monotonic(), [cpu_seconds(pid) for pid in self.pids]
        shares = None
        if hasattr(self, "before"):
            shares = [100 * (b - a) / (now - self.before[0])
                      for a, b in zip(self.before[1], cpu)]
        self.before = (now, cpu)
        return shares


def run(options, engine, bots):
    with tempfile.TemporaryDirectory() as folder:
        server = Server(options, engine, folder)
        crowd = Bots(options, server, "bots", bots_arguments(options, bots, options.seconds))
        crowd.wait_until_running()
        shares = CpuShare(server.pid, crowd.pid)
        time.sleep(0.9 * options.seconds)
        server_cpu, bots_cpu = shares.take()
        resident = resident_mb(server.pid)
        metrics = crowd.report()
        stopped = server.stop()
    return judge(options, row_of(options, engine, bots, metrics, stopped) | {
        "server_cpu_percent": server_cpu, "bots_cpu_percent": bots_cpu,
        "server_resident_mb": resident})


def row_of(options, engine, bots, metrics, stopped):
    checked = metrics["checked_views"]
    return {
        "engine": engine, "bots": bots, "entities": options.entities,
        "tick_rate_hz": metrics["tick_rate_measured_hz"],
        "update_age_p50_ms": metrics["update_age_p50_ms"],
        "update_age_p99_ms": metrics["update_age_p99_ms"],
        "ring1_age_p99_ms": metrics["ring1_age_p99_ms"],
        "command_echo_p99_ms": metrics["command_echo_p99_ms"],
        "lateness_p99_ms": stopped.get("frame_lateness_p99_us", 0) / 1000,
        "tick_compute_mean_ms": stopped.get("tick_compute_mean_us", 0) / 1000,
        "tick_send_mean_ms": stopped.get("tick_send_mean_us", 0) / 1000,
        "updates_per_view": metrics["updates"] / checked if checked else None,
        "wrong_views": metrics["wrong_views"], "checked_views": checked,
        "skipped_share": metrics["skipped_ticks"] / max(1, bots * metrics["ticks"]),
        "disconnects": metrics["disconnects"],
        "kbit_per_s_per_client": metrics["kbit_per_s_per_client"]}


def judge(options, row):
    rate_min = RATE_SHARE_MIN * options.rate
    reasons = []
    if (row["tick_rate_hz"] or 0) < rate_min:
        reasons.append("tick rate")
    if row["skipped_share"] > 1 - RATE_SHARE_MIN:
        reasons.append("skipped frames")
    if row["lateness_p99_ms"] > LATENESS_MAX_MS:
        reasons.append("lateness")
    if (row["ring1_age_p99_ms"] or 0) > AGE_MAX_MS:
        reasons.append("update age")
    if row["wrong_views"]:
        reasons.append("wrong views")
    if row["disconnects"]:
        reasons.append("disconnects")
    if options.check_share > 0 and not row["checked_views"]:
        reasons.append("nothing checked")
    row["holds"] = not reasons
    row["fails_by"] = reasons
    return row


def number(value, digits=1):
    return "-" if value is None else f"{value:.{digits}f}"


def text_of(row):
    return (f"{row['engine']:9} {row['bots']:6} bots  {number(row['tick_rate_hz'], 2)} Hz  "
            f"tick {number(row['tick_compute_mean_ms'])} + "
            f"{number(row['tick_send_mean_ms'])} ms  "
            f"late p99 {number(row['lateness_p99_ms'])} ms  "
            f"age p99 {number(row['ring1_age_p99_ms'])} ms  "
            f"echo p99 {number(row['command_echo_p99_ms'])} ms  "
            f"{number(row['updates_per_view'], 0)} updates, "
            f"{number(row['kbit_per_s_per_client'])} kbit/s  "
            f"cpu server {number(row['server_cpu_percent'], 0)} % "
            f"bots {number(row['bots_cpu_percent'], 0)} %  "
            f"{number(row['server_resident_mb'], 0)} MB  wrong {row['wrong_views']} of "
            f"{row['checked_views']}  "
            + ("holds" if row["holds"] else "FAILS: " + ", ".join(row["fails_by"])))


# --- Drift ---------------------------------------------------------------------------------------

def drift_of(minutes):
    """What is more in the later half of the minutes than in the first."""
    reasons = [f"no fresh client got in in minute {minute['minute']}"
               for minute in minutes if minute["probe_age_p50_ms"] is None]
    if reasons:
        return reasons
    half = len(minutes) // 2
    for name, share in DRIFT_SHARE.items():
        first = statistics.median(minute[name] for minute in minutes[:len(minutes) - half])
        later = statistics.median(minute[name] for minute in minutes[len(minutes) - half:])
        if later > first * share and later > first + DRIFT_MORE[name]:
            reasons.append(f"{name} from {first:.1f} to {later:.1f}")
    return reasons


def run_minutes(options, engine, bots):
    with tempfile.TemporaryDirectory() as folder:
        server = Server(options, engine, folder)
        crowd = Bots(options, server, "bots",
                     bots_arguments(options, bots, 60 * options.minutes + 5))
        crowd.wait_until_running()
        shares = CpuShare(server.pid, crowd.pid)
        minutes = []
        begin = time.monotonic()
        for minute in range(1, options.minutes + 1):
            probe = Bots(options, server, f"probe{minute}",
                         ["--bots", str(PROBE_BOTS), "--seed", str(1000 + minute), "--check",
                          "none", "--duration", f"{PROBE_SECONDS}s"]).report()
            time.sleep(max(0, begin + 60 * minute - time.monotonic()))
            server_cpu, bots_cpu = shares.take()
            minutes.append({
                "engine": engine, "bots": bots, "minute": minute,
                "tick_rate_hz": probe["tick_rate_measured_hz"],
                "probe_age_p50_ms": probe["update_age_p50_ms"],
                "probe_age_p99_ms": probe["update_age_p99_ms"],
                "server_cpu_percent": server_cpu, "bots_cpu_percent": bots_cpu,
                "server_resident_mb": resident_mb(server.pid),
                "bots_resident_mb": resident_mb(crowd.pid)})
            show(options, minutes[-1], lambda row: (
                f"{engine:9} {bots:6} bots  minute {row['minute']:3}  "
                f"{number(row['tick_rate_hz'], 2)} Hz  age p50 {number(row['probe_age_p50_ms'])} "
                f"p99 {number(row['probe_age_p99_ms'])} ms  "
                f"cpu server {number(row['server_cpu_percent'], 0)} % "
                f"bots {number(row['bots_cpu_percent'], 0)} %  "
                f"server {number(row['server_resident_mb'])} MB "
                f"bots {number(row['bots_resident_mb'])} MB"))
        row = row_of(options, engine, bots, crowd.report(), server.stop())
    row |= {name: minutes[-1][name]
            for name in ("server_cpu_percent", "bots_cpu_percent", "server_resident_mb")}
    row = judge(options, row)
    row["drift"] = drift_of(minutes) if len(minutes) > 1 else []
    row["holds"] = row["holds"] and not row["drift"]
    row["fails_by"] += ["drift: " + reason for reason in row["drift"]]
    return row


# --- Slow clients --------------------------------------------------------------------------------

def ages_beside(options, engine, bots, slow):
    with tempfile.TemporaryDirectory() as folder:
        server = Server(options, engine, folder)
        others = None
        if slow:
            others = Bots(options, server, "slow",
                          SLOW_BOTS + ["--check", "none", "--duration", "1h"])
            others.wait_until_running()
        crowd = Bots(options, server, "bots", bots_arguments(options, bots, options.seconds))
        metrics = crowd.report()
        if others:
            others.process.send_signal(signal.SIGTERM)
            others.process.wait(timeout=60)
        stopped = server.stop()
    row = row_of(options, engine, bots, metrics, stopped)
    row |= {"slow": 200 if slow else 0, "slow_consumers": stopped.get("slow_consumers")}
    show(options, row, lambda it: (
        f"{engine:9} {bots:6} bots beside {it['slow']:3} slow ones  "
        f"{number(it['tick_rate_hz'], 2)} Hz  age p50 {number(it['update_age_p50_ms'])} "
        f"p99 {number(it['update_age_p99_ms'])} ms  wrong {it['wrong_views']} of "
        f"{it['checked_views']}  closed as slow: {it['slow_consumers']}"))
    return row


def run_slow(options, engine, bots):
    rows = {False: [], True: []}
    for _ in range(SLOW_ROUNDS):
        for slow in (False, True):
            rows[slow].append(ages_beside(options, engine, bots, slow))
    ratios = {}
    for name in ("update_age_p50_ms", "update_age_p99_ms"):
        without, beside = (statistics.median(row[name] for row in rows[slow])
                           for slow in (False, True))
        ratios[name] = beside / without
    wrong = sum(row["wrong_views"] for row in rows[False] + rows[True])
    row = {"engine": engine, "bots": bots, "ratios": ratios, "wrong_views": wrong,
           "holds": max(ratios.values()) <= SLOW_RATIO_MAX and wrong == 0}
    show(options, row, lambda it: (
        f"{engine:9} {bots:6} bots  age beside slow ones / alone: "
        + ", ".join(f"{name} {ratio:.2f}" for name, ratio in it["ratios"].items())
        + ("  holds" if it["holds"] else "  FAILS")))
    return row


# --- Command line --------------------------------------------------------------------------------

def show(options, row, text):
    print(json.dumps(row) if options.json else text(row), flush=True)


def parse_arguments():
    parser = argparse.ArgumentParser(prog="./dev bench server", description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bin", default="build/release/bin", help=argparse.SUPPRESS)
    parser.add_argument("--bots", default="500,1000,2000,3000,4000",
                        help="numbers of bots, ascending [%(default)s]")
    parser.add_argument("--entities", type=int, default=50000,
                        help="entities that walk about besides [%(default)s]")
    parser.add_argument("--radius", type=float, default=50,
                        help="of the bots' areas, m [%(default)s]")
    parser.add_argument("--engines", default="epoll,io_uring",
                        help="socket engines, one after the other [%(default)s]")
    parser.add_argument("--rate", type=int, default=20, help="ticks per second [%(default)s]")
    parser.add_argument("--seconds", type=int, default=20,
                        help="measured time of each run [%(default)s]")
    parser.add_argument("--check-share", type=float, default=0.01,
                        help="part of the bots whose views are compared with the truth "
                             "[%(default)s]")
    parser.add_argument("--minutes", type=int, default=0, help="look for drift, see above")
    parser.add_argument("--slow", action="store_true", help="beside slow clients, see above")
    parser.add_argument("--server", action="append", default=[],
                        help="one more argument of the server; again for more")
    parser.add_argument("--bots-argument", dest="bots_arguments", action="append", default=[],
                        help="one more argument of the bots; again for more")
    parser.add_argument("--json", action="store_true", help="JSON lines on standard output")
    parser.add_argument("--keep-going", action="store_true",
                        help="go on with more bots after a number that does not hold")
    return parser.parse_args()


def main():
    options = parse_arguments()
    numbers = [int(word) for word in options.bots.split(",")]
    engines = options.engines.split(",")
    if options.slow:
        return 0 if all([run_slow(options, engine, numbers[0])["holds"]
                         for engine in engines]) else 1
    if options.minutes:
        rows = [run_minutes(options, engine, numbers[0]) for engine in engines]
        for row in rows:
            show(options, row, text_of)
        return 0 if all(row["holds"] for row in rows) else 1
    largest = {}
    for engine in engines:
        for bots in numbers:
            print(f"{engine}: {bots} bots ...", file=sys.stderr)
            row = run(options, engine, bots)
            show(options, row, text_of)
            if row["holds"]:
                largest[engine] = bots
            elif not options.keep_going:
                break
    if not options.json:
        for engine, bots in largest.items():
            print(f"{engine}: {bots} bots hold")
    return 0 if largest else 1


if __name__ == "__main__":
    sys.exit(main())
