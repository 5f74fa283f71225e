// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#pragma once

// A world that a script is run against, as one authority session sees it that is told of every
// contact. Two kinds behind one contract: the simulation in this process, and a real server process
// over TCP in manual tick mode. Both are given the same commands and must tell the same.

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/ids.h"
#include "base/result.h"
#include "index/index.h"
#include "query/query_types.h"
#include "world/command.h"

namespace vicinity::cases {

struct CommandReply {
  ErrorCode code = ErrorCode::None;
  EntityId entity;
};
struct ContactSeen {
  EntityId a;
  EntityId b;
  double toi = 1;  ///< of begins only
};
struct ViewSeen {
  ObserverId observer;
  EntityId entity;
};

/// Everything the session was told about one tick.
struct TickSeen {
  Tick tick = 0;
  std::vector<CommandReply> replies;  ///< one per command, in order
  std::vector<ContactSeen> ends;
  std::vector<ContactSeen> begins;
  std::vector<ContactSeen> passed;  ///< ends of contacts that began in this very tick
  std::vector<ViewSeen> enters;
  std::vector<ViewSeen> leaves;
  std::vector<ViewSeen> updates;
  /// The world's own list of open contacts, where it can be read.
  std::optional<std::vector<std::pair<EntityId, EntityId>>> open;
  double cpu_ms = 0;                ///< processor time of the tick, all threads
  std::optional<IndexStats> index;  ///< where it can be read
};

struct QuerySeen {
  ErrorCode code = ErrorCode::None;
  QueryAnswer answer;
  double cpu_ms = 0;
};

/// What a case asks of its world.
struct WorldOptions {
  double row_size_m = 0;  ///< 0 = the index chooses
  /// Slots are used again at once. Otherwise never within a case, so that the order of ids is the
  /// order of spawns.
  bool reuse_slots_at_once = false;
};

class World {
 public:
  virtual ~World() = default;

  /// Sequence that the first command of the next tick will get.
  virtual std::uint64_t next_sequence() const = 0;
  /// Runs one tick with these commands. The error says why there is no world any more.
  virtual Result<TickSeen, std::string> run_tick(const std::vector<CommandBody>& commands) = 0;
  /// Runs ticks without commands, for each of which `take` is called.
  virtual std::string run_idle_ticks(std::uint32_t count,
                                     const std::function<void(const TickSeen&)>& take) = 0;
  /// Answered from the tick that ran last.
  virtual Result<QuerySeen, std::string> ask(const Query& query) = 0;
  /// Ends the world. The text says what was not as it should be; empty when all was.
  virtual std::string stop() = 0;
};

using WorldFactory =
    std::function<Result<std::unique_ptr<World>, std::string>(const WorldOptions& options)>;

WorldFactory in_process_worlds(IndexKind kind);
/// `server_path`: absolute path of the vicinity-server to start, a fresh one for every world.
WorldFactory tcp_worlds(IndexKind kind, std::string server_path);

}  // namespace vicinity::cases
