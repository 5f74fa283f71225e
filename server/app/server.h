// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#pragma once

// The server as one object: owns the world, both doors, the sockets and the tick thread, and knows
// in which order they start and stop.

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>

#include "app/config.h"
#include "app/logging.h"
#include "app/memory_guard.h"
#include "base/error.h"
#include "base/result.h"
#include "store/journal_status.h"
#include "tick/tick_stage.h"

namespace vicinity::app {

/// What tests put into a server that is otherwise whole.
struct ServerHooks {
  /// Told of every stage of every tick, those that a start runs again included. This one may throw:
  /// so the stage fails.
  StageProbe on_stage = {};
  MemoryGuard::Reader memory_bytes = {};  ///< instead of what the system says
};

class Server {
 public:
  /// Listens, writes the port file and begins to tick. `config` must have passed configure().
  /// `on_failure` may be called once, from another thread, when the server cannot go on; the owner
  /// then calls stop(). `log` outlives the server.
  static Result<std::unique_ptr<Server>, Error> start(const Config& config, Log& log,
                                                      std::function<void()> on_failure,
                                                      ServerHooks hooks = {});
  ~Server();
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  std::uint16_t port() const;
  /// Any thread. How the journal does; nothing without one.
  std::optional<store::JournalStatus> journal_status() const;

  /// One thread at a time. Reads the keys of the tokens and the certificate anew. Sessions go on as
  /// they are; what cannot be used stays as it was, and the log says why.
  void reload();

  /// Stops accepting, finishes the tick that runs, tells all clients, flushes. Bounded by one tick
  /// and limits::drain_deadline_ms.
  void stop();

 private:
  struct Parts;
  explicit Server(std::unique_ptr<Parts> parts);
  std::unique_ptr<Parts> parts_;
};

}  // namespace vicinity::app
