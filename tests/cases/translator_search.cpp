// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors

// Observers and queries.

#include "base/limits.h"
#include "cases/translator.h"
#include "cases/values.h"

namespace vicinity::cases {

// --- Observers ---------------------------------------------------------------------------------

void Translator::observer_add(const Json& fields) {
  const std::string name = fields.at("obs").get<std::string>();
  Observer added;
  added.id = ObserverId{static_cast<std::uint32_t>(observer_names_.size() + 1)};
  added.area = AreaId{added.id.value};
  added.anchor = fields.value("entity", std::string());
  added.spec.kind = AreaKind::Sphere;
  added.spec.reach = Reach::Centre;
  added.spec.enter_radius_m = number(fields.at("r_in"));
  added.spec.leave_radius_m = number(fields.at("r_out"));
  if (added.anchor.empty())
    added.spec.centre = vector3(fields.at("at"));
  else
    added.spec.anchor = ref_of(added.anchor);
  const AddAreaCommand command{added.id, added.area, added.spec};
  const bool good = wire::validate(command, limits_).code == ErrorCode::None &&
                    (added.anchor.empty() || find_alive(added.anchor) != nullptr);
  if (good && observers_.contains(name)) remove_area(name);
  send({command});
  if (!good) return;
  observer_names_[added.id] = name;
  observers_[name] = added;
}

/// An area whose anchor is gone stays where the anchor was last.
void Translator::change_area(const std::string& name, Observer changed) {
  if (!changed.anchor.empty()) {
    if (find_alive(changed.anchor) != nullptr) {
      changed.spec.anchor = ref_of(changed.anchor);
    } else {
      changed.spec.centre = entities_.at(changed.anchor).last_centre;
      changed.spec.anchor = {};
      changed.anchor.clear();
    }
  }
  if (send({ChangeAreaCommand{changed.area, changed.spec}})) observers_[name] = changed;
}

void Translator::observer_move(const Json& fields) {
  const std::string name = fields.at("obs").get<std::string>();
  const Vec3 at = vector3(fields.at("at"));
  const auto found = observers_.find(name);
  if (found == observers_.end()) return refuse("unknown");
  Observer changed = found->second;
  // As long as its entity lives, the observer is where that is.
  if (!changed.anchor.empty() && find_alive(changed.anchor) != nullptr)
    return change_area(name, changed);
  changed.anchor.clear();
  changed.spec.anchor = {};
  changed.spec.centre = at;
  change_area(name, changed);
}

void Translator::observer_radius(const Json& fields) {
  const std::string name = fields.at("obs").get<std::string>();
  const auto found = observers_.find(name);
  if (found == observers_.end()) return refuse("unknown");
  Observer changed = found->second;
  changed.spec.enter_radius_m = number(fields.at("r_in"));
  changed.spec.leave_radius_m = number(fields.at("r_out"));
  change_area(name, changed);
}

void Translator::remove_area(const std::string& name) {
  send({RemoveAreaCommand{observers_.at(name).area}});
  observers_.erase(name);
}

void Translator::observer_remove(const Json& fields) {
  const std::string name = fields.at("obs").get<std::string>();
  if (!observers_.contains(name)) return refuse("unknown");
  remove_area(name);
}

std::string Translator::name_of(ObserverId id) const {
  const auto found = observer_names_.find(id);
  if (found == observer_names_.end()) return "?" + std::to_string(id.value);
  const auto current = observers_.find(found->second);
  const bool still = current != observers_.end() && current->second.id == id;
  return still ? found->second : found->second + " (removed)";
}

std::map<std::string, ObserverId> Translator::observers() const {
  std::map<std::string, ObserverId> ids;
  for (const auto& [name, observer] : observers_) ids[name] = observer.id;
  return ids;
}

// --- Queries -----------------------------------------------------------------------------------

/// Bad values are not looked at here: the server has to refuse them.
void Translator::add_query(const Json& fields, decltype(Query::body) body,
                           const std::string& contacts_of) {
  PlannedQuery planned;
  planned.operation = part().operation;
  planned.tag = fields.at("tag").get<std::string>();
  planned.query.body = body;
  planned.query.limit = limits::query_hits_max;
  planned.contacts_of = contacts_of;
  const auto mask = bit_word(fields.value("mask", Json("all")));
  if (!mask) return refuse("invalid");
  planned.query.filter.category_mask = *mask;
  plan_.queries.push_back(planned);
}

void Translator::query_box(const Json& fields) { add_query(fields, BoxQuery{corners(fields)}); }

void Translator::query_sphere(const Json& fields) {
  add_query(fields, SphereQuery{vector3(fields.at("at")), number(fields.at("r"))});
}

void Translator::query_ray(const Json& fields) {
  const Vec3 origin = vector3(fields.at("origin"));
  add_query(fields,
            CastQuery{{origin, origin}, vector3(fields.at("dir")), number(fields.at("max_t"))});
}

void Translator::query_sweep(const Json& fields) {
  add_query(fields, CastQuery{corners(fields), vector3(fields.at("delta")), 1});
}

void Translator::query_nearest(const Json& fields) {
  NearestQuery nearest;
  nearest.point = vector3(fields.at("at"));
  nearest.max_distance_m = -1;
  const auto k = unsigned32(fields.at("k"));
  if (!k) return refuse("invalid");
  nearest.k = *k;
  if (fields.contains("max_dist")) {
    nearest.max_distance_m = number(fields["max_dist"]);
    if (nearest.max_distance_m < 0) return refuse("invalid");  // would mean: no limit
  }
  add_query(fields, nearest);
}

void Translator::query_overlaps_of(const Json& fields) {
  add_query(fields, ContactsQuery{}, fields.at("id").get<std::string>());
}

}  // namespace vicinity::cases
