// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#pragma once

// What a token says, once it has been found good. Tokens are JSON web tokens (RFC 7519) in compact
// form, made by the game's own back end, or by vicinity-token for development.
//
//      header     alg: that of the key; kid: names the key
//      payload    sub, exp, role            needed
//                 nbf, aud                  checked where they are
//                 areas_max, area_radius_max_m, bytes_per_s, categories, group    caps, optional
//
// A claim that is not listed is ignored; one that is listed and not of its form refuses the token.
// Pure functions; any thread. Cost: an HS256 token some microseconds, an ES256 one some 150.

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "access/caps.h"
#include "access/token_keys.h"
#include "base/error.h"
#include "base/result.h"
#include "world/command.h"

namespace vicinity::access {

/// Latest moment that a token may name, seconds since 1970: the end of the year 9999.
inline constexpr std::int64_t token_time_max_s = 253'402'300'799;

struct Grant {
  std::string subject;         ///< who it is; never empty
  Role role = Role::Observer;  ///< the highest that it may ask for
  std::int64_t ends_at_s = 0;  ///< first second, since 1970, at which it is no longer valid
  Caps caps;
};

struct TokenRules {
  std::string audience;           ///< that `aud` must name; empty: tokens that name one are refused
  std::chrono::seconds skew{30};  ///< by which the clocks of issuer and server may differ
};

/// Why a token is refused: the code is for the client, the reason for the log. It repeats nothing
/// of the token.
struct TokenFault {
  ErrorCode code = ErrorCode::Unauthorized;  ///< or TokenExpired
  std::string reason;
};

/// `now_s`: seconds since 1970.
Result<Grant, TokenFault> check_token(std::string_view token, const TokenKeys& keys,
                                      const TokenRules& rules, std::int64_t now_s);

/// Header and payload as they stand in the token, of which nothing is checked; nothing when it is
/// no token. For people to look at.
struct TokenText {
  std::string header;
  std::string payload;
};
std::optional<TokenText> read_unchecked(std::string_view token);

/// "observer", "player", "authority".
std::string_view name_of(Role role);
std::optional<Role> role_of(std::string_view name);

}  // namespace vicinity::access
