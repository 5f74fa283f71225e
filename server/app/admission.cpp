// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#include "app/admission.h"

#include <string>

#include "app/refusal_texts.h"

namespace vicinity::app {

Error check_newcomer(Shedding shedding, Role role, MemoryGuard* memory) {
  if (shedding >= Shedding::Sessions) return {ErrorCode::ServerFull, std::string(overloaded)};
  if (role == Role::Authority) return {};
  return memory != nullptr ? memory->check_session() : Error{};
}

}  // namespace vicinity::app
