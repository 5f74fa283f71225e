// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#pragma once

// The sessions the tick room knows: what each may do and what it wants to hear. Changed by
// OpenSession and CloseSession commands only. Tick thread only.

#include <map>
#include <vector>

#include "base/ids.h"
#include "tick/simulation.h"
#include "tick/subscriptions.h"
#include "world/command.h"

namespace vicinity {

struct Session {
  Role role = Role::Observer;
  ContactScope contacts = ContactScope::None;
  /// Tick in which it was opened, or in which its client began anew and knows of no contact.
  Tick opened = 0;
  Tick first_opened = 0;
  std::vector<CommandResult> results;  ///< of this tick, in command order
  bool contact_details = false;        ///< wants to know where and how contacts begin
  Subscriptions subscriptions;
  std::uint32_t view_number = 0;  ///< how often its client began anew
};

using SessionTable = std::map<SessionId, Session>;

}  // namespace vicinity
