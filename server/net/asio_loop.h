// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#pragma once

// A net thread that waits with Boost.Asio (epoll). Where much happens it lets things gather for up
// to a millisecond, as the io_uring loop does, instead of waking up for each. Net room.

#include <array>
#include <boost/asio/error.hpp>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <cstdint>
#include <span>

#include "net/net_loop.h"

namespace vicinity::net {

/// The socket could not at the moment; it can again once it is ready.
inline bool is_temporary(const boost::system::error_code& error) {
  return error == boost::asio::error::would_block || error == boost::asio::error::try_again ||
         error == boost::asio::error::interrupted;
}

class AsioLoop final : public NetLoop {
 public:
  AsioLoop();

  boost::asio::io_context& io() { return io_; }
  /// Net thread only: what a read goes to. One for all connections, so that none holds memory
  /// while it is silent.
  std::span<std::uint8_t> read_buffer() { return read_buffer_; }

  void run() override;
  void quit() override;

 private:
  void wake() override;
  void turn();

  boost::asio::io_context io_;
  boost::asio::executor_work_guard<boost::asio::io_context::executor_type> work_;
  boost::asio::steady_timer timer_;
  bool quitting_ = false;
  TimePoint timer_at_ = TimePoint::max();  ///< max(): not running
  std::array<std::uint8_t, 64 * 1024> read_buffer_;
};

}  // namespace vicinity::net
