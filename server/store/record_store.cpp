// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#include "store/record_store.h"

namespace vicinity::store {

Result<std::optional<Bytes>, Error> read_entry(RecordStore& store, const EntryKey& key) {
  std::optional<Bytes> found;
  const Error error =
      store.for_each(key, key, [&](const EntryKey&, std::span<const std::uint8_t> value) {
        found.emplace(value.begin(), value.end());
        return false;
      });
  if (error.code != ErrorCode::None) return error;
  return found;
}

}  // namespace vicinity::store
