// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#pragma once

// A simulation whose sessions are streamed to model clients over links that a test controls: frames
// are lost when a link is cut, and wait when it has no room. A model client knows only what was
// delivered; the world knows the truth.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <deque>
#include <map>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "stream/streams.h"
#include "tick/simulation.h"

namespace vicinity::test {

using ContactKey = std::tuple<EntityId, EntityId, Tick>;

/// One frame on its way.
struct ModelFrame {
  Tick tick = 0;
  FrameSelection selection;
  std::vector<SessionOutput> events;  ///< by ascending tick
  /// Of the entities in the selection, as they were when it was made.
  std::map<std::uint32_t, EntityId> ids;             ///< by slot
  std::map<std::uint32_t, Vec3> positions;           ///< by slot, f64
  std::map<std::uint32_t, QuantisedMotion> motions;  ///< by slot
};

/// What a client knows, by the rules of the wire.
class ModelClient {
 public:
  struct Seen {
    EntityId id;
    Vec3 position;
    std::uint16_t velocity[3] = {0, 0, 0};
    std::uint32_t rotation = 0;
    Tick updated = 0;
  };
  using Name = std::pair<ObserverId, EntityId>;

  explicit ModelClient(double resolution_m) : resolution_m_(resolution_m) {}

  void receive(const ModelFrame& frame);
  void forget() {
    view.clear();
    by_alias_.clear();
    contacts.clear();
  }

  std::map<Name, Seen> view;
  std::set<ContactKey> contacts;
  std::vector<ContactKey> begins;  ///< all, in order
  std::vector<ContactKey> ends;
  std::uint64_t results = 0;
  Tick tick = 0;
  std::uint32_t enters_waiting = 0;
  StreamHealth health = StreamHealth::Ok;
  std::size_t near_moves = 0;

 private:
  void receive_events(const SessionOutput& events);
  void receive_moves(const MoveLists& lists, const ModelFrame& frame);
  Seen* find(const MoveLists& lists, std::uint16_t alias);
  void place(const MoveLists& lists, std::uint16_t alias, std::int64_t x, std::int64_t y,
             std::int64_t z, Tick now);

  double resolution_m_;
  std::map<std::uint32_t, Name> by_alias_;
};

inline void ModelClient::receive(const ModelFrame& frame) {
  EXPECT_GT(frame.tick, tick);
  tick = frame.tick;
  for (const SessionOutput& events : frame.events) receive_events(events);
  for (const StreamedLeave& leave : frame.selection.leaves) {
    const Name name{leave.observer, leave.leave.id};
    EXPECT_EQ(view.erase(name), 1u) << "leave without enter of slot " << leave.leave.id.index();
    std::erase_if(by_alias_, [&](const auto& entry) { return entry.second == name; });
  }
  const auto take_state = [&](const StreamedEntity& entity, bool is_enter) {
    const Name name{entity.observer, frame.ids.at(entity.slot)};
    EXPECT_EQ(view.contains(name), !is_enter) << (is_enter ? "second enter" : "change unseen");
    if (is_enter) {
      EXPECT_FALSE(by_alias_.contains(entity.alias)) << "alias given twice";
      by_alias_[entity.alias] = name;
    }
    EXPECT_EQ(by_alias_[entity.alias], name);
    Seen& seen = view[name];
    seen.id = name.second;
    seen.position = frame.positions.at(entity.slot);
    const QuantisedMotion& motion = frame.motions.at(entity.slot);
    std::copy(std::begin(motion.velocity), std::end(motion.velocity), seen.velocity);
    seen.rotation = motion.rotation;
    seen.updated = frame.tick;
  };
  for (const StreamedEntity& entity : frame.selection.enters) take_state(entity, true);
  for (const StreamedEntity& entity : frame.selection.changed) take_state(entity, false);
  for (std::size_t i = 0; i < frame.selection.move_count; ++i)
    receive_moves(frame.selection.moves[i], frame);
  enters_waiting = frame.selection.enters_waiting;
  health = frame.selection.health;
}

inline void ModelClient::receive_events(const SessionOutput& events) {
  const auto key = [](const EventContact& c) { return ContactKey{c.a, c.b, c.begin_tick}; };
  const auto end = [&](const ContactEnd& event) {
    EXPECT_EQ(contacts.erase(key(event.contact)), 1u) << "end without begin";
    ends.push_back(key(event.contact));
  };
  results += events.results.size();
  for (const ContactEnd& event : events.contact_ends) end(event);
  for (const ContactBegin& event : events.contact_begins) {
    EXPECT_TRUE(contacts.insert(key(event.contact)).second) << "begin twice";
    begins.push_back(key(event.contact));
  }
  for (const ContactEnd& event : events.contact_passed) end(event);
}

inline ModelClient::Seen* ModelClient::find(const MoveLists& lists, std::uint16_t alias) {
  const auto name = by_alias_.find(lists.page << 16 | alias);
  if (name == by_alias_.end() || name->second.first != lists.observer) {
    ADD_FAILURE() << "update of an alias that names nothing: " << alias;
    return nullptr;
  }
  return &view.at(name->second);
}

inline void ModelClient::place(const MoveLists& lists, std::uint16_t alias, std::int64_t x,
                               std::int64_t y, std::int64_t z, Tick now) {
  Seen* seen = find(lists, alias);
  if (seen == nullptr) return;
  EXPECT_LT(seen->updated, now) << "twice in one frame";
  seen->position = {static_cast<double>(lists.origin.x + x) * resolution_m_,
                    static_cast<double>(lists.origin.y + y) * resolution_m_,
                    static_cast<double>(lists.origin.z + z) * resolution_m_};
  seen->updated = now;
}

inline void ModelClient::receive_moves(const MoveLists& lists, const ModelFrame& frame) {
  for (const NearMove& move : lists.near) {
    place(lists, move.alias, move.x, move.y, move.z, frame.tick);
    ++near_moves;
  }
  for (const WideMove& move : lists.wide) {
    std::uint64_t bits = 0;
    for (int i = 3; i >= 0; --i) bits = bits << 16 | move.bits[i];
    const auto axis = [&](int shift) {
      const auto value = static_cast<std::int64_t>(bits >> shift & 0x1F'FFFF);
      return value < 0x10'0000 ? value : value - 0x20'0000;
    };
    place(lists, move.alias, axis(0), axis(21), axis(42), frame.tick);
  }
  for (const FarMove& move : lists.far) {
    if (Seen* seen = find(lists, move.alias)) {
      seen->position = frame.positions.at(move.slot);
      seen->updated = frame.tick;
    }
  }
  for (const TurnUpdate& turn : lists.turns) {
    if (Seen* seen = find(lists, turn.alias))
      seen->rotation = std::uint32_t{turn.high} << 16 | turn.low;
  }
  for (const VelocityUpdate& update : lists.velocities) {
    if (Seen* seen = find(lists, update.alias)) {
      seen->velocity[0] = update.x;
      seen->velocity[1] = update.y;
      seen->velocity[2] = update.z;
    }
  }
}

/// A connection: what is sent waits in `on_the_way` until it is delivered or lost.
struct ModelLink {
  bool room = true;
  bool connected = true;
  std::deque<ModelFrame> on_the_way;
  std::size_t outbox_bytes = 0;
};

class StreamWorld {
 public:
  StreamWorld(const SimulationSettings& simulation, const StreamSettings& streams)
      : simulation_(simulation), streams_(streams), workers_(simulation.worker_count) {}

  std::uint64_t send(SessionId session, CommandBody body) {
    commands_.push_back({session, ++sequence_, std::move(body)});
    return sequence_;
  }
  void configure(SessionId session, Role role, std::uint64_t budget_bytes_per_s) {
    roles_[session] = {role, budget_bytes_per_s};
  }
  ModelLink& link(SessionId session) { return links_[session]; }

  /// One tick, and a frame for every session that has room.
  void step() {
    std::stable_sort(commands_.begin(), commands_.end(), [](const Command& x, const Command& y) {
      return std::pair(x.session, x.sequence) < std::pair(y.session, y.sequence);
    });
    TickOutput output = simulation_.run_tick(std::exchange(commands_, {}));
    snapshot_ = output.frame->snapshot;
    report_ = output.report;
    note_truth(output);
    streams_.absorb(output, simulation_.changed(), 0, workers_, [this](SessionStream& stream) {
      const auto [role, budget] = roles_[stream.session()];
      stream.configure(role, 0, budget);
    });
    for (SessionStream* stream : streams_.all()) serve(*stream);
  }

  /// Truth: what interest says each observer sees.
  const std::set<std::pair<ObserverId, EntityId>>& truth(SessionId session) {
    return truth_[session];
  }
  /// All that are open.
  const std::set<ContactKey>& true_contacts() const { return contacts_; }
  const std::vector<ContactKey>& true_begins(SessionId session) { return begins_[session]; }
  std::uint64_t result_count(SessionId session) { return results_[session]; }
  const std::vector<CommandResult>& last_results(SessionId session) { return last_[session]; }
  const Snapshot& snapshot() const { return *snapshot_; }
  Tick tick() const { return report_.tick; }
  SessionStream& stream(SessionId session) { return *streams_.find(session); }
  const MotionTable& motions() const { return streams_.motions(); }
  std::size_t largest_selection_bytes = 0;
  SelectScratch scratch;  ///< as the last frame left it

 private:
  void note_truth(const TickOutput& output) {
    contacts_.clear();
    for (const OpenContact& contact : output.frame->contacts.to_vector())
      contacts_.insert({contact.a, contact.b, contact.begin_tick});
    for (const SessionOutput& part : output.sessions) {
      auto& seen = truth_[part.session];
      for (const ObserverEvents& events : part.observers) {
        if (events.dropped)
          std::erase_if(seen, [&](const auto& n) { return n.first == events.observer; });
        for (const Leave& leave : events.leaves) seen.erase({events.observer, leave.id});
        for (const std::uint32_t slot : events.enters)
          seen.insert({events.observer, snapshot_->id[slot]});
      }
      for (const ContactBegin& e : part.contact_begins)
        begins_[part.session].emplace_back(e.contact.a, e.contact.b, e.contact.begin_tick);
      results_[part.session] += part.results.size();
      last_[part.session] = part.results;
    }
  }

  void serve(SessionStream& stream) {
    ModelLink& link = links_[stream.session()];
    if (!link.connected) return stream.park();
    EXPECT_TRUE(stream.observe(link.room, link.outbox_bytes, tick() * 50'000))
        << "taken for a slow consumer";
    if (!link.room) return;
    ModelFrame frame;
    frame.tick = tick();
    for (const ReliableTick* reliable : stream.reliable_to_send())
      frame.events.push_back(reliable->events);
    stream.select(*snapshot_, streams_.motions(), simulation_.interest(), {stream.frame_bytes(), 1},
                  scratch, frame.selection);
    const FrameSelection& chosen = frame.selection;
    std::size_t bytes = chosen.leaves.size() * streamed_bytes::leave +
                        (chosen.enters.size() + chosen.changed.size()) * streamed_bytes::state;
    for (std::size_t i = 0; i < chosen.move_count; ++i) bytes += chosen.moves[i].size_bytes();
    largest_selection_bytes = std::max(largest_selection_bytes, bytes);
    stream.sent(tick(), chosen, *snapshot_, bytes);
    for (std::uint32_t slot = 0; slot < snapshot_->slot_count(); ++slot) {
      if (!snapshot_->is_alive(slot)) continue;
      frame.ids[slot] = snapshot_->id[slot];
      frame.positions[slot] = snapshot_->position[slot];
      frame.motions[slot] = streams_.motions().row(slot).motion;
    }
    link.on_the_way.push_back(std::move(frame));
  }

  Simulation simulation_;
  Streams streams_;
  Workers workers_;
  std::vector<Command> commands_;
  std::uint64_t sequence_ = 0;
  std::map<SessionId, std::pair<Role, std::uint64_t>> roles_;
  std::map<SessionId, ModelLink> links_;
  std::map<SessionId, std::set<std::pair<ObserverId, EntityId>>> truth_;
  std::set<ContactKey> contacts_;
  std::map<SessionId, std::vector<ContactKey>> begins_;
  std::map<SessionId, std::uint64_t> results_;
  std::map<SessionId, std::vector<CommandResult>> last_;
  std::shared_ptr<const Snapshot> snapshot_;
  TickReport report_;
};

}  // namespace vicinity::test
