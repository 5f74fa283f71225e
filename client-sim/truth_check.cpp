// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#include "client-sim/truth_check.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "base/check.h"
#include "world/filter.h"

namespace vicinity::sim {
namespace {

constexpr std::size_t examples_max = 10;

std::string name_of(EntityId id) { return fmt::format("{}:{}", id.index(), id.generation()); }

/// Square of the distance from a point to a box: to the point of the box that is nearest to it.
double gap_squared(Vec3 point, const Aabb& box) {
  const double dx = point.x - std::clamp(point.x, box.min.x, box.max.x);
  const double dy = point.y - std::clamp(point.y, box.min.y, box.max.y);
  const double dz = point.z - std::clamp(point.z, box.min.z, box.max.z);
  return dx * dx + dy * dy + dz * dz;
}

/// Shapes that only touch do not overlap.
bool boxes_meet(const Aabb& a, const Aabb& b) {
  const bool apart = a.max.x <= b.min.x || b.max.x <= a.min.x || a.max.y <= b.min.y ||
                     b.max.y <= a.min.y || a.max.z <= b.min.z || b.max.z <= a.min.z;
  return !apart;
}

std::optional<std::size_t> row_of(const TruthTick& truth, EntityId id) {
  const auto found = std::lower_bound(
      truth.entities.begin(), truth.entities.end(), id,
      [](const client::EntityView& entity, EntityId wanted) { return entity.id < wanted; });
  if (found == truth.entities.end() || found->id != id) return std::nullopt;
  return static_cast<std::size_t>(found - truth.entities.begin());
}

/// Everything but the observer, which names the session's own view.
bool same_state(const client::EntityView& a, const client::EntityView& b) {
  return a.id == b.id && a.position == b.position && a.velocity == b.velocity &&
         a.rotation == b.rotation && a.angular_velocity == b.angular_velocity &&
         a.local_box == b.local_box && a.shape_kind == b.shape_kind && a.filter == b.filter &&
         a.user_data == b.user_data;
}

/// Both signs of a quaternion are the same rotation.
bool same_rotation(const Quat& a, const Quat& b) {
  return std::abs(a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w) > 1 - 1e-12;
}

bool is_box(const client::EntityView& entity) {
  return entity.shape_kind == ShapeKind::Box && is_identity(entity.rotation);
}

std::string describe_row(const TruthTick& truth, std::size_t row, Vec3 centre) {
  return fmt::format("entity {} at {:.6f} m", name_of(truth.entities[row].id),
                     std::sqrt(gap_squared(centre, truth.boxes[row])));
}

}  // namespace

TruthTick make_truth(Tick tick, std::uint64_t server_time_us, const client::Replica::View& view,
                     const ShapeOf& shape_of) {
  TruthTick truth;
  truth.tick = tick;
  truth.server_time_us = server_time_us;
  truth.entities.reserve(view.size());
  truth.boxes.reserve(view.size());
  for (const auto& [id, entity] : view) {
    truth.entities.push_back(entity);
    const Shape* shape = shape_of ? shape_of(entity.user_data) : nullptr;
    if (shape != nullptr && shape->is_plain()) shape = nullptr;  // its box says it better
    truth.shapes.push_back(shape);
    truth.boxes.push_back(
        is_identity(entity.rotation)
            ? Aabb{entity.position + entity.local_box.min, entity.position + entity.local_box.max}
            : box_around(solid_of(entity, shape)));
  }
  return truth;
}

TruthCheck::TruthCheck(std::size_t pending_ticks_max) : pending_ticks_max_(pending_ticks_max) {
  CHECK(pending_ticks_max > 0);
}

void TruthCheck::add_truth(TruthTick truth) {
  // After a gap the older ticks are of no use: who still needs them cannot get past the gap.
  if (!truth_.empty() && truth.tick != truth_.back().tick + 1) truth_.clear();
  truth_.push_back(std::move(truth));
  if (truth_.size() > pending_ticks_max_) truth_.pop_front();
  for (auto& [number, bot] : bots_) check_waiting(number, bot);
}

void TruthCheck::add_bot(std::uint32_t bot, const ViewSpec& spec) {
  CHECK(!bots_.contains(bot));
  Watched& watched = bots_[bot];
  watched.spec = spec;
  watched.next_tick = spec.first_tick;
}

void TruthCheck::add_move(std::uint32_t bot, Tick tick, Vec3 position, const Quat& rotation) {
  const auto found = bots_.find(bot);
  if (found == bots_.end() || found->second.given_up || tick < found->second.next_tick) return;
  found->second.moves[tick] = {position, rotation};
}

void TruthCheck::remove_bot(std::uint32_t bot) {
  const auto found = bots_.find(bot);
  if (found == bots_.end()) return;
  stats_.unchecked_views += found->second.waiting.size();
  bots_.erase(found);
}

void TruthCheck::add_frame(std::uint32_t bot, const client::TickFrame& frame,
                           std::int64_t received_us) {
  const auto found = bots_.find(bot);
  if (found == bots_.end() || frame.tick < found->second.spec.first_tick) return;
  Watched& watched = found->second;
  if (watched.given_up) {
    ++stats_.unchecked_views;
    return;
  }
  watched.waiting.push_back({frame, received_us});
  if (watched.waiting.size() > pending_ticks_max_)
    give_up(bot, watched, "waited too long for the witness");
  else
    check_waiting(bot, watched);
}

const TruthTick* TruthCheck::find_truth(Tick tick) const {
  if (truth_.empty() || tick < truth_.front().tick || tick > truth_.back().tick) return nullptr;
  return &truth_[static_cast<std::size_t>(tick - truth_.front().tick)];
}

void TruthCheck::check_waiting(std::uint32_t number, Watched& bot) {
  while (!bot.waiting.empty()) {
    const WaitingFrame& waiting = bot.waiting.front();
    if (waiting.frame.tick != bot.next_tick)
      return give_up(number, bot, fmt::format("got tick {} after it", waiting.frame.tick));
    if (truth_.empty() || waiting.frame.tick > truth_.back().tick) return;
    const TruthTick* truth = find_truth(waiting.frame.tick);
    if (truth == nullptr) return give_up(number, bot, "has no truth left for it");
    check_view(number, bot, waiting, *truth);
    bot.waiting.pop_front();
    ++bot.next_tick;
  }
}

void TruthCheck::give_up(std::uint32_t number, Watched& bot, const std::string& why) {
  note(number, bot.next_tick, "cannot be checked any longer: it " + why);
  stats_.unchecked_views += bot.waiting.size();
  bot.waiting.clear();
  bot.moves.clear();
  bot.given_up = true;
}

std::size_t TruthCheck::unfinished_bots(Tick last) const {
  std::size_t count = 0;
  for (const auto& [number, bot] : bots_)
    if (!bot.given_up && bot.next_tick <= last) ++count;
  return count;
}

void TruthCheck::finish(Tick last) {
  for (const auto& [number, bot] : bots_)
    if (!bot.given_up && bot.next_tick <= last) stats_.unchecked_views += last + 1 - bot.next_tick;
  bots_.clear();
}

void TruthCheck::check_view(std::uint32_t number, Watched& bot, const WaitingFrame& waiting,
                            const TruthTick& truth) {
  const std::uint64_t broken_before = stats_.double_enters + stats_.leaves_without_enter +
                                      stats_.updates_without_enter + stats_.contact_errors;
  apply_frame(number, bot, waiting.frame);
  apply_contacts(number, bot, waiting.frame);
  const std::uint64_t broken_after = stats_.double_enters + stats_.leaves_without_enter +
                                     stats_.updates_without_enter + stats_.contact_errors;
  const std::vector<std::size_t> rows = expected_rows(bot, truth);
  const bool own_right = check_own_entity(number, bot, waiting.frame, truth);
  const bool view_right = compare_view(number, bot, waiting, truth, rows);
  const bool contacts_right = compare_contacts(number, bot, truth);

  bot.expected.clear();
  for (const std::size_t row : rows) bot.expected.push_back(truth.entities[row].id);
  ++stats_.checked_views;
  if (!own_right || !view_right || !contacts_right || broken_before != broken_after)
    ++stats_.wrong_views;
}

bool TruthCheck::check_own_entity(std::uint32_t number, Watched& bot,
                                  const client::TickFrame& frame, const TruthTick& truth) {
  const EntityId own = bot.spec.entity;
  for (const client::LostEntity& lost : frame.lost)
    if (lost.id == own) bot.has_entity = false;
  const auto move = bot.moves.extract(truth.tick);
  if (!bot.has_entity) return true;
  const auto row = row_of(truth, own);
  if (!row) {
    ++stats_.missing;
    note(number, truth.tick, fmt::format("has entity {}, which nobody sees", name_of(own)));
    return false;
  }
  const Vec3 position = truth.entities[*row].position;
  if (move.empty()) return true;
  const bool is_turned_right = same_rotation(truth.entities[*row].rotation, move.mapped().rotation);
  if (position == move.mapped().position && is_turned_right) return true;
  ++stats_.wrong_positions;
  const Vec3 due = move.mapped().position;
  note(number, truth.tick,
       fmt::format("moved to {:.6f}, {:.6f}, {:.6f} and is at {:.6f}, {:.6f}, {:.6f}{}", due.x,
                   due.y, due.z, position.x, position.y, position.z,
                   is_turned_right ? "" : ", and is not turned as it was told"));
  return false;
}

/// The replica says how many violations a frame holds; here they get their names. Leaves come
/// before enters, so an entity may leave and enter again within one frame.
void TruthCheck::apply_frame(std::uint32_t number, Watched& bot, const client::TickFrame& frame) {
  const client::Replica::View& view = bot.replica.view(bot.spec.observer);
  std::set<EntityId> left;
  std::uint64_t named = 0;
  for (const client::EntityLeave& leave : frame.leaves) {
    const bool known = view.contains(leave.id) && left.insert(leave.id).second;
    if (known) continue;
    ++stats_.leaves_without_enter;
    ++named;
  }
  std::set<EntityId> entered;
  for (const client::EntityView& enter : frame.enters) {
    const bool in_view = view.contains(enter.id) && !left.contains(enter.id);
    if (entered.insert(enter.id).second && !in_view) continue;
    ++stats_.double_enters;
    ++named;
  }
  const std::vector<std::string> violations = bot.replica.apply(frame);
  if (violations.size() > named) stats_.updates_without_enter += violations.size() - named;
  for (const std::string& violation : violations)
    note(number, frame.tick, "was told: " + violation);

  stats_.leaves += frame.leaves.size();
  stats_.enters += frame.enters.size();
  stats_.updates += frame.changed.size() + frame.moved.size();
}

void TruthCheck::apply_contacts(std::uint32_t number, Watched& bot,
                                const client::TickFrame& frame) {
  const auto end = [&](const client::ContactEndEvent& event) {
    if (bot.contacts.erase({event.a, event.b, event.begin_tick}) == 1) return;
    ++stats_.contact_errors;
    note(number, frame.tick,
         fmt::format("end of contact {} {} that is not open", name_of(event.a), name_of(event.b)));
  };
  const auto begin = [&](const client::ContactBeginEvent& event) {
    // The same pair may be open only once, whatever its begin tick.
    const auto next = bot.contacts.lower_bound({event.a, event.b, 0});
    const bool open = next != bot.contacts.end() && std::get<0>(*next) == event.a &&
                      std::get<1>(*next) == event.b;
    if (!open && event.begin_tick == frame.tick) {
      bot.contacts.insert({event.a, event.b, event.begin_tick});
      return;
    }
    ++stats_.contact_errors;
    note(number, frame.tick,
         fmt::format("begin of contact {} {} {}", name_of(event.a), name_of(event.b),
                     open ? "that is open" : "of another tick"));
  };
  for (const auto& event : frame.contact_ends) end(event);
  for (const auto& event : frame.contact_begins) begin(event);
  for (const auto& event : frame.contact_passed) end(event);
  stats_.contact_begins += frame.contact_begins.size();
  stats_.contact_ends += frame.contact_ends.size() + frame.contact_passed.size();
}

std::vector<std::size_t> TruthCheck::expected_rows(Watched& bot, const TruthTick& truth) const {
  // Once its entity is gone the area stays where it was.
  if (const auto own = row_of(truth, bot.spec.entity))
    bot.area_centre = (truth.boxes[*own].min + truth.boxes[*own].max) * 0.5;
  const double enter_squared = bot.spec.enter_radius_m * bot.spec.enter_radius_m;
  const double leave_squared = bot.spec.leave_radius_m * bot.spec.leave_radius_m;
  std::vector<std::size_t> rows;
  auto before = bot.expected.begin();
  for (std::size_t row = 0; row < truth.boxes.size(); ++row) {
    const double distance_squared = gap_squared(bot.area_centre, truth.boxes[row]);
    if (distance_squared > leave_squared) continue;
    const EntityId id = truth.entities[row].id;
    if (id == bot.spec.entity) continue;
    while (before != bot.expected.end() && *before < id) ++before;
    const bool was_visible = before != bot.expected.end() && *before == id;
    if (was_visible || distance_squared <= enter_squared) rows.push_back(row);
  }
  return rows;
}

bool TruthCheck::compare_view(std::uint32_t number, Watched& bot, const WaitingFrame& waiting,
                              const TruthTick& truth, const std::vector<std::size_t>& rows) {
  const client::Replica::View& view = bot.replica.view(bot.spec.observer);
  bool right = true;
  const auto extra = [&](EntityId id) {
    right = false;
    ++stats_.extra;
    const auto row = row_of(truth, id);
    note(number, truth.tick,
         "sees " + (row ? describe_row(truth, *row, bot.area_centre)
                        : fmt::format("entity {} that does not exist", name_of(id))));
  };
  std::map<EntityId, std::uint64_t> still_missing;
  auto seen = view.begin();
  auto before = bot.expected.begin();
  for (const std::size_t row : rows) {
    const client::EntityView& due = truth.entities[row];
    for (; seen != view.end() && seen->first < due.id; ++seen) extra(seen->first);
    while (before != bot.expected.end() && *before < due.id) ++before;
    if (seen == view.end() || seen->first != due.id) {
      right = false;
      ++stats_.missing;
      note(number, truth.tick, "misses " + describe_row(truth, row, bot.area_centre));
      const auto since = bot.missing_since_us.find(due.id);
      still_missing[due.id] =
          since != bot.missing_since_us.end() ? since->second : truth.server_time_us;
      continue;
    }
    note_visible(bot, due.id, before != bot.expected.end() && *before == due.id, waiting, truth);
    if (!same_state(seen->second, due)) {
      right = false;
      ++stats_.wrong_positions;
      note(number, truth.tick, "has a wrong state of " + describe_row(truth, row, bot.area_centre));
    }
    ++seen;
  }
  for (; seen != view.end(); ++seen) extra(seen->first);
  bot.missing_since_us = std::move(still_missing);
  return right;
}

/// An entity that is visible as it should be: did it just come, in time or late?
void TruthCheck::note_visible(Watched& bot, EntityId id, bool was_expected,
                              const WaitingFrame& waiting, const TruthTick& truth) {
  const auto since = bot.missing_since_us.find(id);
  const bool late = since != bot.missing_since_us.end();
  if (late) ++stats_.late;
  if (!late && was_expected) return;
  const std::uint64_t due_us = late ? since->second : truth.server_time_us;
  enter_latency_.add(waiting.received_us - static_cast<std::int64_t>(due_us));
}

const Solid& TruthCheck::solid_at(const TruthTick& truth, std::size_t row) {
  Solid& solid = solids_[row];
  if (solid.corners.empty()) solid = solid_of(truth.entities[row], truth.shapes[row]);
  return solid;
}

/// Whether two entities are in contact. Boxes along the axes are what their corners say.
Meeting TruthCheck::meeting_of(const TruthTick& truth, std::size_t a, std::size_t b) {
  if (!boxes_meet(truth.boxes[a], truth.boxes[b])) return Meeting::Apart;
  const bool are_boxes = is_box(truth.entities[a]) && is_box(truth.entities[b]) &&
                         truth.shapes[a] == nullptr && truth.shapes[b] == nullptr;
  if (are_boxes) return Meeting::Together;
  if (met_tick_ != truth.tick || solids_.size() != truth.entities.size()) {
    met_tick_ = truth.tick;
    solids_.assign(truth.entities.size(), {});
    met_.clear();
  }
  const auto [known, is_new] = met_.try_emplace(std::minmax(a, b), Meeting::Unsure);
  if (is_new) known->second = sim::meeting_of(solid_at(truth, a), solid_at(truth, b));
  return known->second;
}

/// The contacts that are open for the bot are those whose shapes overlap its own at the end of the
/// tick. Where that cannot be proved either way, the server is right.
bool TruthCheck::compare_contacts(std::uint32_t number, Watched& bot, const TruthTick& truth) {
  const EntityId own = bot.spec.entity;
  std::set<EntityId> touching;
  for (const ContactName& name : bot.contacts)
    touching.insert(std::get<0>(name) == own ? std::get<1>(name) : std::get<0>(name));
  std::uint64_t wrong = 0;
  const auto own_row = row_of(truth, own);
  for (std::size_t row = 0; own_row && row < truth.boxes.size(); ++row) {
    if (row == *own_row || !boxes_meet(truth.boxes[row], truth.boxes[*own_row])) continue;
    if (!accepts(truth.entities[row].filter, truth.entities[*own_row].filter)) continue;
    const Meeting meeting = meeting_of(truth, row, *own_row);
    if (meeting == Meeting::Apart) continue;
    if (touching.erase(truth.entities[row].id) == 1 || meeting == Meeting::Unsure) continue;
    ++wrong;
    note(number, truth.tick, "has no contact with " + name_of(truth.entities[row].id));
  }
  wrong += touching.size();
  for (const EntityId id : touching)
    note(number, truth.tick, fmt::format("has a contact with {} that is apart", name_of(id)));
  stats_.wrong_contacts += wrong;
  return wrong == 0;
}

void TruthCheck::note(std::uint32_t number, Tick tick, const std::string& what) {
  if (examples_.size() < examples_max)
    examples_.push_back(fmt::format("tick {}: bot {} {}", tick, number, what));
}

}  // namespace vicinity::sim
