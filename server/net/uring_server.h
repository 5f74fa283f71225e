// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#pragma once

// The listener over io_uring and its net threads, a ring each. Net room.

#include <memory>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "net/server_core.h"
#include "net/uring_loop.h"

namespace vicinity::net {

class UringServer final : public ServerCore {
 public:
  UringServer(const SocketSettings& settings, ConnectionHandler& handler);
  ~UringServer() override;

  /// None, or why this process cannot use io_uring. To be called first.
  Error set_up();
  /// None, or what the system said and about which address.
  Error listen();

  std::string_view engine() const override { return "io_uring"; }

 private:
  void begin_accepting() override;
  void end_accepting() override;
  NetLoop& loop(std::size_t index) override { return *loops_.at(index); }

  void accept();
  void on_accept(int result);

  std::vector<std::unique_ptr<UringLoop>> loops_;
  // On the first loop's thread, once that runs.
  int listener_ = -1;
  UringOperation accept_;
  std::size_t next_loop_ = 0;  ///< of which the next connection will be
};

}  // namespace vicinity::net
