// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#pragma once

// Where the entries of a journal lie: keys and values, changed all or none. What it is made of is
// nobody's business (store/lmdb_store.h); tests put faults in between. One thread at a time.

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "base/error.h"
#include "store/entry.h"

namespace vicinity::store {

/// `value` absent: the entry goes, if there is one.
struct StoreChange {
  EntryKey key;
  std::optional<Bytes> value;
};

class RecordStore {
 public:
  RecordStore() = default;
  RecordStore(const RecordStore&) = delete;
  RecordStore& operator=(const RecordStore&) = delete;
  virtual ~RecordStore() = default;

  /// All changes or none, in their order. A change that returned without error outlives the
  /// process. With `sync` it outlives the power as well, and so does everything before it.
  virtual Error apply(std::span<const StoreChange> changes, bool sync) = 0;

  /// Calls `visit` for the entries from `first` to `last`, inclusive, by ascending key, until it
  /// says false. The bytes are valid during the call, which must not change the store.
  using Visit = std::function<bool(const EntryKey& key, std::span<const std::uint8_t> value)>;
  virtual Error for_each(const EntryKey& first, const EntryKey& last, const Visit& visit) = 0;

  /// Bytes on the disk.
  virtual std::uint64_t size_bytes() const = 0;
};

/// The value of one entry; nothing when there is none.
Result<std::optional<Bytes>, Error> read_entry(RecordStore& store, const EntryKey& key);

}  // namespace vicinity::store
