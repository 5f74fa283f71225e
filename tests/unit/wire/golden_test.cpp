// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors

// The committed frames (tests/golden), made by flatc from JSON, are read with the values that a
// person wrote there, those of protocol 1 too; and what the server writes for those values says the
// same.
#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <fstream>
#include <sstream>

#include "base/framing.h"
#include "base/limits.h"
#include "support/encode_tick.h"
#include "support/golden_frame.h"
#include "support/json_frame.h"
#include "wire/decode.h"
#include "wire/encode.h"

namespace vicinity::wire {
namespace {

using Bytes = std::vector<std::uint8_t>;

template <class Message>
Message client_golden(const std::string& name) {
  auto result = decode_client_message(test::golden_frame(name), {limits::world_half_size_m});
  if (!result.ok()) {
    ADD_FAILURE() << name << ": " << result.error().text;
    return {};
  }
  EXPECT_TRUE(std::holds_alternative<Message>(result.value())) << name;
  return std::get<Message>(std::move(result.value()));
}

template <class Body>
Body query_golden(const std::string& name, std::uint64_t request) {
  const auto message = client_golden<QueryMessage>(name);
  EXPECT_EQ(message.request, request);
  return std::get<Body>(std::get<Query>(message.outcome).body);
}

EntityRef entity(std::uint64_t raw) { return {EntityId::from_raw(raw), 0}; }

TEST(Golden, HelloIsRead) {
  const auto hello = client_golden<HelloMessage>("v1/client_hello");
  EXPECT_EQ(hello.protocol_min, 1);
  EXPECT_EQ(hello.protocol_max, 1);
  EXPECT_EQ(hello.client_name, "example");
  EXPECT_EQ(hello.token, "");
  EXPECT_EQ(hello.role, Role::Authority);
  EXPECT_EQ(hello.contacts, ContactScope::All);
  EXPECT_FALSE(hello.contact_details);
  const auto present = client_golden<HelloMessage>("v2/client_hello");
  EXPECT_EQ(present.protocol_min, 2);
  EXPECT_EQ(present.protocol_max, 2);
  EXPECT_TRUE(present.contact_details);
  EXPECT_EQ(present.subject, "");
  EXPECT_EQ(present.resume_tick, 0u);
}

TEST(Golden, EveryKindOfCommandIsRead) {
  const auto message = client_golden<CommandsMessage>("v1/client_commands");
  EXPECT_EQ(message.first_sequence, 7u);
  AreaSpec attached;
  attached.reach = Reach::Centre;
  attached.anchor = entity(4294967304);
  attached.include_anchor = true;
  attached.enter_radius_m = 50;
  attached.leave_radius_m = 60;
  attached.filter = {255, 2};
  attached.min_dwell_ticks = 30;
  AreaSpec fixed;
  fixed.kind = AreaKind::Box;
  fixed.centre = {100, 0, -100};
  fixed.enter_half_extent_m = {10, 20, 30};
  fixed.leave_half_extent_m = {11, 22, 33};
  const std::vector<CommandBody> expected = {
      SpawnCommand{{1.5, -2, 1000000.25},
                   {0.5, 0, -0.125},
                   Shape::box_corners({0.5, -1, -2}, {1.5, 1, 2}),
                   {4, 12, -3, 9, true, false, true},
                   18446744073709551615u},
      SpawnCommand{{}, {}, Shape::capsule(0.25, 0.75, {0, 1, 0}), {}, 0},
      DespawnCommand{entity(4294967298)},
      SetVelocityCommand{{{}, 8}, {3, 0, 4}},
      MoveToCommand{entity(4294967299), {10, 20, 30}, true},
      TeleportCommand{entity(4294967300), {-1, -2, -3}},
      SetShapeCommand{entity(4294967301), Shape::sphere(2.5)},
      SetFilterCommand{entity(4294967302), {{}, 0, {}, {}, {}, true, false}},
      SetUserDataCommand{entity(4294967303), 77},
      AddAreaCommand{{5}, {6}, attached},
      ChangeAreaCommand{{6}, fixed},
      RemoveAreaCommand{{6}},
  };
  ASSERT_EQ(message.commands.size(), expected.size());
  for (std::size_t i = 0; i < expected.size(); ++i) {
    EXPECT_EQ(message.commands[i].sequence, 7 + i);
    ASSERT_TRUE(std::holds_alternative<CommandBody>(message.commands[i].outcome)) << i;
    EXPECT_EQ(std::get<CommandBody>(message.commands[i].outcome), expected[i]) << i;
  }
}

std::vector<CommandBody> bodies_of(const CommandsMessage& message) {
  std::vector<CommandBody> out;
  for (const DecodedCommand& command : message.commands) {
    const Error* error = std::get_if<Error>(&command.outcome);
    EXPECT_EQ(error, nullptr) << command.sequence << ": " << (error ? error->text : "");
    if (error == nullptr) out.push_back(std::get<CommandBody>(command.outcome));
  }
  return out;
}

const std::vector<Vec3> corner_points = {{1, 0, 0}, {0, 2, 0}, {0, 0, 4}, {0, 0, 0}};

TEST(Golden, ExactShapesAreRead) {
  const auto bodies = bodies_of(client_golden<CommandsMessage>("v2/client_commands"));
  ASSERT_GE(bodies.size(), 3u);
  const auto& turned = std::get<SpawnCommand>(bodies[0]);
  EXPECT_EQ(turned.position, (Vec3{1, 2, 3}));
  EXPECT_EQ(turned.rotation, (Quat{0, 0, 0.6, 0.8}));
  EXPECT_EQ(turned.angular_velocity, (Vec3{0.5, -0.25, 8}));
  ASSERT_FALSE(turned.shape.is_plain());
  EXPECT_EQ(turned.shape.kind, ShapeKind::Box);
  const Primitive& box = turned.shape.compound->parts.at(0);
  EXPECT_EQ(box.half_extent_m, (Vec3{2, 2, 3}));
  // Half a turn about y takes its centre, (1, 0, 0) in its own frame, to (-1, 0, 0).
  EXPECT_EQ(box.offset, (Pose{{0, 0, 0}, {0, 1, 0, 0}}));

  const auto& ground = std::get<SpawnCommand>(bodies[1]);
  EXPECT_EQ(ground.rotation, Quat{});
  ASSERT_FALSE(ground.shape.is_plain());
  EXPECT_EQ(ground.shape.kind, ShapeKind::Mesh);
  const TriangleMesh& mesh = *ground.shape.compound->parts.at(0).mesh;
  EXPECT_TRUE(mesh.two_sided());
  ASSERT_EQ(mesh.triangle_count(), 2u);
  EXPECT_EQ(mesh.corners(1), (TriangleMesh::Corners{Vec3{4, 0, 0}, Vec3{0, 0, 4}, Vec3{4, 1, 4}}));

  const auto& reshape = std::get<SetShapeCommand>(bodies[2]);
  EXPECT_EQ(reshape.shape.kind, ShapeKind::Compound);
  const auto& parts = reshape.shape.compound->parts;
  ASSERT_EQ(parts.size(), 3u);
  EXPECT_EQ(parts[0].kind, PrimitiveKind::Sphere);
  EXPECT_EQ(parts[0].radius_m, 2.5);
  EXPECT_EQ(parts[0].offset, (Pose{{0, 5, 0}, {}}));
  EXPECT_EQ(parts[1].kind, PrimitiveKind::Capsule);
  EXPECT_EQ(parts[1].half_height_m, 1.5);
  EXPECT_EQ(parts[1].offset, (Pose{{}, {0, 0, 0.8, 0.6}}));
  EXPECT_EQ(parts[2].kind, PrimitiveKind::Hull);
  const auto vertices = parts[2].hull->vertices();
  EXPECT_TRUE(std::is_permutation(vertices.begin(), vertices.end(), corner_points.begin(),
                                  corner_points.end()));
}

TEST(Golden, CommandsAboutTurningAttachmentsAndContactsAreRead) {
  const auto message = client_golden<CommandsMessage>("v2/client_commands");
  EXPECT_EQ(message.first_sequence, 30u);
  const std::vector<CommandBody> expected = {
      SetVelocityCommand{entity(4294967302), {1, 0, 0}, Vec3{}},
      MoveToCommand{entity(4294967303), {10, 20, 30}, false, Quat{0, 0, 0, -1}},
      TeleportCommand{entity(4294967304), {-1, -2, -3}, Quat{0, 1, 0, 0}},
      AttachCommand{
          entity(4294967305), {{}, 30}, Pose{{0, 1.5, 0}, {1, 0, 0, 0}}, OnParentEnd::Despawn},
      AttachCommand{{{}, 30}, entity(4294967306), {}, OnParentEnd::Detach},
      DetachCommand{entity(4294967307)},
      ExcludePairCommand{entity(4294967308), entity(4294967309), true},
      ExcludePairCommand{{{}, 30}, {{}, 31}, false},
      SetPolicyCommand{{{1, 6, PolicyAction::Trigger, 20, 864'000},
                        {0xFFFF'FFFFu, 0xFFFF'FFFFu, PolicyAction::Ignore, 0, 0}}},
      SubscribeCommand{
          1, SubscriptionKind::Entity, entity(4294967310), 0xFFFF'FFFFu, 0xFFFF'FFFFu, {}},
      SubscribeCommand{2, SubscriptionKind::Categories, {}, 3, 4, {}},
      SubscribeCommand{4294967295u,
                       SubscriptionKind::Area,
                       {},
                       0xFFFF'FFFFu,
                       0xFFFF'FFFFu,
                       {{-1, -2, -3}, {1, 2, 3}}},
      UnsubscribeCommand{2},
  };
  const auto bodies = bodies_of(message);
  ASSERT_EQ(bodies.size(), 3 + expected.size());
  for (std::size_t i = 0; i < expected.size(); ++i) EXPECT_EQ(bodies[3 + i], expected[i]) << i;
}

TEST(Golden, ExactQueriesAreRead) {
  const auto overlap = client_golden<QueryMessage>("v2/client_query_overlap");
  const auto& query = std::get<Query>(overlap.outcome);
  EXPECT_TRUE(query.exact);
  EXPECT_EQ(query.limit, 5u);
  ASSERT_TRUE(query.after.has_value());
  EXPECT_EQ(query.after->id.raw(), 4294967298u);
  EXPECT_EQ(query.after->value, 0);
  const auto& hull = std::get<OverlapQuery>(query.body);
  EXPECT_EQ(hull.pose, (Pose{{1, 2, 3}, {0, 0, 0.6, 0.8}}));
  ASSERT_NE(hull.shape.hull, nullptr);
  EXPECT_EQ(hull.shape.hull->vertices().size(), 4u);

  const auto cast = client_golden<QueryMessage>("v2/client_query_shape_cast");
  EXPECT_EQ(std::get<Query>(cast.outcome).after->value, 0.25);
  const auto& moved = std::get<ShapeCastQuery>(std::get<Query>(cast.outcome).body);
  EXPECT_EQ(moved.shape.kind, PrimitiveKind::Capsule);
  EXPECT_EQ(moved.shape.offset, (Pose{{0, 1.5, 0}, {}}));
  EXPECT_EQ(moved.start, (Pose{{1, 2, 3}, {}}));
  EXPECT_EQ(moved.delta, (Vec3{8, 0, 0}));
  EXPECT_EQ(moved.max_t, 0.5);

  // The planes are the sides of a box: its corners are the corners of the hull.
  const auto frustum = query_golden<OverlapQuery>("v2/client_query_frustum", 9);
  ASSERT_NE(frustum.shape.hull, nullptr);
  EXPECT_EQ(frustum.shape.hull->vertices().size(), 8u);
  EXPECT_EQ(frustum.shape.hull->box(), (Aabb{{-1, -2, 3}, {1, 2, 4}}));
  EXPECT_EQ(frustum.pose, Pose{});
}

TEST(Golden, EveryKindOfQueryIsRead) {
  const auto box = client_golden<QueryMessage>("v1/client_query_box");
  const Query& query = std::get<Query>(box.outcome);
  EXPECT_EQ(std::get<BoxQuery>(query.body).box, (Aabb{{-1, -2, -3}, {1, 2, 3}}));
  EXPECT_EQ(query.filter, (SearchFilter{6, 4}));
  EXPECT_EQ(query.limit, 8192u);
  const auto sphere = query_golden<SphereQuery>("v1/client_query_sphere", 2);
  EXPECT_EQ(sphere.centre, (Vec3{1, 2, 3}));
  EXPECT_EQ(sphere.radius_m, 4.5);
  const auto ray = query_golden<CastQuery>("v1/client_query_ray", 3);
  EXPECT_EQ(ray.box, (Aabb{{1, 2, 3}, {1, 2, 3}}));
  EXPECT_EQ(ray.delta, (Vec3{0, 0, -1}));
  EXPECT_EQ(ray.max_t, 100);
  const auto cast = query_golden<CastQuery>("v1/client_query_box_cast", 4);
  EXPECT_EQ(cast.box, (Aabb{{-1, -1, -1}, {1, 1, 1}}));
  EXPECT_EQ(cast.delta, (Vec3{8, 0, 0}));
  EXPECT_EQ(cast.max_t, 1);
  const auto nearest = query_golden<NearestQuery>("v1/client_query_nearest", 5);
  EXPECT_EQ(nearest.point, (Vec3{1, 2, 3}));
  EXPECT_EQ(nearest.k, 12u);
  EXPECT_EQ(nearest.max_distance_m, 99.5);
  EXPECT_EQ(query_golden<ContactsQuery>("v1/client_query_contacts", 6).entity.raw(), 4294967297u);
}

TEST(Golden, StepPingAndGoodbyeAreRead) {
  const auto step = client_golden<StepMessage>("v1/client_step");
  EXPECT_EQ(step.sequence, 3u);
  EXPECT_EQ(step.count, 250u);
  const auto ping = client_golden<PingMessage>("v1/client_ping");
  EXPECT_EQ(ping.nonce, 12345678901234567890u);
  EXPECT_EQ(ping.client_time_us, 987654321u);
  client_golden<GoodbyeMessage>("v1/client_goodbye");
}

/// The content of the frames in `stream`, in the words of the schema.
std::string content(const Bytes& stream) {
  FrameReader reader(limits::server_frame_bytes_max);
  std::span<const std::uint8_t> input(stream);
  std::string text;
  while (const auto body = reader.next(input)) text += test::server_schema().text(*body);
  return text;
}
std::string golden_content(const std::string& name) {
  return test::server_schema().text(test::golden_frame(name));
}

TEST(Golden, TheServerWritesTheSameSessionMessages) {
  Bytes out;
  encode_welcome({{42},
                  Role::Authority,
                  TickMode::Manual,
                  30,
                  17,
                  "0.1.0",
                  123456789,
                  16,
                  4096,
                  "abcdefghijklmnop0123456789ABCDEF",
                  true,
                  true,
                  77,
                  30000,
                  0x1p-9,
                  65536},
                 out);
  EXPECT_EQ(content(out), golden_content("v3/server_welcome"));
  out.clear();
  encode_reject({ErrorCode::VersionMismatch, "no common protocol version; update the older side"},
                out);
  EXPECT_EQ(content(out), golden_content("v3/server_reject"));
  out.clear();
  encode_closing({ErrorCode::TakenOver, "another connection goes on with this session"}, 5000, out);
  EXPECT_EQ(content(out), golden_content("v3/server_closing"));
  out.clear();
  encode_pong(12345678901234567890u, 987654321, 123600000, 20, out);
  EXPECT_EQ(content(out), golden_content("v3/server_pong"));
  out.clear();
  encode_step_done(3, 250, 1234567890123456789u, {}, out);
  EXPECT_EQ(content(out), golden_content("v3/server_step_done"));
}

TEST(Golden, TheServerWritesTheSameAnswers) {
  Bytes out;
  encode_query_answer(5,
                      {19,
                       20,
                       false,
                       {{EntityId::from_raw(4294967298), 0.5, {1, 2, 3}, 7, {4, 5, 6}, {0, 0, -1}},
                        {EntityId::from_raw(4294967297), 2.0, {-1, 0, 0}, 8}}},
                      out);
  EXPECT_EQ(content(out), golden_content("v3/server_query_answer"));
  out.clear();
  encode_query_error(6, 19, 20, {ErrorCode::InvalidQuery, "delta is 0; a ray needs a direction"},
                     out);
  EXPECT_EQ(content(out), golden_content("v3/server_query_refused"));
}

TEST(Golden, TheServerWritesTheSameResults) {
  auto frame = std::make_shared<PublishedFrame>();
  frame->snapshot = std::make_shared<Snapshot>();
  TickOutput output;
  output.report.tick = 18;
  output.frame = frame;
  ToldSession session;
  session.results = {{7, ErrorCode::None, EntityId::from_raw(4294967297)},
                     {8, ErrorCode::StaleEntity, {}},
                     {9, ErrorCode::None, {}}};
  Bytes out;
  EXPECT_TRUE(encode_tick(output, session, 0, limits::outbox_bytes_max, out));
  FrameReader reader(limits::server_frame_bytes_max);
  std::span<const std::uint8_t> input(out);
  const auto results = reader.next(input);
  ASSERT_TRUE(results.has_value());
  EXPECT_EQ(test::server_schema().text(*results), golden_content("v3/server_command_results"));
}

TEST(Golden, TheServerWritesTheSameFrame) {
  auto snapshot = std::make_shared<Snapshot>();
  const auto add = [&snapshot](std::uint64_t id, Vec3 position, bool sensor, bool is_static,
                               std::uint64_t user_data) {
    snapshot->id.push_back(EntityId::from_raw(id));
    snapshot->position.push_back(position);
    snapshot->velocity.push_back({4, 5, 6});
    snapshot->shape.push_back(Shape::box_corners({-1, -2, -3}, {1.5, 2.5, 3.5}));
    snapshot->filter.push_back({4, 12, -3, 9, sensor, is_static, true});
    snapshot->user_data.push_back(user_data);
    snapshot->turn.push_back({{0, 0, 0.6, 0.8}, {7, 8, 9}, {}, {}});
  };
  add(4294967299, {1, 2, 3}, true, false, 18446744073709551615u);
  add(4294967310, {1, 2, 3}, true, false, 31);
  add(4294967311, {1, 2, 3}, true, false, 32);
  add(4294967300, {1, 2, 3}, false, true, 1);
  snapshot->turn.back() = {{0, 1, 0, 0}, {}, {}, {}};
  add(4294967311, {1000000.25, -2, 3}, true, false, 32);  // where it is after its enter
  FrameSelection view;
  view.leaves = {{{EntityId::from_raw(4294967298), LeaveReason::OutOfRange, 21, true}, {5}}};
  view.enters = {{0, 196613, {5}}, {1, 196614, {5}}, {2, 196615, {5}}};
  view.changed = {{3, 196620, {5}}};
  MoveLists& moves = view.add_moves({5}, 3, {1000, -2000, 300});
  moves.near = {{5, 100, -100, 32767}};
  moves.wide = {{6, {0, 65520, 65023, 32767}}};
  moves.far = {{7, 4}};
  moves.turns = {{5, 22527, 43685}};
  moves.velocities = {{6, 15360, 49152, 31743}};
  moves.spins = {{7, 1, 1024, 13653}};
  moves.jumps = {6};
  view.enters_waiting = 17;
  view.health = StreamHealth::Degraded;
  SessionOutput session;
  const auto id = [](std::uint64_t raw) { return EntityId::from_raw(raw); };
  session.contact_ends.push_back(
      {{id(4294967296), id(4294967302), 11, 1, 2, {}, {}, false}, EndReason::Teleported, 100});
  const EventContact passing{id(4294967303), id(4294967304), 19, 3, 4, {}, {}, true};
  session.contact_begins.push_back({passing, 0.375, true, 101});
  session.begin_details.push_back({{1.5, 2.5, 3.5},
                                   {0, 1, 0},
                                   0.0625,
                                   {{1, 2, 3}, {0, 0, 0.6, 0.8}},
                                   {{4, 5, 6}, {1, 0, 0, 0}}});
  session.contact_passed.push_back({passing, EndReason::PassedThrough, 102});
  session.contact_stays.push_back({{id(4294967306), id(4294967307), 12, 5, 6, {}, {}, true}, 103});
  session.lost.push_back({id(4294967305), {}, DespawnReason::ParentEnded});
  session.lost.back().user_data = 23;
  Bytes out;
  FrameContent frame;
  frame.tick = 19;
  frame.index_version = 20;
  frame.server_time_us = 123500000;
  frame.result_hash = 16045690984833335023u;
  frame.events = &session;
  frame.selection = &view;
  frame.snapshot = snapshot.get();
  frame.shedding = Shedding::OuterRings;
  EXPECT_TRUE(encode_frame(frame, limits::outbox_bytes_max, out));
  EXPECT_EQ(content(out), golden_content("v3/server_frame"));
}

TEST(Golden, TheWorkedExampleInTheDocumentationIsTheHelloFrame) {
  std::ifstream file(std::string(VICINITY_SOURCE_DIR) + "/server/wire/WIRE_FORMAT.md");
  Bytes documented;
  bool inside = false;
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with("```")) inside = line == "```hexdump";
    if (!inside || line.empty() || !std::isxdigit(static_cast<unsigned char>(line[0]))) continue;
    std::istringstream words(line.substr(0, line.find('|')));
    std::string word;
    words >> word;  // offset
    while (words >> word) documented.push_back(static_cast<std::uint8_t>(std::stoi(word, {}, 16)));
  }
  Bytes expected;
  append_frame(test::golden_frame("v3/client_hello"), expected);
  EXPECT_EQ(documented, expected);
}

}  // namespace
}  // namespace vicinity::wire
