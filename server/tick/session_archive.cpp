// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#include "tick/session_archive.h"

#include <algorithm>
#include <cstdint>
#include <vector>

#include "base/check.h"
#include "base/limits.h"
#include "world/archive_values.h"

namespace vicinity {

template <class Archive>
void archive(Archive& a, FieldsOf<Archive, Session>& session) {
  archive_enum(a, session.role, Role::Authority);
  archive_enum(a, session.contacts, ContactScope::All);
  a(session.opened), a(session.first_opened), a(session.contact_details), a(session.view_number);
}

void Subscriptions::save(ArchiveWriter& out) const {
  CHECK(!has_new_);
  out(static_cast<std::uint64_t>(by_id_.size()));
  for (const auto& [id, subscription] : by_id_) out(subscription.command), out(subscription.entity);
  const std::vector<EntityPair> told = told_.sorted_pairs();
  out(static_cast<std::uint64_t>(told.size()));
  for (const EntityPair& pair : told) out(pair.a), out(pair.b);
}

void Subscriptions::load(ArchiveReader& in, const RestoredEntities& entities,
                         std::span<const OpenContact> open) {
  const std::uint64_t count = in.count(sizeof(SubscribeCommand) / 2);
  in.require(count <= limits::subscriptions_per_session_max);
  for (std::uint64_t i = 0; i < count && in.ok(); ++i) {
    Subscription subscription;
    in(subscription.command), in(subscription.entity);
    subscription.is_new = false;
    const std::uint32_t id = subscription.command.subscription;
    in.require(by_id_.empty() || by_id_.rbegin()->first < id);
    if (in.ok()) by_id_.emplace(id, subscription);
  }
  const std::uint64_t told = in.count(2 * sizeof(EntityId));
  EntityPair before;
  for (std::uint64_t i = 0; i < told && in.ok(); ++i) {
    EntityPair pair;
    in(pair.a), in(pair.b);
    in.require(before < pair && entities.is_known(pair.a) && entities.is_known(pair.b));
    before = pair;
    if (!in.ok() || !entities.is_alive(pair.a) || !entities.is_alive(pair.b)) continue;
    const auto is_before = [](const OpenContact& contact, const EntityPair& key) {
      return EntityPair{contact.a, contact.b} < key;
    };
    const auto at = std::lower_bound(open.begin(), open.end(), pair, is_before);
    in.require(at != open.end() && at->a == pair.a && at->b == pair.b);
    if (in.ok()) told_.set(pair, {});
  }
}

void save_sessions(const SessionTable& sessions, ArchiveWriter& out) {
  out(static_cast<std::uint64_t>(sessions.size()));
  for (const auto& [id, session] : sessions) {
    CHECK(session.results.empty());
    out(id), out(session);
    session.subscriptions.save(out);
  }
}

void load_sessions(ArchiveReader& in, const RestoredEntities& entities, const OpenContacts& open,
                   SessionTable& sessions) {
  const std::vector<OpenContact> contacts = open.to_vector();
  const std::uint64_t count = in.count(sizeof(SessionId));
  for (std::uint64_t i = 0; i < count && in.ok(); ++i) {
    SessionId id;
    Session session;
    in(id), in(session);
    in.require((sessions.empty() || sessions.rbegin()->first < id) &&
               session.first_opened <= session.opened &&
               session.opened <= entities.snapshot().tick);
    session.subscriptions.load(in, entities, contacts);
    if (in.ok()) sessions.emplace(id, std::move(session));
  }
}

}  // namespace vicinity
