// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#pragma once

// The only door to oneTBB. A Workers object is one task arena; the tick room owns one and queries
// may own another. Work is cut into blocks of a fixed size, never by worker count, so that whoever
// joins block results in block order gets the same answer for any number of workers:
//
//      items   0 ........ 255 | 256 ........ 511 | 512 .. 600
//      block        0         |        1         |      2        (block_size = 256)
//      workers pick blocks in any order; block k writes only into buffer k.

#include <cstddef>
#include <functional>
#include <memory>
#include <vector>

namespace vicinity {

class Workers {
 public:
  /// `worker_count` threads including the calling one; 0 means one per core. More workers than
  /// cores are allowed (tests use them). Each arena lives as long as the object.
  explicit Workers(int worker_count = 0);
  ~Workers();
  Workers(const Workers&) = delete;
  Workers& operator=(const Workers&) = delete;

  int worker_count() const;

  using BlockFunction = std::function<void(std::size_t block, std::size_t begin, std::size_t end)>;
  /// Calls `function(block, begin, end)` once for every block of [0, item_count). Returns when all
  /// are done. With a single block or a single worker it runs on the calling thread without tasks.
  void parallel_blocks(std::size_t item_count, std::size_t block_size,
                       const BlockFunction& function);

  /// Runs `function` with this arena's threads available to it (for parallel_sort below).
  void execute(const std::function<void()>& function);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

/// Number of blocks that parallel_blocks makes of `item_count` items.
constexpr std::size_t block_count(std::size_t item_count, std::size_t block_size) {
  return (item_count + block_size - 1) / block_size;
}

/// One growing buffer per block, joined in block order. Reused from tick to tick.
template <class T>
class BlockBuffers {
 public:
  /// Makes `count` empty buffers; capacity of earlier ticks is kept.
  void reset(std::size_t count) {
    if (buffers_.size() < count) buffers_.resize(count);
    count_ = count;
    for (std::size_t i = 0; i < count; ++i) buffers_[i].clear();
  }
  std::vector<T>& at(std::size_t block) { return buffers_[block]; }
  const std::vector<T>& at(std::size_t block) const { return buffers_[block]; }
  std::size_t count() const { return count_; }

  std::size_t item_count() const {
    std::size_t sum = 0;
    for (std::size_t i = 0; i < count_; ++i) sum += buffers_[i].size();
    return sum;
  }
  /// Appends all items in block order.
  void join_into(std::vector<T>& out) const {
    out.reserve(out.size() + item_count());
    for (std::size_t i = 0; i < count_; ++i)
      out.insert(out.end(), buffers_[i].begin(), buffers_[i].end());
  }

 private:
  std::vector<std::vector<T>> buffers_;
  std::size_t count_ = 0;
};

}  // namespace vicinity
