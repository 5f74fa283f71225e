// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors

// The entries of a journal: any bytes, with the checksum that they have and with one that is right,
// so that what lies behind it is reached as well. What can be read comes to the same bytes again.

#include <cstddef>
#include <cstdint>
#include <span>

#include "base/check.h"
#include "store/record.h"

namespace {

using namespace vicinity::store;

void decode(const Entry& entry) {
  const auto tick = decode_tick(entry);
  if (tick.ok()) {
    const TickRecord& record = tick.value();
    const Bytes again = encode_tick(record.tick, record.commands, record.sessions);
    const auto back = unseal(again);
    CHECK(back.ok());
    const auto second = decode_tick(back.value());
    CHECK(second.ok());
    CHECK(encode_tick(record.tick, second.value().commands, second.value().sessions) == again);
  }
  static_cast<void>(decode_settings(entry));
  static_cast<void>(decode_state(entry));
  static_cast<void>(decode_snapshot_end(entry));
  static_cast<void>(decode_hash(entry));
  static_cast<void>(decode_snapshot(entry.body));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::span<const std::uint8_t> bytes(data, size);
  const auto entry = unseal(bytes);
  if (entry.ok()) decode(entry.value());
  EntryKey key{EntryKind::Tick, 1, 0};
  static_cast<void>(decode_key(bytes, key));
  if (size < 9) return 0;
  // The first byte says what it shall be; the tick is the one that a record begins with.
  key.kind = static_cast<EntryKind>(1 + data[0] % 5);
  key.part = 0;
  key.tick = 0;
  for (int i = 0; i < 8; ++i) key.tick |= std::uint64_t{data[1 + i]} << (8 * i);
  const Bytes sealed = seal(key, bytes.subspan(1));
  const auto right = unseal(sealed);
  CHECK(right.ok());
  decode(right.value());
  return 0;
}
