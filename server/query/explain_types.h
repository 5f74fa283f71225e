// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#pragma once

// Why a pair is a contact or none, and why an observer sees an entity or does not: the answers of
// ExplainPairQuery and ExplainViewQuery, with all that the verdict rests on. Plain values; any
// room, and the client library. Texts of the enumerators: query/explain_text.h.

#include <cstdint>
#include <optional>
#include <vector>

#include "base/aabb.h"
#include "base/ids.h"
#include "base/vec.h"
#include "index/index_place.h"
#include "world/command.h"
#include "world/filter.h"

namespace vicinity {

// --- Pairs -------------------------------------------------------------------------------------

/// The first stage, in this order, that rejects a pair.
enum class ExplainStage : std::uint8_t {
  None = 0,            ///< nobody: it is in contact, or passes through in this very tick
  Gone = 1,            ///< one of the two is not there: it ended, or never was
  CellArithmetic = 2,  ///< they have no row or no cell of the index in common
  SweptBound = 3,      ///< what they occupy during the tick does not overlap, by their bounds
  Filter = 4,          ///< see filter_reasons
  Transition = 5,      ///< the view finds one of them in neither of its two places
  PairSearch = 6,      ///< a candidate that touches, which the search did not report: the pair
                       ///< budget was reached, or it is missed
  NarrowPhase = 7,     ///< their shapes do not overlap at the end of the tick, nor pass through
  Policy = 8,          ///< see PolicyReason
};

/// Bits: which parts of the filters refuse the pair.
enum FilterReason : std::uint32_t {
  filter_disabled_a = 1,
  filter_disabled_b = 2,
  filter_mask_zero_a = 4,  ///< query-only
  filter_mask_zero_b = 8,
  filter_instance = 16,
  filter_both_static = 32,
  filter_both_sensor = 64,
  filter_group = 128,       ///< the same negative one
  filter_category_a = 256,  ///< the category of a is not in the mask of b
  filter_category_b = 512,  ///< and the other way round
};

enum class PolicyReason : std::uint8_t {
  None = 0,
  Excluded = 1,     ///< the two ignore one another (ExcludePair)
  Ignored = 2,      ///< a rule of the contact policy says so
  CoolingDown = 3,  ///< see cooling_until
};

struct ExplainedEntity {
  EntityId id;
  bool lives = false;  ///< in the tick of the answer; false: the rest means nothing
  Vec3 position;       ///< metres, end of the tick
  Aabb tight_box;      ///< around the shape at the end of the tick
  Aabb32 bound;        ///< around all that it occupies during the tick, computed anew
  IndexPlace place;    ///< where the index has it, and with which bound
  Filter filter;
  // Ticks of the last change: the versions that the verdict rests on.
  Tick spawned = 0;
  Tick moved = 0;
  Tick reshaped = 0;
  Tick filtered = 0;  ///< of the filter, `enabled` included
};

struct PairExplanation {
  ExplainStage stage = ExplainStage::None;
  /// The index's own answer: each is found where the other is, the bounds that it has overlap, and
  /// the filters accept each other.
  bool candidate = false;
  bool touches = false;         ///< the shapes overlap at the end of the tick; candidates only
  bool passes_through = false;  ///< they overlap during the tick, but at neither end
  /// Brute force over bounds, filters and shapes says otherwise than the index, or than the
  /// contacts: a defect of the server. `stage` is the one that lost the pair.
  bool missed = false;
  std::uint32_t filter_reasons = 0;  ///< FilterReason bits
  PolicyReason policy = PolicyReason::None;
  Tick cooling_until = 0;   ///< while CoolingDown: the first tick in which it may begin again
  bool budget_cut = false;  ///< in this tick the search reached the pair budget
  /// Between the shapes at the end of the tick, metres; negative: how deep they overlap. Of pairs
  /// that came as far as the narrow phase.
  std::optional<double> gap_m;
  bool in_contact = false;
  Tick begin_tick = 0;  ///< of the contact, while in_contact
  bool sensor = false;  ///< of the contact
  ExplainedEntity a;    ///< the smaller slot
  ExplainedEntity b;
  IndexGrid grid;  ///< in which the two are compared, and what they reach into there
  IndexSpan span_a;
  IndexSpan span_b;
};

// --- Views -------------------------------------------------------------------------------------

/// The first stage, in this order, that keeps an entity from an observer.
enum class ViewStage : std::uint8_t {
  None = 0,        ///< nobody: it is in view, and the client has been told
  NoObserver = 1,  ///< no such session or observer: it has no area
  Gone = 2,        ///< the entity is not there: it ended, or never was
  Disabled = 3,
  Follower = 4,    ///< it is in view exactly when its parent is, which is not
  Visibility = 5,  ///< set to Never
  Filter = 6,      ///< no area looks for it: category, instance, or an anchor that is left out
  Area = 7,        ///< no area that looks for it reaches it
  Nearest = 8,     ///< areas reach it, but their nearest_max goes to others
  Limit = 9,       ///< it would enter: the session sees, or looks at, as much as it may
  Budget = 10,     ///< in view, and not yet told: it waits for room in the frames
};

/// Why an entity is in view, first that applies in the order of interest/view.h.
enum class ViewHold : std::uint8_t {
  None = 0,
  Parent = 1,      ///< it follows one that is
  Visibility = 2,  ///< set to Always
  Owner = 3,       ///< it belongs to the player of the session
  Relevance = 4,   ///< always relevant, or seen from as far as it is
  Area = 5,
  Hysteresis = 6,  ///< only by the leave size of an area
  Dwell = 7,       ///< only by the dwell time of an area
};

struct ExplainedArea {
  AreaId area;
  AreaKind kind = AreaKind::Sphere;
  Reach reach = Reach::Shape;
  bool placed = true;         ///< false: its anchor was never seen
  bool category = true;       ///< accepts a category of the entity
  bool instance = true;       ///< is of its instance
  bool hides_anchor = false;  ///< the entity is the anchor, which the area leaves out
  bool inside_enter = false;
  bool inside_leave = false;
  double distance_m = 0;  ///< from the area's position to the shape, or to its centre
  Vec3 position;          ///< of the area, metres
  Tick dwell_until = 0;   ///< it stays in view before this tick; 0 = no such rule, or not in view
  std::uint32_t nearest_max = 0;   ///< 0 = all
  std::uint32_t nearer_count = 0;  ///< in view, reached, and nearer than the entity
  bool suspends = false;

  bool accepts() const { return placed && category && instance && !hides_anchor; }
};

/// What the client of a session has been told of an entity in view.
struct ToldState {
  bool told = false;                 ///< its enter went out
  bool stale = false;                ///< only a full state makes the client right again; it waits
  bool leave_waits = false;          ///< it left the view, and the client does not know yet
  bool update_waits = false;         ///< the client has another motion than the server
  Tick told_tick = 0;                ///< of the newest state or motion that went out
  std::uint32_t interval_ticks = 0;  ///< of its ring; 0 = not looked at yet
  std::uint8_t health = 0;           ///< of the stream: 0 ok, 1 degraded, 2 starved
};

struct ViewExplanation {
  ViewStage stage = ViewStage::NoObserver;
  ViewHold hold = ViewHold::None;
  SessionId session;
  ObserverId observer;
  EntityId entity;
  bool in_view = false;
  Tick entered = 0;       ///< while in view; a client that was not told waits since then
  bool suspends = false;  ///< leaving for its distance is told as suspended
  Visibility visibility = Visibility::Default;
  EntityId parent;     ///< whom it follows; none: nobody
  bool owned = false;  ///< by the player of this session, and shown for that
  bool always_relevant = false;
  double seen_from_enter_m = 0;
  double seen_from_leave_m = 0;
  std::uint32_t visible_count = 0;  ///< of the observer
  ToldState told;
  std::vector<ExplainedArea> areas;  ///< ascending id
};

}  // namespace vicinity
