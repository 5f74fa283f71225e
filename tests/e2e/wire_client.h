// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#pragma once

// A client made of a plain socket and the schemas alone, for tests that break the rules the client
// library keeps. Builds any message, reads whatever comes, hides nothing.

#include <cmath>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/error.h"
#include "client_generated.h"
#include "server_generated.h"
#include "support/raw_socket.h"

namespace vicinity::test {

using Builder = flatbuffers::FlatBufferBuilder;
using CommandOffset = flatbuffers::Offset<proto::Command>;

/// A framed ClientMessage around the body that `make` builds.
template <class Body>
Bytes client_frame(proto::ClientBody type,
                   const std::function<flatbuffers::Offset<Body>(Builder&)>& make) {
  Builder builder;
  const auto body = make(builder);
  builder.Finish(proto::CreateClientMessage(builder, type, body.Union()),
                 proto::ClientMessageIdentifier());
  return framed({builder.GetBufferPointer(), builder.GetSize()});
}

struct HelloOptions {
  proto::Role role = proto::Role::Authority;
  proto::ContactScope contacts = proto::ContactScope::None;
  std::uint16_t protocol_min = 3;
  std::uint16_t protocol_max = 3;
  const char* name = "test";
  std::string token = {};
};

inline Bytes hello_frame(const HelloOptions& options = {}) {
  return client_frame<proto::Hello>(proto::ClientBody::Hello, [&](Builder& b) {
    return proto::CreateHelloDirect(b, options.protocol_min, options.protocol_max, options.name,
                                    options.token.empty() ? nullptr : options.token.c_str(),
                                    options.role, options.contacts);
  });
}
inline Bytes ping_frame(std::uint64_t nonce) {
  return client_frame<proto::Ping>(proto::ClientBody::Ping,
                                   [&](Builder& b) { return proto::CreatePing(b, nonce, 77); });
}
inline Bytes step_frame(std::uint64_t sequence, std::uint32_t count) {
  return client_frame<proto::Step>(
      proto::ClientBody::Step, [&](Builder& b) { return proto::CreateStep(b, sequence, count); });
}
inline Bytes goodbye_frame() {
  return client_frame<proto::Goodbye>(proto::ClientBody::Goodbye,
                                      [](Builder& b) { return proto::CreateGoodbye(b); });
}
/// Everything within `half_m` of the origin.
inline Bytes box_query_frame(std::uint64_t request, double half_m, std::uint32_t limit = 1024) {
  return client_frame<proto::Query>(proto::ClientBody::Query, [&](Builder& b) {
    const proto::Vec3 min(-half_m, -half_m, -half_m);
    const proto::Vec3 max(half_m, half_m, half_m);
    proto::QueryBuilder query(b);
    query.add_request(request);
    query.add_kind(proto::QueryKind::Box);
    query.add_min(&min);
    query.add_max(&max);
    query.add_limit(limit);
    return query.Finish();
  });
}

using MakeCommand = std::function<CommandOffset(Builder&)>;

inline Bytes commands_frame(std::uint64_t first_sequence, const std::vector<MakeCommand>& make) {
  return client_frame<proto::Commands>(proto::ClientBody::Commands, [&](Builder& b) {
    std::vector<CommandOffset> commands;
    for (const auto& one : make) commands.push_back(one(b));
    return proto::CreateCommandsDirect(b, first_sequence, &commands);
  });
}
/// A sphere of 1 m.
inline MakeCommand spawn(double x, double y, double z, double vx = 0) {
  return [=](Builder& b) {
    proto::ShapeBuilder shape(b);
    shape.add_kind(proto::ShapeKind::Sphere);
    shape.add_radius_m(1);
    const auto sphere = shape.Finish();
    const proto::Vec3 position(x, y, z);
    const proto::Vec3 velocity(vx, 0, 0);
    proto::CommandBuilder command(b);
    command.add_kind(proto::CommandKind::Spawn);
    command.add_position(&position);
    command.add_velocity(&velocity);
    command.add_shape(sphere);
    return command.Finish();
  };
}
inline MakeCommand despawn(std::uint64_t entity) {
  return [=](Builder& b) {
    proto::CommandBuilder command(b);
    command.add_kind(proto::CommandKind::Despawn);
    command.add_entity(entity);
    return command.Finish();
  };
}
inline MakeCommand set_velocity(std::uint64_t entity, double vx) {
  return [=](Builder& b) {
    const proto::Vec3 velocity(vx, 0, 0);
    proto::CommandBuilder command(b);
    command.add_kind(proto::CommandKind::SetVelocity);
    command.add_entity(entity);
    command.add_velocity(&velocity);
    return command.Finish();
  };
}
/// A hull of so many points (up to 64) on a sphere.
inline MakeCommand set_hull(std::uint64_t entity, int point_count) {
  return [=](Builder& b) {
    std::vector<proto::Vec3> points;
    for (int i = 0; i < point_count; ++i) {
      const double y = 1 - (2 * i + 1.0) / point_count;
      const double around = 2.4 * i;
      const double side = std::sqrt(1 - y * y);
      points.emplace_back(side * std::cos(around), y, side * std::sin(around));
    }
    const auto told = b.CreateVectorOfStructs(points);
    proto::ShapeBuilder shape(b);
    shape.add_kind(proto::ShapeKind::Hull);
    shape.add_points(told);
    const auto hull = shape.Finish();
    proto::CommandBuilder command(b);
    command.add_kind(proto::CommandKind::SetShape);
    command.add_entity(entity);
    command.add_shape(hull);
    return command.Finish();
  };
}
/// A fixed sphere around the origin.
inline MakeCommand add_area(std::uint32_t area, double radius_m) {
  return [=](Builder& b) {
    const proto::Vec3 centre(0, 0, 0);
    proto::AreaBuilder spec(b);
    spec.add_kind(proto::AreaKind::Sphere);
    spec.add_centre(&centre);
    spec.add_enter_radius_m(radius_m);
    const auto built = spec.Finish();
    proto::CommandBuilder command(b);
    command.add_kind(proto::CommandKind::AddArea);
    command.add_observer(1);
    command.add_area(area);
    command.add_spec(built);
    return command.Finish();
  };
}

class WireClient {
 public:
  explicit WireClient(std::uint16_t port, int receive_buffer_bytes = 0)
      : socket_(RawSocket::connected(port, receive_buffer_bytes)) {}

  RawSocket& socket() { return socket_; }
  bool send(const Bytes& bytes) { return socket_.write(bytes); }

  /// The next message; null at the end of the stream. Valid until the next call.
  const proto::ServerMessage* next(Milliseconds limit = patience) {
    auto body = socket_.read_frame(limit);
    if (!body) return nullptr;
    body_ = std::move(*body);
    flatbuffers::Verifier verifier(body_.data(), body_.size());
    if (!proto::VerifyServerMessageBuffer(verifier)) return nullptr;
    return proto::GetServerMessage(body_.data());
  }
  /// The next message of the type, passing over others; null at the end of the stream.
  template <class Message>
  const Message* next_of() {
    while (const auto* message = next())
      if (const auto* found = message->body_as<Message>()) return found;
    return nullptr;
  }
  /// Sends the hello and waits for the welcome.
  bool join(const HelloOptions& options = {}) {
    if (!send(hello_frame(options))) return false;
    const auto* message = next();
    return message != nullptr && message->body_as_Welcome() != nullptr;
  }
  /// Code of the Closing or Reject that ends the stream; nothing when it ends without one.
  std::optional<ErrorCode> farewell() {
    while (const auto* message = next()) {
      if (const auto* closing = message->body_as_Closing()) return code(closing->code());
      if (const auto* reject = message->body_as_Reject()) return code(reject->code());
    }
    return std::nullopt;
  }
  /// The server answers: the connection works in both directions.
  bool is_served(std::uint64_t nonce = 4711) {
    if (!send(ping_frame(nonce))) return false;
    const auto* pong = next_of<proto::Pong>();
    return pong != nullptr && pong->nonce() == nonce && pong->client_time_us() == 77;
  }
  static ErrorCode code(proto::ErrorCode wire) { return static_cast<ErrorCode>(wire); }

 private:
  RawSocket socket_;
  Bytes body_;
};

}  // namespace vicinity::test
