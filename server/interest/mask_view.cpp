// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#include "interest/mask_view.h"

#include <algorithm>
#include <cmath>
#include <iterator>

#include "base/check.h"
#include "index/search_box.h"

namespace vicinity {
namespace {

constexpr std::size_t spheres_max = 4;
/// How far an observer may move before its groups are listed anew, as a part of the leave radius.
constexpr double room_part = 0.0625;

bool is_simple(const InterestArea& area, bool suspends) {
  const AreaSpec& spec = area.spec;
  return spec.kind == AreaKind::Sphere && spec.min_dwell_ticks == 0 && spec.nearest_max == 0 &&
         spec.suspend == suspends && area.placed && spec.follow == AreaFollow::Position;
}

/// By the rules that commands give it; those of the world are looked at in every tick.
bool is_simple(const Observer& observer) {
  const auto& areas = observer.areas;
  if (areas.size() > spheres_max || !observer.former.empty() || !observer.released.empty() ||
      !observer.visibilities.empty())
    return false;
  const bool suspends = areas.front().spec.suspend;
  return std::all_of(areas.begin(), areas.end(),
                     [suspends](const InterestArea& area) { return is_simple(area, suspends); });
}

class MaskUpdate {
 public:
  MaskUpdate(const MaskInput& input, Observer& observer, MaskBuffers& buffers)
      : input_(input),
        snapshot_(input.view.snapshot),
        world_(input.view.world),
        order_(input.order),
        observer_(observer),
        masks_(observer.masks),
        buffers_(buffers) {}

  bool run(ObserverEvents& out);

 private:
  void make_spheres();
  bool follow_anchors();
  bool list_groups();
  void add_group(std::uint32_t group);
  void set_bits();
  void add_unruly();
  void choose_groups();
  void judge();
  void judge_sphere(const MaskView::Sphere& sphere, std::size_t area);
  std::uint16_t settle(const MaskView::Sphere& sphere, std::size_t area, std::size_t i) const;
  void collect();
  bool are_specials_changed() const;
  void choose_specials();
  void show_followers(std::size_t first);
  void collect_specials();
  bool apply(ObserverEvents& out);
  void enter_all();

  const MaskInput& input_;
  const Snapshot& snapshot_;
  const ViewWorld& world_;
  const LaneOrder& order_;
  Observer& observer_;
  MaskView& masks_;
  MaskBuffers& buffers_;
};

// --- The list of groups ------------------------------------------------------------------------

void MaskUpdate::make_spheres() {
  masks_.spheres.clear();
  for (const InterestArea& area : observer_.areas) {
    const AreaSpec& spec = area.spec;
    MaskView::Sphere sphere;
    sphere.anchor = area.anchor;
    sphere.filter = spec.filter;
    sphere.enter_m = spec.enter_radius_m;
    sphere.leave_m = spec.leave_radius_m;
    sphere.centre = spec.centre;
    sphere.position = area.position;
    sphere.room_m = spec.leave_radius_m * room_part;
    sphere.is_centre = spec.reach == Reach::Centre;
    sphere.sees_anchor = spec.include_anchor || !area.anchor;
    masks_.spheres.push_back(sphere);
  }
}

/// Moves areas and spheres. False when one of them left the room that it was listed with.
bool MaskUpdate::follow_anchors() {
  bool is_near = true;
  for (std::size_t i = 0; i < masks_.spheres.size(); ++i) {
    MaskView::Sphere& sphere = masks_.spheres[i];
    sphere.moved = false;
    if (!sphere.anchor || !snapshot_.contains(sphere.anchor)) continue;
    const Vec3 position = centre(snapshot_.tight_box[sphere.anchor.index()]) + sphere.centre;
    if (position == sphere.position) continue;
    sphere.moved = true;
    sphere.position = position;
    observer_.areas[i].position = position;
    const Vec3 way = position - sphere.listed_at;
    is_near = is_near && std::abs(way.x) <= sphere.room_m && std::abs(way.y) <= sphere.room_m &&
              std::abs(way.z) <= sphere.room_m;
  }
  return is_near;
}

Aabb32 box_of(const MaskView::Sphere& sphere, double room_m) {
  const double half_m = std::max(sphere.leave_m, sphere.enter_m) + room_m;
  const Vec3 half{half_m, half_m, half_m};
  return search_box({sphere.position - half, sphere.position + half});
}

void MaskUpdate::add_group(std::uint32_t group) {
  std::uint32_t& place = buffers_.place_of_group[group];
  if (place < masks_.groups.size() && masks_.groups[place].group == group) return;
  place = static_cast<std::uint32_t>(masks_.groups.size());
  masks_.groups.push_back({group, 0});
}

/// Of everything in view, which is known by id.
void MaskUpdate::set_bits() {
  for (const Visible& visible : observer_.visible) {
    const std::uint32_t lane = order_.lane_of(visible.id.index());
    if (lane == LaneOrder::no_lane || order_.entity(lane) != visible.id) {
      buffers_.left.push_back(visible.id);  // it ended
      continue;
    }
    if (order_.is_special(lane)) {
      masks_.specials.push_back(visible.id);
      continue;
    }
    const auto group = static_cast<std::uint32_t>(lane / lane_count);
    add_group(group);
    masks_.groups[buffers_.place_of_group[group]].in_view |=
        static_cast<std::uint16_t>(1u << (lane % lane_count));
  }
}

/// False when there are too many.
///
/// Invariant: whatever touches the box of a sphere, at the end of this tick or a later one for
/// which the list holds, is in a group of the list or in an unruly one that touches it.
bool MaskUpdate::list_groups() {
  auto& found = buffers_.groups;
  found.clear();
  for (MaskView::Sphere& sphere : masks_.spheres) {
    sphere.moved = true;
    sphere.listed_at = sphere.position;
    sphere.hidden_lane = LaneOrder::no_lane;
    if (!sphere.sees_anchor && snapshot_.contains(sphere.anchor))
      sphere.hidden_lane = order_.lane_of(sphere.anchor.index());
    order_.find_groups(box_of(sphere, sphere.room_m), found);
    if (found.size() * lane_count >= input_.lanes_max) return false;
  }
  buffers_.place_of_group.resize(order_.group_count());
  masks_.groups.clear();
  masks_.specials.clear();
  for (const std::uint32_t group : found) add_group(group);
  set_bits();
  masks_.listed_count = static_cast<std::uint32_t>(found.size());
  masks_.generation = order_.generation();
  masks_.is_valid = true;
  return true;
}

void MaskUpdate::add_unruly() {
  masks_.unruly_count = 0;
  if (order_.unruly().empty()) return;
  for (const MaskView::Sphere& sphere : masks_.spheres) {
    const Aabb32 box = box_of(sphere, 0);
    for (const std::uint32_t group : order_.unruly()) {
      if (!touches(order_.box_of(group), box)) continue;
      ++masks_.unruly_count;
      const bool is_listed =
          std::any_of(masks_.groups.begin(), masks_.groups.end(),
                      [group](const MaskView::Listed& listed) { return listed.group == group; });
      if (!is_listed) masks_.groups.push_back({group, 0});
    }
  }
}

// --- Who is in view ----------------------------------------------------------------------------

/// Where nothing moved since the last tick, nothing changes.
void MaskUpdate::choose_groups() {
  const bool moved = std::any_of(masks_.spheres.begin(), masks_.spheres.end(),
                                 [](const MaskView::Sphere& sphere) { return sphere.moved; });
  auto& looked_at = buffers_.looked_at;
  looked_at.clear();
  for (std::uint32_t i = 0; i < masks_.groups.size(); ++i)
    if (moved || order_.is_changed(masks_.groups[i].group)) looked_at.push_back(i);
}

/// What the f32 test left open, by the exact one.
std::uint16_t MaskUpdate::settle(const MaskView::Sphere& sphere, std::size_t area,
                                 std::size_t i) const {
  const MaskView::Listed& listed = masks_.groups[buffers_.looked_at[i]];
  const LaneHead& head = order_.head(listed.group);
  const LaneAnswer& answer = buffers_.answers[i];
  std::uint32_t accepted = order_.accepted(snapshot_, listed.group, sphere.filter);
  if (sphere.hidden_lane / lane_count == listed.group)
    accepted &= ~(1u << (sphere.hidden_lane % lane_count));
  const std::uint32_t loose = sphere.is_centre ? 0u : head.loose;
  const std::uint32_t old = listed.in_view;
  if ((answer.enter_open | answer.leave_open | loose) == 0)
    return static_cast<std::uint16_t>((answer.enter_in | (answer.leave_in & old)) & accepted);
  std::uint32_t now = (answer.enter_in | (answer.leave_in & old)) & ~loose;
  const std::uint32_t enter_open = answer.enter_open | (answer.enter_in & loose);
  const std::uint32_t leave_open = (answer.leave_open | (answer.leave_in & loose)) & old;
  now &= accepted;
  std::uint32_t open = (enter_open | leave_open) & accepted & ~now;
  for (; open != 0; open &= open - 1) {
    const auto k = static_cast<std::uint32_t>(__builtin_ctz(open));
    const std::uint32_t slot = order_.entity(listed.group, k).index();
    const InterestArea& exact = observer_.areas[area];
    const bool enters = (enter_open >> k & 1) != 0 && inside_enter(exact, snapshot_, slot);
    const bool stays = (leave_open >> k & 1) != 0 && inside_leave(exact, snapshot_, slot);
    if (enters || stays) now |= 1u << k;
  }
  return static_cast<std::uint16_t>(now);
}

void MaskUpdate::judge_sphere(const MaskView::Sphere& sphere, std::size_t area) {
  const std::size_t count = buffers_.looked_at.size();
  const auto enter_m = static_cast<float>(sphere.enter_m);
  const auto leave_m = static_cast<float>(sphere.leave_m);
  const float reach_m = std::max(enter_m, leave_m);
  for (std::size_t i = 0; i < count; ++i) {
    const std::uint32_t group = masks_.groups[buffers_.looked_at[i]].group;
    const LaneHead& head = order_.head(group);
    LaneSphere& out = buffers_.spheres[i];
    float farthest = head.extent_m;
    for (int axis = 0; axis < 3; ++axis) {
      out.point[axis] = static_cast<float>(sphere.position[axis] - head.origin[axis]);
      farthest = std::max(farthest, std::abs(out.point[axis]));
    }
    // Each of some ten roundings is below 2^-23 of these.
    out.error_m = (farthest + reach_m) * 0x1p-19f + head.slack_m;
    out.enter_m = enter_m;
    out.leave_m = leave_m;
    buffers_.index[i] = group;
  }
  input_.judge(order_.groups(), buffers_.index.data(), buffers_.spheres.data(), count,
               sphere.is_centre, buffers_.answers.data());
  for (std::size_t i = 0; i < count; ++i) buffers_.now[i] |= settle(sphere, area, i);
}

void MaskUpdate::judge() {
  const std::size_t count = buffers_.looked_at.size();
  if (buffers_.index.size() < count) {
    buffers_.index.resize(count);
    buffers_.spheres.resize(count);
    buffers_.answers.resize(count);
  }
  buffers_.now.assign(count, 0);
  for (std::size_t i = 0; i < masks_.spheres.size(); ++i) judge_sphere(masks_.spheres[i], i);
}

/// News: lanes whose bit changed.
void MaskUpdate::collect() {
  for (std::size_t i = 0; i < buffers_.looked_at.size(); ++i) {
    MaskView::Listed& listed = masks_.groups[buffers_.looked_at[i]];
    const std::uint32_t old = listed.in_view;
    const std::uint32_t now = buffers_.now[i];
    listed.in_view = buffers_.now[i];
    for (std::uint32_t news = old ^ now; news != 0; news &= news - 1) {
      const auto k = static_cast<std::uint32_t>(__builtin_ctz(news));
      const EntityId id = order_.entity(listed.group, k);
      if ((now >> k & 1) != 0) {
        buffers_.entered.push_back(id.index());
      } else {
        buffers_.left.push_back(id);
      }
    }
  }
}

// --- Specials ----------------------------------------------------------------------------------

/// Whether bits and specials are not those of this tick, and have to be listed anew.
bool MaskUpdate::are_specials_changed() const {
  if (order_.is_any_special_changed()) {
    for (const MaskView::Listed& listed : masks_.groups)
      if (order_.is_special_changed(listed.group)) return true;
  }
  return std::any_of(masks_.specials.begin(), masks_.specials.end(), [this](EntityId id) {
    return snapshot_.contains(id) && !order_.is_special(order_.lane_of(id.index()));
  });
}

/// Adds what follows the specials from `first` on, directly or not.
void MaskUpdate::show_followers(std::size_t first) {
  auto& now = buffers_.specials;
  for (std::size_t i = first; i < now.size(); ++i)
    for (const Follower& follower : world_.followers_of(now[i].index()))
      if (snapshot_.filter[follower.slot].enabled) now.push_back(snapshot_.id[follower.slot]);
}

/// Fills buffers_.specials, ascending. The bits are those of this tick.
void MaskUpdate::choose_specials() {
  auto& now = buffers_.specials;
  now.clear();
  for (const std::uint32_t slot : world_.seen_from_afar()) {
    const EntityId id = snapshot_.id[slot];
    if (world_.is_follower(slot) || !snapshot_.filter[slot].enabled) continue;
    const bool was = std::binary_search(masks_.specials.begin(), masks_.specials.end(), id);
    const bool is_held =
        std::any_of(observer_.areas.begin(), observer_.areas.end(), [&](const InterestArea& area) {
          return accepts(area, id, snapshot_.filter[slot]) &&
                 (inside_enter(area, snapshot_, slot) ||
                  (was && inside_leave(area, snapshot_, slot)));
        });
    if (is_held) now.push_back(id);
  }
  if (world_.has_followers()) {
    show_followers(0);
    for (const MaskView::Listed& listed : masks_.groups) {
      std::uint32_t parents = listed.in_view & order_.head(listed.group).followed;
      for (; parents != 0; parents &= parents - 1) {
        const auto k = static_cast<std::uint32_t>(__builtin_ctz(parents));
        const std::uint32_t slot = order_.entity(listed.group, k).index();
        const std::size_t first = now.size();
        for (const Follower& follower : world_.followers_of(slot))
          if (snapshot_.filter[follower.slot].enabled) now.push_back(snapshot_.id[follower.slot]);
        show_followers(first);
      }
    }
  }
  std::sort(now.begin(), now.end());
}

/// News: specials that were not in view, or are not any more.
void MaskUpdate::collect_specials() {
  if (world_.seen_from_afar().empty() && !world_.has_followers() && masks_.specials.empty()) return;
  choose_specials();
  const auto& now = buffers_.specials;
  const auto& old = masks_.specials;
  std::set_difference(old.begin(), old.end(), now.begin(), now.end(),
                      std::back_inserter(buffers_.left));
  auto was = old.begin();
  for (const EntityId id : now) {
    was = std::lower_bound(was, old.end(), id);
    if (was == old.end() || *was != id) buffers_.entered.push_back(id.index());
  }
  masks_.specials.assign(now.begin(), now.end());
}

// --- Telling -----------------------------------------------------------------------------------

/// Adds those that entered, which ascend.
void MaskUpdate::enter_all() {
  const auto old_count = static_cast<std::ptrdiff_t>(observer_.visible.size());
  const bool suspends = observer_.areas.front().spec.suspend;
  for (const std::uint32_t slot : buffers_.entered)
    observer_.visible.push_back({snapshot_.id[slot], snapshot_.tick, suspends});
  if (buffers_.entered.empty()) return;
  std::inplace_merge(observer_.visible.begin(), observer_.visible.begin() + old_count,
                     observer_.visible.end(),
                     [](const Visible& a, const Visible& b) { return a.id < b.id; });
}

/// False when there is no room for all; then nothing was changed but the masks.
bool MaskUpdate::apply(ObserverEvents& out) {
  const std::size_t count = observer_.visible.size() + buffers_.entered.size();
  const bool has_room = count - buffers_.left.size() <= input_.view.visible_max;
  if (!has_room && !buffers_.entered.empty()) return false;
  out.visible_count = static_cast<std::uint32_t>(count - buffers_.left.size());
  std::sort(buffers_.left.begin(), buffers_.left.end());
  for (const EntityId id : buffers_.left) {
    const auto at = std::lower_bound(observer_.visible.begin(), observer_.visible.end(), id,
                                     [](const Visible& v, EntityId key) { return v.id < key; });
    CHECK(at != observer_.visible.end() && at->id == id);
    out.leaves.push_back(leave_of(input_.view, observer_, buffers_.view, *at));
  }
  // In one pass: a whole view may go, and erasing one by one would cost its square.
  auto gone = buffers_.left.begin();
  if (!buffers_.left.empty()) {
    std::erase_if(observer_.visible, [&](const Visible& visible) {
      while (gone != buffers_.left.end() && *gone < visible.id) ++gone;
      return gone != buffers_.left.end() && *gone == visible.id;
    });
  }
  std::sort(buffers_.entered.begin(), buffers_.entered.end());
  enter_all();
  out.enters.assign(buffers_.entered.begin(), buffers_.entered.end());
  return true;
}

bool MaskUpdate::run(ObserverEvents& out) {
  const bool is_new = !masks_.is_valid;
  if (is_new) {
    for (InterestArea& area : observer_.areas) place(snapshot_, area);
    const auto is_shown = [this](EntityId id) { return shows_owned(observer_, id); };
    const auto& owned = input_.view.owned;
    if (!is_simple(observer_) || std::any_of(owned.begin(), owned.end(), is_shown)) return false;
    make_spheres();
    for (InterestArea& area : observer_.areas) area.in_effect = true;
  }
  // A follower that an area reaches is suspended with it: only the long way asks for that.
  if (world_.has_followers() && observer_.areas.front().spec.suspend) {
    masks_.is_valid = false;
    return false;
  }
  buffers_.entered.clear();
  buffers_.left.clear();
  const bool is_near = is_new || follow_anchors();
  if (is_new || !is_near || masks_.generation != order_.generation() || are_specials_changed()) {
    masks_.is_valid = false;
    if (!list_groups()) return false;
  }
  add_unruly();
  if (candidates_max(masks_, world_) >= input_.lanes_max) {
    masks_.is_valid = false;
    return false;
  }
  choose_groups();
  out.visible_count = static_cast<std::uint32_t>(observer_.visible.size());
  if (!buffers_.looked_at.empty()) {
    judge();
    collect();
  }
  collect_specials();
  if (buffers_.entered.empty() && buffers_.left.empty()) return true;
  if (apply(out)) return true;
  masks_.is_valid = false;
  return false;
}

}  // namespace

std::uint64_t candidates_max(const MaskView& masks, const ViewWorld& world) {
  return (std::uint64_t{masks.listed_count} + masks.unruly_count) * lane_count +
         masks.spheres.size() * world.seen_from_afar().size();
}

bool update_by_masks(const MaskInput& input, Observer& observer, MaskBuffers& buffers,
                     ObserverEvents& out) {
  return MaskUpdate(input, observer, buffers).run(out);
}

}  // namespace vicinity
