// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#pragma once

// A registry with fake connections and a clock that stands still until a test moves it.

#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "app/session_registry.h"
#include "fake_connection.h"

namespace vicinity::app {

using namespace std::chrono_literals;
using SessionPtr = std::shared_ptr<Session>;
using FakePtr = std::shared_ptr<FakeConnection>;

inline const net::CloseCause cable_pulled{ErrorCode::None, "connection lost"};

class Sessions : public testing::Test {
 protected:
  using Loss = SessionRegistry::Loss;
  using Admission = SessionRegistry::Admission;

  void settings(const SessionSettings& settings) { registry_.emplace(settings, commands_); }
  SessionRegistry& registry() { return *registry_; }
  SessionStats stats() const { return registry_->stats(); }
  std::uint64_t ended(ErrorCode code) const {
    return stats().ended[static_cast<std::size_t>(code)];
  }

  static SessionTraits traits(Role role, const std::string& subject = "") {
    SessionTraits traits;
    traits.role = role;
    traits.subject = subject;
    return traits;
  }
  static FakePtr connection() {
    static std::uint64_t last_id = 1000;
    return std::make_shared<FakeConnection>(++last_id);
  }
  SessionRegistry::Greeting greeting() {
    return [this](const Session&, const Admission& admission) {
      admission_ = admission;
      return std::vector<std::uint8_t>{1, 2, 3};
    };
  }
  SessionPtr open(const FakePtr& over, Role role = Role::Player, const std::string& subject = "") {
    const auto opened = registry_->open(traits(role, subject), over, greeting());
    return opened.ok() ? opened.value() : nullptr;
  }
  /// None: resumed.
  ErrorCode resume(const Session& session, const FakePtr& over, Tick tick = 0) {
    return resume(session.token.text(), session, over, tick);
  }
  ErrorCode resume(const std::string& token, const SessionTraits& traits, const FakePtr& over,
                   Tick tick = 0) {
    const auto resumed =
        registry_->resume({token, tick, 77, newest_}, traits, over, greeting(), now_);
    return resumed.ok() ? ErrorCode::None : resumed.error().code;
  }
  Loss lose(const FakePtr& connection, const net::CloseCause& cause = cable_pulled) {
    return registry_->lose(*connection, cause, now_).loss;
  }
  void after(std::chrono::milliseconds time) {
    now_ += time;
    registry_->sweep(now_);
  }
  bool lives(const SessionPtr& session) { return registry_->find(session->id) == session; }

  /// "open 1, spawn 1, close 1": what waits at door 1, in the order of the tick.
  std::string drained() {
    std::string text;
    for (const Command& command : commands_.drain()) {
      const char* name = "other";
      if (std::holds_alternative<OpenSessionCommand>(command.body)) name = "open";
      if (std::holds_alternative<SpawnCommand>(command.body)) name = "spawn";
      if (std::holds_alternative<DespawnOwnedCommand>(command.body)) name = "despawn";
      if (const auto* close = std::get_if<CloseSessionCommand>(&command.body))
        name = close->keep_entities ? "close-keeping" : "close";
      text += (text.empty() ? "" : ", ") + std::string(name) + " " +
              std::to_string(command.session.value);
    }
    return text;
  }
  Intake spawn(const SessionPtr& session, const FakePtr& from, std::uint64_t sequence) {
    SpawnCommand command;
    command.shape = Shape::box({0.5, 0.5, 0.5});
    return session->take_commands(*from, sequence, sequence, {{session->id, sequence, command}},
                                  commands_);
  }

  SessionRegistry::Clock::time_point now_ = SessionRegistry::Clock::time_point{} + 1h;
  Tick newest_ = 100;
  Admission admission_;  ///< of the last one that was greeted
  CommandQueue commands_;
  std::optional<SessionRegistry> registry_{std::in_place, SessionSettings{}, commands_};
};

}  // namespace vicinity::app
