// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#pragma once

// A real server in timer mode with the clients of a case, in real time. Whoever waits pumps all of
// them: one thread, no locks. An authority session of its own, the director, makes what the case
// spawns; it is there only when needed.
//
// What belongs to an account carries a number of that account as user data; what the case spawns
// carries 0.

#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "cases/case_file.h"
#include "cases/live_client.h"
#include "index/index.h"
#include "support/server_process.h"

namespace vicinity::cases {

/// Shifts what the server takes for the time of day, by a library that is loaded before all others.
class WallClock {
 public:
  WallClock();
  test::Variables variables() const;
  void jump(std::int64_t seconds);
  std::int64_t offset_s() const { return offset_s_; }

 private:
  test::TemporaryFolder folder_;
  std::string file_;
  std::int64_t offset_s_ = 0;
};

class LiveWorld {
 public:
  LiveWorld(const test::Arguments& arguments, const test::Variables& variables,
            const std::string& server_path);

  test::ServerProcess& server() { return server_; }
  std::size_t memory_bytes() { return memory_bytes(server_.process().pid()); }

  /// A client by its name in the case; of several with this name the last one.
  LiveClient& client(const std::string& name);
  LiveClient& add_client(const std::string& name, const LinkOptions& link);
  const std::map<std::string, std::unique_ptr<LiveClient>>& clients() const { return clients_; }
  /// The number that stands for an account; > 0.
  std::uint64_t number_of(const std::string& account);

  /// Entities of the case; returns when all are there.
  void spawn(const std::vector<std::pair<std::string, SpawnCommand>>& named);
  void despawn(const std::string& name);
  /// Server's clock and tick, asked now.
  client::PongMessage ask_time();

  void wait(Clock::duration time);
  /// Whether the condition came true in that time; looks again after every pump.
  bool wait_until(Clock::duration limit, const std::function<bool()>& condition);
  /// Called in every pump, for what is more than a client.
  void on_pump(std::function<void()> also) { also_.push_back(std::move(also)); }

 private:
  static std::size_t memory_bytes(pid_t pid);
  LiveClient& director();
  void pump();

  test::ServerProcess server_;
  std::unique_ptr<LiveClient> director_;
  std::map<std::string, std::unique_ptr<LiveClient>> clients_;
  std::map<std::string, std::uint64_t> accounts_;
  std::map<std::string, std::uint64_t> spawned_;  ///< sequence of the spawn, by name
  std::vector<std::function<void()>> also_;
};

}  // namespace vicinity::cases
