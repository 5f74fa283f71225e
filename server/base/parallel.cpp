// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#include "base/parallel.h"

#include <oneapi/tbb/blocked_range.h>
#include <oneapi/tbb/global_control.h>
#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/task_arena.h>

#include <algorithm>
#include <thread>

#include "base/check.h"

namespace vicinity {
namespace {

int resolve_worker_count(int requested) {
  if (requested > 0) return requested;
  return std::max(1u, std::thread::hardware_concurrency());
}

}  // namespace

// The global control must exist before the arena: oneTBB otherwise gives an arena larger than the
// machine no threads at all and prints a warning.
struct Workers::Impl {
  explicit Impl(int count)
      : worker_count(count),
        limit(oneapi::tbb::global_control::max_allowed_parallelism,
              std::max<std::size_t>(static_cast<std::size_t>(count),
                                    std::max(1u, std::thread::hardware_concurrency()))),
        arena(count, 1) {}
  int worker_count;
  oneapi::tbb::global_control limit;
  oneapi::tbb::task_arena arena;
};

Workers::Workers(int worker_count)
    : impl_(std::make_unique<Impl>(resolve_worker_count(worker_count))) {}

Workers::~Workers() = default;

int Workers::worker_count() const { return impl_->worker_count; }

void Workers::execute(const std::function<void()>& function) { impl_->arena.execute(function); }

void Workers::parallel_blocks(std::size_t item_count, std::size_t block_size,
                              const BlockFunction& function) {
  CHECK(block_size > 0);
  const std::size_t blocks = block_count(item_count, block_size);
  auto run_block = [&](std::size_t block) {
    const std::size_t begin = block * block_size;
    function(block, begin, std::min(item_count, begin + block_size));
  };
  if (blocks <= 1 || impl_->worker_count == 1) {
    for (std::size_t block = 0; block < blocks; ++block) run_block(block);
    return;
  }
  impl_->arena.execute([&] { oneapi::tbb::parallel_for(std::size_t{0}, blocks, run_block); });
}

}  // namespace vicinity
