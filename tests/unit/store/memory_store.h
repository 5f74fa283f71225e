// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#pragma once

// A store in memory with faults that a test puts in: writes that fail, that wait, and entries that
// are damaged. Shared by who writes and the test that looks; any thread.

#include <chrono>
#include <condition_variable>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "store/record_store.h"

namespace vicinity::store {

/// What is on the "disk", and what the disk does.
struct Disk {
  std::mutex mutex;
  std::condition_variable changed;
  std::map<EntryKey, Bytes> entries;
  std::string fault;                            ///< not empty: every write fails with this text
  std::uint64_t bytes_max = ~std::uint64_t{0};  ///< writes that would make more fail
  bool keeps_all = false;                       ///< writes that take entries away fail
  bool is_stuck = false;                        ///< writes wait until it is not
  std::uint64_t writes = 0;
  std::uint64_t synced_writes = 0;

  template <class Change>
  void set(const Change& change) {
    {
      const std::lock_guard lock(mutex);
      change();
    }
    changed.notify_all();
  }
  std::vector<EntryKey> keys(EntryKind kind) {
    const std::lock_guard lock(mutex);
    std::vector<EntryKey> out;
    for (const auto& [key, value] : entries)
      if (key.kind == kind) out.push_back(key);
    return out;
  }
};

class MemoryStore final : public RecordStore {
 public:
  explicit MemoryStore(std::shared_ptr<Disk> disk) : disk_(std::move(disk)) {}

  Error apply(std::span<const StoreChange> changes, bool sync) override {
    std::unique_lock lock(disk_->mutex);
    disk_->changed.wait(lock, [this] { return !disk_->is_stuck; });
    if (!disk_->fault.empty()) return {ErrorCode::Internal, disk_->fault};
    for (const StoreChange& change : changes)
      if (disk_->keeps_all && !change.value) return {ErrorCode::Internal, "it keeps all"};
    std::map<EntryKey, Bytes> before = disk_->entries;
    for (const StoreChange& change : changes) {
      if (change.value) {
        disk_->entries[change.key] = *change.value;
      } else {
        disk_->entries.erase(change.key);
      }
    }
    if (bytes() > disk_->bytes_max) {
      disk_->entries.swap(before);
      return {ErrorCode::LimitExceeded, "there is no more room"};
    }
    ++disk_->writes;
    disk_->synced_writes += sync;
    return {};
  }
  Error for_each(const EntryKey& first, const EntryKey& last, const Visit& visit) override {
    std::map<EntryKey, Bytes> some;
    {
      const std::lock_guard lock(disk_->mutex);
      some = disk_->entries;
    }
    for (auto at = some.lower_bound(first); at != some.end() && at->first <= last; ++at)
      if (!visit(at->first, at->second)) break;
    return {};
  }
  std::uint64_t size_bytes() const override { return 1; }

 private:
  std::uint64_t bytes() const {
    std::uint64_t sum = 0;
    for (const auto& [key, value] : disk_->entries) sum += value.size();
    return sum;
  }

  std::shared_ptr<Disk> disk_;
};

}  // namespace vicinity::store
