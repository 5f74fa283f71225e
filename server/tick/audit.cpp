// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#include "tick/audit.h"

#include <algorithm>
#include <limits>
#include <vector>

#include "base/check.h"
#include "base/prng.h"
#include "narrow/entity_tests.h"

namespace vicinity {
namespace {

constexpr std::size_t slots_per_block = 64;

/// Computed again, from the snapshot.
Aabb32 true_bound(const Snapshot& snapshot, std::uint32_t slot) {
  return round_outward(swept_box(snapshot, slot));
}

bool contains(const Aabb32& outer, const Aabb32& inner) {
  for (int axis = 0; axis < 3; ++axis) {
    if (outer.min[axis] > inner.min[axis] || outer.max[axis] < inner.max[axis]) return false;
  }
  return true;
}

Aabb32 everywhere() {
  constexpr float far = std::numeric_limits<float>::max();
  return {{-far, -far, -far}, {far, far, far}};
}

class EntityAudit {
 public:
  EntityAudit(const AuditInput& input, AuditReport& report) : input_(input), report_(report) {}

  void run(std::uint32_t slot) {
    ++report_.entities;
    found_.clear();
    input_.view.find_in_box(input_.bounds[slot].box, found_);
    const Aabb32 bound = true_bound(input_.snapshot, slot);
    if (!is_found(slot)) add(slot, slot, [&] { return lost_by_index(slot, slot); });
    for (std::uint32_t other = 0; other < input_.snapshot.slot_count(); ++other) {
      if (other == slot || !input_.snapshot.is_alive(other)) continue;
      if (!touches(bound, true_bound(input_.snapshot, other))) continue;
      judge(slot, other);
    }
  }

 private:
  void judge(std::uint32_t slot, std::uint32_t other) {
    if (!is_found(other)) return add(slot, other, [&] { return lost_by_index(slot, other); });
    if (input_.truncated) return;
    const Snapshot& snapshot = input_.snapshot;
    if (!accepts(snapshot.filter[slot], snapshot.filter[other])) return;
    const SlotPair pair{std::min(slot, other), std::max(slot, other)};
    const bool rests = input_.index.at_rest(slot) && input_.index.at_rest(other);
    const bool overlap = overlaps(true_bound(snapshot, slot), true_bound(snapshot, other));
    if (overlap && !rests &&
        !std::binary_search(input_.active.begin(), input_.active.end(), pair)) {
      return add(slot, other, [&] {
        return has_other_filter(slot) || has_other_filter(other) ? AuditCause::Filter
                                                                 : AuditCause::PairSearch;
      });
    }
    if (!may_be_withheld(slot, other) && touch_at_end(snapshot, pair.a, pair.b) &&
        !input_.contacts.contains(snapshot.id[pair.a], snapshot.id[pair.b])) {
      add(slot, other, [] { return AuditCause::NarrowPhase; });
    }
  }

  /// The pair may touch without being a contact.
  bool may_be_withheld(std::uint32_t slot, std::uint32_t other) const {
    if (input_.policy == nullptr) return false;
    const Snapshot& snapshot = input_.snapshot;
    const PolicyRule& rule = input_.policy->rule_of(snapshot.filter[slot], snapshot.filter[other]);
    return rule.action == PolicyAction::Ignore || input_.policy->has_cooldowns();
  }

  bool is_found(std::uint32_t slot) const {
    return std::binary_search(found_.begin(), found_.end(), slot);
  }

  /// The bounds touch, but a search with the bound of `slot` does not find `other`.
  AuditCause lost_by_index(std::uint32_t slot, std::uint32_t other) const {
    std::vector<std::uint32_t> all;
    input_.view.find_in_box(everywhere(), all);
    const bool both = std::binary_search(all.begin(), all.end(), slot) &&
                      std::binary_search(all.begin(), all.end(), other);
    const bool bounds_touch = touches(input_.bounds[slot].box, input_.bounds[other].box);
    if (both && bounds_touch) return AuditCause::CellArithmetic;
    if (!contains(input_.bounds[slot].box, true_bound(input_.snapshot, slot)) ||
        !contains(input_.bounds[other].box, true_bound(input_.snapshot, other))) {
      return AuditCause::SweptBound;
    }
    if (has_other_filter(slot) || has_other_filter(other)) return AuditCause::Filter;
    return AuditCause::Transition;
  }

  bool has_other_filter(std::uint32_t slot) const {
    return input_.bounds[slot].flags != bound_flags(input_.snapshot.filter[slot]);
  }

  /// The cause may take a search of everything to find: that of the first miss only.
  template <class Cause>
  void add(std::uint32_t slot, std::uint32_t other, const Cause& cause) {
    ++report_.misses;
    if (report_.first) return;
    report_.first = AuditMiss{input_.snapshot.id[slot], input_.snapshot.id[other], cause()};
  }

  const AuditInput& input_;
  AuditReport& report_;
  std::vector<std::uint32_t> found_;
};

/// Part of the slots, another one in every tick.
bool is_sampled(Tick tick, std::uint32_t slot, double rate) {
  return rate >= 1 || Prng((tick << 32) ^ slot).unit() < rate;
}

}  // namespace

std::string_view to_string(AuditCause cause) {
  switch (cause) {
    case AuditCause::None: return "none";
    case AuditCause::CellArithmetic: return "cell_arithmetic";
    case AuditCause::SweptBound: return "swept_bound";
    case AuditCause::Filter: return "filter";
    case AuditCause::Transition: return "transition";
    case AuditCause::PairSearch: return "pair_search";
    case AuditCause::NarrowPhase: return "narrow_phase";
  }
  return "unknown";
}

AuditReport audit_tick(const AuditInput& input, double rate, Workers& workers) {
  AuditReport sum;
  if (rate <= 0) return sum;
  const std::uint32_t slots = input.snapshot.slot_count();
  CHECK(input.bounds.size() >= slots);
  std::vector<AuditReport> blocks(block_count(slots, slots_per_block));
  workers.parallel_blocks(
      slots, slots_per_block, [&](std::size_t block, std::size_t begin, std::size_t end) {
        EntityAudit audit(input, blocks[block]);
        for (auto slot = static_cast<std::uint32_t>(begin); slot < end; ++slot) {
          if (!input.snapshot.is_alive(slot)) continue;
          if (is_sampled(input.snapshot.tick, slot, rate)) audit.run(slot);
        }
      });
  for (const AuditReport& block : blocks) {
    sum.entities += block.entities;
    sum.misses += block.misses;
    if (!sum.first) sum.first = block.first;
  }
  return sum;
}

}  // namespace vicinity
