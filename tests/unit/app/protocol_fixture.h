// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#pragma once

// The protocol without sockets, and what its fake clients say and are told.

#include <gtest/gtest.h>

#include <cstring>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "app/client_protocol.h"
#include "e2e/wire_client.h"
#include "fake_connection.h"
#include "tick/simulation.h"

namespace vicinity::app {

namespace proto = vicinity::proto;
using test::Bytes;

/// The protocol without sockets: frames go in, and what the fake connections got is looked at.
class Protocol : public testing::Test {
 protected:
  explicit Protocol(const ProtocolSettings& settings = {.world_half_size_m = 1000,
                                                        .retry_after_ms = 4321},
                    MemoryGuard* memory = nullptr)
      : protocol_(
            settings,
            {commands_,
             frames_,
             sessions_,
             clock_,
             log_,
             session_log_,
             [](SessionId, std::uint64_t, std::uint32_t) { return ErrorCode::None; },
             {},
             [this](ViewQuestion question) { return view_questions_.push(std::move(question)); },
             nullptr,
             memory}) {
    for (int i = 0; i < 20; ++i) frames_.publish(simulation_.run_tick({}).frame);
  }

  std::shared_ptr<FakeConnection> connect(const std::string& peer = "test") {
    auto connection = std::make_shared<FakeConnection>(++last_id_, peer);
    protocol_.on_open(connection);
    return connection;
  }
  /// A frame as the sockets hand it over: without its prefix.
  void say(const std::shared_ptr<FakeConnection>& over, const Bytes& frame) {
    protocol_.on_frame(over, std::span(frame).subspan(4));
  }
  std::shared_ptr<Session> join(const std::shared_ptr<FakeConnection>& over,
                                proto::Role role = test::HelloOptions{}.role) {
    test::HelloOptions hello;
    hello.protocol_max = 3;
    hello.role = role;
    say(over, test::hello_frame(hello));
    return sessions_.of_connection(*over);
  }
  void close(const std::shared_ptr<FakeConnection>& connection) {
    protocol_.on_close(connection, connection->cause().value_or(net::CloseCause{}));
  }

  ServerClock clock_;
  Log log_{LogLevel::Error, LogFormat::Text};
  SessionLog session_log_{log_};
  CommandQueue commands_;
  FramePublisher frames_;
  SessionRegistry sessions_{{}, commands_};
  Simulation simulation_{SimulationSettings{}};
  ViewQuestions view_questions_;
  ClientProtocol protocol_;
  std::uint64_t last_id_ = 0;
};

inline Bytes ping_with_ack(Tick tick) {
  return test::client_frame<proto::Ping>(
      proto::ClientBody::Ping, [&](test::Builder& b) { return proto::CreatePing(b, 1, 2, tick); });
}
/// The messages of which a fake connection was sent the frames.
inline std::vector<const proto::ServerMessage*> messages(const Bytes& frames) {
  std::vector<const proto::ServerMessage*> out;
  for (std::size_t at = 0; at < frames.size();) {
    out.push_back(proto::GetServerMessage(frames.data() + at + 4));
    at += 4 + (frames[at] | std::size_t{frames[at + 1]} << 8 | std::size_t{frames[at + 2]} << 16);
  }
  return out;
}

inline Bytes view_question(std::uint64_t session, std::uint64_t request = 1) {
  return test::client_frame<proto::Query>(proto::ClientBody::Query, [&](test::Builder& b) {
    proto::QueryBuilder query(b);
    query.add_kind(proto::QueryKind::ExplainView);
    query.add_request(request);
    query.add_session(session);
    query.add_entity(EntityId(3, 1).raw());
    return query.Finish();
  });
}

struct Answered {
  std::uint64_t request = 0;
  Tick tick = 0;
  proto::ErrorCode code = proto::ErrorCode::None;
  std::optional<proto::ViewStage> stage;
};

/// The answers to queries among what a connection got.
inline std::vector<Answered> answers_in(const Bytes& sent) {
  std::vector<Answered> answers;
  for (std::size_t at = 0; at + 4 <= sent.size();) {
    std::uint32_t length = 0;
    std::memcpy(&length, sent.data() + at, 4);
    const auto begin = sent.begin() + static_cast<std::ptrdiff_t>(at + 4);
    const Bytes body(begin, begin + length);  // aligned
    at += 4 + length;
    const auto* answer = proto::GetServerMessage(body.data())->body_as_QueryAnswer();
    if (answer == nullptr) continue;
    answers.push_back({answer->request(), answer->tick(), answer->code(), {}});
    if (answer->view() != nullptr) answers.back().stage = answer->view()->stage();
  }
  return answers;
}

}  // namespace vicinity::app
