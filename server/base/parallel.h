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

#include <algorithm>
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

  /// Inside a block: number of the worker that runs it, below worker_count(); no two blocks run
  /// with the same number at the same time. For scratch memory only: results must not depend on it.
  static std::size_t current_worker();

  using BlockFunction = std::function<void(std::size_t block, std::size_t begin, std::size_t end)>;
  /// Calls `function(block, begin, end)` once for every block of [0, item_count). Returns when all
  /// are done. With a single block or a single worker it runs on the calling thread without tasks.
  void parallel_blocks(std::size_t item_count, std::size_t block_size,
                       const BlockFunction& function);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

/// Number of blocks that parallel_blocks makes of `item_count` items.
constexpr std::size_t block_count(std::size_t item_count, std::size_t block_size) {
  return (item_count + block_size - 1) / block_size;
}

/// Empties a buffer that is reused from tick to tick. Its capacity is kept, unless less than a
/// quarter of it was used the last time: a peak must not stay for ever.
template <class T>
void recycle(std::vector<T>& buffer) {
  constexpr std::size_t kept_items = 1024;  // too few to matter
  if (buffer.capacity() > kept_items && buffer.size() < buffer.capacity() / 4) {
    buffer = std::vector<T>();
  }
  buffer.clear();
}

/// One growing buffer per block, joined in block order. Reused from tick to tick.
template <class T>
class BlockBuffers {
 public:
  /// Makes `count` empty buffers, recycled ones where there are some.
  void reset(std::size_t count) {
    if (buffers_.size() < count) buffers_.resize(count);
    count_ = count;
    for (std::vector<T>& buffer : buffers_) recycle(buffer);
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

/// Sorts `items`; `less` must be a strict total order (no two items equal), which makes the result
/// the same for any number of workers. Fixed blocks are sorted in parallel, then neighbouring runs
/// are merged, round by round:
///
///      |  run  |  run  |  run  |  run  |  run  |      std::sort each
///      |      run      |      run      |  run  |      merge two and two
///      |              run              |  run  |
///      |                  run                  |
template <class T, class Less>
void parallel_sort(Workers& workers, std::vector<T>& items, Less less) {
  constexpr std::size_t block_size = 1u << 14;
  const std::size_t count = items.size();
  const auto at = [](std::vector<T>& from, std::size_t index) {
    return from.begin() + static_cast<std::ptrdiff_t>(index);
  };
  if (count <= block_size || workers.worker_count() == 1) {
    std::sort(items.begin(), items.end(), less);
    return;
  }
  workers.parallel_blocks(count, block_size, [&](std::size_t, std::size_t begin, std::size_t end) {
    std::sort(at(items, begin), at(items, end), less);
  });
  std::vector<T> merged(count);
  for (std::size_t run = block_size; run < count; run *= 2) {
    workers.parallel_blocks(count, 2 * run, [&](std::size_t, std::size_t begin, std::size_t end) {
      const std::size_t middle = std::min(begin + run, end);
      std::merge(at(items, begin), at(items, middle), at(items, middle), at(items, end),
                 at(merged, begin), less);
    });
    items.swap(merged);
  }
}

}  // namespace vicinity
