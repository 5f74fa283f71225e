// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors

// The part of the truth check that is about contacts.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "client-sim/truth_check.h"
#include "world/filter.h"

namespace vicinity::sim {
namespace {

std::string name_of(EntityId id) { return fmt::format("{}:{}", id.index(), id.generation()); }

/// By how much two boxes overlap, along the axis where they do so least; below 0: how far they are
/// apart.
double overlap_m(const Aabb& a, const Aabb& b) {
  return std::min({std::min(a.max.x, b.max.x) - std::max(a.min.x, b.min.x),
                   std::min(a.max.y, b.max.y) - std::max(a.min.y, b.min.y),
                   std::min(a.max.z, b.max.z) - std::max(a.min.z, b.min.z)});
}

bool is_box(const client::EntityView& entity) {
  return entity.shape_kind == ShapeKind::Box && is_identity(entity.rotation);
}

}  // namespace

/// Begins and ends of all ticks after `after`. Returns the number of faults.
std::uint64_t TruthCheck::apply_contacts(Watched& bot, const client::TickFrame& frame, Tick after) {
  std::uint64_t faults = 0;
  const auto fault = [&](EntityId a, EntityId b, const char* what) {
    ++faults;
    note(bot, frame.tick, fmt::format("contact {} {}: {}", name_of(a), name_of(b), what));
  };
  const auto end = [&](const client::ContactEndEvent& event) {
    const ContactName name{event.a, event.b, event.begin_tick};
    const auto found = std::lower_bound(bot.contacts.begin(), bot.contacts.end(), name);
    if (found == bot.contacts.end() || *found != name)
      return fault(event.a, event.b, "end of what is not open");
    bot.contacts.erase(found);
  };
  const auto begin = [&](const client::ContactBeginEvent& event) {
    const ContactName name{event.a, event.b, event.begin_tick};
    const auto place = std::lower_bound(bot.contacts.begin(), bot.contacts.end(), name);
    if (place != bot.contacts.end() && *place == name)
      return fault(event.a, event.b, "second begin");
    // What was open already when the session came has no number.
    const bool is_of_now = event.begin_tick > after && event.begin_tick <= frame.tick;
    if (!is_of_now && (event.event_seq != 0 || event.begin_tick > frame.tick))
      return fault(event.a, event.b, "begin of another tick");
    bot.contacts.insert(place, name);
  };
  for (const auto& event : frame.contact_ends) end(event);
  for (const auto& event : frame.contact_begins) begin(event);
  for (const auto& event : frame.contact_passed) end(event);
  // The same pair may be open only once, whatever its begin tick.
  for (std::size_t i = 1; i < bot.contacts.size(); ++i) {
    const auto& [a, b, tick] = bot.contacts[i];
    if (std::get<0>(bot.contacts[i - 1]) == a && std::get<1>(bot.contacts[i - 1]) == b &&
        tick > after)
      fault(a, b, "begin while it is open");
  }
  stats_.contact_errors += faults;
  stats_.contact_begins += frame.contact_begins.size();
  stats_.contact_ends += frame.contact_ends.size() + frame.contact_passed.size();
  return faults;
}

const Solid& TruthCheck::solid_at(const TruthTick& truth, std::size_t row) {
  if (met_tick_ != truth.tick) {
    met_tick_ = truth.tick;
    solids_.clear();
    met_.clear();
  }
  Solid& solid = solids_[row];
  if (solid.corners.empty()) solid = solid_of(truth.entities[row], truth.shapes[row]);
  return solid;
}

/// Whether two entities are in contact. Boxes along the axes are what their corners say.
Meeting TruthCheck::meeting_of(const TruthTick& truth, std::size_t a, std::size_t b) {
  const double tolerance_m =
      settings_.precision.box_m(truth.entities[a]) + settings_.precision.box_m(truth.entities[b]);
  // Shapes that only touch do not overlap.
  const double overlap = overlap_m(truth.boxes[a], truth.boxes[b]);
  if (overlap <= -tolerance_m) return Meeting::Apart;
  if (truth.is_known[a] == 0 || truth.is_known[b] == 0) return Meeting::Unsure;
  const bool are_boxes = is_box(truth.entities[a]) && is_box(truth.entities[b]) &&
                         truth.shapes[a] == nullptr && truth.shapes[b] == nullptr;
  if (are_boxes) return overlap > tolerance_m ? Meeting::Together : Meeting::Unsure;
  const Solid& solid_a = solid_at(truth, a);
  const Solid& solid_b = solid_at(truth, b);
  const auto [known, is_new] = met_.try_emplace(std::minmax(a, b), Meeting::Unsure);
  if (is_new) known->second = sim::meeting_of(solid_a, solid_b, std::sqrt(3.0) * tolerance_m);
  return known->second;
}

/// The contacts that are open for the bot are those whose shapes overlap its own at the end of the
/// tick. Where that cannot be proved either way, the server is right.
bool TruthCheck::compare_contacts(Watched& bot, const TruthTick& truth) {
  const EntityId own = bot.spec.entity;
  std::vector<EntityId> touching;
  for (const auto& [a, b, tick] : bot.contacts) touching.push_back(a == own ? b : a);
  std::sort(touching.begin(), touching.end());
  touching.erase(std::unique(touching.begin(), touching.end()), touching.end());
  std::uint64_t wrong = 0;
  if (const auto own_row = truth.row_of(own)) {
    const Aabb& box = truth.boxes[*own_row];
    const double reach = 0.5 * length(box.max - box.min) + 1;
    truth.rows_near((box.min + box.max) * 0.5, reach, rows_);
    for (const std::size_t row : rows_) {
      if (row == *own_row) continue;
      if (!accepts(truth.entities[row].filter, truth.entities[*own_row].filter)) continue;
      const Meeting meeting = meeting_of(truth, row, *own_row);
      if (meeting == Meeting::Apart) continue;
      const auto known = std::find(touching.begin(), touching.end(), truth.entities[row].id);
      if (known != touching.end()) {
        touching.erase(known);
        continue;
      }
      if (meeting == Meeting::Unsure) continue;
      ++wrong;
      note(bot, truth.tick, "has no contact with " + name_of(truth.entities[row].id));
    }
  }
  wrong += touching.size();
  for (const EntityId id : touching)
    note(bot, truth.tick, fmt::format("has a contact with {} that is apart", name_of(id)));
  stats_.wrong_contacts += wrong;
  return wrong == 0;
}

}  // namespace vicinity::sim
