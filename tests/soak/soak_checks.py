# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: 2026 The Vicinity authors

"""What must be true of a long run: rules over samples and reports, each with its limit. Pure."""

import statistics

MIB = 1024 * 1024
# Memory of the last quarter against the second: that much more is no leak. In a short run buffers
# still grow to the sizes that they keep.
MEMORY_SHARE = 0.05
MEMORY_MORE_BYTES = 8 * MIB
MEMORY_MORE_BYTES_SHORT = 64 * MIB
SHORT_S = 600
# Connections come and go while a sample is taken.
DESCRIPTORS_SHARE = 0.05
DESCRIPTORS_MORE = 32
# Threads that the kernel starts for io_uring, as it likes, count as threads of the process.
THREADS_MORE = 4
# The truth is kept for seconds: a machine that does much else as well may come too late to compare
# some views with it. That is no fault of the server, but the more of them, the less the run says.
# And how vicinity-bots says it.
UNCHECKED_SHARE = 0.2
UNCHECKED_TEXT = "could not be compared with the truth"
# Of the bots, all of which must be 0: views, and what was told of them.
BOT_FAULTS = ("wrong_views", "missing", "extra", "wrong_positions", "stale_updates",
              "duplicate_enters", "ghost_leaves", "ghost_updates", "version_regressions",
              "contact_errors", "wrong_contacts", "disconnects")


class Checks:
    """A list of verdicts, each with a sentence that says what was seen and what is allowed."""

    def __init__(self):
        self.verdicts = []

    def add(self, name, holds, text):
        self.verdicts.append({"name": name, "ok": bool(holds), "text": text})

    def ok(self):
        return all(verdict["ok"] for verdict in self.verdicts)

    def text(self):
        return "\n".join(f"{'ok    ' if verdict['ok'] else 'FAILED'} {verdict['name']}: "
                         f"{verdict['text']}" for verdict in self.verdicts)


def quarters(values):
    """Medians of the second and of the last quarter."""
    count = len(values)
    return (statistics.median(values[count // 4:max(count // 2, count // 4 + 1)]),
            statistics.median(values[3 * count // 4:]))


def check_memory(checks, samples, duration_s):
    more = MEMORY_MORE_BYTES_SHORT if duration_s < SHORT_S else MEMORY_MORE_BYTES
    before, after = quarters([sample["anonymous_bytes"] for sample in samples])
    limit = before * (1 + MEMORY_SHARE) + more
    checks.add("memory", after <= limit,
               f"{before / MIB:.1f} MiB in the second quarter, {after / MIB:.1f} in the last; "
               f"allowed: {limit / MIB:.1f} (private memory: the journal's pages are the disk's)")


def check_descriptors(checks, samples):
    before, after = quarters([sample["descriptors"] for sample in samples])
    limit = before * (1 + DESCRIPTORS_SHARE) + DESCRIPTORS_MORE
    checks.add("descriptors", after <= limit,
               f"{before:.0f} in the second quarter, {after:.0f} in the last; allowed: "
               f"{limit:.0f}")


def check_threads(checks, samples):
    before, after = quarters([sample["threads"] for sample in samples])
    checks.add("threads", after <= before + THREADS_MORE,
               f"{before:.0f}, then {after:.0f}; allowed: {THREADS_MORE} more")


def check_audit(checks, last):
    checks.add("audit", last["audit_checked"] > 0 and last["audit_misses"] == 0,
               f"{last['audit_misses']:.0f} misses in {last['audit_checked']:.0f} comparisons; "
               "allowed: 0, in more than 0")


def check_journal(checks, samples):
    worst = {name: max(sample[name] for sample in samples)
             for name in ("journal_write_errors", "journal_dropped_ticks", "journal_lag_ticks")}
    writable = min(sample["journal_writable"] for sample in samples)
    checks.add("journal", writable == 1 and worst["journal_write_errors"] == 0
               and worst["journal_dropped_ticks"] == 0,
               f"{worst['journal_write_errors']:.0f} errors, {worst['journal_dropped_ticks']:.0f} "
               f"ticks dropped; allowed: 0 (at most {worst['journal_lag_ticks']:.0f} ticks waited)")


def check_bots(checks, name, report):
    """`report`: as vicinity-bots writes it; None when there is none."""
    if report is None:
        checks.add(name, False, "no report")
        return
    checked, unchecked = report["checked_views"], report["unchecked_views"]
    wrong = {fault: report[fault] for fault in BOT_FAULTS if report[fault] != 0}
    broken = [text for text in report["failures"] if UNCHECKED_TEXT not in text]
    checks.add(name, not wrong and not broken and checked > 0
               and unchecked <= UNCHECKED_SHARE * checked,
               f"{checked} views checked, {report['wrong_views']} wrong, {unchecked} too late to "
               f"be compared; allowed: none wrong, {100 * UNCHECKED_SHARE:.0f} % too late"
               + "".join(f"; {fault}" for fault in (wrong, broken) if fault)
               + (f"; {report['wrong_examples'][:3]}" if wrong else ""))


def check_emptied(checks, last):
    """When everybody is gone."""
    left = {name: last[name] for name in ("sessions_live", "sessions_parked", "entities",
                                          "contacts", "visible", "transition_registrations")
            if last[name] != 0}
    checks.add("nothing left", not left,
               f"{left or 'no session, entity, contact, view or registration in transition'} "
               "when all bots had left")
    begins, ends = last["contact_begins"], last["contact_ends"]
    checks.add("contacts balance", begins > 0 and begins - ends == last["contacts"],
               f"{begins:.0f} began, {ends:.0f} ended, {last['contacts']:.0f} are open")


def check_stop(checks, code, seconds, limit_s):
    checks.add("stop", code == 0 and seconds <= limit_s,
               f"exit code {code} {seconds:.2f} s after SIGTERM; allowed: 0 within {limit_s} s")


def check_replay(checks, name, code, report, last_tick):
    """`report`: what vicinity-replay --json says; None when it says nothing. `last_tick`: the last
    that was seen while the server ran."""
    report = report or {"compared": 0, "without_hash": 0, "hash": "none", "base_tick": 0,
                        "last_tick": 0}
    compared, until = report["compared"], report["last_tick"]
    needed = max(1, int(0.9 * (until - report["base_tick"])))
    others = report.get("other_pairs", 0)
    checks.add(name, code == 0 and compared >= needed and until >= last_tick and others == 0
               and report["without_hash"] <= 1,
               f"exit code {code}, {compared} ticks the same, {others} with other contacts, "
               f"{report['without_hash']} without a hash, the last is {until}; last hash "
               f"{report['hash']}; needed: 0, {needed} ticks, 0, at most 1, up to "
               f"{last_tick:.0f}")
