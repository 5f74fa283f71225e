// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#pragma once

// The envelope around everything that a journal keeps: what it is, how long it is, and a checksum
// over all of it. docs/JOURNAL_FORMAT.md has the bytes. Pure functions on bytes that nobody
// vouches for; any thread.

#include <array>
#include <compare>
#include <cstdint>
#include <span>
#include <vector>

#include "base/error.h"
#include "base/ids.h"
#include "base/result.h"

namespace vicinity::store {

using Bytes = std::vector<std::uint8_t>;

/// Version of everything behind the envelope. A reader refuses what is newer than itself, and reads
/// all that came before:
///   1  no caps in sessions, no words about the pair budget beside a hash; candidate_pairs_max did
///      not count what is at rest
///   2  no hash of the entities alone at the end of a snapshot; restarts of the run in its state
inline constexpr std::uint16_t format_version = 3;
/// The most that one entry holds behind its envelope: a tick's commands fit (door 1 bounds them),
/// and nothing that a damaged length says is believed.
inline constexpr std::size_t entry_bytes_max = std::size_t{1} << 30;

/// In the order in which they lie in the store.
enum class EntryKind : std::uint8_t {
  Header = 1,        ///< the settings under which the journal was made
  State = 2,         ///< how the last run ended
  SnapshotEnd = 3,   ///< a snapshot is complete: what its parts add up to
  SnapshotPart = 4,  ///< by number
  Tick = 5,          ///< part 0: what goes into a tick; part 1: its hash
};
inline constexpr std::uint32_t commands_part = 0;
inline constexpr std::uint32_t hash_part = 1;

/// Name of an entry. Ordered as the store orders them.
struct EntryKey {
  EntryKind kind = EntryKind::Header;
  Tick tick = 0;
  std::uint32_t part = 0;
  friend constexpr auto operator<=>(const EntryKey&, const EntryKey&) = default;
};

/// Names of the entries that there are once.
inline constexpr EntryKey header_key{EntryKind::Header, 0, 0};
inline constexpr EntryKey state_key{EntryKind::State, 0, 0};

/// Big-endian, so that the order of the bytes is that of the keys.
using KeyBytes = std::array<std::uint8_t, 13>;
KeyBytes encode_key(const EntryKey& key);
/// False for bytes that are no key.
[[nodiscard]] bool decode_key(std::span<const std::uint8_t> bytes, EntryKey& out);

/// Envelope and body in one.
Bytes seal(const EntryKey& key, std::span<const std::uint8_t> body,
           std::uint16_t version = format_version);

/// An entry whose checksum is right. `body` points into what was given.
struct Entry {
  EntryKey key;
  std::uint16_t version = 0;
  std::span<const std::uint8_t> body;
};
/// An error that says what is wrong: too short, not an entry, damaged, or newer than this program.
Result<Entry, Error> unseal(std::span<const std::uint8_t> bytes);

inline constexpr std::size_t envelope_bytes = 40;

}  // namespace vicinity::store
