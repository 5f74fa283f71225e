// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#include "access/gatekeeper.h"

#include <chrono>
#include <utility>

namespace vicinity::access {

std::string Gatekeeper::reload() {
  auto loaded = TokenKeys::load(settings_.keys);
  if (!loaded.ok()) return loaded.error().text;
  auto fresh = std::make_shared<const TokenKeys>(std::move(loaded.value()));
  const std::lock_guard lock(mutex_);
  keys_ = std::move(fresh);
  return {};
}

std::shared_ptr<const TokenKeys> Gatekeeper::keys() const {
  const std::lock_guard lock(mutex_);
  return keys_;
}

Result<Grant, TokenFault> Gatekeeper::check(std::string_view token) {
  auto checked = check_token(token, *keys(), settings_.rules, now_s());
  if (checked.ok()) {
    ++accepted_;
  } else {
    ++(checked.error().code == ErrorCode::TokenExpired ? expired_ : unauthorized_);
  }
  return checked;
}

GatekeeperStats Gatekeeper::stats() const { return {accepted_, unauthorized_, expired_}; }

std::size_t Gatekeeper::key_count() const { return keys()->count(); }

std::int64_t Gatekeeper::now_s() {
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  return std::chrono::duration_cast<std::chrono::seconds>(now).count();
}

}  // namespace vicinity::access
