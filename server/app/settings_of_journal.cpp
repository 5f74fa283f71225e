// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#include "app/settings_of_journal.h"

namespace vicinity::app {

std::vector<Setting> journal_settings() {
  constexpr double day_s = 86'400;
  return {
      {"journal_dir",
       &Config::journal_dir,
       0,
       0,
       "",
       {},
       "Folder of the journal from which the world goes on after a restart; empty: none.",
       "--journal"},
      {"sync",
       &Config::sync,
       0,
       0,
       "",
       {"tick", "interval", "none"},
       "When the journal is durable: before the frames of each tick leave, every sync_interval_ms, "
       "or when the system likes."},
      {"sync_interval_ms",
       &Config::sync_interval_ms,
       1,
       60'000,
       "ms",
       {},
       "Time after which the journal is durable at the latest, with sync = interval."},
      {"snapshot_interval_s",
       &Config::snapshot_interval_s,
       0,
       day_s,
       "s",
       {},
       "Time of the world between two snapshots, which bound the length of the journal; 0: none."},
      {"on_journal_error",
       &Config::on_journal_error,
       0,
       0,
       "",
       {"continue", "stop"},
       "When the journal cannot be written: go on without its promise and try again, or end."},
      {"journal_accept_loss",
       &Config::journal_accept_loss,
       0,
       0,
       "",
       {},
       "Start from the last good tick of a journal that is damaged before its end."},
      {"journal_bytes_max",
       &Config::journal_bytes_max,
       1 << 20,
       1LL << 44,
       "bytes",
       {},
       "Largest size of the journal on the disk."},
      {"journal_queue_bytes_max",
       &Config::journal_queue_bytes_max,
       1 << 12,
       1LL << 36,
       "bytes",
       {},
       "Ticks that may wait to be written; beyond, they are left out until the next snapshot."},
  };
}

}  // namespace vicinity::app
