// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#include <string>

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

}  // namespace

std::variant<Query, Error> read_query(const proto::Query& q) {
  Query out;
  out.filter = {q.category_mask(), q.instance()};
  out.limit = q.limit();
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
    default:
      error = {ErrorCode::InvalidQuery,
               "kind is " + std::to_string(static_cast<int>(q.kind())) + "; allowed: 1 to " +
                   std::to_string(static_cast<int>(proto::QueryKind::MAX))};
  }
  if (failed(error)) return error;
  return out;
}

}  // namespace vicinity::wire
