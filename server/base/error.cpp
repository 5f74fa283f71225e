// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#include "base/error.h"

namespace vicinity {

std::string_view to_string(ErrorCode code) {
  switch (code) {
    case ErrorCode::None: return "None";
    case ErrorCode::InvalidNumber: return "InvalidNumber";
    case ErrorCode::InvalidBox: return "InvalidBox";
    case ErrorCode::InvalidShape: return "InvalidShape";
    case ErrorCode::InvalidFilter: return "InvalidFilter";
    case ErrorCode::OutOfWorld: return "OutOfWorld";
    case ErrorCode::MissingField: return "MissingField";
    case ErrorCode::UnknownCommand: return "UnknownCommand";
    case ErrorCode::InvalidArea: return "InvalidArea";
    case ErrorCode::InvalidQuery: return "InvalidQuery";
    case ErrorCode::LimitExceeded: return "LimitExceeded";
    case ErrorCode::StaleEntity: return "StaleEntity";
    case ErrorCode::UnknownEntity: return "UnknownEntity";
    case ErrorCode::UnknownArea: return "UnknownArea";
    case ErrorCode::DuplicateArea: return "DuplicateArea";
    case ErrorCode::EntityLimit: return "EntityLimit";
    case ErrorCode::NotOwner: return "NotOwner";
    case ErrorCode::WrongRole: return "WrongRole";
    case ErrorCode::WrongTickMode: return "WrongTickMode";
    case ErrorCode::StaticMotion: return "StaticMotion";
    case ErrorCode::Attached: return "Attached";
    case ErrorCode::NotAttached: return "NotAttached";
    case ErrorCode::AttachmentCycle: return "AttachmentCycle";
    case ErrorCode::UnknownSubscription: return "UnknownSubscription";
    case ErrorCode::UnknownObserver: return "UnknownObserver";
    case ErrorCode::BadFrame: return "BadFrame";
    case ErrorCode::FrameTooLarge: return "FrameTooLarge";
    case ErrorCode::HandshakeExpected: return "HandshakeExpected";
    case ErrorCode::HandshakeTimeout: return "HandshakeTimeout";
    case ErrorCode::VersionMismatch: return "VersionMismatch";
    case ErrorCode::ServerFull: return "ServerFull";
    case ErrorCode::SlowConsumer: return "SlowConsumer";
    case ErrorCode::QueueFull: return "QueueFull";
    case ErrorCode::ServerStopping: return "ServerStopping";
    case ErrorCode::IdleTimeout: return "IdleTimeout";
    case ErrorCode::Internal: return "Internal";
    case ErrorCode::TakenOver: return "TakenOver";
    case ErrorCode::ResumeRefused: return "ResumeRefused";
    case ErrorCode::Unauthorized: return "Unauthorized";
    case ErrorCode::TokenExpired: return "TokenExpired";
    case ErrorCode::RateLimited: return "RateLimited";
  }
  return "Unknown";
}

}  // namespace vicinity
