// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#pragma once

// Entries of a journal in one LMDB file. Nobody else uses LMDB.
//
// A process that is killed loses nothing that apply() returned for: LMDB never overwrites what its
// newest root names, and the system has the pages. The file is looked through page by page before
// LMDB sees it (store/lmdb_check.h): LMDB trusts what it reads, and a file that is cut short would
// end the process.

#include <filesystem>
#include <memory>

#include "base/result.h"
#include "store/record_store.h"

struct MDB_env;

namespace vicinity::store {

struct LmdbSettings {
  /// The file grows no larger: beyond, apply() fails with LimitExceeded.
  std::uint64_t bytes_max = std::uint64_t{16} << 30;
  bool read_only = false;
};

class LmdbStore final : public RecordStore {
 public:
  /// Makes the file, readable by its owner only, unless there is one. The caller sees to it that
  /// nobody else has it open.
  static Result<std::unique_ptr<LmdbStore>, Error> open(const std::filesystem::path& file,
                                                        const LmdbSettings& settings);
  ~LmdbStore() override;

  Error apply(std::span<const StoreChange> changes, bool sync) override;
  Error for_each(const EntryKey& first, const EntryKey& last, const Visit& visit) override;
  std::uint64_t size_bytes() const override;

 private:
  LmdbStore(std::filesystem::path file, const LmdbSettings& settings);
  Error open_environment();
  void close_environment();
  /// A code of LMDB; `is_committing`: it failed while it was made durable.
  int write(std::span<const StoreChange> changes, bool& is_committing);
  int make_freed_usable(bool& is_committing);
  Error failure(int code, const char* what) const;

  const std::filesystem::path file_;
  const LmdbSettings settings_;
  MDB_env* environment_ = nullptr;
  unsigned int database_ = 0;
};

}  // namespace vicinity::store
