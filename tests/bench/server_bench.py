#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: 2026 The Vicinity authors
"""How many clients one server serves: vicinity-server and vicinity-bots on this machine, with more
bots from run to run, for each socket engine.

A number of bots holds when the server keeps its tick rate, the bots get their commands through,
99 of 100 frames leave within 10 ms of their moment, the update age of the inner ring stays below
150 ms (p99) and no view is wrong. Every run is one line; --json writes them as JSON lines.
"""

import argparse
import json
import os
import re
import resource
import signal
import subprocess
import sys
import tempfile
import time

RATE_SHARE_MIN = 0.995  # of the tick rate: 19.9 of 20 Hz
LATENESS_MAX_MS = 10
AGE_MAX_MS = 150


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


def run(options, engine, bots):
    with tempfile.TemporaryDirectory() as folder:
        server = Server(options, engine, folder)
        report_file = os.path.join(folder, "report.json")
        command = [os.path.join(options.bin, "vicinity-bots"), "--connect",
                   f"127.0.0.1:{server.port}", "--bots", str(bots), "--entities",
                   str(options.entities), "--duration", f"{options.seconds}s", "--area-radius",
                   str(options.radius), "--check-share", str(options.check_share),
                   "--schedule", "open", "--query-interval", "0s", "--connect-rate", "400",
                   "--report", "json", "--out", report_file] + options.bots_arguments
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        begin = time.monotonic()
        finished = subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
                                  text=True, check=False)
        wall = time.monotonic() - begin
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        bots_cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
        server_cpu = cpu_seconds(server.process.pid)
        resident = resident_mb(server.process.pid)
        stopped = server.stop()
        with open(report_file, encoding="utf-8") as file:
            metrics = json.load(file)
    return judge(options, {
        "engine": engine, "bots": bots, "entities": options.entities,
        "tick_rate_hz": metrics["tick_rate_measured_hz"],
        "frames_per_s_per_client": metrics["frames_per_s_per_client"],
        "update_age_p99_ms": metrics["update_age_p99_ms"],
        "ring1_age_p99_ms": metrics["ring1_age_p99_ms"],
        "command_echo_p99_ms": metrics["command_echo_p99_ms"],
        "lateness_p99_ms": stopped.get("frame_lateness_p99_us", 0) / 1000,
        "wrong_views": metrics["wrong_views"], "checked_views": metrics["checked_views"],
        "updates": metrics["updates"], "skipped_ticks": metrics["skipped_ticks"],
        "disconnects": metrics["disconnects"],
        "kbit_per_s_per_client": metrics["kbit_per_s_per_client"],
        "server_cpu_percent": 100 * server_cpu / wall, "bots_cpu_percent": 100 * bots_cpu / wall,
        "server_resident_mb": resident, "bots_exit": finished.returncode,
        "bots_said": finished.stderr.strip().splitlines()[-1:]})


def judge(options, row):
    rate_min = RATE_SHARE_MIN * options.rate
    reasons = []
    if (row["tick_rate_hz"] or 0) < rate_min:
        reasons.append("tick rate")
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


def text_of(row):
    def number(value, digits=1):
        return "-" if value is None else f"{value:.{digits}f}"
    return (f"{row['engine']:9} {row['bots']:6} bots  {number(row['tick_rate_hz'], 2)} Hz  "
            f"late p99 {number(row['lateness_p99_ms'])} ms  "
            f"age p99 {number(row['ring1_age_p99_ms'])} ms  "
            f"echo p99 {number(row['command_echo_p99_ms'])} ms  "
            f"{number(row['kbit_per_s_per_client'])} kbit/s  "
            f"cpu server {number(row['server_cpu_percent'], 0)} % "
            f"bots {number(row['bots_cpu_percent'], 0)} %  "
            f"{number(row['server_resident_mb'], 0)} MB  wrong {row['wrong_views']} of "
            f"{row['checked_views']}  "
            + ("holds" if row["holds"] else "FAILS: " + ", ".join(row["fails_by"])))


def main():
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
    parser.add_argument("--server", action="append", default=[],
                        help="one more argument of the server; again for more")
    parser.add_argument("--bots-argument", dest="bots_arguments", action="append", default=[],
                        help="one more argument of the bots; again for more")
    parser.add_argument("--json", action="store_true", help="JSON lines on standard output")
    parser.add_argument("--keep-going", action="store_true",
                        help="go on with more bots after a number that does not hold")
    options = parser.parse_args()
    largest = {}
    for engine in options.engines.split(","):
        for bots in (int(word) for word in options.bots.split(",")):
            print(f"{engine}: {bots} bots ...", file=sys.stderr)
            row = run(options, engine, bots)
            print(json.dumps(row) if options.json else text_of(row), flush=True)
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
