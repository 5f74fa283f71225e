// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#pragma once

// A net thread that waits with io_uring, one ring of its own: requests are queued while a turn runs
// and submitted together with the wait for what comes next, in one system call. Net room.
//
//      ┌► run_turn(): tasks, due frames, alarms ──► requests ─┐
//      │                                                      ▼
//      └── completions, each to its operation ◄── submit and wait: for as many completions as
//                                                 have lately come in a millisecond, until the
//                                                 next moment that something is due
//
// Needs Linux 6.1: completions are delivered when this thread waits, and only then.

#include <sys/socket.h>

#include <array>
#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include "base/error.h"
#include "base/result.h"
#include "net/net_loop.h"

struct io_uring;
struct io_uring_buf_ring;
struct io_uring_sqe;

namespace vicinity::net {

/// What completions belong to. One request at a time; its owner lives until the last completion.
struct UringOperation {
  /// Result of the request, or -errno. Bytes received, if any, are valid during the call.
  std::function<void(int result, std::span<const std::uint8_t> received)> completed;
  bool pending = false;         ///< more completions will come
  std::shared_ptr<void> owner;  ///< while pending
};

/// A socket, as requests of one loop name it.
struct UringFile {
  int descriptor = -1;
  int slot = -1;  ///< among the registered files of the loop; -1: it is not registered
};

class UringLoop final : public NetLoop {
 public:
  /// Sets the ring up, with room for so many registered files, or for fewer if the system says so;
  /// the error says why there is none.
  static Result<std::unique_ptr<UringLoop>, Error> make(std::uint32_t file_count_max);
  ~UringLoop() override;

  void run() override;
  void quit() override;

  // On the net thread only. Requests reach the kernel in the order of calls.
  /// Registers a socket while there is room: requests then find it without the process's table of
  /// files.
  UringFile add_file(int descriptor);
  /// Completes with a socket for each connection, until it fails or is cancelled.
  void accept(int listener, UringOperation& operation);
  /// Completes with bytes each time some arrive, until it fails or is cancelled; 0 = end of stream.
  void receive(const UringFile& socket, UringOperation& operation, std::shared_ptr<void> owner);
  /// Completes once. `message` stays where it is until then.
  void send(const UringFile& socket, const msghdr& message, UringOperation& operation,
            std::shared_ptr<void> owner);
  void cancel(UringOperation& operation);
  /// Closes after all requests before it were begun, so that none can meet another file that got
  /// the same number.
  void close(const UringFile& file);

 private:
  UringLoop();
  Error set_up(std::uint32_t file_count_max);
  Error set_up_buffers();
  void set_up_files(std::uint32_t count_max);
  void wake() override;

  io_uring_sqe& next_request();
  void begin(io_uring_sqe& request, UringOperation& operation, std::shared_ptr<void> owner);
  void begin_unheeded(io_uring_sqe& request);
  void read_wakes();
  void submit_and_wait(TimePoint next);
  unsigned completions_to_wait_for(TimePoint now);
  unsigned complete_all();
  void complete(std::uint64_t user_data, int result, unsigned flags);
  std::span<std::uint8_t> buffer(unsigned id);
  void give_buffer(unsigned id);

  struct RingCloser {
    void operator()(io_uring* ring) const;
  };
  struct Freer {
    void operator()(io_uring_buf_ring* memory) const;
  };

  // Destroyed in reverse order: the ring goes before the memory that it may write to.
  int wake_fd_ = -1;
  std::uint64_t wakes_ = 0;  ///< where reads of wake_fd_ go
  std::vector<std::uint8_t> buffer_memory_;
  std::unique_ptr<io_uring_buf_ring, Freer> buffers_;
  std::unique_ptr<io_uring, RingCloser> ring_;
  std::atomic<std::thread::id> thread_;

  // Net thread only.
  UringOperation wake_;
  std::size_t pending_count_ = 0;  ///< requests, that for wakes not counted
  std::vector<int> registered_;    ///< descriptors by slot, where the kernel reads them
  std::vector<unsigned> free_slots_;
  bool quitting_ = false;
  TimePoint rate_since_;
  std::uint64_t completion_count_ = 0;  ///< since rate_since_
  double completions_per_ms_ = 0;
};

}  // namespace vicinity::net
