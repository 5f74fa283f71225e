// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#pragma once

// A connection whose bytes io_uring moves. One receive stays with the kernel for as long as bytes
// are wanted; each write is one request. Net room.

#include <sys/socket.h>
#include <sys/uio.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "net/connection_core.h"
#include "net/uring_loop.h"

namespace vicinity::net {

class UringConnection final : public ConnectionCore {
 public:
  /// Owns `socket`.
  UringConnection(const ConnectionContext& context, UringLoop& loop, std::uint64_t id, int socket);
  ~UringConnection() override;

 private:
  void start_reading() override;
  /// Takes effect with the next bytes: often reading starts again before there are any.
  void pause_reading() override { reading_ = false; }
  std::optional<std::size_t> write(const Chunks& chunks) override;
  void shut_sending() override;
  void close_socket() override;

  void on_received(int result, std::span<const std::uint8_t> bytes);
  void on_sent(int result);

  UringLoop& uring_loop_;
  UringFile socket_;
  bool is_added_ = false;  ///< to the loop's files, if there was room
  UringOperation receive_;
  UringOperation send_;
  std::vector<iovec> vectors_;  ///< what send_ writes
  msghdr message_{};
  bool reading_ = false;     ///< bytes are wanted
  bool cancelling_ = false;  ///< the kernel was told to end receive_
};

}  // namespace vicinity::net
