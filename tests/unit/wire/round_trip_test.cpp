// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors

// What the client library writes, the server reads back unchanged: every kind of command and query
// with random legal values, the edges of their ranges included.
#include <gtest/gtest.h>

#include <iterator>

#include "base/framing.h"
#include "base/limits.h"
#include "base/prng.h"
#include "client/encode.h"
#include "wire/decode.h"

namespace vicinity::wire {
namespace {

constexpr DecodeLimits world{limits::world_half_size_m};
constexpr client::BatchLimits batch_limits{limits::client_frame_bytes_max,
                                           limits::commands_per_frame_max};

class RandomValues {
 public:
  explicit RandomValues(std::uint64_t seed) : random_(seed) {}

  CommandBody command(std::size_t kind) {
    switch (kind) {
      case 0: return spawn();
      case 1: return DespawnCommand{entity()};
      case 2: return SetVelocityCommand{entity(), vec(1e8), maybe(vec(3e3))};
      case 3: return MoveToCommand{entity(), vec(1e12), flip(), maybe(rotation())};
      case 4: return TeleportCommand{entity(), vec(limits::world_half_size_m), maybe(rotation())};
      case 5: return SetShapeCommand{entity(), shape()};
      case 6: return SetFilterCommand{entity(), patch()};
      case 7: return SetUserDataCommand{entity(), random_.next()};
      case 8: return AddAreaCommand{{word()}, {word()}, area()};
      case 9: return ChangeAreaCommand{{word()}, area()};
      case 10: return RemoveAreaCommand{{word()}};
      case 11:
        return AttachCommand{entity(), entity(), maybe(Pose{vec(1e12), rotation()}),
                             flip() ? OnParentEnd::Detach : OnParentEnd::Despawn, flip()};
      case 12: return DetachCommand{entity()};
      case 13: return ExcludePairCommand{entity(), entity(), flip()};
      case 14: return policy();
      case 15: return subscription();
      case 16: return SetRelevanceCommand{entity(), relevance()};
      case 17:
        return SetVisibilityCommand{{word()}, entity(), static_cast<Visibility>(random_.below(3))};
      default: return UnsubscribeCommand{word()};
    }
  }
  static constexpr std::size_t command_kinds = 19;

  Query query(std::size_t kind) {
    Query out;
    out.filter = {word(), word()};
    out.limit = 1 + static_cast<std::uint32_t>(random_.below(limits::query_hits_max));
    switch (kind) {
      case 0: out.body = BoxQuery{box(1e13)}; break;
      case 1: out.body = SphereQuery{vec(1e13), size(1e13)}; break;
      case 2: {
        const Vec3 point = vec(1e12);
        out.body = CastQuery{{point, point}, vec(1e6), size(1e6)};
        break;
      }
      case 3: out.body = CastQuery{box(1e12), vec(1e6), size(1e6)}; break;
      case 4:
        out.body = NearestQuery{vec(1e13), static_cast<std::uint32_t>(random_.below(8193)),
                                flip() ? -1.0 : size(1e13)};
        break;
      case 5: out.body = ContactsQuery{EntityId::from_raw(1 + random_.below(1u << 30))}; break;
      case 6: out.body = OverlapQuery{part(random_.below(4)), {vec(1e12), rotation()}}; break;
      default:
        out.body =
            ShapeCastQuery{part(random_.below(3)), {vec(1e12), rotation()}, vec(1e6), size(1e6)};
    }
    out.exact = flip();
    if (flip()) out.after = QueryPlace{size(1e6), EntityId::from_raw(1 + random_.below(1u << 30))};
    return out;
  }
  static constexpr std::size_t query_kinds = 8;

 private:
  bool flip() { return random_.chance(0.5); }
  std::uint32_t word() { return static_cast<std::uint32_t>(random_.next()); }
  double size(double max) { return random_.chance(0.1) ? 0.0 : random_.between(0, max); }
  Vec3 vec(double max) {
    const auto one = [&] {
      return random_.chance(0.1) ? max : random_.chance(0.1) ? -max : random_.between(-max, max);
    };
    const double x = one(), y = one(), z = one();
    return {x, y, z};
  }
  Aabb box(double max) {
    const Vec3 min = vec(max / 2);
    return {min, min + Vec3{size(max / 2), size(max / 2), size(max / 2)}};
  }
  EntityRef entity() {
    if (flip()) return {EntityId::from_raw(1 + random_.next() / 2), 0};
    return {{}, 1 + random_.below(1000)};
  }
  template <class T>
  std::optional<T> maybe(const T& value) {
    return flip() ? std::optional(value) : std::nullopt;
  }
  /// A fixed point of normalized(), which the server applies once more.
  static Quat fixed_point(Quat q) {
    for (int i = 0; i < 20 && normalized(q) != q; ++i) q = normalized(q);
    return normalized(q) == q ? q : Quat{0, 1, 0, 0};
  }
  Quat rotation() {
    return fixed_point({random_.between(-1, 1), random_.between(-1, 1), random_.between(-1, 1),
                        random_.between(0.1, 1)});
  }
  std::shared_ptr<const ConvexHull> hull() {
    std::vector<Vec3> points;
    for (std::uint64_t n = 6 + random_.below(6); n > 0; --n) points.push_back(vec(10));
    points.insert(points.end(), {{20, 0, 0}, {0, 20, 0}, {0, 0, 20}, {-20, -20, -20}});
    return std::make_shared<const ConvexHull>(ConvexHull::build(points, "points").value());
  }
  std::shared_ptr<const TriangleMesh> mesh() {
    auto built = TriangleMesh::build({{0, 0, 0}, {0, 0, 5}, {5, size(1), 0}, {5, 1, 5}},
                                     {{0, 1, 2}, {2, 1, 3}}, flip(), "triangles");
    return std::make_shared<const TriangleMesh>(std::move(built.value()));
  }
  Primitive part(std::uint64_t kind) {
    const Pose offset{vec(1e5), rotation()};
    switch (kind) {
      case 0: return sphere_primitive(size(1e6), vec(1e6));
      case 1: return capsule_primitive(size(1e6), size(1e6), offset);
      case 2: return box_primitive({size(1e6), size(1e6), size(1e6)}, offset);
      case 3: return hull_primitive(hull(), offset);
      default: return mesh_primitive(mesh(), offset);
    }
  }
  SetPolicyCommand policy() {
    SetPolicyCommand out;
    for (std::uint64_t n = random_.below(limits::policy_rules_max + 1); n > 0; --n) {
      out.rules.push_back(
          {word(), word(), static_cast<PolicyAction>(random_.below(3)),
           static_cast<std::uint32_t>(random_.below(limits::policy_ticks_max + 1)),
           static_cast<std::uint32_t>(random_.below(limits::policy_ticks_max + 1))});
    }
    return out;
  }
  /// Fields that its kind does not read keep their defaults.
  SubscribeCommand subscription() {
    SubscribeCommand out;
    out.subscription = word();
    out.kind = static_cast<SubscriptionKind>(random_.below(3));
    if (out.kind == SubscriptionKind::Entity) out.entity = entity();
    if (out.kind == SubscriptionKind::Categories) {
      out.categories_a = word();
      out.categories_b = word();
    }
    if (out.kind == SubscriptionKind::Area) out.box = box(1e13);
    return out;
  }
  /// `with_meshes`: for static entities only.
  Shape shape(bool with_meshes = true) {
    const std::uint64_t kind_count = with_meshes ? 5 : 4;
    if (random_.chance(0.05)) {
      std::vector<Primitive> parts;
      for (std::uint64_t n = 1 + random_.below(limits::shape_parts_max); n > 0; --n)
        parts.push_back(part(random_.below(kind_count)));
      return Shape::of_parts(std::move(parts));
    }
    if (flip()) return Shape::of_parts({part(random_.below(kind_count))});
    switch (random_.below(3)) {
      case 0: return Shape::sphere(size(1e6), vec(1e6));
      case 1: return Shape::capsule(size(1e6), size(1e6), vec(1e6));
      default: {
        const Aabb corners = box(1e6);
        return Shape::box_corners(corners.min, corners.max);
      }
    }
  }
  FilterPatch patch() {
    FilterPatch out;
    if (flip()) out.category = word();
    if (flip()) out.mask = word();
    if (flip()) out.group = static_cast<std::int32_t>(word());
    if (flip()) out.instance = word();
    if (flip()) out.sensor = flip();
    if (flip()) out.is_static = flip();
    if (flip()) out.enabled = flip();
    return out;
  }
  SpawnCommand spawn() {
    SpawnCommand out{vec(1e12), {}, {}, {}, random_.next(), rotation()};
    out.filter = {word(), word(), static_cast<std::int32_t>(word()), word(), flip(),
                  flip(), flip()};
    out.shape = shape(out.filter.is_static);
    if (!out.filter.is_static) {
      out.velocity = vec(1e8);
      out.angular_velocity = vec(3e3);
    }
    if (flip()) out.relevance = relevance();
    return out;
  }
  Relevance relevance() {
    const double enter = size(1e12);
    return {flip(), static_cast<std::uint8_t>(word()), enter, enter + size(1e12)};
  }
  double angle() { return random_.between(1e-3, 1.57); }
  /// About the y axis.
  Quat heading() { return fixed_point({0, random_.between(-1, 1), 0, random_.between(-1, 1)}); }
  /// On a parabola, so that it is convex for any number of points. From above, with z down, it
  /// opens upwards and goes from left to right: counter-clockwise.
  std::vector<OutlinePoint> outline() {
    std::vector<OutlinePoint> out;
    const double x0 = random_.between(-1e6, 1e6);
    const std::uint64_t count = 3 + random_.below(limits::outline_points_max - 2);
    for (std::uint64_t i = 0; i < count; ++i) {
      const double x = static_cast<double>(i) - 4;
      out.push_back({x0 + x, -x * x});
    }
    return out;
  }
  std::vector<Ring> rings() {
    std::vector<Ring> out;
    double distance = size(100);
    for (std::uint64_t n = random_.below(limits::rings_per_area_max + 1); n > 0; --n) {
      out.push_back({distance, 1 + static_cast<std::uint32_t>(
                                       random_.below(limits::ring_interval_ticks_max))});
      distance += random_.between(1, 1000);
    }
    return out;
  }
  /// Fields that the kind does not have keep their defaults.
  void add_sizes(AreaSpec& out) {
    switch (out.kind) {
      case AreaKind::Sphere:
        out.enter_radius_m = size(1e12);
        out.leave_radius_m = out.enter_radius_m + size(1e12);
        return;
      case AreaKind::Box:
        out.enter_half_extent_m = {size(1e12), size(1e12), size(1e12)};
        out.leave_half_extent_m = out.enter_half_extent_m + Vec3{size(10), size(10), size(10)};
        return;
      case AreaKind::Cylinder:
        out.radius_m = size(1e12);
        out.half_height_m = size(1e12);
        break;
      case AreaKind::OrientedBox:
        out.half_extent_m = {size(1e12), size(1e12), size(1e12)};
        out.rotation = rotation();
        break;
      case AreaKind::Frustum:
        out.near_m = size(1e3);
        out.half_angle_up_rad = angle();
        [[fallthrough]];
      case AreaKind::Cone:
        out.range_m = 1001 + size(1e12);
        out.half_angle_rad = angle();
        out.rotation = rotation();
        break;
      case AreaKind::Prism:
        out.half_height_m = size(1e12);
        out.outline = outline();
        out.rotation = heading();
        break;
    }
    out.leave_margin_m = size(1e12);
  }
  AreaSpec area() {
    AreaSpec out;
    out.kind = static_cast<AreaKind>(random_.below(7));
    out.reach = flip() ? Reach::Shape : Reach::Centre;
    if (flip()) out.anchor = entity();
    out.include_anchor = flip();
    out.centre = vec(1e12);
    add_sizes(out);
    out.filter = {word(), word()};
    out.min_dwell_ticks = static_cast<std::uint32_t>(random_.below(1u << 20));
    if (out.anchor.present() && flip()) out.follow = AreaFollow::PositionAndHeading;
    out.rings = rings();
    if (flip())
      out.nearest_max = static_cast<std::uint32_t>(random_.below(limits::visible_per_session_max));
    out.suspend = flip();
    return out;
  }

  Prng random_;
};

/// Compounds are not shared over the wire: they are the same when their parts are.
bool is_same(const Shape& a, const Shape& b) {
  if (a.is_plain() || b.is_plain()) return a == b;
  return a.kind == b.kind && a.compound->digest == b.compound->digest &&
         a.compound->local == b.compound->local;
}
bool is_same(const CommandBody& got, CommandBody sent) {
  if (auto* spawn = std::get_if<SpawnCommand>(&sent)) {
    const auto* other = std::get_if<SpawnCommand>(&got);
    if (other == nullptr || !is_same(other->shape, spawn->shape)) return false;
    spawn->shape = other->shape;
  }
  if (auto* reshape = std::get_if<SetShapeCommand>(&sent)) {
    const auto* other = std::get_if<SetShapeCommand>(&got);
    if (other == nullptr || !is_same(other->shape, reshape->shape)) return false;
    reshape->shape = other->shape;
  }
  return got == sent;
}

/// All messages of a stream of client frames.
std::vector<ClientMessage> messages(std::span<const std::uint8_t> stream) {
  FrameReader reader(limits::client_frame_bytes_max);
  std::vector<ClientMessage> out;
  while (const auto body = reader.next(stream)) {
    auto result = decode_client_message(*body, world);
    EXPECT_TRUE(result.ok()) << result.error().text;
    if (result.ok()) out.push_back(std::move(result.value()));
  }
  EXPECT_EQ(reader.failed(), ErrorCode::None);
  return out;
}

TEST(RoundTrip, EveryKindOfCommandComesBackUnchanged) {
  constexpr std::uint64_t seed = 7301;
  SCOPED_TRACE(testing::Message() << "seed " << seed);
  RandomValues values(seed);
  std::vector<CommandBody> sent;
  for (std::size_t i = 0; i < 400 * RandomValues::command_kinds; ++i)
    sent.push_back(values.command(i % RandomValues::command_kinds));
  std::vector<std::uint8_t> stream;
  client::encode_commands(11, sent, batch_limits, stream);

  std::size_t next = 0;
  for (const ClientMessage& message : messages(stream)) {
    for (const DecodedCommand& command : std::get<CommandsMessage>(message).commands) {
      ASSERT_LT(next, sent.size());
      EXPECT_EQ(command.sequence, 11 + next);
      const Error* error = std::get_if<Error>(&command.outcome);
      ASSERT_EQ(error, nullptr) << error->text;
      ASSERT_TRUE(is_same(std::get<CommandBody>(command.outcome), sent[next]))
          << "command " << next << " of kind " << next % RandomValues::command_kinds;
      ++next;
    }
  }
  EXPECT_EQ(next, sent.size());
}

TEST(RoundTrip, EveryFrameOfABatchAcknowledgesTheSameTick) {
  const std::vector<CommandBody> sent(3, RemoveAreaCommand{{1}});
  std::vector<std::uint8_t> stream;
  client::encode_commands(1, sent, {limits::client_frame_bytes_max, 1}, stream, 77);
  client::encode_commands(4, sent, batch_limits, stream);
  const auto received = messages(stream);
  ASSERT_EQ(received.size(), 4u);
  for (std::size_t i = 0; i < received.size(); ++i)
    EXPECT_EQ(std::get<CommandsMessage>(received[i]).ack_tick, i < 3 ? 77u : 0u) << i;
}

void expect_same(const Query& got, const Query& sent) {
  EXPECT_EQ(got.limit, sent.limit);
  EXPECT_EQ(got.exact, sent.exact);
  ASSERT_EQ(got.after.has_value(), sent.after.has_value());
  if (sent.after) {
    EXPECT_EQ(got.after->value, sent.after->value);
    EXPECT_EQ(got.after->id, sent.after->id);
  }
  ASSERT_EQ(got.body.index(), sent.body.index());
  if (const auto* box = std::get_if<BoxQuery>(&sent.body)) {
    EXPECT_EQ(std::get<BoxQuery>(got.body).box, box->box);
  }
  if (const auto* sphere = std::get_if<SphereQuery>(&sent.body)) {
    EXPECT_EQ(std::get<SphereQuery>(got.body).centre, sphere->centre);
    EXPECT_EQ(std::get<SphereQuery>(got.body).radius_m, sphere->radius_m);
  }
  if (const auto* cast = std::get_if<CastQuery>(&sent.body)) {
    EXPECT_EQ(std::get<CastQuery>(got.body).box, cast->box);
    EXPECT_EQ(std::get<CastQuery>(got.body).delta, cast->delta);
    EXPECT_EQ(std::get<CastQuery>(got.body).max_t, cast->max_t);
  }
  if (const auto* nearest = std::get_if<NearestQuery>(&sent.body)) {
    EXPECT_EQ(std::get<NearestQuery>(got.body).point, nearest->point);
    EXPECT_EQ(std::get<NearestQuery>(got.body).k, nearest->k);
    EXPECT_EQ(std::get<NearestQuery>(got.body).max_distance_m, nearest->max_distance_m);
  }
  if (const auto* contacts = std::get_if<ContactsQuery>(&sent.body)) {
    EXPECT_EQ(std::get<ContactsQuery>(got.body).entity, contacts->entity);
    return;  // takes no filter
  }
  if (const auto* overlap = std::get_if<OverlapQuery>(&sent.body)) {
    const auto& body = std::get<OverlapQuery>(got.body);
    EXPECT_TRUE(is_same(Shape::of_parts({body.shape}), Shape::of_parts({overlap->shape})));
    EXPECT_EQ(body.pose, overlap->pose);
  }
  if (const auto* cast = std::get_if<ShapeCastQuery>(&sent.body)) {
    const auto& body = std::get<ShapeCastQuery>(got.body);
    EXPECT_TRUE(is_same(Shape::of_parts({body.shape}), Shape::of_parts({cast->shape})));
    EXPECT_EQ(body.start, cast->start);
    EXPECT_EQ(body.delta, cast->delta);
    EXPECT_EQ(body.max_t, cast->max_t);
  }
  EXPECT_EQ(got.filter, sent.filter);
}

TEST(RoundTrip, EveryKindOfQueryComesBackUnchanged) {
  constexpr std::uint64_t seed = 7302;
  SCOPED_TRACE(testing::Message() << "seed " << seed);
  RandomValues values(seed);
  for (std::size_t i = 0; i < 400 * RandomValues::query_kinds; ++i) {
    const Query sent = values.query(i % RandomValues::query_kinds);
    std::vector<std::uint8_t> stream;
    client::encode_query(i, sent, stream);
    const auto received = messages(stream);
    ASSERT_EQ(received.size(), 1u);
    const auto& message = std::get<QueryMessage>(received[0]);
    EXPECT_EQ(message.request, i);
    const Error* error = std::get_if<Error>(&message.outcome);
    ASSERT_EQ(error, nullptr) << error->text;
    expect_same(std::get<Query>(message.outcome), sent);
  }
}

TEST(RoundTrip, TheRestOfTheSessionComesBackUnchanged) {
  client::ConnectOptions options;
  options.client_name = "round trip";
  options.token = "t0ken";
  options.role = Role::Authority;
  options.contacts = ContactScope::All;
  options.contact_details = true;
  options.subject = "player 7";
  options.resume_token = "resume me";
  options.resume_tick = 1'000'000'000'000;
  options.position_resolution_m = 1.0 / 4096;
  options.budget_bytes_per_s = 4'000'000'000;
  std::vector<std::uint8_t> stream;
  client::encode_hello(options, stream);
  client::encode_step(4, 250, stream);
  client::encode_ping(5, 6, stream, 7);
  client::encode_goodbye(stream);
  const auto received = messages(stream);
  ASSERT_EQ(received.size(), 4u);
  const auto& hello = std::get<HelloMessage>(received[0]);
  EXPECT_EQ(hello.client_name, "round trip");
  EXPECT_EQ(hello.token, "t0ken");
  EXPECT_EQ(hello.role, Role::Authority);
  EXPECT_EQ(hello.contacts, ContactScope::All);
  EXPECT_TRUE(hello.contact_details);
  EXPECT_EQ(hello.subject, "player 7");
  EXPECT_EQ(hello.resume_token, "resume me");
  EXPECT_EQ(hello.resume_tick, 1'000'000'000'000u);
  EXPECT_EQ(hello.position_resolution_m, 1.0 / 4096);
  EXPECT_EQ(hello.budget_bytes_per_s, 4'000'000'000u);
  EXPECT_LE(hello.protocol_min, protocol_version);
  EXPECT_GE(hello.protocol_max, protocol_version);
  EXPECT_EQ(std::get<StepMessage>(received[1]).sequence, 4u);
  EXPECT_EQ(std::get<StepMessage>(received[1]).count, 250u);
  EXPECT_EQ(std::get<PingMessage>(received[2]).nonce, 5u);
  EXPECT_EQ(std::get<PingMessage>(received[2]).client_time_us, 6u);
  EXPECT_EQ(std::get<PingMessage>(received[2]).ack_tick, 7u);
  EXPECT_TRUE(std::holds_alternative<GoodbyeMessage>(received[3]));
}

}  // namespace
}  // namespace vicinity::wire
