// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#include "store/contents.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "base/hash.h"

namespace vicinity::store {
namespace {

constexpr Tick last_of_all = std::numeric_limits<Tick>::max();
constexpr std::uint32_t last_part = std::numeric_limits<std::uint32_t>::max();

bool failed(const Error& error) { return error.code != ErrorCode::None; }

/// An entry under the name that it has itself.
Result<Entry, Error> unseal_at(const EntryKey& key, std::span<const std::uint8_t> bytes) {
  auto entry = unseal(bytes);
  if (entry.ok() && entry.value().key != key)
    return Error{ErrorCode::Internal, "it is an entry of another name"};
  return entry;
}

Error in(const char* what, const Error& error) {
  return {error.code, "the journal cannot be used, its " + std::string(what) + ": " + error.text};
}

Error read_head(RecordStore& store, Contents& out) {
  auto bytes = read_entry(store, header_key);
  if (!bytes.ok()) return bytes.error();
  if (!bytes.value()) {
    bool is_empty = true;
    const Error error = store.for_each(
        header_key, {EntryKind::Tick, last_of_all, last_part},
        [&](const EntryKey&, std::span<const std::uint8_t>) { return is_empty = false; });
    out.is_new = is_empty;
    if (failed(error) || is_empty) return error;
    return {ErrorCode::Internal, "the journal cannot be used, its header is missing"};
  }
  auto entry = unseal_at(header_key, *bytes.value());
  if (!entry.ok()) return in("header", entry.error());
  auto settings = decode_settings(entry.value());
  if (!settings.ok()) return in("header", settings.error());
  out.settings = std::move(settings.value());

  bytes = read_entry(store, state_key);
  if (!bytes.ok()) return bytes.error();
  out.is_state_lost = out.state.is_lost = true;
  if (!bytes.value()) return {};
  entry = unseal_at(state_key, *bytes.value());
  if (entry.ok()) {
    const auto state = decode_state(entry.value());
    if (state.ok()) out.state = state.value();
    out.is_state_lost = !state.ok();
  } else if (entry.error().code == ErrorCode::VersionMismatch) {
    return in("state", entry.error());
  }
  return {};
}

Error find_snapshots(RecordStore& store, Contents& out) {
  std::vector<SnapshotEnd> ends;
  Error newer;
  Error error = store.for_each(
      {EntryKind::SnapshotEnd, 0, 0}, {EntryKind::SnapshotEnd, last_of_all, last_part},
      [&](const EntryKey& key, std::span<const std::uint8_t> bytes) {
        const auto entry = unseal_at(key, bytes);
        const auto end = entry.ok() ? decode_snapshot_end(entry.value())
                                    : Result<SnapshotEnd, Error>(entry.error());
        if (end.ok()) {
          ends.push_back(end.value());
        } else {
          if (end.error().code == ErrorCode::VersionMismatch) newer = in("snapshot", end.error());
          out.bad_snapshots.push_back("the end of the snapshot of tick " +
                                      std::to_string(key.tick) + ": " + end.error().text);
        }
        return true;
      });
  if (!failed(error)) error = newer;
  for (auto end = ends.rbegin(); end != ends.rend(); ++end) {
    const auto whole = out.snapshot ? Result<Bytes, Error>(Bytes()) : read_snapshot(store, *end);
    if (whole.ok() && !out.snapshot) {
      out.snapshot = *end;
      continue;
    }
    if (!whole.ok()) out.bad_snapshots.push_back(whole.error().text);
    out.old_snapshots.push_back(*end);
  }
  return error;
}

/// Looks at the ticks behind the base, one entry after the other.
class TickScan {
 public:
  explicit TickScan(Contents& out) : out_(out) { out_.last_tick = out_.base_tick(); }
  /// None, or that an entry is of a newer version: nothing of that may be cut off.
  const Error& newer() const { return newer_; }

  void visit(const EntryKey& key, std::span<const std::uint8_t> bytes) {
    const auto entry = unseal_at(key, bytes);
    if (!entry.ok() && entry.error().code == ErrorCode::VersionMismatch && !failed(newer_))
      newer_ = in(("tick " + std::to_string(key.tick)).c_str(), entry.error());
    const bool is_good = entry.ok() && key.part <= hash_part;
    const bool is_next = key.part == commands_part && key.tick == out_.last_tick + 1;
    const bool is_hash =
        key.part == hash_part && key.tick == out_.last_tick && key.tick > out_.base_tick();
    if (is_good && out_.damage && key.part == commands_part) out_.damage->is_tail = false;
    const bool has_hash = out_.last_hash || out_.last_tick == out_.base_tick();
    if (is_good && is_next && !has_hash && !out_.damage) {  // only the last tick may have none
      out_.beyond.push_back(key);
      out_.damage = Damage{out_.last_tick, "its hash is missing", false};
      return;
    }
    if (is_good && is_next && !out_.damage) {
      out_.last_tick = key.tick;
      out_.last_hash.reset();
      return;
    }
    if (is_good && is_hash && !out_.damage) {
      const auto hash = decode_hash(entry.value());
      if (hash.ok()) {
        out_.last_hash = hash.value().hash;
        return;
      }
    }
    out_.beyond.push_back(key);
    if (out_.damage) return;
    const std::string what = key.part == hash_part ? "its hash: " : "";
    out_.damage = Damage{is_hash ? key.tick : out_.last_tick + 1,
                         entry.ok() ? "it is missing" : what + entry.error().text, true};
    // What follows it without it is no tail.
    if (is_good && key.part == commands_part) out_.damage->is_tail = false;
  }

 private:
  Contents& out_;
  Error newer_;
};

}  // namespace

Result<Bytes, Error> read_snapshot(RecordStore& store, const SnapshotEnd& end) {
  Bytes content;
  std::uint32_t next = 0;
  std::string fault;
  if (end.part_count == 0) fault = "it has no parts";
  const Error error = store.for_each(
      {EntryKind::SnapshotPart, end.tick, 0}, {EntryKind::SnapshotPart, end.tick, last_part},
      [&](const EntryKey& key, std::span<const std::uint8_t> bytes) {
        const auto entry = unseal_at(key, bytes);
        if (key.part >= end.part_count) return false;
        if (key.part != next || !entry.ok()) {
          fault = "part " + std::to_string(next) + ": " +
                  (entry.ok() ? "it is missing" : entry.error().text);
          return false;
        }
        content.insert(content.end(), entry.value().body.begin(), entry.value().body.end());
        ++next;
        return true;
      });
  if (failed(error)) return error;
  if (fault.empty() && (next != end.part_count || content.size() != end.size_bytes))
    fault = "parts are missing";
  if (fault.empty() && hash_bytes(content) != end.checksum) fault = "its checksum is wrong";
  if (fault.empty()) return content;
  return Error{ErrorCode::Internal,
               "the snapshot of tick " + std::to_string(end.tick) + ": " + fault};
}

Result<Contents, Error> read_contents(RecordStore& store) {
  Contents out;
  Error error = read_head(store, out);
  if (!failed(error) && !out.is_new) error = find_snapshots(store, out);
  if (failed(error)) return error;
  if (out.is_new) return out;
  TickScan scan(out);
  bool is_first = true;
  error = store.for_each({EntryKind::Tick, 0, 0}, {EntryKind::Tick, last_of_all, last_part},
                         [&](const EntryKey& key, std::span<const std::uint8_t> bytes) {
                           if (std::exchange(is_first, false)) out.first_tick = key.tick;
                           if (key.tick > out.base_tick()) scan.visit(key, bytes);
                           return true;
                         });
  if (!failed(error)) error = scan.newer();
  if (failed(error)) return error;
  if (is_first) out.first_tick = out.base_tick() + 1;
  if (!out.snapshot && out.bad_snapshots.empty() && is_first &&
      (out.state.tick > 0 || out.is_state_lost)) {
    return Error{ErrorCode::Internal,
                 "the journal cannot be used: neither a snapshot nor a tick is in it, and there "
                 "was a world; bring the folder back from a copy, or empty it to begin anew"};
  }
  if (!out.snapshot && !out.bad_snapshots.empty() && (is_first || out.first_tick > 1)) {
    return Error{ErrorCode::Internal, "the journal cannot be used: " + out.bad_snapshots.front() +
                                          ", and there is no other to begin with; bring the "
                                          "folder back from a copy, or empty it to begin anew"};
  }
  return out;
}

}  // namespace vicinity::store
