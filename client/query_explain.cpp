// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#include "client/query_explain.h"

#include <fmt/core.h>

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "query/explain_text.h"

namespace vicinity::client {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::string_view axes = "xyz";
constexpr std::string_view visibility_words[] = {"default", "always", "never"};
constexpr std::string_view health_words[] = {"ok", "degraded", "starved"};

std::string name_of(EntityId id) {
  return fmt::format("{}:{} (raw {})", id.index(), id.generation(), id.raw());
}
std::string text_of(Vec3 v) { return fmt::format("{},{},{}", v.x, v.y, v.z); }
std::string text_of(const Aabb& box) { return text_of(box.min) + " to " + text_of(box.max); }
Aabb widened(const Aabb32& box) {
  Aabb out;
  for (int axis = 0; axis < 3; ++axis) {
    out.min[axis] = static_cast<double>(box.min[axis]);
    out.max[axis] = static_cast<double>(box.max[axis]);
  }
  return out;
}
std::string_view word(std::string_view const* words, std::size_t count, std::size_t i) {
  return i < count ? words[i] : "unknown";
}
std::string_view yes(bool value) { return value ? "yes" : "no"; }

Json to_json(Vec3 v) { return {v.x, v.y, v.z}; }
Json to_json(const Aabb& box) { return {{"min", to_json(box.min)}, {"max", to_json(box.max)}}; }

// --- Pairs ---------------------------------------------------------------------------------------

Json to_json(const Filter& filter) {
  return {{"category", filter.category}, {"mask", filter.mask},
          {"group", filter.group},       {"instance", filter.instance},
          {"sensor", filter.sensor},     {"static", filter.is_static},
          {"enabled", filter.enabled},   {"continuous", filter.continuous}};
}

Json to_json(const ExplainedEntity& entity) {
  Json out = {{"id", entity.id.raw()}, {"lives", entity.lives}};
  if (!entity.lives) return out;
  const IndexPlace& place = entity.place;
  out["position"] = to_json(entity.position);
  out["tight_box"] = to_json(entity.tight_box);
  out["bound"] = to_json(widened(entity.bound));
  out["partition"] = to_string(place.partition);
  if (place.is_registered()) out["registered"] = to_json(widened(place.box));
  out["run"] = place.run;
  out["level"] = place.level;
  out["level_count"] = place.level_count;
  if (place.is_in_transition()) {
    out["transition_until"] = place.until;
    out["other_run"] = place.other_run;
  }
  out["filter"] = to_json(entity.filter);
  out["spawned"] = entity.spawned;
  out["moved"] = entity.moved;
  out["reshaped"] = entity.reshaped;
  out["filtered"] = entity.filtered;
  return out;
}

Json to_json(const IndexSpan& span) {
  return {{"cells", {span.cell_first, span.cell_last}},
          {"rows_0", {span.row_first[0], span.row_last[0]}},
          {"rows_1", {span.row_first[1], span.row_last[1]}}};
}

bool are_registered(const PairExplanation& pair) {
  return pair.a.place.is_registered() && pair.b.place.is_registered();
}

std::string axis_name(int axis) {
  return std::string(axes.substr(static_cast<std::size_t>(axis), 1));
}

Json to_json(const PairExplanation& pair) {
  Json out;
  out["stage"] = to_string(pair.stage);
  out["candidate"] = pair.candidate;
  out["touches"] = pair.touches;
  out["passes_through"] = pair.passes_through;
  out["in_contact"] = pair.in_contact;
  if (pair.in_contact) {
    out["begin_tick"] = pair.begin_tick;
    out["sensor"] = pair.sensor;
  }
  out["missed"] = pair.missed;
  out["filter_reasons"] = filter_reason_texts(pair.filter_reasons);
  out["policy"] = to_string(pair.policy);
  if (pair.policy == PolicyReason::CoolingDown) out["cooling_until"] = pair.cooling_until;
  out["budget_cut"] = pair.budget_cut;
  if (pair.gap_m) out["gap_m"] = *pair.gap_m;
  out["a"] = to_json(pair.a);
  out["b"] = to_json(pair.b);
  if (!are_registered(pair)) return out;
  const IndexGrid& grid = pair.grid;
  out["grid"] = {{"along", axis_name(grid.along_axis)},
                 {"across", {axis_name(grid.across_axis[0]), axis_name(grid.across_axis[1])}},
                 {"origin_m", {grid.origin_m[0], grid.origin_m[1], grid.origin_m[2]}},
                 {"per_m", {grid.per_m[0], grid.per_m[1], grid.per_m[2]}},
                 {"wrap", {grid.wrap[0], grid.wrap[1]}},
                 {"a", to_json(pair.span_a)},
                 {"b", to_json(pair.span_b)}};
  return out;
}

void print(std::string_view name, const ExplainedEntity& entity) {
  fmt::print("  {}  {}{}\n", name, name_of(entity.id), entity.lives ? "" : "  is not there");
  if (!entity.lives) return;
  const IndexPlace& place = entity.place;
  fmt::print("     position {}  tight box {}\n", text_of(entity.position),
             text_of(entity.tight_box));
  fmt::print("     bound {}\n", text_of(widened(entity.bound)));
  fmt::print("     index: {}", to_string(place.partition));
  if (place.is_registered()) {
    fmt::print(", run {}, {}, with bound {}", place.run,
               place.level == place.level_count
                   ? std::string("list")
                   : fmt::format("level {} of {}", place.level, place.level_count),
               text_of(widened(place.box)));
  }
  if (place.is_in_transition())
    fmt::print("; in transition: version {}, run {}", place.until, place.other_run);
  const Filter& filter = entity.filter;
  fmt::print("\n     filter: category {:#x} mask {:#x} group {} instance {}{}{}{}\n",
             filter.category, filter.mask, filter.group, filter.instance,
             filter.sensor ? " sensor" : "", filter.is_static ? " static" : "",
             filter.enabled ? "" : " disabled");
  fmt::print("     changed: spawned {} moved {} reshaped {} filtered {}\n", entity.spawned,
             entity.moved, entity.reshaped, entity.filtered);
}

void print(std::string_view name, const IndexSpan& span) {
  fmt::print("     {}: cells {}..{}, rows {}..{} and {}..{}\n", name, span.cell_first,
             span.cell_last, span.row_first[0], span.row_last[0], span.row_first[1],
             span.row_last[1]);
}

void print(const PairExplanation& pair) {
  if (pair.stage == ExplainStage::None) {
    fmt::print("  {}\n", pair.in_contact
                             ? fmt::format("in contact since tick {}{}", pair.begin_tick,
                                           pair.sensor ? ", as a trigger" : "")
                             : std::string("passes through in this tick"));
  } else {
    fmt::print("  rejected by: {}\n", to_string(pair.stage));
  }
  if (pair.missed) fmt::print("  MISSED: brute force says otherwise; please report this\n");
  fmt::print("  candidate {}  touches {}  passes through {}\n", yes(pair.candidate),
             yes(pair.touches), yes(pair.passes_through));
  for (const std::string_view reason : filter_reason_texts(pair.filter_reasons))
    fmt::print("  filter refuses: {}\n", reason);
  if (pair.policy == PolicyReason::CoolingDown) {
    fmt::print("  policy: cooling down until tick {}\n", pair.cooling_until);
  } else if (pair.policy != PolicyReason::None) {
    fmt::print("  policy: {}\n", to_string(pair.policy));
  }
  if (pair.budget_cut) fmt::print("  the search for pairs reached its budget in this tick\n");
  if (pair.gap_m) fmt::print("  gap {} m (negative: how deep they overlap)\n", *pair.gap_m);
  print("a", pair.a);
  print("b", pair.b);
  if (!are_registered(pair)) return;
  fmt::print("  compared along {}, in rows across {} and {}\n", axis_name(pair.grid.along_axis),
             axis_name(pair.grid.across_axis[0]), axis_name(pair.grid.across_axis[1]));
  print("a", pair.span_a);
  print("b", pair.span_b);
}

// --- Views ---------------------------------------------------------------------------------------

Json to_json(const ExplainedArea& area) {
  return {{"area", area.area.value},
          {"kind", static_cast<int>(area.kind)},
          {"by_centre", area.reach == Reach::Centre},
          {"placed", area.placed},
          {"category", area.category},
          {"instance", area.instance},
          {"hides_anchor", area.hides_anchor},
          {"inside_enter", area.inside_enter},
          {"inside_leave", area.inside_leave},
          {"distance_m", area.distance_m},
          {"position", to_json(area.position)},
          {"dwell_until", area.dwell_until},
          {"nearest_max", area.nearest_max},
          {"nearer_count", area.nearer_count},
          {"suspends", area.suspends}};
}

Json to_json(const ViewExplanation& view) {
  const ToldState& told = view.told;
  Json out;
  out["stage"] = to_string(view.stage);
  out["hold"] = to_string(view.hold);
  out["session"] = view.session.value;
  out["observer"] = view.observer.value;
  out["entity"] = view.entity.raw();
  out["in_view"] = view.in_view;
  if (view.in_view) out["entered"] = view.entered;
  out["suspends"] = view.suspends;
  out["visibility"] = word(visibility_words, std::size(visibility_words),
                           static_cast<std::size_t>(view.visibility));
  out["parent"] = view.parent.raw();
  out["owned"] = view.owned;
  out["always_relevant"] = view.always_relevant;
  out["seen_from_enter_m"] = view.seen_from_enter_m;
  out["seen_from_leave_m"] = view.seen_from_leave_m;
  out["visible_count"] = view.visible_count;
  out["told"] = told.told;
  out["stale"] = told.stale;
  out["leave_waits"] = told.leave_waits;
  out["update_waits"] = told.update_waits;
  out["told_tick"] = told.told_tick;
  out["interval_ticks"] = told.interval_ticks;
  out["health"] = word(health_words, std::size(health_words), told.health);
  out["areas"] = Json::array();
  for (const ExplainedArea& area : view.areas) out["areas"].push_back(to_json(area));
  return out;
}

void print(const ExplainedArea& area) {
  fmt::print("  area {}: {}", area.area.value,
             area.inside_enter   ? "inside"
             : area.inside_leave ? "inside the leave size"
                                 : "outside");
  fmt::print(", distance {} m by the {}", area.distance_m,
             area.reach == Reach::Centre ? "centre" : "shape");
  if (!area.placed) fmt::print(", has no place: its anchor was never there");
  if (!area.category) fmt::print(", looks for other categories");
  if (!area.instance) fmt::print(", looks in another instance");
  if (area.hides_anchor) fmt::print(", leaves out its anchor");
  if (area.dwell_until != 0) fmt::print(", holds it before tick {}", area.dwell_until);
  if (area.nearest_max != 0)
    fmt::print(", takes {}, at least {} of them nearer", area.nearest_max, area.nearer_count);
  fmt::print("\n");
}

void print(const ViewExplanation& view) {
  const ToldState& told = view.told;
  fmt::print("  session {}, observer {}, entity {}\n", view.session.value, view.observer.value,
             name_of(view.entity));
  if (view.stage == ViewStage::None || view.stage == ViewStage::Budget) {
    fmt::print("  in view since tick {}, by: {}\n", view.entered, to_string(view.hold));
  }
  if (view.stage != ViewStage::None) fmt::print("  kept away by: {}\n", to_string(view.stage));
  if (view.stage == ViewStage::NoObserver) return;
  if (view.visibility != Visibility::Default) {
    fmt::print("  visibility: {}\n", word(visibility_words, std::size(visibility_words),
                                          static_cast<std::size_t>(view.visibility)));
  }
  if (view.parent) fmt::print("  follows {}\n", name_of(view.parent));
  if (view.owned) fmt::print("  owned by the session\n");
  if (view.always_relevant) fmt::print("  always relevant\n");
  if (told.told) {
    // The interval is known once the entity has moved.
    const std::string interval = told.interval_ticks == 0 ? ""
                                 : told.interval_ticks == 1
                                     ? ", every tick"
                                     : fmt::format(", every {} ticks", told.interval_ticks);
    fmt::print("  told: last in tick {}{}{}{}\n", told.told_tick, interval,
               told.update_waits ? ", an update waits" : "",
               told.stale ? ", needs a full state" : "");
  }
  if (told.leave_waits) fmt::print("  the client still has it: its leave waits\n");
  fmt::print("  stream: {}; the observer sees {}\n",
             word(health_words, std::size(health_words), told.health), view.visible_count);
  for (const ExplainedArea& area : view.areas) print(area);
}

}  // namespace

void print_explanation_text(const QueryAnswer& answer) {
  fmt::print("tick {}, index version {}:\n", answer.tick, answer.index_version);
  if (answer.pair) print(*answer.pair);
  if (answer.view) print(*answer.view);
}

void print_explanation_json(const QueryAnswer& answer) {
  Json out;
  out["tick"] = answer.tick;
  out["index_version"] = answer.index_version;
  if (answer.pair) out["pair"] = to_json(*answer.pair);
  if (answer.view) out["view"] = to_json(*answer.view);
  fmt::print("{}\n", out.dump());
}

}  // namespace vicinity::client
