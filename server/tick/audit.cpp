// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#include "tick/audit.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "base/check.h"
#include "narrow/entity_tests.h"

namespace vicinity {
namespace {

/// Others per unit: some microseconds.
constexpr std::uint32_t others_per_unit = 4096;
/// Units per task of the parallel loop.
constexpr std::size_t units_per_block = 4;

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

  /// All others in [begin, end), and with the first of them the entity itself.
  void run(std::uint32_t slot, std::uint32_t begin, std::uint32_t end) {
    const Snapshot& snapshot = input_.snapshot;
    const Aabb exact = swept_box(snapshot, slot);
    const Aabb32 bound = round_outward(exact);
    found_.clear();
    input_.view.find_in_box(input_.bounds[slot].box, found_);
    if (begin == 0 && (!is_found(slot) || !contains(input_.bounds[slot].box, bound)))
      add(slot, slot, [&] { return lost_by_index(slot, slot); });
    for (std::uint32_t other = begin; other < end; ++other) {
      // By its bound, or should that be wrong, by where it is in the end.
      const bool is_near =
          touches(bound, input_.bounds[other].box) || touches(exact, snapshot.tight_box[other]);
      if (!is_near || other == slot || !snapshot.is_alive(other)) continue;
      if (touches(bound, true_bound(snapshot, other))) judge(slot, other);
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
    if (rule.action == PolicyAction::Ignore) return true;
    const auto [a, b] = std::minmax(snapshot.id[slot], snapshot.id[other]);
    return input_.tracker != nullptr && input_.tracker->is_cooling(a, b);
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

/// Goes on where the last tick stopped: at most once round.
void Auditor::choose(const AuditInput& input, double rate, std::uint64_t box_tests_max,
                     AuditReport& report) {
  const std::uint32_t slots = input.snapshot.slot_count();
  const auto sample = static_cast<std::uint32_t>(
      std::min(std::ceil(rate * static_cast<double>(slots)), static_cast<double>(slots)));
  recycle(units_);
  if (slot_ >= slots) slot_ = other_ = 0;
  if (other_ >= slots) other_ = 0;
  std::uint64_t begun = 0;
  bool is_over = false;
  for (std::uint32_t taken = 0; taken < sample; ++taken) {
    const bool lives = input.snapshot.is_alive(slot_);
    while (lives && !is_over && other_ < slots) {
      const std::uint32_t end = std::min(slots, other_ + others_per_unit);
      is_over =
          box_tests_max > 0 && !units_.empty() && report.box_tests + (end - other_) > box_tests_max;
      if (is_over) break;
      units_.push_back({slot_, other_, end, end == slots});
      report.box_tests += end - other_;
      other_ = end;
    }
    if (is_over) break;
    ++begun;
    other_ = 0;
    slot_ = slot_ + 1 < slots ? slot_ + 1 : 0;
  }
  // What is left of the sample, the living ones.
  for (std::uint64_t i = 0; begun + i < sample; ++i)
    report.skipped += input.snapshot.is_alive(static_cast<std::uint32_t>((slot_ + i) % slots));
  const std::uint64_t whole = std::uint64_t{input.snapshot.entity_count} * slots;
  const std::uint64_t pace = std::max<std::uint64_t>(report.box_tests, 1);
  report.round_ticks = (whole + pace - 1) / pace;
}

AuditReport Auditor::run(const AuditInput& input, double rate, AuditPace* pace, Workers& workers) {
  AuditReport sum;
  if (rate <= 0 || input.snapshot.slot_count() == 0) return sum;
  CHECK(input.bounds.size() >= input.snapshot.slot_count());
  choose(input, rate, pace == nullptr ? 0 : pace->begin(), sum);
  std::vector<AuditReport> blocks(block_count(units_.size(), units_per_block));
  workers.parallel_blocks(units_.size(), units_per_block,
                          [&](std::size_t block, std::size_t begin, std::size_t end) {
                            EntityAudit audit(input, blocks[block]);
                            for (std::size_t i = begin; i < end; ++i) {
                              const Unit& unit = units_[i];
                              audit.run(unit.slot, unit.begin, unit.end);
                              blocks[block].entities += unit.is_last;
                            }
                          });
  for (const AuditReport& block : blocks) {
    sum.entities += block.entities;
    sum.misses += block.misses;
    if (!sum.first) sum.first = block.first;
  }
  if (pace != nullptr) pace->end(sum);
  return sum;
}

}  // namespace vicinity
