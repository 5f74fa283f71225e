// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#include "base/archive_blocks.h"

#include <algorithm>
#include <array>
#include <cstring>

namespace vicinity {
namespace {

constexpr std::size_t blocks_per_wave = 16;

}  // namespace

void write_in_blocks(Workers& workers, std::size_t item_count, std::size_t block_size,
                     ArchiveWriter& out, const WriteBlock& write) {
  std::array<ArchiveWriter, blocks_per_wave> buffers;
  std::array<std::uint8_t*, blocks_per_wave> places{};
  const std::size_t size_before = out.size();
  const std::size_t wave_items = blocks_per_wave * block_size;
  for (std::size_t first = 0; first < item_count; first += wave_items) {
    const std::size_t count = std::min(wave_items, item_count - first);
    const auto write_one = [&](std::size_t i, std::size_t begin, std::size_t end) {
      buffers[i].clear();
      write(buffers[i], first / block_size + i, first + begin, first + end);
    };
    workers.parallel_blocks(count, block_size, write_one);
    const std::size_t blocks = block_count(count, block_size);
    std::size_t size = 0;
    for (std::size_t i = 0; i < blocks; ++i) size += buffers[i].size();
    // What is to come is likely to be as large as what was: then nothing is moved.
    if (out.size() + size > size_before && first + count < item_count) {
      const std::size_t so_far = out.size() + size - size_before;
      out.reserve(size_before + so_far / (first + count) * item_count + so_far / 8 + size);
    }
    std::uint8_t* place = out.extend(size);
    for (std::size_t i = 0; i < blocks; ++i) {
      places[i] = place;
      place += buffers[i].size();
    }
    workers.parallel_blocks(blocks, 1, [&](std::size_t i, std::size_t, std::size_t) {
      if (buffers[i].size() == 0) return;
      std::memcpy(places[i], buffers[i].bytes().data(), buffers[i].size());
    });
  }
}

}  // namespace vicinity
