// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#include "wire/encode.h"

namespace vicinity::wire {

std::string_view describe(ErrorCode code) {
  switch (code) {
    case ErrorCode::None: return "done";
    case ErrorCode::InvalidNumber: return "a number is NaN, infinite or negative";
    case ErrorCode::InvalidBox: return "the box has min above max on an axis";
    case ErrorCode::InvalidShape: return "the kind of the shape is unknown or a size out of range";
    case ErrorCode::InvalidFilter:
      return "the filter has unknown bits, or an entity was to ignore itself";
    case ErrorCode::OutOfWorld: return "the entity would reach beyond the half size of the world";
    case ErrorCode::MissingField: return "a field that the command needs is absent";
    case ErrorCode::UnknownCommand: return "the kind of the command is unknown";
    case ErrorCode::InvalidArea:
      return "the area is of unknown kind, leaves below its enter size, or a size, angle, outline, "
             "rotation or ring of it is none";
    case ErrorCode::InvalidQuery: return "the query is of unknown kind or has no direction";
    case ErrorCode::LimitExceeded:
      return "a count or size is above its limit: 256 subscriptions, 64 ignored pairs of an "
             "entity, "
             "attachments 8 deep and 1024 to one; a player's shape and what it attaches: "
             "player_shape_extent_max_m, and so the distance from which its entity is seen; a "
             "player's angular velocity: 62.832 rad/s; 1024 entities that an observer sees or does "
             "not see against its areas";
    case ErrorCode::StaleEntity: return "the entity is gone; its id is never valid again";
    case ErrorCode::UnknownEntity: return "no entity has had this id";
    case ErrorCode::UnknownArea: return "the session has no area of this name";
    case ErrorCode::DuplicateArea: return "the session has an area of this name; change it instead";
    case ErrorCode::EntityLimit: return "the world, or the session, holds no more entities";
    case ErrorCode::NotOwner: return "the entity belongs to another session";
    case ErrorCode::WrongRole:
      return "the role of the session does not allow this; a player's relevance: never always, "
             "boost at most 16";
    case ErrorCode::WrongTickMode: return "steps need the manual tick mode";
    case ErrorCode::StaticMotion:
      return "a static entity moves only by teleport and is never attached";
    case ErrorCode::Attached: return "the entity is attached; detach it first";
    case ErrorCode::NotAttached: return "the entity is not attached to anything";
    case ErrorCode::AttachmentCycle: return "the parent hangs on the entity, or is the entity";
    case ErrorCode::UnknownSubscription: return "the session has no subscription of this name";
    case ErrorCode::UnknownObserver: return "this session has no observer of that name";
    case ErrorCode::BadFrame: return "the frame is not a valid message; see WIRE_FORMAT.md";
    case ErrorCode::FrameTooLarge:
      return "the frame is longer than 64 KiB (2 KiB before the hello); split the batch; a mesh "
             "must "
             "fit into one frame";
    case ErrorCode::HandshakeExpected: return "the first message must be a Hello";
    case ErrorCode::HandshakeTimeout:
      return "no Hello arrived in time; connect and say hello at once";
    case ErrorCode::VersionMismatch: return "no common protocol version; update the older side";
    case ErrorCode::ServerFull: return "the server has no room for this; try later";
    case ErrorCode::SlowConsumer:
      return "events were not read fast enough; see less or read faster";
    case ErrorCode::QueueFull: return "too much is waiting already; send less, or again later";
    case ErrorCode::ServerStopping: return "the server stops; connect again later";
    case ErrorCode::IdleTimeout:
      return "nothing was received for too long; send a Ping each second";
    case ErrorCode::Internal: return "a defect in the server; please report it";
    case ErrorCode::TakenOver: return "another connection goes on with this session";
    case ErrorCode::ResumeRefused:
      return "the session to resume has ended, or the token is not its own; begin a new one";
    case ErrorCode::Unauthorized: return "the token was not accepted";
    case ErrorCode::TokenExpired: return "the token has expired; come back with a new one";
    case ErrorCode::RateLimited: return "too much, or too often; send less";
  }
  return "unknown";
}

}  // namespace vicinity::wire
