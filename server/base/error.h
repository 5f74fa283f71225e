// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#pragma once

// Every reason for which the server refuses something, in one enumeration. The numbers travel on
// the wire and are never reused; proto/common.fbs repeats them and a test compares the two.

#include <cstdint>
#include <string>
#include <string_view>

namespace vicinity {

enum class ErrorCode : std::uint16_t {
  None = 0,
  // Values of a single command or query.
  InvalidNumber = 1,   ///< NaN, infinity, negative where positive is needed.
  InvalidBox = 2,      ///< min > max on an axis.
  InvalidShape = 3,    ///< unknown kind, or a size out of range.
  InvalidFilter = 4,   ///< unknown bits in a flag word.
  OutOfWorld = 5,      ///< position or box beyond the world's half size.
  MissingField = 6,    ///< a field that the command needs is absent.
  UnknownCommand = 7,  ///< kind not known to this version.
  InvalidArea = 8,     ///< leave size below enter size, unknown reach or shape.
  InvalidQuery = 9,    ///< zero direction, unknown kind.
  LimitExceeded = 10,  ///< a count or size above the stated limit.
  // State of the world.
  StaleEntity = 20,          ///< the id names a dead incarnation.
  UnknownEntity = 21,        ///< the id was never given out.
  UnknownArea = 22,          ///< no area of that name in this session.
  DuplicateArea = 23,        ///< an area of that name exists already.
  EntityLimit = 24,          ///< the world, or the session, is full.
  NotOwner = 25,             ///< a player commanded an entity of somebody else.
  WrongRole = 26,            ///< the role may not do this.
  WrongTickMode = 27,        ///< tick stepping needs manual tick mode.
  StaticMotion = 28,         ///< a static entity cannot have a velocity or move along a path.
  Attached = 29,             ///< what is attached moves with its parent only.
  NotAttached = 30,          ///< there is nothing to detach it from.
  AttachmentCycle = 31,      ///< an entity cannot hang on itself, or on what hangs on it.
  UnknownSubscription = 32,  ///< no subscription of that name in this session.
  UnknownObserver = 33,      ///< no observer of that name in this session.
  // Sessions.
  BadFrame = 40,           ///< length, verifier or union failed: the connection is closed.
  FrameTooLarge = 41,      ///< the announced length is above the limit of this phase.
  HandshakeExpected = 42,  ///< the first message was not a hello.
  HandshakeTimeout = 43,   ///< no hello before the deadline.
  VersionMismatch = 44,    ///< no common protocol version.
  ServerFull = 45,         ///< no room for a session; of a command: for anything new.
  SlowConsumer = 46,       ///< the client did not read fast enough; its outbox is full.
  QueueFull = 47,          ///< the command queue (door 1) is full; send less or later.
  ServerStopping = 48,     ///< the server drains.
  IdleTimeout = 49,        ///< nothing was received for too long.
  Internal = 50,           ///< a defect in the server; never the client's fault.
  TakenOver = 51,          ///< another connection goes on with this session.
  ResumeRefused = 52,      ///< the session to resume has ended, or the token is not its own.
  Unauthorized = 53,       ///< the token of the hello is missing, not valid, or of somebody else.
  TokenExpired = 54,       ///< the token of the session is no longer valid; get a new one.
  RateLimited = 55,        ///< more, or more often, than the session or its address may.
};

/// Stable text of a code, for logs and for people ("StaleEntity").
std::string_view to_string(ErrorCode code);

/// One refusal. `text` names the field and the allowed range, ready to be shown to a user.
struct Error {
  ErrorCode code = ErrorCode::None;
  std::string text;
};

}  // namespace vicinity
