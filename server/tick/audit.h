// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#pragma once

// Compares what a tick found with a plain search of everything, for a sample of the entities: the
// proof, while the server runs, that the index misses nothing. Reads finished results only and
// changes nothing, so that how much of it there is time for has no influence on the world. Tick
// room; O(sample * slots).
//
// The samples go round through all slots. Where a tick has no time for one entity against all
// others, it is compared with a stretch of them at a time:
//
//      slot         0            1                   2
//      others    | 0..4095 | 4096..8191 | 8192.. |    one unit each
//                tick N  ───►│ N+1 ───►│ ...          up to the box tests of each tick, at least
//                one

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "base/ids.h"
#include "base/parallel.h"
#include "bounds/bounds.h"
#include "events/contact_policy.h"
#include "events/contact_tracker.h"
#include "events/open_contacts.h"
#include "index/index.h"
#include "pairs/pair_tracker.h"
#include "world/snapshot.h"

namespace vicinity {

/// Why something was missed: the first stage, in the order of the tick, that lost it.
enum class AuditCause : std::uint8_t {
  None = 0,
  CellArithmetic = 1,  ///< both are registered, yet a search with the one's bound misses the other
  SweptBound = 2,      ///< a bound does not contain what the entity occupied during the tick
  Filter = 3,          ///< the bounds stage holds another filter than the snapshot
  Transition = 4,      ///< one of the two is registered nowhere: its level or partition lost it
  PairSearch = 5,      ///< the index sees both, yet did not report the pair
  NarrowPhase = 6,     ///< a candidate pair that touches, yet no contact is open
};
std::string_view to_string(AuditCause cause);  ///< "cell_arithmetic", "swept_bound", ...

struct AuditMiss {
  EntityId a;
  EntityId b;  ///< equal to a when the entity itself is not found
  AuditCause cause = AuditCause::None;
};

struct AuditReport {
  std::uint64_t entities = 0;  ///< looked at; of those that take several ticks, the last of them
  std::uint64_t skipped = 0;   ///< of the sample, for which there was no time
  std::uint64_t box_tests = 0;
  /// Ticks until every pair of the world has been looked at once more, at the pace of this one.
  std::uint64_t round_ticks = 0;
  std::uint64_t misses = 0;
  std::optional<AuditMiss> first{};  ///< in the order of the sample
};

/// Says how much work a tick has time for. The tick room has no clock: whoever runs the ticks has
/// one (app/audit_pacer.h). Both calls come from the tick thread.
class AuditPace {
 public:
  virtual ~AuditPace() = default;
  /// Before the audit of a tick: box tests at most; 0 = no bound.
  virtual std::uint64_t begin() = 0;
  /// Behind it.
  virtual void end(const AuditReport& report) = 0;
};

/// The results of one tick.
struct AuditInput {
  const Snapshot& snapshot;
  const Bounds& bounds;
  const Index& index;
  const IndexView& view;
  std::span<const SlotPair> active;  ///< pairs that the index reported, sorted
  const OpenContacts& contacts;
  bool truncated = false;  ///< the pair budget was reached: pairs and contacts are not judged
  const ContactPolicy* policy = nullptr;  ///< what it ignores is no contact. Null: nothing
  /// Which pairs cool down after the tick, and so are no contact. Null: none.
  const ContactTracker* tracker = nullptr;
};

class Auditor {
 public:
  /// Tick thread, after the tick. Looks at a part `rate`, [0, 1], of the slots, the next ones in
  /// turn, as far as `pace` (null: no bound) lets it; at one unit at least. Parallel.
  AuditReport run(const AuditInput& input, double rate, AuditPace* pace, Workers& workers);

 private:
  /// An entity and a stretch of others.
  struct Unit {
    std::uint32_t slot = 0;
    std::uint32_t begin = 0;
    std::uint32_t end = 0;
    bool is_last = false;
  };
  void choose(const AuditInput& input, double rate, std::uint64_t box_tests_max,
              AuditReport& report);

  // Where the next tick begins.
  std::uint32_t slot_ = 0;
  std::uint32_t other_ = 0;  ///< first of the stretch
  std::vector<Unit> units_;  ///< of this tick
};

}  // namespace vicinity
