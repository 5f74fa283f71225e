// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#pragma once

// The read side: every query is answered from one published frame, by any thread, without waiting
// for the tick. All answers name the tick and the index version they were read from.

#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include "base/ids.h"
#include "events/contact_policy.h"
#include "events/cooldown_list.h"
#include "events/open_contacts.h"
#include "index/index.h"
#include "query/query_types.h"
#include "world/snapshot.h"

namespace vicinity {

/// Everything one tick published, frozen together. Immutable.
struct PublishedFrame {
  Tick tick = 0;
  IndexVersion index_version = 0;
  std::shared_ptr<const Snapshot> snapshot;
  std::shared_ptr<const IndexView> index;
  OpenContacts contacts;
  // What answers to ExplainPairQuery rest on beside these.
  std::shared_ptr<const ContactPolicy> policy;  ///< null = no rules
  CooldownView cooldowns;
  bool pairs_truncated = false;  ///< the search for pairs reached its budget in this tick
};

/// Hands the newest frame from the tick thread to any number of readers. A reader that pins a frame
/// keeps it, and all it holds, alive for as long as it likes.
class FramePublisher {
 public:
  /// Tick thread.
  void publish(std::shared_ptr<const PublishedFrame> frame);
  /// Any thread; never null after the first publish, and the lock is held for a pointer copy only.
  std::shared_ptr<const PublishedFrame> pin() const;

 private:
  mutable std::mutex mutex_;
  std::shared_ptr<const PublishedFrame> frame_;
};

/// Any thread. The query must be valid (wire/decode checks: finite, min <= max, radius >= 0, limit
/// >= 1, a hull or mesh where the kind of a shape says so). An unknown entity in ContactsQuery
/// gives an empty answer. Not for ExplainViewQuery: what it asks about is no part of a frame (see
/// tick/explain_view.h). ExplainPairQuery: query/explain.h says what it costs.
///
/// Cost: one search of the index, then one look at the box of each candidate; what cannot be among
/// the first hits is never looked at by its shape. There are no more candidates than entities in
/// the world; the shape of each is looked at once, and only
///     overlaps   until the limit is passed
///     casts      while its box is reached before the last of the hits that are kept
///     nearest    while its box is closer than the last of the hits that are kept
/// and all of them until limits::exact_parts_per_query_max parts of shapes were looked at,
/// triangles of meshes that they came to included; the last shape is looked at as a whole. Which
/// these are, and so the answer, is the same for every index and any number of workers. Contacts
/// count one for each entity whose tight box is in reach. A cast at a mesh looks at every triangle
/// in reach of the path: 10 ms for 32 000 of them, all else far less (cloud machine, 2026-11-30). A
/// later page looks at those of the pages before once more. Memory: 4 bytes for each candidate, 16
/// more with exact casts and nearest, and the hits of one page.
QueryAnswer answer_query(const PublishedFrame& frame, const Query& query);

}  // namespace vicinity
