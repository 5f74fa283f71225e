// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#pragma once

// A whole tick for one session as frames, for tests of both ends of the wire: what interest says of
// each observer goes out at once, and an entity's alias is its slot.

#include <cmath>
#include <cstdint>
#include <vector>

#include "stream/frame_selection.h"
#include "tick/simulation.h"
#include "wire/encode.h"

namespace vicinity::wire {

/// What one observer is told, with the updates that a stream would choose.
struct ToldObserver {
  SessionId session;
  ObserverId observer;
  std::vector<Leave> leaves;
  std::vector<std::uint32_t> enters;
  std::vector<std::uint32_t> changed;
  std::vector<std::uint32_t> moved;
  std::uint32_t visible_count = 0;
};
struct ToldSession : SessionOutput {
  std::vector<ToldObserver> observers;
};

/// `moved` of the observers as near moves around the origin of the world, where they fit.
inline FrameSelection selection_of(const Snapshot& snapshot, const ToldSession& session) {
  constexpr double resolution_m = 1.0 / 256;
  FrameSelection out;
  for (const ToldObserver& events : session.observers) {
    for (const Leave& leave : events.leaves) out.leaves.push_back({leave, events.observer});
    for (const std::uint32_t slot : events.enters)
      out.enters.push_back({slot, slot, events.observer});
    for (const std::uint32_t slot : events.changed)
      out.changed.push_back({slot, slot, events.observer});
    if (events.moved.empty()) continue;
    for (const std::uint32_t slot : events.moved) {
      if (out.move_count == 0 || out.moves[out.move_count - 1].observer != events.observer ||
          out.moves[out.move_count - 1].page != slot >> 16)
        out.add_moves(events.observer, slot >> 16, {});
      MoveLists& lists = out.moves[out.move_count - 1];
      const auto alias = static_cast<std::uint16_t>(slot);
      const QuantisedPosition at = quantise_position(snapshot.position[slot], resolution_m);
      const auto fits = [](std::int64_t v) { return v >= -32'767 && v <= 32'767; };
      if (fits(at.x) && fits(at.y) && fits(at.z)) {
        lists.near.push_back({alias, static_cast<std::int16_t>(at.x),
                              static_cast<std::int16_t>(at.y), static_cast<std::int16_t>(at.z)});
      } else {
        lists.far.push_back({alias, slot});
      }
      const Vec3 v = snapshot.velocity[slot];
      lists.velocities.push_back({alias, to_half(v.x), to_half(v.y), to_half(v.z)});
      const std::uint32_t turn = quantise_rotation(snapshot.pose(slot).rotation);
      lists.turns.push_back(
          {alias, static_cast<std::uint16_t>(turn), static_cast<std::uint16_t>(turn >> 16)});
      const Vec3 spin = snapshot.angular_velocity(slot);
      lists.spins.push_back({alias, to_half(spin.x), to_half(spin.y), to_half(spin.z)});
    }
  }
  return out;
}

[[nodiscard]] inline bool encode_tick(const TickOutput& output, const ToldSession& session,
                                      std::uint64_t server_time_us, std::size_t bytes_max,
                                      std::vector<std::uint8_t>& out) {
  const FrameSelection selection = selection_of(*output.frame->snapshot, session);
  FrameContent content;
  content.tick = output.report.tick;
  content.index_version = output.report.index_version;
  content.server_time_us = server_time_us;
  content.result_hash = output.report.hash;
  content.events = &session;
  content.selection = &selection;
  content.snapshot = output.frame->snapshot.get();
  return encode_frame(content, bytes_max, out);
}

}  // namespace vicinity::wire
