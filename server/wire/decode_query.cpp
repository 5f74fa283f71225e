// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#include <array>
#include <string>
#include <utility>

#include "client_generated.h"
#include "wire/decode_values.h"

namespace vicinity::wire {
namespace {

/// Every field of a kind that has no default; the error names the first that is absent.
struct Needed {
  const char* field;
  const proto::Vec3* value;
};
Error need(const char* kind, std::initializer_list<Needed> fields) {
  for (const Needed& needed : fields) {
    if (!needed.value) {
      return {ErrorCode::MissingField,
              std::string(needed.field) + " is missing; " + kind + " needs it"};
    }
  }
  return {};
}
bool failed(const Error& error) { return error.code != ErrorCode::None; }

Error read_cast(const proto::Query& q, CastQuery& out) {
  if (q.kind() == proto::QueryKind::Ray) {
    if (Error e = need("Ray", {{"point", q.point()}, {"delta", q.delta()}}); failed(e)) return e;
    out.box = {to_vec3(*q.point()), to_vec3(*q.point())};
  } else {
    if (Error e = need("BoxCast", {{"min", q.min()}, {"max", q.max()}, {"delta", q.delta()}});
        failed(e))
      return e;
    out.box = {to_vec3(*q.min()), to_vec3(*q.max())};
  }
  out.delta = to_vec3(*q.delta());
  out.max_t = q.max_t();
  return {};
}

Error read_nearest(const proto::Query& q, NearestQuery& out) {
  if (Error e = need("Nearest", {{"point", q.point()}}); failed(e)) return e;
  out.point = to_vec3(*q.point());
  out.k = q.k();
  out.max_distance_m = q.max_distance_m().has_value() ? q.max_distance_m().value() : -1.0;
  if (q.max_distance_m().has_value() && out.max_distance_m < 0)
    return {ErrorCode::InvalidNumber, "max_distance_m is below 0; allowed: absent, or >= 0 m"};
  return {};
}

Error read_solid(const proto::Query& q, const char* kind, Primitive& shape, Pose& pose) {
  if (!q.shape())
    return {ErrorCode::MissingField, std::string("shape is missing; ") + kind + " needs it"};
  if (Error e = need(kind, {{"point", q.point()}}); failed(e)) return e;
  // Here already: a mesh would be built for nothing.
  if (q.shape()->kind() > proto::ShapeKind::Hull) {
    return {ErrorCode::InvalidShape, "shape.kind is " +
                                         std::to_string(static_cast<int>(q.shape()->kind())) +
                                         "; allowed: 0 to 3 (sphere, capsule, box, hull)"};
  }
  FrameBudget budget;
  if (Error e = read_primitive(*q.shape(), "shape.", budget, shape); failed(e)) return e;
  pose = {to_vec3(*q.point()), read_rotation(q.rotation())};
  return {};
}

Error read_shape_cast(const proto::Query& q, ShapeCastQuery& out) {
  if (Error e = read_solid(q, "ShapeCast", out.shape, out.start); failed(e)) return e;
  if (Error e = need("ShapeCast", {{"delta", q.delta()}}); failed(e)) return e;
  out.delta = to_vec3(*q.delta());
  out.max_t = q.max_t();
  return {};
}

/// A frustum is asked about as the hull that it is.
Error read_frustum(const proto::Query& q, OverlapQuery& out) {
  constexpr std::size_t plane_count = 6;
  const auto* planes = q.planes();
  if (!planes) return {ErrorCode::MissingField, "planes is missing; Frustum needs it"};
  const bool is_aligned =
      reinterpret_cast<std::uintptr_t>(planes->Data()) % alignof(proto::Plane) == 0;
  if (planes->size() != plane_count || !is_aligned) {
    return {ErrorCode::InvalidQuery, "planes has " + std::to_string(planes->size()) +
                                         " elements; allowed: 6, at a multiple of 8 bytes"};
  }
  std::array<Plane, plane_count> values;
  for (flatbuffers::uoffset_t i = 0; i < plane_count; ++i)
    values[i] = {to_vec3(planes->Get(i)->normal()), planes->Get(i)->offset_m()};
  auto hull = hull_of_frustum(values, "planes");
  if (!hull) return hull.error();
  out.shape = hull_primitive(std::make_shared<const ConvexHull>(std::move(hull.value())));
  out.pose = {};
  return {};
}

}  // namespace

std::variant<Query, Error> read_query(const proto::Query& q) {
  Query out;
  out.filter = {q.category_mask(), q.instance()};
  out.limit = q.limit();
  out.exact = q.exact();
  if (q.after_id() != 0) out.after = QueryPlace{q.after_value(), EntityId::from_raw(q.after_id())};
  Error error;
  switch (q.kind()) {
    case proto::QueryKind::Box:
      error = need("Box", {{"min", q.min()}, {"max", q.max()}});
      if (!failed(error)) out.body = BoxQuery{{to_vec3(*q.min()), to_vec3(*q.max())}};
      break;
    case proto::QueryKind::Sphere:
      error = need("Sphere", {{"point", q.point()}});
      if (!failed(error)) out.body = SphereQuery{to_vec3(*q.point()), q.radius_m()};
      break;
    case proto::QueryKind::Ray:
    case proto::QueryKind::BoxCast: error = read_cast(q, out.body.emplace<CastQuery>()); break;
    case proto::QueryKind::Nearest:
      error = read_nearest(q, out.body.emplace<NearestQuery>());
      break;
    case proto::QueryKind::Contacts:
      out.body = ContactsQuery{EntityId::from_raw(q.entity())};
      break;
    case proto::QueryKind::ExplainPair:
      out.body = ExplainPairQuery{EntityId::from_raw(q.entity()), EntityId::from_raw(q.other())};
      break;
    case proto::QueryKind::ExplainView:
      out.body = ExplainViewQuery{SessionId{q.session()}, ObserverId{q.observer()},
                                  EntityId::from_raw(q.entity())};
      break;
    case proto::QueryKind::Overlap: {
      auto& overlap = out.body.emplace<OverlapQuery>();
      error = read_solid(q, "Overlap", overlap.shape, overlap.pose);
      break;
    }
    case proto::QueryKind::ShapeCast:
      error = read_shape_cast(q, out.body.emplace<ShapeCastQuery>());
      break;
    case proto::QueryKind::Frustum:
      error = read_frustum(q, out.body.emplace<OverlapQuery>());
      break;
    default:
      error = {ErrorCode::InvalidQuery,
               "kind is " + std::to_string(static_cast<int>(q.kind())) + "; allowed: 1 to " +
                   std::to_string(static_cast<int>(proto::QueryKind::MAX))};
  }
  if (failed(error)) return error;
  return out;
}

}  // namespace vicinity::wire
