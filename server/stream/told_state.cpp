// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors

// What the streams know of one entity, for who asks why a client does not see it
// (ExplainViewQuery).

#include <algorithm>

#include "stream/session_stream.h"
#include "stream/streams.h"
#include "stream/view_stream.h"

namespace vicinity {

ToldState ViewStream::told(EntityId id, const MotionTable& motions) const {
  ToldState out;
  out.leave_waits = std::any_of(leaves_.begin(), leaves_.end(), [id](const WaitingLeave& waiting) {
    return waiting.leave.id == id;
  });
  const auto record =
      std::lower_bound(records_.begin(), records_.end(), id.index(),
                       [](const StreamRecord& r, std::uint32_t slot) { return r.slot < slot; });
  if (record == records_.end() || record->id() != id || !record->announced()) return out;
  const MotionRow& row = motions.row(record->slot);
  out.told = true;
  out.stale = record->standing == Standing::Stale || row.state_tick > record->told;
  out.update_waits = out.stale || motions.heads()[record->slot].moved_tick > record->told;
  out.told_tick = record->told;
  out.interval_ticks = record->interval;
  return out;
}

ToldState SessionStream::told(ObserverId observer, EntityId entity,
                              const MotionTable& motions) const {
  ToldState out;
  const auto view = views_.find(observer);
  if (view != views_.end()) out = view->second.told(entity, motions);
  out.health = static_cast<std::uint8_t>(health_);
  return out;
}

ToldState Streams::told(SessionId session, ObserverId observer, EntityId entity) const {
  const auto found = streams_.find(session);
  if (found == streams_.end()) return {};
  return found->second->told(observer, entity, motions_);
}

}  // namespace vicinity
