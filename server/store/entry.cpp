// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#include "store/entry.h"

#include <algorithm>
#include <cstring>
#include <string>

#include "base/check.h"
#include "base/hash.h"

namespace vicinity::store {
namespace {

constexpr std::array<std::uint8_t, 4> magic = {'V', 'J', 'E', 0x1A};
// Offsets in the envelope. The checksum is over everything but itself.
constexpr std::size_t version_at = 4;
constexpr std::size_t kind_at = 6;
constexpr std::size_t part_at = 8;
constexpr std::size_t reserved_at = 12;
constexpr std::size_t tick_at = 16;
constexpr std::size_t size_at = 24;
constexpr std::size_t checksum_at = 32;

template <class T>
T read(std::span<const std::uint8_t> bytes, std::size_t at) {
  T value;
  std::memcpy(&value, bytes.data() + at, sizeof value);
  return value;
}
template <class T>
void write(std::span<std::uint8_t> bytes, std::size_t at, T value) {
  std::memcpy(bytes.data() + at, &value, sizeof value);
}

std::uint64_t checksum(std::span<const std::uint8_t> envelope, std::span<const std::uint8_t> body) {
  const std::uint64_t parts[2] = {hash_bytes(envelope.first(checksum_at)), hash_bytes(body)};
  return hash_words(parts);
}

Error damaged(std::string text) { return {ErrorCode::Internal, std::move(text)}; }

}  // namespace

KeyBytes encode_key(const EntryKey& key) {
  KeyBytes bytes{};
  bytes[0] = static_cast<std::uint8_t>(key.kind);
  for (std::size_t i = 0; i < 8; ++i)
    bytes[1 + i] = static_cast<std::uint8_t>(key.tick >> (56 - 8 * i));
  for (std::size_t i = 0; i < 4; ++i)
    bytes[9 + i] = static_cast<std::uint8_t>(key.part >> (24 - 8 * i));
  return bytes;
}

bool decode_key(std::span<const std::uint8_t> bytes, EntryKey& out) {
  if (bytes.size() != KeyBytes{}.size()) return false;
  out = {};
  out.kind = static_cast<EntryKind>(bytes[0]);
  for (std::size_t i = 0; i < 8; ++i) out.tick = out.tick << 8 | bytes[1 + i];
  for (std::size_t i = 0; i < 4; ++i) out.part = out.part << 8 | bytes[9 + i];
  return out.kind >= EntryKind::Header && out.kind <= EntryKind::Tick;
}

Bytes seal(const EntryKey& key, std::span<const std::uint8_t> body, std::uint16_t version) {
  CHECK(body.size() <= entry_bytes_max);
  Bytes out(envelope_bytes + body.size());
  std::copy(magic.begin(), magic.end(), out.begin());
  write(out, version_at, version);
  write(out, kind_at, static_cast<std::uint16_t>(key.kind));
  write(out, part_at, key.part);
  write(out, reserved_at, std::uint32_t{0});
  write(out, tick_at, key.tick);
  write(out, size_at, static_cast<std::uint64_t>(body.size()));
  write(out, checksum_at, checksum(out, body));
  std::copy(body.begin(), body.end(), out.begin() + envelope_bytes);
  return out;
}

Result<Entry, Error> unseal(std::span<const std::uint8_t> bytes) {
  if (bytes.size() < envelope_bytes) return damaged("it is cut off");
  if (!std::equal(magic.begin(), magic.end(), bytes.begin()))
    return damaged("it does not begin like an entry of a journal");
  const auto size = read<std::uint64_t>(bytes, size_at);
  if (size != bytes.size() - envelope_bytes) return damaged("it is cut off, or too long");
  const auto body = bytes.subspan(envelope_bytes);
  if (read<std::uint64_t>(bytes, checksum_at) != checksum(bytes, body))
    return damaged("its checksum is wrong");
  // The envelope is the same in all versions: a number that its checksum vouches for is meant so.
  const auto version = read<std::uint16_t>(bytes, version_at);
  if (version > format_version) {
    return Error{ErrorCode::VersionMismatch, "it has format version " + std::to_string(version) +
                                                 ", this program knows up to " +
                                                 std::to_string(format_version) +
                                                 "; use the newer program"};
  }
  const auto kind = read<std::uint16_t>(bytes, kind_at);
  if (version == 0 || kind < 1 || kind > static_cast<std::uint16_t>(EntryKind::Tick))
    return damaged("it is of no known kind");
  return Entry{{static_cast<EntryKind>(kind), read<Tick>(bytes, tick_at),
                read<std::uint32_t>(bytes, part_at)},
               version,
               body};
}

}  // namespace vicinity::store
