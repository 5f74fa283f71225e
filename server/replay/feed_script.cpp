// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#include "replay/feed_script.h"

#include <algorithm>
#include <type_traits>

#include "base/check.h"
#include "base/limits.h"
#include "events/contact_policy.h"

namespace vicinity::replay {
namespace {

/// Nothing when the session ended in this very tick: then nobody is told.
const CommandResult* result_of(const TickOutput& output, const Command& command) {
  const auto session =
      std::lower_bound(output.sessions.begin(), output.sessions.end(), command.session,
                       [](const SessionOutput& each, SessionId id) { return each.session < id; });
  if (session == output.sessions.end() || session->session != command.session) return nullptr;
  const auto result = std::lower_bound(
      session->results.begin(), session->results.end(), command.sequence,
      [](const CommandResult& each, std::uint64_t sequence) { return each.sequence < sequence; });
  const bool found = result != session->results.end() && result->sequence == command.sequence;
  return found ? &*result : nullptr;
}

template <class T, class... Ts>
constexpr bool is_one_of = (std::is_same_v<T, Ts> || ...);

}  // namespace

/// One command of the journal that was not refused.
struct FeedScript::Translate {
  FeedScript& script;
  const Command& command;
  const CommandResult* result;

  void operator()(const SpawnCommand& spawn) const {
    if (result == nullptr) return;  // if it lives, it is found in the world
    script.spawned_[{command.session, command.sequence}] = result->entity;
    script.spawn(result->entity, spawn);
  }
  template <class Body>
    requires is_one_of<Body, DespawnCommand, SetVelocityCommand, MoveToCommand, TeleportCommand,
                       SetShapeCommand, SetFilterCommand, SetUserDataCommand, DetachCommand,
                       SetRelevanceCommand>
  void operator()(Body body) const {
    const auto id = script.journal_id(body.entity, command.session);
    const auto twin = id ? script.twin_of(*id) : std::nullopt;
    if (!twin) return;
    if constexpr (std::is_same_v<Body, DespawnCommand>) script.despawned_.insert(*id);
    if constexpr (std::is_same_v<Body, SetVelocityCommand>) script.with_velocity_.insert(*id);
    if constexpr (is_one_of<Body, MoveToCommand, TeleportCommand>) script.moved_.insert(*id);
    body.entity = *twin;
    script.push(std::move(body));
  }
  void operator()(AttachCommand body) const {
    const auto entity = script.translated(body.entity, command.session);
    const auto parent = script.translated(body.parent, command.session);
    if (!entity || !parent) return;
    body.entity = *entity;
    body.parent = *parent;
    script.push(std::move(body));
  }
  void operator()(ExcludePairCommand body) const {
    const auto a = script.translated(body.a, command.session);
    const auto b = script.translated(body.b, command.session);
    if (!a || !b) return;
    body.a = *a;
    body.b = *b;
    script.push(body);
  }
  void operator()(const SetPolicyCommand& body) const { script.push(body); }
  void operator()(const AddAreaCommand& body) const { script.add_area(command.session, body); }
  void operator()(ChangeAreaCommand body) const {
    const auto area = script.areas_.find({command.session, body.area});
    if (area == script.areas_.end() || !script.translate(body.spec, command.session)) return;
    body.area = area->second;
    script.push(std::move(body));
  }
  void operator()(const RemoveAreaCommand& body) const {
    const auto area = script.areas_.find({command.session, body.area});
    if (area == script.areas_.end()) return;
    script.push(RemoveAreaCommand{area->second});
    script.areas_.erase(area);
  }
  void operator()(SetVisibilityCommand body) const {
    const auto observer = script.observers_.find({command.session, body.observer});
    const auto entity = script.translated(body.entity, command.session);
    if (observer == script.observers_.end() || !entity) return;
    body.observer = observer->second;
    body.entity = *entity;
    script.push(body);
  }
  void operator()(const SubscribeCommand&) const { ++script.left_out_; }
  void operator()(const UnsubscribeCommand&) const { ++script.left_out_; }
  void operator()(const CloseSessionCommand&) const { script.end_session(command.session); }
  // What they do to entities is seen in the world.
  void operator()(const OpenSessionCommand&) const {}
  void operator()(const DespawnOwnedCommand&) const {}
  void operator()(const RestartCommand&) const {}
};

// --- Parts of a batch ------------------------------------------------------------------------

void FeedScript::begin(std::uint64_t first_sequence) {
  commands_.clear();
  first_sequence_ = first_sequence;
  spawned_.clear();
  despawned_.clear();
  with_velocity_.clear();
  moved_.clear();
}

std::uint64_t FeedScript::push(CommandBody command) {
  commands_.push_back(std::move(command));
  return first_sequence_ + commands_.size() - 1;
}

void FeedScript::spawn(EntityId journal_id, const SpawnCommand& command) {
  const std::uint64_t sequence = push(command);
  twins_[journal_id] = {{}, sequence};
  unanswered_[sequence] = journal_id;
}

void FeedScript::spawn_as_it_is(const Snapshot& snapshot, std::uint32_t slot, bool moves) {
  SpawnCommand command;
  command.position = snapshot.position[slot];
  command.rotation = snapshot.pose(slot).rotation;
  command.shape = snapshot.shape[slot];
  command.filter = snapshot.filter[slot];
  command.user_data = snapshot.user_data[slot];
  if (!snapshot.relevance.empty()) command.relevance = snapshot.relevance[slot];
  if (moves) {
    command.velocity = snapshot.velocity[slot];
    command.angular_velocity = snapshot.angular_velocity(slot);
  }
  spawn(snapshot.id[slot], command);
}

/// By its id, or, while that is not known, by its spawn, which is in the same batch then.
std::optional<EntityRef> FeedScript::twin_of(EntityId journal_id) const {
  const auto found = twins_.find(journal_id);
  if (found == twins_.end()) return std::nullopt;
  if (found->second.id) return EntityRef{found->second.id, 0};
  CHECK(found->second.sequence >= first_sequence_);
  return EntityRef{{}, found->second.sequence};
}

std::optional<EntityId> FeedScript::journal_id(const EntityRef& ref, SessionId session) const {
  if (ref.id) return ref.id;
  const auto found = spawned_.find({session, ref.spawned_by});
  return found == spawned_.end() ? std::nullopt : std::optional(found->second);
}

std::optional<EntityRef> FeedScript::translated(const EntityRef& ref, SessionId session) const {
  const auto id = journal_id(ref, session);
  return id ? twin_of(*id) : std::nullopt;
}

bool FeedScript::translate(AreaSpec& spec, SessionId session) const {
  if (!spec.anchor.present()) return true;
  const auto anchor = translated(spec.anchor, session);
  if (anchor) spec.anchor = *anchor;
  return anchor.has_value();
}

void FeedScript::add_area(SessionId session, const AddAreaCommand& command) {
  AddAreaCommand body = command;
  if (!settings_.with_areas || areas_.size() >= limits::areas_per_session_max ||
      !translate(body.spec, session)) {
    ++left_out_;
    return;
  }
  const auto [observer, is_new] = observers_.try_emplace({session, command.observer});
  if (is_new) observer->second = ObserverId{++last_observer_};
  body.observer = observer->second;
  body.area = areas_[{session, command.area}] = AreaId{++last_area_};
  push(std::move(body));
}

void FeedScript::end_session(SessionId session) {
  auto area = areas_.lower_bound({session, AreaId{}});
  while (area != areas_.end() && area->first.first == session) {
    push(RemoveAreaCommand{area->second});
    area = areas_.erase(area);
  }
  const auto first = observers_.lower_bound({session, ObserverId{}});
  auto last = first;
  while (last != observers_.end() && last->first.first == session) ++last;
  observers_.erase(first, last);
}

// --- A tick ----------------------------------------------------------------------------------

/// What ended without a command for it. What hung on something that ended goes by itself.
void FeedScript::add_ends(const Snapshot& snapshot) {
  const auto end = [this](EntityId id) {
    const auto twin = twin_of(id);
    if (twin && !despawned_.contains(id)) clean_ups_.insert(push(DespawnCommand{*twin}));
  };
  for (const Despawn& despawn : snapshot.despawned) {
    if (despawn.reason != DespawnReason::ParentEnded) end(despawn.id);
    twins_.erase(despawn.id);
  }
  for (const auto& [of, id] : spawned_) {  // in no snapshot when it ended in the same tick
    if (snapshot.contains(id)) continue;
    end(id);
    twins_.erase(id);
  }
}

void FeedScript::add_corrections(const Simulation& world) {
  const Snapshot& snapshot = *world.frame()->snapshot;
  for (const EntityId id : with_velocity_) {
    const auto twin = twin_of(id);
    if (!twin || !snapshot.contains(id) || moved_.contains(id) || world.attachment_of(id)) continue;
    const std::uint32_t slot = id.index();
    if (snapshot.filter[slot].is_static) continue;
    push(MoveToCommand{*twin, snapshot.position[slot], false, snapshot.pose(slot).rotation});
  }
}

FeedScript::Commands FeedScript::tick(const store::ReplayedTick& tick, const Simulation& world,
                                      std::uint64_t first_sequence) {
  CHECK(unanswered_.empty());
  begin(first_sequence);
  for (const Command& command : tick.record.commands) {
    const CommandResult* result = result_of(tick.output, command);
    if (result != nullptr && result->code != ErrorCode::None) continue;
    std::visit(Translate{*this, command, result}, command.body);
  }
  const Snapshot& snapshot = *world.frame()->snapshot;
  add_ends(snapshot);
  for (const std::uint32_t slot : world.changed())
    if (snapshot.is_alive(slot) && !twins_.contains(snapshot.id[slot]))
      spawn_as_it_is(snapshot, slot, true);
  if (settings_.corrects_positions) add_corrections(world);
  return std::move(commands_);
}

void FeedScript::learn(std::uint64_t sequence, const Error& error, EntityId entity) {
  clean_ups_.erase(sequence);
  const auto spawn = unanswered_.find(sequence);
  if (spawn == unanswered_.end()) return;
  const auto twin = twins_.find(spawn->second);
  if (twin != twins_.end() && twin->second.sequence == sequence) {
    if (error.code == ErrorCode::None) {
      twin->second.id = entity;
    } else {
      twins_.erase(twin);
    }
  }
  unanswered_.erase(spawn);
}

// --- The world before the first tick ---------------------------------------------------------

FeedScript::Commands FeedScript::spawns(const Simulation& world, std::uint32_t& slot,
                                        std::size_t count_max, std::uint64_t first_sequence) {
  begin(first_sequence);
  const Snapshot& snapshot = *world.frame()->snapshot;
  for (; slot < snapshot.slot_count() && commands_.size() < count_max; ++slot)
    if (snapshot.is_alive(slot)) spawn_as_it_is(snapshot, slot, false);
  return std::move(commands_);
}

void FeedScript::add_motion_and_ties(const Simulation& world) {
  const Snapshot& snapshot = *world.frame()->snapshot;
  for (std::uint32_t slot = 0; slot < snapshot.slot_count(); ++slot) {
    const auto twin = snapshot.is_alive(slot) ? twin_of(snapshot.id[slot]) : std::nullopt;
    if (!twin) continue;
    const Vec3 velocity = snapshot.velocity[slot];
    const Vec3 turning = snapshot.angular_velocity(slot);
    const auto attachment = world.attachment_of(snapshot.id[slot]);
    if (attachment) {
      const auto parent = twin_of(attachment->parent);
      if (parent) {
        push(AttachCommand{*twin, *parent, attachment->relative, attachment->on_parent_end,
                           attachment->follow_visibility});
      }
    } else if (velocity != Vec3{} || turning != Vec3{}) {
      push(SetVelocityCommand{*twin, velocity, turning});
    }
  }
  if (!snapshot.excluded) return;
  for (const auto& [a, b] : snapshot.excluded->pairs()) {
    const auto twin_a = twin_of(snapshot.id[a]);
    const auto twin_b = twin_of(snapshot.id[b]);
    if (twin_a && twin_b) push(ExcludePairCommand{*twin_a, *twin_b, true});
  }
}

void FeedScript::add_areas(const Simulation& world, SessionId session) {
  const Interest& interest = world.interest();
  for (const ObserverId observer : interest.observer_ids(session)) {
    for (const InterestArea& area : interest.areas_of(session, observer)) {
      AddAreaCommand command{observer, area.id, area.spec};
      command.spec.anchor = {area.anchor, 0};
      add_area(session, command);
    }
    const auto mine = observers_.find({session, observer});
    const Observer* found = interest.find(session, observer);
    if (mine == observers_.end() || found == nullptr) continue;
    for (const VisibilityEntry& entry : found->visibilities)
      if (const auto twin = twin_of(entry.id))
        push(SetVisibilityCommand{mine->second, *twin, entry.visibility});
  }
}

FeedScript::Commands FeedScript::state(const Simulation& world,
                                       const std::vector<SessionId>& sessions,
                                       std::uint64_t first_sequence) {
  CHECK(unanswered_.empty());
  begin(first_sequence);
  // Also when there is none: the server may have one of its own.
  SetPolicyCommand in_force;
  if (const auto& policy = world.frame()->policy)
    in_force.rules.assign(policy->rules().begin(), policy->rules().end());
  push(std::move(in_force));
  add_motion_and_ties(world);
  for (const SessionId session : sessions) add_areas(world, session);
  return std::move(commands_);
}

}  // namespace vicinity::replay
