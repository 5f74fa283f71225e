// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#include "client/encode.h"

#include <gtest/gtest.h>

#include <cmath>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <variant>

#include "base/framing.h"
#include "base/limits.h"
#include "wire/decode.h"

// What the client writes, read by the server's own decoder.

namespace vicinity::client {
namespace {

const BatchLimits standard_limits{limits::client_frame_bytes_max, limits::commands_per_frame_max};

std::vector<std::vector<std::uint8_t>> split(std::span<const std::uint8_t> stream) {
  FrameReader reader(limits::client_frame_bytes_max);
  std::vector<std::vector<std::uint8_t>> bodies;
  while (const auto body = reader.next(stream)) bodies.emplace_back(body->begin(), body->end());
  EXPECT_TRUE(stream.empty());
  EXPECT_EQ(reader.failed(), ErrorCode::None);
  EXPECT_EQ(reader.buffered_bytes(), 0u);
  return bodies;
}

template <class Message>
std::optional<Message> decode(std::span<const std::uint8_t> body) {
  auto decoded = wire::decode_client_message(body, {limits::world_half_size_m});
  if (!decoded) {
    ADD_FAILURE() << decoded.error().text;
    return std::nullopt;
  }
  auto* message = std::get_if<Message>(&decoded.value());
  if (message == nullptr) {
    ADD_FAILURE() << "another kind of message";
    return std::nullopt;
  }
  return std::move(*message);
}

template <class Message>
std::optional<Message> decode_only(const std::vector<std::uint8_t>& stream) {
  const auto bodies = split(stream);
  if (bodies.size() != 1) {
    ADD_FAILURE() << bodies.size() << " frames";
    return std::nullopt;
  }
  return decode<Message>(bodies.front());
}

SpawnCommand full_spawn() {
  SpawnCommand spawn;
  spawn.position = {-1.5, 2.25, 1e6};
  spawn.velocity = {0.5, -3, 7};
  spawn.shape = Shape::capsule(0.5, 0.75, {1, 2, 3});
  spawn.filter.category = 0x8000'0001u;
  spawn.filter.mask = 0;
  spawn.filter.group = -7;
  spawn.filter.instance = 12;
  spawn.filter.sensor = true;
  spawn.filter.enabled = false;
  spawn.user_data = 0xFFFF'FFFF'FFFF'FFFFull;
  return spawn;
}

AreaSpec sphere_area(EntityRef anchor) {
  AreaSpec spec;
  spec.reach = Reach::Centre;
  spec.anchor = anchor;
  spec.include_anchor = true;
  spec.centre = {1, -1, 0.5};
  spec.enter_radius_m = 30;
  spec.leave_radius_m = 30;
  spec.filter = {0xF0u, 3};
  spec.min_dwell_ticks = 9;
  return spec;
}

AreaSpec box_area() {
  AreaSpec spec;
  spec.kind = AreaKind::Box;
  spec.centre = {4, 5, 6};
  spec.enter_half_extent_m = {1, 0, 3};
  spec.leave_half_extent_m = {1, 2, 3};
  return spec;
}

std::vector<CommandBody> one_of_each() {
  const EntityRef entity{EntityId(7, 3), 0};
  const EntityRef spawned{{}, 1};
  SpawnCommand still;
  still.filter.is_static = true;
  FilterPatch patch;
  patch.mask = 0;
  patch.sensor = false;
  FilterPatch whole{1u, 2u, -3, 4u, true, false, true};
  return {full_spawn(),
          still,
          DespawnCommand{entity},
          SetVelocityCommand{spawned, {1, 0, -1}},
          MoveToCommand{entity, {9, 8, 7}, true},
          MoveToCommand{entity, {9, 8, 7}, false},
          TeleportCommand{spawned, {0, 0, 0}},
          SetShapeCommand{entity, Shape::sphere(0)},
          SetShapeCommand{entity, Shape::box_corners({-1, -2, -3}, {4, 5, 0.1})},
          SetFilterCommand{entity, patch},
          SetFilterCommand{entity, whole},
          SetUserDataCommand{entity, 0},
          SetUserDataCommand{entity, 99},
          AddAreaCommand{{5}, {6}, sphere_area(spawned)},
          AddAreaCommand{{5}, {0}, box_area()},
          ChangeAreaCommand{{6}, sphere_area(entity)},
          RemoveAreaCommand{{6}},
          SetVelocityCommand{entity, {1, 0, -1}, Vec3{0, 3, 0}},
          MoveToCommand{entity, {9, 8, 7}, false, Quat{0, 0, 0, 1}},
          TeleportCommand{entity, {9, 8, 7}, Quat{0, 1, 0, 0}},
          AttachCommand{entity, spawned, Pose{{1, 2, 3}, {1, 0, 0, 0}}, OnParentEnd::Despawn},
          AttachCommand{spawned, entity},
          DetachCommand{entity},
          ExcludePairCommand{entity, spawned, true},
          ExcludePairCommand{spawned, entity, false},
          SetPolicyCommand{},
          SetPolicyCommand{{{1, 2, PolicyAction::Trigger, 3, 4}, {}}},
          SubscribeCommand{1, SubscriptionKind::Entity, spawned, 0xFFFF'FFFFu, 0xFFFF'FFFFu, {}},
          SubscribeCommand{2, SubscriptionKind::Categories, {}, 0, 5, {}},
          SubscribeCommand{
              3, SubscriptionKind::Area, {}, 0xFFFF'FFFFu, 0xFFFF'FFFFu, {{-1, -1, -1}, {1, 1, 1}}},
          UnsubscribeCommand{3}};
}

TEST(Encode, ServerReadsEveryCommandAsItWasWritten) {
  const std::vector<CommandBody> commands = one_of_each();
  std::vector<std::uint8_t> stream;
  encode_commands(1, commands, standard_limits, stream);
  const auto message = decode_only<wire::CommandsMessage>(stream);
  ASSERT_TRUE(message.has_value());
  ASSERT_EQ(message->commands.size(), commands.size());
  EXPECT_EQ(message->first_sequence, 1u);
  for (std::size_t i = 0; i < commands.size(); ++i) {
    EXPECT_EQ(message->commands[i].sequence, 1 + i);
    const auto* body = std::get_if<CommandBody>(&message->commands[i].outcome);
    ASSERT_NE(body, nullptr) << i << ": " << std::get<Error>(message->commands[i].outcome).text;
    EXPECT_TRUE(*body == commands[i]) << "command " << i;
  }
}

TEST(Encode, ServerReadsHello) {
  ConnectOptions options;
  options.client_name = "a game server";
  options.token = std::string(limits::token_bytes_max, 't');
  options.role = Role::Authority;
  options.contacts = ContactScope::All;
  std::vector<std::uint8_t> stream;
  encode_hello(options, stream);
  EXPECT_LE(stream.size(), limits::frame_bytes_before_hello_max);
  const auto hello = decode_only<wire::HelloMessage>(stream);
  ASSERT_TRUE(hello.has_value());
  EXPECT_LE(hello->protocol_min, wire::protocol_version);
  EXPECT_GE(hello->protocol_max, wire::protocol_version);
  EXPECT_EQ(hello->client_name, options.client_name);
  EXPECT_EQ(hello->token, options.token);
  EXPECT_EQ(hello->role, Role::Authority);
  EXPECT_EQ(hello->contacts, ContactScope::All);
}

TEST(Encode, ServerReadsStepPingAndGoodbye) {
  std::vector<std::uint8_t> step;
  encode_step(3, 250, step);
  const auto step_message = decode_only<wire::StepMessage>(step);
  ASSERT_TRUE(step_message.has_value());
  EXPECT_EQ(step_message->sequence, 3u);
  EXPECT_EQ(step_message->count, 250u);

  std::vector<std::uint8_t> ping;
  encode_ping(8, 123'456'789'012ull, ping);
  const auto ping_message = decode_only<wire::PingMessage>(ping);
  ASSERT_TRUE(ping_message.has_value());
  EXPECT_EQ(ping_message->nonce, 8u);
  EXPECT_EQ(ping_message->client_time_us, 123'456'789'012ull);

  std::vector<std::uint8_t> goodbye;
  encode_goodbye(goodbye);
  EXPECT_TRUE(decode_only<wire::GoodbyeMessage>(goodbye).has_value());
}

Query round_trip(const Query& query) {
  std::vector<std::uint8_t> stream;
  encode_query(77, query, stream);
  const auto message = decode_only<wire::QueryMessage>(stream);
  if (!message || std::holds_alternative<Error>(message->outcome)) {
    ADD_FAILURE() << (message ? std::get<Error>(message->outcome).text : "no query");
    return {};
  }
  EXPECT_EQ(message->request, 77u);
  return std::get<Query>(message->outcome);
}

TEST(Encode, ServerReadsEveryQuery) {
  const SearchFilter filter{0x0Fu, 4};
  const Query box = round_trip({BoxQuery{{{-1, -2, -3}, {1, 2, 3}}}, filter, 17});
  EXPECT_EQ(std::get<BoxQuery>(box.body).box, (Aabb{{-1, -2, -3}, {1, 2, 3}}));
  EXPECT_EQ(box.filter, filter);
  EXPECT_EQ(box.limit, 17u);

  const Query sphere = round_trip({SphereQuery{{1, 2, 3}, 50}, {}, 1024});
  EXPECT_EQ(std::get<SphereQuery>(sphere.body).centre, (Vec3{1, 2, 3}));
  EXPECT_EQ(std::get<SphereQuery>(sphere.body).radius_m, 50);
  EXPECT_EQ(sphere.filter, SearchFilter{});
  EXPECT_EQ(sphere.limit, 1024u);

  const Aabb point{{1, 2, 3}, {1, 2, 3}};
  const Query ray = round_trip({CastQuery{point, {0, 0, -2}, 100}, filter, 1});
  EXPECT_EQ(std::get<CastQuery>(ray.body).box, point);
  EXPECT_EQ(std::get<CastQuery>(ray.body).delta, (Vec3{0, 0, -2}));
  EXPECT_EQ(std::get<CastQuery>(ray.body).max_t, 100);

  const Aabb moved{{1, 2, 3}, {1, 2, 4}};  // flat, but no point
  const Query cast = round_trip({CastQuery{moved, {5, 0, 0}, 0}, filter, 1});
  EXPECT_EQ(std::get<CastQuery>(cast.body).box, moved);
  EXPECT_EQ(std::get<CastQuery>(cast.body).delta, (Vec3{5, 0, 0}));
  EXPECT_EQ(std::get<CastQuery>(cast.body).max_t, 0);

  const Query nearest = round_trip({NearestQuery{{9, 9, 9}, 12, 0}, filter, 12});
  EXPECT_EQ(std::get<NearestQuery>(nearest.body).point, (Vec3{9, 9, 9}));
  EXPECT_EQ(std::get<NearestQuery>(nearest.body).k, 12u);
  EXPECT_EQ(std::get<NearestQuery>(nearest.body).max_distance_m, 0);
  const Query unlimited = round_trip({NearestQuery{{9, 9, 9}, 1, -1}, filter, 12});
  EXPECT_LT(std::get<NearestQuery>(unlimited.body).max_distance_m, 0);

  const Query contacts = round_trip({ContactsQuery{EntityId(4, 2)}, {}, 8192});
  EXPECT_EQ(std::get<ContactsQuery>(contacts.body).entity, EntityId(4, 2));
}

/// Decodes a stream of command frames; checks that sequences run on from `first` without a gap.
std::vector<CommandBody> joined(const std::vector<std::uint8_t>& stream, std::uint64_t first,
                                std::vector<std::size_t>* frame_sizes = nullptr) {
  std::vector<CommandBody> commands;
  for (const auto& body : split(stream)) {
    const auto message = decode<wire::CommandsMessage>(body);
    if (!message) return commands;
    EXPECT_EQ(message->first_sequence, first + commands.size());
    if (frame_sizes != nullptr) frame_sizes->push_back(message->commands.size());
    for (const auto& command : message->commands)
      commands.push_back(std::get<CommandBody>(command.outcome));
  }
  return commands;
}

TEST(Encode, LargeBatchIsCutWithinBothLimits) {
  const std::vector<CommandBody> commands(5'000, CommandBody(full_spawn()));
  for (const BatchLimits limits :
       {standard_limits, BatchLimits{2'000, 1024}, BatchLimits{64 * 1024, 7}}) {
    std::vector<std::uint8_t> stream;
    encode_commands(11, commands, limits, stream);
    std::vector<std::size_t> frame_sizes;
    EXPECT_EQ(joined(stream, 11, &frame_sizes), commands);
    EXPECT_GT(frame_sizes.size(), 1u);
    for (const std::size_t size : frame_sizes) EXPECT_LE(size, limits.commands_max);
    for (const auto& body : split(stream)) EXPECT_LE(body.size(), limits.frame_bytes_max);
  }
}

TEST(Encode, FramesAreWellFilled) {
  const std::vector<CommandBody> commands(2'048, CommandBody(DespawnCommand{{EntityId(1, 1), 0}}));
  std::vector<std::uint8_t> stream;
  encode_commands(1, commands, standard_limits, stream);
  EXPECT_EQ(split(stream).size(), 2u);
}

TEST(Encode, SpawnAndWhatNamesItStayInOneFrame) {
  std::vector<CommandBody> commands;
  for (std::uint64_t pair = 0; pair < 700; ++pair) {
    commands.emplace_back(full_spawn());
    const std::uint64_t spawn_sequence = 50 + 3 * pair;
    commands.emplace_back(AddAreaCommand{{1}, {1}, sphere_area({{}, spawn_sequence})});
    commands.emplace_back(SetVelocityCommand{{{}, spawn_sequence}, {1, 2, 3}});
  }
  for (const BatchLimits limits :
       {standard_limits, BatchLimits{64 * 1024, 100}, BatchLimits{5'000, 1024}}) {
    std::vector<std::uint8_t> stream;
    encode_commands(50, commands, limits, stream);
    std::vector<std::size_t> frame_sizes;
    EXPECT_EQ(joined(stream, 50, &frame_sizes), commands);
    EXPECT_GT(frame_sizes.size(), 1u);
    for (const std::size_t size : frame_sizes) EXPECT_EQ(size % 3, 0u);
  }
}

TEST(Encode, SpawnsThatAreTiedTogetherStayInOneFrame) {
  std::vector<CommandBody> commands;
  for (std::uint64_t group = 0; group < 700; ++group) {
    const EntityRef vehicle{{}, 50 + 4 * group};
    const EntityRef turret{{}, 51 + 4 * group};
    commands.emplace_back(full_spawn());
    commands.emplace_back(full_spawn());
    commands.emplace_back(SetVelocityCommand{vehicle, {1, 2, 3}});
    if (group % 2 == 0) {
      commands.emplace_back(AttachCommand{turret, vehicle});
    } else {
      commands.emplace_back(ExcludePairCommand{vehicle, turret});
    }
  }
  for (const BatchLimits limits :
       {standard_limits, BatchLimits{64 * 1024, 99}, BatchLimits{7'000, 1024}}) {
    std::vector<std::uint8_t> stream;
    encode_commands(50, commands, limits, stream);
    std::vector<std::size_t> frame_sizes;
    EXPECT_EQ(joined(stream, 50, &frame_sizes), commands);
    EXPECT_GT(frame_sizes.size(), 1u);
    for (const std::size_t size : frame_sizes) EXPECT_EQ(size % 4, 0u);
  }
}

TEST(Encode, ManySpawnsThatAreTiedFarBehindStillMakeFramesThatFit) {
  std::vector<CommandBody> commands(2'000, CommandBody(full_spawn()));
  for (std::uint64_t i = 1; i < 2'000; ++i)
    commands.emplace_back(AttachCommand{{{}, 1 + i}, {{}, i}});
  std::vector<std::uint8_t> stream;
  encode_commands(1, commands, standard_limits, stream);
  EXPECT_EQ(joined(stream, 1), commands);
}

/// A hull of `count` points on a sphere.
Shape ball_hull(std::size_t count) {
  std::vector<Vec3> points;
  for (std::size_t i = 0; i < count; ++i) {
    const double y = -1 + (2 * static_cast<double>(i) + 1) / static_cast<double>(count);
    const double angle_rad = 2.4 * static_cast<double>(i);
    const double r = std::sqrt(1 - y * y);
    points.push_back({r * std::cos(angle_rad), y, r * std::sin(angle_rad)});
  }
  auto hull = ConvexHull::build(points, "points");
  return Shape::of_parts(
      {hull_primitive(std::make_shared<const ConvexHull>(std::move(hull.value())))});
}

Shape strip_mesh(std::uint32_t vertex_count) {
  std::vector<Vec3> vertices;
  std::vector<TriangleMesh::Indices> triangles;
  for (std::uint32_t i = 0; i < vertex_count; ++i)
    vertices.push_back({static_cast<double>(i / 2), 0, i % 2 != 0 ? 1.0 : 0.0});
  for (std::uint32_t i = 0; i + 2 < vertex_count; ++i) triangles.push_back({i, i + 1, i + 2});
  auto mesh = TriangleMesh::build(std::move(vertices), std::move(triangles), true, "triangles");
  return Shape::of_parts(
      {mesh_primitive(std::make_shared<const TriangleMesh>(std::move(mesh.value())))});
}

TEST(Encode, BatchesOfShapesAreCutWithinTheLimitsOfShapes) {
  const std::vector<Primitive> balls(limits::shape_parts_max, sphere_primitive(1));
  for (const Shape& shape :
       {ball_hull(6), ball_hull(40), strip_mesh(200), Shape::of_parts(balls)}) {
    const EntityRef entity{EntityId(7, 3), 0};
    const std::vector<CommandBody> commands(150, CommandBody(SetShapeCommand{entity, shape}));
    std::vector<std::uint8_t> stream;
    encode_commands(1, commands, standard_limits, stream);
    EXPECT_GT(split(stream).size(), 1u);
    std::size_t count = 0;
    for (const auto& body : split(stream)) {
      const auto message = decode<wire::CommandsMessage>(body);
      ASSERT_TRUE(message.has_value());
      for (const auto& command : message->commands) {
        ++count;
        const Error* error = std::get_if<Error>(&command.outcome);
        ASSERT_EQ(error, nullptr) << error->text;
        EXPECT_EQ(std::get<SetShapeCommand>(std::get<CommandBody>(command.outcome))
                      .shape.compound->digest,
                  shape.compound->digest);
      }
    }
    EXPECT_EQ(count, commands.size());
  }
}

TEST(Encode, BatchesOfTheLargestAreasAreCutWithinTheLimits) {
  AreaSpec spec;
  spec.kind = AreaKind::Prism;
  spec.anchor = {EntityId(7, 3), 0};
  spec.half_height_m = 1;
  for (int i = 1; i <= static_cast<int>(limits::outline_points_max); ++i)
    spec.outline.push_back({1.0 * i, -1.0 * i * i});
  for (std::uint32_t i = 1; i <= limits::rings_per_area_max; ++i)
    spec.rings.push_back({1.0 * i, i});
  const std::vector<CommandBody> commands(1'000, CommandBody(ChangeAreaCommand{{1}, spec}));
  std::vector<std::uint8_t> stream;
  encode_commands(1, commands, standard_limits, stream);
  EXPECT_GT(split(stream).size(), 1u);
  for (const auto& body : split(stream)) EXPECT_LE(body.size(), limits::client_frame_bytes_max);
  EXPECT_EQ(joined(stream, 1), commands);
}

TEST(Encode, AMeshOfTwoThousandTrianglesIsOneFrame) {
  const std::vector<CommandBody> commands{SetShapeCommand{{EntityId(7, 3), 0}, strip_mesh(1'700)}};
  std::vector<std::uint8_t> stream;
  encode_commands(1, commands, standard_limits, stream);
  const auto message = decode_only<wire::CommandsMessage>(stream);
  ASSERT_TRUE(message.has_value());
  EXPECT_TRUE(std::holds_alternative<CommandBody>(message->commands.at(0).outcome));
}

TEST(Encode, AbsurdLimitsStillMakeProgress) {
  const std::vector<CommandBody> commands(3, CommandBody(full_spawn()));
  std::vector<std::uint8_t> stream;
  encode_commands(1, commands, {0, 0}, stream);
  EXPECT_EQ(joined(stream, 1), commands);
  EXPECT_EQ(split(stream).size(), 3u);
}

TEST(Encode, NoCommandsMakeNoFrame) {
  std::vector<std::uint8_t> stream;
  encode_commands(1, {}, standard_limits, stream);
  EXPECT_TRUE(stream.empty());
}

TEST(EncodeDeathTest, CommandsOfTheServerItselfAreAMistake) {
  std::vector<std::uint8_t> stream;
  const std::vector<CommandBody> commands{OpenSessionCommand{}};
  EXPECT_DEATH(encode_commands(1, commands, standard_limits, stream), "CHECK failed");
}

}  // namespace
}  // namespace vicinity::client
