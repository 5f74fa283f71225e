// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors

// How much memory a frame can make the server allocate. Every allocation of this test binary is
// counted: operator new is replaced here.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <new>
#include <string_view>

#include "base/limits.h"
#include "base/prng.h"
#include "client_generated.h"
#include "geometry/convex_hull.h"
#include "support/json_frame.h"
#include "wire/decode.h"

namespace {
thread_local std::size_t allocated_bytes = 0;
}  // namespace

void* operator new(std::size_t size) {
  allocated_bytes += size;
  if (void* memory = std::malloc(size)) return memory;
  throw std::bad_alloc();
}
void* operator new(std::size_t size, const std::nothrow_t&) noexcept {
  allocated_bytes += size;
  return std::malloc(size);
}
// Not inlined: g++ otherwise sees free() on what new gave and warns of a mismatch.
[[gnu::noinline]] void operator delete(void* memory) noexcept { std::free(memory); }
[[gnu::noinline]] void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }

namespace vicinity::wire {
namespace {

using Bytes = std::vector<std::uint8_t>;

/// The promise: in all, one frame of any content and size allocates less than sixteen of the
/// largest frames (1 MiB). The worst is a full batch of commands that are all refused: 1024 values,
/// each with room for an area, and as many texts.
constexpr std::size_t decode_bytes_max = 16 * limits::client_frame_bytes_max;

/// With shapes that are more than a few numbers: building hulls takes the most (4 MiB).
constexpr std::size_t decode_shapes_bytes_max = 64 * limits::client_frame_bytes_max;

std::size_t bytes_to_decode(std::span<const std::uint8_t> body) {
  const std::size_t before = allocated_bytes;
  const auto result = decode_client_message(body, {4096});
  return allocated_bytes - before;
}

/// 1024 offsets to one table: a large batch from a small frame.
Bytes shared_command(bool good) {
  flatbuffers::FlatBufferBuilder builder;
  auto start = builder.StartTable();
  builder.AddElement<std::uint8_t>(4, good ? 2 : 255, 0);
  builder.AddElement<std::uint64_t>(6, good ? 1 : 0, 0);
  const flatbuffers::Offset<void> command(builder.EndTable(start));
  const auto vector = builder.CreateVector(
      std::vector<flatbuffers::Offset<void>>(limits::commands_per_frame_max, command));
  start = builder.StartTable();
  builder.AddElement<std::uint64_t>(4, 1, 0);
  builder.AddOffset(6, vector);
  const flatbuffers::Offset<void> batch(builder.EndTable(start));
  start = builder.StartTable();
  builder.AddElement<std::uint8_t>(4, 2, 0);
  builder.AddOffset(6, batch);
  builder.Finish(flatbuffers::Offset<void>(builder.EndTable(start)), "VCC1");
  return {builder.GetBufferPointer(), builder.GetBufferPointer() + builder.GetSize()};
}

TEST(DecodeAllocation, CountsWhatIsAllocated) {
  const std::size_t before = allocated_bytes;
  const Bytes memory(1000);
  EXPECT_GE(allocated_bytes - before, memory.size());
}

TEST(DecodeAllocation, AFullBatchStaysBelowTheBound) {
  for (const bool good : {true, false}) {
    Bytes body = shared_command(good);
    ASSERT_TRUE(decode_client_message(body, {4096}).ok());
    EXPECT_LT(bytes_to_decode(body), decode_bytes_max);
    body.insert(body.begin(), 0);  // misaligned: a copy on top
    EXPECT_LT(bytes_to_decode(std::span(body).subspan(1)), decode_bytes_max);
  }
}

TEST(DecodeAllocation, TheLongestRefusalsStayBelowTheBound) {
  std::string json = "{first_sequence: 1, commands: [";
  for (std::size_t i = 0; i < 600; ++i)
    json += R"({kind: "Spawn", position: {x: 0, y: 0, z: 4095.5},
                shape: {kind: "Sphere", radius_m: 1.23456e9}},)";
  json.back() = ']';
  const Bytes body = test::client_frame("Commands", json + "}");
  ASSERT_LE(body.size(), limits::client_frame_bytes_max);
  ASSERT_TRUE(decode_client_message(body, {4096}).ok());
  EXPECT_LT(bytes_to_decode(body), decode_bytes_max);
}

/// Many commands that share one shape, which is far larger than what names it.
Bytes shared_shape(
    std::size_t commands,
    const std::function<flatbuffers::Offset<proto::Shape>(flatbuffers::FlatBufferBuilder&)>& make) {
  flatbuffers::FlatBufferBuilder builder;
  const auto shape = make(builder);
  proto::CommandBuilder command(builder);
  command.add_kind(proto::CommandKind::SetShape);
  command.add_entity(1);
  command.add_shape(shape);
  const std::vector<flatbuffers::Offset<proto::Command>> all(commands, command.Finish());
  const auto body = proto::CreateCommandsDirect(builder, 1, &all);
  proto::FinishClientMessageBuffer(
      builder, proto::CreateClientMessage(builder, proto::ClientBody::Commands, body.Union()));
  return {builder.GetBufferPointer(), builder.GetBufferPointer() + builder.GetSize()};
}

flatbuffers::Offset<proto::Shape> big_hull(flatbuffers::FlatBufferBuilder& builder) {
  Prng random(7304);
  std::vector<proto::Vec3> points;
  while (points.size() < ConvexHull::points_max) {
    const Vec3 v{random.between(-1, 1), random.between(-1, 1), random.between(-1, 1)};
    if (length(v) > 0.1) points.emplace_back(v.x / length(v), v.y / length(v), v.z / length(v));
  }
  const auto vector = builder.CreateVectorOfStructs(points);
  proto::ShapeBuilder shape(builder);
  shape.add_kind(proto::ShapeKind::Hull);
  shape.add_points(vector);
  return shape.Finish();
}

flatbuffers::Offset<proto::Shape> big_mesh(flatbuffers::FlatBufferBuilder& builder) {
  std::vector<proto::Vec3> points;
  std::vector<std::uint32_t> corners;
  for (std::uint32_t i = 0; i < 1000; ++i)
    points.emplace_back(static_cast<double>(i / 2), 0, i % 2 ? 1 : 0);
  for (std::uint32_t i = 0; i + 2 < 1000; ++i) corners.insert(corners.end(), {i, i + 1, i + 2});
  const auto vector = builder.CreateVectorOfStructs(points);
  const auto triangles = builder.CreateVector(corners);
  proto::ShapeBuilder shape(builder);
  shape.add_kind(proto::ShapeKind::Mesh);
  shape.add_points(vector);
  shape.add_triangles(triangles);
  return shape.Finish();
}

flatbuffers::Offset<proto::Shape> full_compound(flatbuffers::FlatBufferBuilder& builder) {
  proto::ShapeBuilder part(builder);
  part.add_kind(proto::ShapeKind::Sphere);
  const std::vector<flatbuffers::Offset<proto::Shape>> parts(limits::shape_parts_max,
                                                             part.Finish());
  const auto vector = builder.CreateVector(parts);
  proto::ShapeBuilder shape(builder);
  shape.add_kind(proto::ShapeKind::Compound);
  shape.add_parts(vector);
  return shape.Finish();
}

TEST(DecodeAllocation, ShapesThatAreNamedAgainAndAgainStayBelowTheBound) {
  const struct {
    const char* what;
    std::size_t commands;
    flatbuffers::Offset<proto::Shape> (*make)(flatbuffers::FlatBufferBuilder&);
  } cases[] = {
      {"hulls", 1024, big_hull}, {"meshes", 1024, big_mesh}, {"parts", 400, full_compound}};
  for (const auto& c : cases) {
    const Bytes body = shared_shape(c.commands, c.make);
    const auto result = decode_client_message(body, {4096});
    ASSERT_TRUE(result.ok()) << c.what << ": " << result.error().text;
    const auto& commands = std::get<CommandsMessage>(result.value()).commands;
    EXPECT_TRUE(std::holds_alternative<CommandBody>(commands.front().outcome)) << c.what;
    EXPECT_TRUE(std::holds_alternative<Error>(commands.back().outcome)) << c.what;
    EXPECT_LT(bytes_to_decode(body), decode_shapes_bytes_max) << c.what;
  }
}

/// A full batch of areas that share one outline and one list of rings.
Bytes shared_area(proto::AreaKind kind) {
  flatbuffers::FlatBufferBuilder builder;
  const std::vector<proto::OutlinePoint> points(limits::outline_points_max, {1, 2});
  const std::vector<proto::Ring> ring_values(limits::rings_per_area_max, {3, 4});
  const auto outline = builder.CreateVectorOfStructs(points);
  const auto rings = builder.CreateVectorOfStructs(ring_values);
  proto::AreaBuilder area(builder);
  const proto::Vec3 centre{0, 0, 0};
  area.add_kind(kind);
  area.add_centre(&centre);
  area.add_outline(outline);
  area.add_rings(rings);
  const auto spec = area.Finish();
  proto::CommandBuilder command(builder);
  command.add_kind(proto::CommandKind::AddArea);
  command.add_spec(spec);
  const std::vector<flatbuffers::Offset<proto::Command>> all(limits::commands_per_frame_max,
                                                             command.Finish());
  const auto body = proto::CreateCommandsDirect(builder, 1, &all);
  proto::FinishClientMessageBuffer(
      builder, proto::CreateClientMessage(builder, proto::ClientBody::Commands, body.Union()));
  return {builder.GetBufferPointer(), builder.GetBufferPointer() + builder.GetSize()};
}

TEST(DecodeAllocation, OutlinesThatAreNamedAgainAndAgainStayBelowTheBound) {
  Bytes body = shared_area(proto::AreaKind::Prism);
  ASSERT_LE(body.size() + 1, limits::client_frame_bytes_max);
  const auto result = decode_client_message(body, {4096});
  ASSERT_TRUE(result.ok());
  const auto& last = std::get<CommandsMessage>(result.value()).commands.back();
  EXPECT_EQ(std::get<Error>(last.outcome).code, ErrorCode::LimitExceeded);
  EXPECT_LT(bytes_to_decode(body), decode_bytes_max);
  body.insert(body.begin(), 0);
  EXPECT_LT(bytes_to_decode(std::span(body).subspan(1)), decode_bytes_max);
}

TEST(DecodeAllocation, AreasOfUnknownKindStayBelowTheBound) {
  // Each is refused with the longest text that there is about areas.
  EXPECT_LT(bytes_to_decode(shared_area(static_cast<proto::AreaKind>(255))), decode_bytes_max);
}

TEST(DecodeAllocation, MutatedFullBatchesStayBelowTheBound) {
  constexpr std::uint64_t seed = 7303;
  SCOPED_TRACE(testing::Message() << "seed " << seed);
  Prng random(seed);
  const Bytes good = shared_command(true);
  for (int round = 0; round < 2000; ++round) {
    Bytes body = good;
    body.resize(random.chance(0.1) ? limits::client_frame_bytes_max : good.size());
    for (std::uint64_t n = 1 + random.below(8); n > 0; --n)
      body[random.below(good.size())] = static_cast<std::uint8_t>(random.next());
    ASSERT_LT(bytes_to_decode(body), decode_bytes_max) << "round " << round;
  }
}

TEST(DecodeAllocation, ALyingTextAllocatesNothingOfItsClaim) {
  Bytes body = test::client_frame("Hello", R"({client_name: "abcdefgh"})");
  constexpr std::string_view name = "abcdefgh";
  const auto text = std::search(body.begin(), body.end(), name.begin(), name.end());
  ASSERT_NE(text, body.end());
  const std::uint32_t claim = 0x40000000;
  std::memcpy(&*(text - 4), &claim, 4);
  EXPECT_LT(bytes_to_decode(body), 4096u);
}

}  // namespace
}  // namespace vicinity::wire
