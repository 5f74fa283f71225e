// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#pragma once

// The folder of a journal, held by one process at a time:
//
//      lock                      held while the folder is open
//      journal.mdb               the store (store/lmdb_store.h)
//      cut-after-tick-N.entries  what a start could not use, as it was; nobody reads it again
//
// Start-up; one thread.

#include <filesystem>
#include <memory>
#include <span>

#include "base/error.h"
#include "base/result.h"
#include "store/record_store.h"

namespace vicinity::store {

struct FolderSettings {
  std::filesystem::path path;
  std::uint64_t bytes_max = std::uint64_t{16} << 30;
  bool read_only = false;  ///< neither makes nor changes anything but the lock
};

class JournalFolder {
 public:
  /// Makes the folder, for its owner only, unless there is one. Errors name it, and say when
  /// another process holds it.
  static Result<std::unique_ptr<JournalFolder>, Error> open(const FolderSettings& settings);
  ~JournalFolder();
  JournalFolder(const JournalFolder&) = delete;
  JournalFolder& operator=(const JournalFolder&) = delete;

  const std::filesystem::path& path() const { return settings_.path; }
  RecordStore& store() { return *store_; }
  /// For the journal that runs; this object goes on holding the lock.
  std::unique_ptr<RecordStore> take_store() { return std::move(store_); }

  /// The store has its first entries: from now on a folder without them is damaged, not new.
  Error mark_begun();
  /// Moves entries out of the store into a file, whose name it gives; durable.
  Result<std::filesystem::path, Error> cut(Tick last_good, std::span<const EntryKey> keys);

 private:
  explicit JournalFolder(FolderSettings settings) : settings_(std::move(settings)) {}
  Error take_lock();
  Error open_store();

  const FolderSettings settings_;
  int lock_ = -1;
  std::unique_ptr<RecordStore> store_;
};

}  // namespace vicinity::store
