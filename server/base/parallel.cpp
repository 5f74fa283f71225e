// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#include "base/parallel.h"

#include <oneapi/tbb/global_control.h>
#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/partitioner.h>
#include <oneapi/tbb/task_arena.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <thread>
#include <utility>

#include "base/activity.h"
#include "base/check.h"
#include "base/limits.h"
#include "base/thread_name.h"

namespace vicinity {
namespace {

int resolve_worker_count(int requested) {
  if (requested > 0) return requested;
  return std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
}

// oneTBB gives an arena larger than the machine no threads at all, and prints a warning, unless
// this control exists before it. It lasts as long as the process and is the same for all arenas: of
// several controls oneTBB obeys the smallest, so that one small arena would starve the others.
void allow_more_workers_than_cores() {
  static const oneapi::tbb::global_control limit(
      oneapi::tbb::global_control::max_allowed_parallelism,
      static_cast<std::size_t>(limits::workers_max));
}

/// The blocks that one worker takes first. A worker that has none left helps with those of others.
/// So the same worker sees the same part of the data in every loop and tick, and it stays in that
/// core's cache: with blocks dealt out freely, writing 100 000 bounds took longer on two cores than
/// on one.
struct alignas(64) Share {
  std::atomic<std::size_t> next{0};
  std::size_t end = 0;
};
constexpr std::size_t shares_max = 64;

/// Number of the worker that the present thread is, in the parallel_blocks call that it runs.
thread_local std::size_t worker_number = 0;

/// Whether the present thread has a name of its own: it called parallel_blocks, or was named below.
thread_local bool is_named = false;

/// oneTBB's threads would keep the name of the thread that started them.
void name_worker() {
  if (std::exchange(is_named, true)) return;
  name_thread("worker");
}

/// Makes the present thread a worker for as long as it lives.
class AsWorker {
 public:
  explicit AsWorker(std::size_t number) : before_(worker_number) { worker_number = number; }
  ~AsWorker() { worker_number = before_; }
  AsWorker(const AsWorker&) = delete;
  AsWorker& operator=(const AsWorker&) = delete;

 private:
  std::size_t before_;
};

}  // namespace

std::size_t Workers::current_worker() { return worker_number; }

struct Workers::Impl {
  explicit Impl(int count) : worker_count(count), arena(count, 1) {}
  int worker_count;
  oneapi::tbb::task_arena arena;
};

Workers::Workers(int worker_count) {
  allow_more_workers_than_cores();
  impl_ = std::make_unique<Impl>(resolve_worker_count(worker_count));
}

Workers::~Workers() = default;

int Workers::worker_count() const { return impl_->worker_count; }

void Workers::parallel_blocks(std::size_t item_count, std::size_t block_size,
                              const BlockFunction& function) {
  CHECK(block_size > 0);
  const std::size_t blocks = block_count(item_count, block_size);
  auto run_block = [&](std::size_t block) {
    const std::size_t begin = block * block_size;
    function(block, begin, std::min(item_count, begin + block_size));
  };
  if (blocks <= 1 || impl_->worker_count == 1) {
    const AsWorker only(0);
    for (std::size_t block = 0; block < blocks; ++block) run_block(block);
    return;
  }
  const auto count = static_cast<std::size_t>(impl_->worker_count);
  std::array<Share, shares_max> shares;
  const std::size_t share_count = std::min(count, shares_max);
  for (std::size_t i = 0; i < share_count; ++i) {
    shares[i].next.store(blocks * i / share_count, std::memory_order_relaxed);
    shares[i].end = blocks * (i + 1) / share_count;
  }
  const auto work = [&](std::size_t) {
    const auto number =
        static_cast<std::size_t>(oneapi::tbb::this_task_arena::current_thread_index());
    const AsWorker one(number);
    const Activity activity("work");
    name_worker();
    for (std::size_t i = 0; i < share_count; ++i) {
      Share& share = shares[(number + i) % share_count];
      for (;;) {
        const std::size_t block = share.next.fetch_add(1, std::memory_order_relaxed);
        if (block >= share.end) break;
        run_block(block);
      }
    }
  };
  is_named = true;
  impl_->arena.execute([&] {
    oneapi::tbb::parallel_for(std::size_t{0}, std::min(count, blocks), std::size_t{1}, work,
                              oneapi::tbb::simple_partitioner());
  });
}

}  // namespace vicinity
