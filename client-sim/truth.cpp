// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#include "client-sim/truth.h"

#include <algorithm>
#include <cmath>

#include "client-sim/solid.h"

namespace vicinity::sim {
namespace {

/// Worlds of fewer entities are searched from end to end.
constexpr std::size_t sorted_from = 256;
/// Two rotations told with 10 bits per component: each of three components is off by at most
/// 1 / (1023 sqrt 2), the fourth by as much as they are together and twice that where it is small.
constexpr double component_tolerance = 0.006;
/// Angle between two such rotations, radians: twice the length of the difference.
constexpr double angle_tolerance_rad = 0.012;
/// Of binary16: half a unit of the last place each, and the smallest steps around 0.
constexpr double velocity_part = 0x1p-10;
constexpr double velocity_step = 0x1p-23;

double largest(Vec3 v) { return std::max({std::abs(v.x), std::abs(v.y), std::abs(v.z)}); }

/// Ascending by id, each entity once.
std::vector<const client::EntityView*> seen_in(std::span<const View> views) {
  std::vector<const client::EntityView*> out;
  for (const View& view : views)
    for (const Seen& seen : view.seen()) out.push_back(&seen.entity);
  if (views.size() < 2) return out;
  std::sort(out.begin(), out.end(), [](const auto* a, const auto* b) { return a->id < b->id; });
  const auto same = [](const auto* a, const auto* b) { return a->id == b->id; };
  out.erase(std::unique(out.begin(), out.end(), same), out.end());
  return out;
}

/// Exact values are the same rotation with either sign.
bool are_one_rotation(const Quat& a, const Quat& b) {
  return std::abs(a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w) > 1 - 1e-12;
}

}  // namespace

double Precision::box_m(const client::EntityView& entity) const {
  if (is_exact() || is_identity(entity.rotation)) return resolution_m_;
  const Vec3 far{std::max(std::abs(entity.local_box.min.x), std::abs(entity.local_box.max.x)),
                 std::max(std::abs(entity.local_box.min.y), std::abs(entity.local_box.max.y)),
                 std::max(std::abs(entity.local_box.min.z), std::abs(entity.local_box.max.z))};
  return resolution_m_ + angle_tolerance_rad * length(far);
}

bool Precision::same_position(Vec3 a, Vec3 b) const {
  return is_exact() ? a == b : largest(a - b) <= resolution_m_;
}

bool Precision::same_rotation(const Quat& a, const Quat& b) const {
  if (is_exact()) return are_one_rotation(a, b);
  const double sign = a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w < 0 ? -1 : 1;
  return std::abs(a.x - sign * b.x) <= component_tolerance &&
         std::abs(a.y - sign * b.y) <= component_tolerance &&
         std::abs(a.z - sign * b.z) <= component_tolerance &&
         std::abs(a.w - sign * b.w) <= component_tolerance;
}

bool Precision::same_velocity(Vec3 a, Vec3 b) const {
  if (is_exact()) return a == b;
  return largest(a - b) <= velocity_step + velocity_part * std::max(largest(a), largest(b));
}

bool Precision::same_motion(const client::EntityView& a, const client::EntityView& b) const {
  return same_position(a.position, b.position) && same_velocity(a.velocity, b.velocity) &&
         same_rotation(a.rotation, b.rotation) &&
         same_velocity(a.angular_velocity, b.angular_velocity);
}

bool same_nature(const client::EntityView& a, const client::EntityView& b) {
  return a.id == b.id && a.local_box == b.local_box && a.shape_kind == b.shape_kind &&
         a.filter == b.filter && a.user_data == b.user_data;
}

std::optional<std::size_t> TruthTick::row_of(EntityId id) const {
  const auto found = std::lower_bound(
      entities.begin(), entities.end(), id,
      [](const client::EntityView& entity, EntityId wanted) { return entity.id < wanted; });
  if (found == entities.end() || found->id != id) return std::nullopt;
  return static_cast<std::size_t>(found - entities.begin());
}

void TruthTick::rows_near(Vec3 point, double distance_m, std::vector<std::size_t>& rows) const {
  rows.clear();
  const auto keep = [&](std::size_t row) {
    const Aabb& box = boxes[row];
    if (box.max.z >= point.z - distance_m && box.min.z <= point.z + distance_m &&
        box.max.x >= point.x - distance_m && box.min.x <= point.x + distance_m)
      rows.push_back(row);
  };
  if (boxes.size() < sorted_from) {
    for (std::size_t row = 0; row < boxes.size(); ++row) keep(row);
    return;
  }
  if (along_x_.size() != boxes.size()) {
    along_x_.clear();
    width_max_m_ = 0;
    for (std::size_t row = 0; row < boxes.size(); ++row) {
      along_x_.emplace_back(boxes[row].min.x, static_cast<std::uint32_t>(row));
      width_max_m_ = std::max(width_max_m_, boxes[row].max.x - boxes[row].min.x);
    }
    std::sort(along_x_.begin(), along_x_.end());
  }
  const double from = point.x - distance_m - width_max_m_;
  auto next = std::lower_bound(along_x_.begin(), along_x_.end(), std::pair{from, 0u});
  for (; next != along_x_.end() && next->first <= point.x + distance_m; ++next) keep(next->second);
  std::sort(rows.begin(), rows.end());
}

std::size_t TruthTick::size_bytes() const {
  return entities.capacity() * sizeof(client::EntityView) + boxes.capacity() * sizeof(Aabb) +
         shapes.capacity() * sizeof(const Shape*) + is_known.capacity() +
         along_x_.capacity() * sizeof(std::pair<double, std::uint32_t>);
}

void make_truth(Tick tick, std::uint64_t server_time_us, std::span<const View> views,
                const ShapeOf& shape_of, TruthTick& out) {
  TruthTick old = std::move(out);
  out = TruthTick{};  // the order along x is of the tick before
  out.tick = tick;
  out.server_time_us = server_time_us;
  out.entities = std::move(old.entities);
  out.boxes = std::move(old.boxes);
  out.shapes = std::move(old.shapes);
  out.is_known = std::move(old.is_known);
  out.entities.clear();
  out.boxes.clear();
  out.shapes.clear();
  out.is_known.clear();
  for (const client::EntityView* seen : seen_in(views)) {
    const client::EntityView& entity = *seen;
    const std::optional<const Shape*> known =
        shape_of ? shape_of(entity.user_data) : std::optional<const Shape*>(nullptr);
    const Shape* shape = known.value_or(nullptr);
    if (shape != nullptr && shape->is_plain()) shape = nullptr;  // its box says it better
    out.entities.push_back(entity);
    out.shapes.push_back(shape);
    out.is_known.push_back(known.has_value());
    out.boxes.push_back(is_identity(entity.rotation) ? Aabb{entity.position + entity.local_box.min,
                                                            entity.position + entity.local_box.max}
                                                     : box_around(solid_of(entity, shape)));
  }
}

}  // namespace vicinity::sim
