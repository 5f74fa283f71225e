# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: 2026 The Vicinity authors

"""Each check of a long run fails when what it is there for happens, and only then."""

import unittest

import soak_checks

MIB = soak_checks.MIB
HOUR_S = 3600


def sample(**values):
    return {"anonymous_bytes": 100 * MIB, "descriptors": 200, "threads": 9, "audit_checked": 1000.0,
            "audit_misses": 0.0, "journal_writable": 1.0, "journal_write_errors": 0.0,
            "journal_dropped_ticks": 0.0, "journal_lag_ticks": 3.0, "sessions_live": 0.0,
            "sessions_parked": 0.0, "entities": 0.0, "contacts": 0.0, "visible": 0.0,
            "transition_registrations": 0.0, "contact_begins": 70.0, "contact_ends": 70.0} | values


def bots_report(**values):
    return {"checked_views": 500, "unchecked_views": 0, "failures": [], "wrong_examples": []} | {
        fault: 0 for fault in soak_checks.BOT_FAULTS} | values


def holds(check, *arguments):
    """The only verdict, or whether all of them hold."""
    checks = soak_checks.Checks()
    check(checks, *arguments)
    assert checks.verdicts
    return checks.ok()


class Checks(unittest.TestCase):
    def test_memory(self):
        flat = [sample() for _ in range(40)]
        self.assertTrue(holds(soak_checks.check_memory, flat, HOUR_S))
        # The quarters lie 20 samples apart. Half a MiB per sample: 107.25 MiB, then 117.25, and 5 %
        # and 8 MiB more than before are allowed: 120.6. A whole one: 114.5, then 134.5; 128.2.
        slow = [sample(anonymous_bytes=(100 + i / 2) * MIB) for i in range(40)]
        self.assertTrue(holds(soak_checks.check_memory, slow, HOUR_S))
        leak = [sample(anonymous_bytes=(100 + i) * MIB) for i in range(40)]
        self.assertFalse(holds(soak_checks.check_memory, leak, HOUR_S))
        # What grows in the first quarter alone is a start.
        start = [sample(anonymous_bytes=min(10 * i, 100) * MIB) for i in range(40)]
        self.assertTrue(holds(soak_checks.check_memory, start, HOUR_S))
        # In a run of a minute the same growth says nothing, but twice as much does.
        self.assertTrue(holds(soak_checks.check_memory, leak, 60))
        flood = [sample(anonymous_bytes=(100 + 10 * i) * MIB) for i in range(40)]
        self.assertFalse(holds(soak_checks.check_memory, flood, 60))

    def test_few_samples_are_enough(self):
        for count in range(1, 6):
            self.assertTrue(holds(soak_checks.check_memory, [sample()] * count, 5))

    def test_descriptors(self):
        self.assertTrue(holds(soak_checks.check_descriptors, [sample()] * 8))
        leak = [sample(descriptors=200 + 5 * i) for i in range(40)]
        self.assertFalse(holds(soak_checks.check_descriptors, leak))

    def test_threads(self):
        self.assertTrue(holds(soak_checks.check_threads, [sample()] * 8))
        self.assertTrue(holds(soak_checks.check_threads,
                              [sample(threads=9 + i % 4) for i in range(16)]))
        self.assertFalse(holds(soak_checks.check_threads,
                               [sample(threads=9 + i) for i in range(16)]))

    def test_audit(self):
        self.assertTrue(holds(soak_checks.check_audit, sample()))
        self.assertFalse(holds(soak_checks.check_audit, sample(audit_misses=1.0)))
        self.assertFalse(holds(soak_checks.check_audit, sample(audit_checked=0.0)))

    def test_journal(self):
        self.assertTrue(holds(soak_checks.check_journal, [sample()] * 3))
        for fault in ({"journal_writable": 0.0}, {"journal_write_errors": 1.0},
                      {"journal_dropped_ticks": 1.0}):
            self.assertFalse(holds(soak_checks.check_journal,
                                   [sample(), sample(**fault), sample()]), fault)

    def test_bots(self):
        self.assertTrue(holds(soak_checks.check_bots, "bots", bots_report()))
        for fault in soak_checks.BOT_FAULTS:
            self.assertFalse(holds(soak_checks.check_bots, "bots", bots_report(**{fault: 1})),
                             fault)
        self.assertFalse(holds(soak_checks.check_bots, "bots", bots_report(checked_views=0)))
        self.assertFalse(holds(soak_checks.check_bots, "bots", bots_report(failures=["gone"])))
        self.assertFalse(holds(soak_checks.check_bots, "bots", None))
        late = [f"Some views {soak_checks.UNCHECKED_TEXT}: sessions were lost"]
        self.assertTrue(holds(soak_checks.check_bots, "bots",
                              bots_report(unchecked_views=100, failures=late)))
        self.assertFalse(holds(soak_checks.check_bots, "bots",
                               bots_report(unchecked_views=101, failures=late)))

    def test_nothing_is_left(self):
        self.assertTrue(holds(soak_checks.check_emptied, sample()))
        for name in ("sessions_live", "sessions_parked", "entities", "visible",
                     "transition_registrations"):
            self.assertFalse(holds(soak_checks.check_emptied, sample(**{name: 1.0})), name)
        self.assertFalse(holds(soak_checks.check_emptied, sample(contact_ends=69.0)))
        self.assertFalse(holds(soak_checks.check_emptied,
                               sample(contact_begins=0.0, contact_ends=0.0)))

    def test_stop(self):
        self.assertTrue(holds(soak_checks.check_stop, 0, 1.5, 10))
        self.assertFalse(holds(soak_checks.check_stop, 1, 1.5, 10))
        self.assertFalse(holds(soak_checks.check_stop, -9, 1.5, 10))
        self.assertFalse(holds(soak_checks.check_stop, 0, 10.5, 10))

    def test_replay(self):
        report = {"compared": 90, "without_hash": 1, "other_pairs": 0, "hash": "12",
                  "base_tick": 400, "last_tick": 500}
        self.assertTrue(holds(soak_checks.check_replay, "rows", 0, report, 500))
        self.assertFalse(holds(soak_checks.check_replay, "rows", 1, report, 500))
        self.assertFalse(holds(soak_checks.check_replay, "rows", 0, report, 501))
        self.assertFalse(holds(soak_checks.check_replay, "rows", 0, report | {"compared": 89}, 500))
        for fault in ({"without_hash": 2}, {"other_pairs": 1}):
            self.assertFalse(holds(soak_checks.check_replay, "rows", 0, report | fault, 500))
        self.assertFalse(holds(soak_checks.check_replay, "rows", 2, None, 500))

    def test_one_failure_is_enough(self):
        checks = soak_checks.Checks()
        checks.add("first", True, "all is well")
        self.assertTrue(checks.ok())
        checks.add("second", False, "this is not")
        self.assertFalse(checks.ok())
        self.assertEqual(checks.text(), "ok     first: all is well\nFAILED second: this is not")


if __name__ == "__main__":
    unittest.main()
