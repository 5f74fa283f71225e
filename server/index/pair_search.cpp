// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#include "index/pair_search.h"

#include <algorithm>
#include <array>
#include <functional>

#include "base/check.h"

namespace vicinity {
namespace {

constexpr std::size_t wave_blocks = 256;
/// How many times its even share a block may find in the parallel part: pairs are not evenly
/// spread, and a block that stops early is searched again on one thread.
constexpr std::uint64_t shares_per_block = 4;
/// Pairs that a block may always hold in the parallel part (32 KiB), however little is left.
constexpr std::uint64_t block_pairs_min = 4096;

/// The blocks [first, last) of a search, and whether each found all of its pairs.
struct Wave {
  std::size_t first = 0;
  std::size_t last = 0;
  std::array<bool, wave_blocks> complete{};
};

class Search {
 public:
  Search(std::size_t item_count, std::size_t block_size, const BlockSearch& search,
         CandidatePairs& out)
      : item_count_(item_count), block_size_(block_size), search_(search), out_(out) {}

  bool block(std::size_t block, std::uint64_t pairs_max) const {
    std::vector<SlotPair>& pairs = out_.blocks.at(block);
    pairs.clear();
    PairSink sink(pairs, pairs_max);
    const std::size_t begin = block * block_size_;
    const bool is_complete = search_(begin, std::min(item_count_, begin + block_size_), sink);
    out_.block_tests[block] = sink.tests();
    return is_complete;
  }

  void run(Workers& workers, Wave& wave, std::uint64_t pairs_left) const {
    const std::uint64_t blocks = wave.last - wave.first;
    const std::uint64_t share = std::max(shares_per_block * (pairs_left / blocks), block_pairs_min);
    const auto search_block = [&](std::size_t i, std::size_t, std::size_t) {
      wave.complete[i] = block(wave.first + i, share);
    };
    workers.parallel_blocks(blocks, 1, std::ref(search_block));
  }

  /// Takes the blocks of a wave in order. False when the budget is used up.
  bool settle(const Wave& wave, std::uint64_t& pairs_left) const {
    for (std::size_t i = wave.first; i < wave.last; ++i) {
      bool complete = wave.complete[i - wave.first];
      if (!complete) complete = block(i, pairs_left);
      std::vector<SlotPair>& pairs = out_.blocks.at(i);
      if (pairs.size() > pairs_left) {
        pairs.resize(pairs_left);
        complete = false;
      }
      pairs_left -= pairs.size();
      if (complete) continue;
      for (std::size_t rest = i + 1; rest < wave.last; ++rest) out_.blocks.at(rest).clear();
      return false;
    }
    return true;
  }

 private:
  std::size_t item_count_;
  std::size_t block_size_;
  const BlockSearch& search_;
  CandidatePairs& out_;
};

}  // namespace

void search_pairs(Workers& workers, std::size_t item_count, const IndexSettings& settings,
                  std::uint64_t pairs_max, const BlockSearch& search, CandidatePairs& out) {
  CHECK(settings.block_size > 0);
  const std::size_t blocks = block_count(item_count, settings.block_size);
  out.blocks.reset(blocks);
  out.block_tests.assign(blocks, {});
  out.tests = {};
  out.truncated = false;
  std::uint64_t pairs_left = pairs_max;
  const Search all(item_count, settings.block_size, search, out);
  for (std::size_t first = 0; first < blocks; first += wave_blocks) {
    Wave wave{first, std::min(blocks, first + wave_blocks), {}};
    all.run(workers, wave, pairs_left);
    if (!all.settle(wave, pairs_left)) {
      out.truncated = true;
      break;
    }
  }
  for (const BoxTests& tests : out.block_tests) {
    out.tests.all += tests.all;
    out.tests.first_level += tests.first_level;
  }
}

}  // namespace vicinity
