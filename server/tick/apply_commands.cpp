// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#include "tick/apply_commands.h"

#include <algorithm>
#include <variant>

#include "base/check.h"
#include "base/limits.h"

namespace vicinity {
namespace {

class Applying {
 public:
  Applying(Tick tick, const PlayerLimits& player_limits, const CommandTargets& targets)
      : tick_(tick),
        player_limits_(player_limits),
        table_(targets.table),
        interest_(targets.interest),
        policy_(targets.policy),
        sessions_(targets.sessions),
        contacts_(targets.contacts) {}

  void apply(const Command& command);
  const ApplyStats& stats() const { return stats_; }

 private:
  void open_session(SessionId session, const OpenSessionCommand& body);
  void close_session(SessionId session, const CloseSessionCommand& body);
  void restart();
  CommandResult apply_of_client(const Command& command, Session& session);
  ErrorCode set_policy(const SetPolicyCommand& body, Role role);
  ErrorCode subscribe(SessionId id, const SubscribeCommand& body, Session& session);
  ErrorCode set_visibility(SessionId id, const SetVisibilityCommand& body);
  ErrorCode apply_area_command(const Command& command);
  /// Hands `command` with its resolved anchor to the given member of Interest.
  template <class Body>
  ErrorCode with_anchor(SessionId session, const Body& body,
                        ErrorCode (Interest::*change)(SessionId, const Body&, EntityId));

  Tick tick_;
  PlayerLimits player_limits_;
  EntityTable& table_;
  Interest& interest_;
  ContactPolicy& policy_;
  SessionTable& sessions_;
  ContactTracker& contacts_;
  SessionId current_session_;
  SpawnedThisTick spawned_;  ///< by current_session_
  ApplyStats stats_;
};

void Applying::apply(const Command& command) {
  if (command.session != current_session_) {
    current_session_ = command.session;
    spawned_.clear();
  }
  if (const auto* open = std::get_if<OpenSessionCommand>(&command.body))
    return open_session(command.session, *open);
  if (const auto* close = std::get_if<CloseSessionCommand>(&command.body))
    return close_session(command.session, *close);
  if (std::holds_alternative<DespawnOwnedCommand>(command.body))
    return table_.despawn_owned_by(command.session);
  if (std::holds_alternative<RestartCommand>(command.body)) return restart();
  ++stats_.commands;
  const auto session = sessions_.find(command.session);
  if (session == sessions_.end()) {
    ++stats_.refused;  // WrongRole; nobody is left to be told
    return;
  }
  const CommandResult result = apply_of_client(command, session->second);
  if (result.code != ErrorCode::None) ++stats_.refused;
  session->second.results.push_back(result);
}

void Applying::open_session(SessionId session, const OpenSessionCommand& body) {
  const auto [entry, is_new] = sessions_.try_emplace(
      session, Session{body.role, body.contacts, tick_, tick_, {}, body.contact_details, {}});
  interest_.open_session(session, body.role);
  entry->second.view_number = body.view_number;
  if (!is_new) entry->second.opened = tick_;  // a client that begins anew
}

void Applying::close_session(SessionId session, const CloseSessionCommand& body) {
  const auto entry = sessions_.find(session);
  if (entry == sessions_.end()) return;
  // The entities of an authority outlive it: the world goes on while its server restarts.
  if (entry->second.role == Role::Player) {
    if (body.keep_entities) {
      table_.release_owned_by(session);
    } else {
      table_.despawn_owned_by(session);
    }
  }
  interest_.close_session(session);
  sessions_.erase(entry);
}

void Applying::restart() {
  table_.skip_generations(limits::restart_generations);
  contacts_.skip_event_numbers(limits::restart_events);
}

CommandResult Applying::apply_of_client(const Command& command, Session& session) {
  if (is_entity_command(command.body)) {
    const ApplyOutcome outcome =
        apply_entity_command(command, session.role, player_limits_, table_, spawned_);
    return {command.sequence, outcome.code, outcome.entity};
  }
  if (const auto* policy = std::get_if<SetPolicyCommand>(&command.body))
    return {command.sequence, set_policy(*policy, session.role), {}};
  if (const auto* wish = std::get_if<SubscribeCommand>(&command.body))
    return {command.sequence, subscribe(command.session, *wish, session), {}};
  if (const auto* end = std::get_if<UnsubscribeCommand>(&command.body))
    return {command.sequence, session.subscriptions.remove(end->subscription), {}};
  if (const auto* visibility = std::get_if<SetVisibilityCommand>(&command.body))
    return {command.sequence, set_visibility(command.session, *visibility), {}};
  return {command.sequence, apply_area_command(command), {}};
}

ErrorCode Applying::set_policy(const SetPolicyCommand& body, Role role) {
  if (role != Role::Authority) return ErrorCode::WrongRole;
  if (!are_within_limits(body.rules)) return ErrorCode::LimitExceeded;
  policy_.replace(body.rules, tick_);
  return ErrorCode::None;
}

ErrorCode Applying::subscribe(SessionId id, const SubscribeCommand& body, Session& session) {
  const bool is_player = session.role == Role::Player;
  if (body.kind != SubscriptionKind::Entity) {
    return is_player ? ErrorCode::WrongRole : session.subscriptions.add(body, {});
  }
  const auto entity = resolve(table_, spawned_, body.entity);
  if (!entity) return entity.error();
  if (is_player && table_.owner_of(entity.value()) != id) return ErrorCode::WrongRole;
  return session.subscriptions.add(body, entity.value());
}

ErrorCode Applying::set_visibility(SessionId id, const SetVisibilityCommand& body) {
  const auto entity = resolve(table_, spawned_, body.entity);
  return entity ? interest_.set_visibility(id, body, entity.value()) : entity.error();
}

ErrorCode Applying::apply_area_command(const Command& command) {
  if (const auto* add = std::get_if<AddAreaCommand>(&command.body))
    return with_anchor(command.session, *add, &Interest::add_area);
  if (const auto* change = std::get_if<ChangeAreaCommand>(&command.body))
    return with_anchor(command.session, *change, &Interest::change_area);
  const auto* remove = std::get_if<RemoveAreaCommand>(&command.body);
  CHECK(remove != nullptr);
  return interest_.remove_area(command.session, *remove);
}

template <class Body>
ErrorCode Applying::with_anchor(SessionId session, const Body& body,
                                ErrorCode (Interest::*change)(SessionId, const Body&, EntityId)) {
  EntityId anchor;
  if (body.spec.anchor.present()) {
    const auto resolved = resolve(table_, spawned_, body.spec.anchor);
    if (!resolved) return resolved.error();
    anchor = resolved.value();
  }
  return (interest_.*change)(session, body, anchor);
}

}  // namespace

bool are_within_limits(const std::vector<PolicyRule>& rules) {
  return rules.size() <= limits::policy_rules_max &&
         std::all_of(rules.begin(), rules.end(), [](const PolicyRule& rule) {
           return rule.stay_interval_ticks <= limits::policy_ticks_max &&
                  rule.cooldown_ticks <= limits::policy_ticks_max;
         });
}

ApplyStats apply_commands(const std::vector<Command>& commands, Tick tick,
                          const PlayerLimits& player_limits, const CommandTargets& targets) {
  Applying applying(tick, player_limits, targets);
  for (const Command& command : commands) applying.apply(command);
  return applying.stats();
}

}  // namespace vicinity
