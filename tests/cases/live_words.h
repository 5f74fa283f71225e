// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#pragma once

// The words of cases that run in real time (cases/live_case.h).

#include <optional>
#include <string>
#include <vector>

#include "base/error.h"
#include "cases/case_file.h"
#include "cases/live_client.h"

namespace vicinity::cases {

enum class Measure {
  AvatarsSeen,
  AvatarsSeenAtAnyTick,
  AcceptedWithin,
  SessionsOf,
  KnownIds,
  OldSocketsOpen,
  MemoryPerSocket,
  SlotsTaken,
  TicksInTime,
  IsConnected,
  Disconnects,
  QueuedBytesOfOne,
  QueuedBytes,
  MemoryGrowth,
  ServerAlive,
  IsClosed,
  UpdatesPerSecond,
  LargestMessage,
  VerifyFailures,
};

/// A metric and the names in it: "avatars of P seen by w" is {AvatarsSeen, {"P", "w"}}.
struct MeasureOf {
  Measure measure;
  std::vector<std::string> names;
};
std::optional<MeasureOf> parse_measure(const std::string& metric);

/// "10 Mbit/s, 150 ms RTT"
std::optional<LinkOptions> parse_link(const std::string& text);
/// The server's code for a reason that a case names.
std::optional<ErrorCode> close_code_of(const std::string& reason);

bool is_live_operation(const Operation& operation);
bool is_live_expectation(const Expectation& expectation);

extern const char* const dribble;
extern const char* const wrong_token;
extern const char* const never_reads;

}  // namespace vicinity::cases
