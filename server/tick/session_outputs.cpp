// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#include "tick/session_outputs.h"

#include <algorithm>
#include <tuple>
#include <utility>

namespace vicinity {
namespace {

class Routing {
 public:
  explicit Routing(SessionTable& sessions) {
    outputs_.reserve(sessions.size());
    for (auto& [id, session] : sessions) {
      SessionOutput output;
      output.session = id;
      output.view_number = session.view_number;
      output.results = std::exchange(session.results, {});
      outputs_.push_back(std::move(output));
      // With subscriptions, those of its own entities are told among the others.
      is_own_only_.push_back(session.contacts == ContactScope::Own && session.subscriptions.idle());
    }
  }

  /// Output of an open session, else null: owners may be long gone.
  SessionOutput* find(SessionId session) {
    const auto place = std::lower_bound(
        outputs_.begin(), outputs_.end(), session,
        [](const SessionOutput& output, SessionId key) { return output.session < key; });
    return place != outputs_.end() && place->session == session ? &*place : nullptr;
  }

  /// Gives each event to the sessions of scope Own that own one of its two entities, once, but not
  /// to those with subscriptions.
  template <class Event>
  void to_owners(const std::vector<Event>& events, std::vector<Event> SessionOutput::*list) {
    for (const Event& event : events) {
      const SessionId a = event.contact.owner_a;
      const SessionId b = event.contact.owner_b;
      to_owner(a, event, list);
      if (b != a) to_owner(b, event, list);
    }
  }

  std::vector<SessionOutput>& outputs() { return outputs_; }

 private:
  template <class Event>
  void to_owner(SessionId owner, const Event& event, std::vector<Event> SessionOutput::*list) {
    SessionOutput* output = find(owner);
    if (output == nullptr) return;
    if (is_own_only_[static_cast<std::size_t>(output - outputs_.data())])
      (output->*list).push_back(event);
  }

  std::vector<SessionOutput> outputs_;
  std::vector<bool> is_own_only_;  ///< session of the output of the same index
};

/// Begins for a session that is new in this tick: what began now and everything that was open
/// already, sorted by pair.
std::vector<ContactBegin> begins_for_newcomer(const Snapshot& snapshot, const OpenContacts& open,
                                              const std::vector<ContactBegin>& begins) {
  std::vector<ContactBegin> all = begins;
  for (const OpenContact& contact : open.to_vector())
    if (contact.begin_tick != snapshot.tick)
      all.push_back({describe(contact, snapshot), 1.0, false, 0});
  std::sort(all.begin(), all.end(), [](const ContactBegin& x, const ContactBegin& y) {
    return std::tie(x.contact.a, x.contact.b) < std::tie(y.contact.a, y.contact.b);
  });
  return all;
}

/// To a session of scope All.
void tell_all(const Snapshot& snapshot, const OpenContacts& open, const ContactEvents& contacts,
              bool is_newcomer, SessionOutput& output) {
  output.contact_passed = contacts.passed;
  output.contact_stays = contacts.stays;
  if (is_newcomer) {
    // Ends of this tick belong to contacts that the newcomer never heard of.
    output.contact_begins = begins_for_newcomer(snapshot, open, contacts.begins);
  } else {
    output.contact_ends = contacts.ends;
    output.contact_begins = contacts.begins;
  }
}

void tell_all_and_subscribed(const Snapshot& snapshot, const OpenContacts& open,
                             const ContactEvents& contacts, SessionTable& sessions,
                             std::vector<SessionOutput>& outputs) {
  std::vector<OpenContact> all_open;  // for new subscriptions
  auto output = outputs.begin();
  for (auto& [id, session] : sessions) {
    Subscriptions& subscriptions = session.subscriptions;
    if (session.contacts == ContactScope::All) {
      tell_all(snapshot, open, contacts, session.opened == snapshot.tick, *output);
    } else if (!subscriptions.idle()) {
      if (subscriptions.has_new() && all_open.empty()) open.append_to(all_open);
      const SessionId owner = session.contacts == ContactScope::Own ? id : SessionId{};
      subscriptions.tell(snapshot, all_open, contacts, owner, *output);
    }
    // Of a session that begins anew, not of a new one: that has nothing to be told again.
    const bool begins_anew =
        session.opened == snapshot.tick && session.first_opened != session.opened;
    if (begins_anew && session.contacts != ContactScope::All) {
      if (all_open.empty()) open.append_to(all_open);
      output->contact_ends.clear();
      const SessionId owner = session.contacts == ContactScope::Own ? id : SessionId{};
      subscriptions.tell_again(snapshot, all_open, owner, output->contact_begins);
    }
    subscriptions.settle();
    ++output;
  }
}

}  // namespace

std::vector<SessionOutput> make_session_outputs(const Snapshot& snapshot, const OpenContacts& open,
                                                const ContactEvents& contacts,
                                                std::vector<ObserverEvents>&& observers,
                                                SessionTable& sessions) {
  Routing routing(sessions);
  for (ObserverEvents& events : observers)
    if (SessionOutput* output = routing.find(events.session))
      output->observers.push_back(std::move(events));
  for (const Despawn& despawn : snapshot.despawned) {
    // Its own doing is in the results, but for what ended along with what it named.
    const bool is_named = despawn.reason != DespawnReason::ParentEnded;
    if (despawn.by == despawn.owner && is_named) continue;
    if (SessionOutput* output = routing.find(despawn.owner)) output->lost.push_back(despawn);
  }
  routing.to_owners(contacts.ends, &SessionOutput::contact_ends);
  routing.to_owners(contacts.begins, &SessionOutput::contact_begins);
  routing.to_owners(contacts.passed, &SessionOutput::contact_passed);
  routing.to_owners(contacts.stays, &SessionOutput::contact_stays);
  tell_all_and_subscribed(snapshot, open, contacts, sessions, routing.outputs());
  return std::move(routing.outputs());
}

}  // namespace vicinity
