// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#include "access/token.h"

#include <jwt.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <memory>
#include <nlohmann/json.hpp>
#include <utility>

#include "base/limits.h"

namespace vicinity::access {
namespace {

using Json = nlohmann::json;
using Checked = Result<Grant, TokenFault>;

constexpr double time_max_s = token_time_max_s;

struct FreeJwt {
  void operator()(jwt_t* jwt) const { jwt_free(jwt); }
};
struct FreeText {
  void operator()(char* text) const { std::free(text); }
};

TokenFault unauthorized(std::string reason) { return {ErrorCode::Unauthorized, std::move(reason)}; }

constexpr std::string_view base64url =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

/// Three parts that are not empty. A decoder that skips what it does not know would give one token
/// many spellings.
bool is_compact_form(std::string_view token) {
  std::size_t dots = 0;
  char last = '.';
  for (const char c : token) {
    if (c == '.' ? last == '.' : base64url.find(c) == std::string_view::npos) return false;
    dots += c == '.' ? 1 : 0;
    last = c;
  }
  return dots == 2 && last != '.';
}

std::string decoded(std::string_view text) {
  std::string out;
  std::uint32_t bits = 0;
  int count = 0;
  for (const char c : text) {
    bits = bits << 6 | static_cast<std::uint32_t>(base64url.find(c));
    count += 6;
    if (count < 8) continue;
    count -= 8;
    out += static_cast<char>(bits >> count & 0xFF);
  }
  return out;
}

Json parse(std::string_view text) { return Json::parse(text, nullptr, false); }

/// The key that the header names, when it is one for the algorithm of the header.
Result<const TokenKey*, TokenFault> key_for(std::string_view token, const TokenKeys& keys) {
  const Json header = parse(decoded(token.substr(0, token.find('.'))));
  if (!header.is_object()) return unauthorized("the header is no JSON object");
  if (header.contains("crit")) return unauthorized("the header asks for extensions (crit)");
  const auto kid = header.find("kid");
  if (kid == header.end() || !kid->is_string())
    return unauthorized("the header names no key (kid)");
  const TokenKey* key = keys.find(kid->get_ref<const std::string&>());
  if (key == nullptr) return unauthorized("no key has the id that the header names");
  const auto algorithm = header.find("alg");
  if (algorithm == header.end() || *algorithm != to_string(key->algorithm))
    return unauthorized("the algorithm of the header is not that of the key");
  return key;
}

jwt_alg_t algorithm_of(const TokenKey& key) {
  return key.algorithm == Algorithm::Hs256 ? JWT_ALG_HS256 : JWT_ALG_ES256;
}

/// The payload, once the signature was found good.
Result<Json, TokenFault> signed_payload(std::string_view token, const TokenKey& key) {
  const std::string text(token);
  jwt_t* raw = nullptr;
  const int error =
      jwt_decode(&raw, text.c_str(), reinterpret_cast<const unsigned char*>(key.material.data()),
                 static_cast<int>(key.material.size()));
  const std::unique_ptr<jwt_t, FreeJwt> jwt(raw);
  if (error != 0 || !jwt) return unauthorized("the signature or the form is wrong");
  // The library goes by the header. What it has read there counts, not what we have read before.
  if (jwt_get_alg(jwt.get()) != algorithm_of(key))
    return unauthorized("the algorithm of the header is not that of the key");
  const std::unique_ptr<char, FreeText> payload(jwt_get_grants_json(jwt.get(), nullptr));
  Json claims = payload ? parse(payload.get()) : Json();
  if (!claims.is_object()) return unauthorized("the payload is no JSON object");
  return claims;
}

// --- Claims ----------------------------------------------------------------------------------

/// Reads claims one after the other and remembers the first that is not of its form.
class Claims {
 public:
  explicit Claims(const Json& json) : json_(json) {}

  std::optional<double> number(const char* name, double min, double max) {
    const auto found = json_.find(name);
    if (found == json_.end()) return std::nullopt;
    if (found->is_number()) {
      const double value = found->get<double>();
      if (std::isfinite(value) && value >= min && value <= max) return value;
    }
    wrong(name);
    return std::nullopt;
  }
  template <class Integer>
  std::optional<Integer> integer(const char* name, Integer min, Integer max) {
    const auto value = number(name, static_cast<double>(min), static_cast<double>(max));
    if (value && *value == std::floor(*value)) return static_cast<Integer>(*value);
    if (value) wrong(name);
    return std::nullopt;
  }
  std::string text(const char* name) {
    const auto found = json_.find(name);
    if (found == json_.end()) return {};
    if (found->is_string()) return found->get<std::string>();
    wrong(name);
    return {};
  }
  /// Whether `aud` is there, and whether it names this audience.
  std::pair<bool, bool> audience(const std::string& ours) {
    const auto found = json_.find("aud");
    if (found == json_.end()) return {false, false};
    if (found->is_string()) return {true, *found == ours};
    if (!found->is_array()) wrong("aud");
    return {true,
            found->is_array() && std::find(found->begin(), found->end(), ours) != found->end()};
  }
  void wrong(const char* name) {
    if (fault_.empty()) fault_ = std::string("the claim ") + name + " is not of its form";
  }
  const std::string& fault() const { return fault_; }

 private:
  const Json& json_;
  std::string fault_;
};

Caps caps_of(Claims& claims) {
  constexpr std::uint32_t all = 0xFFFF'FFFFu;
  Caps caps;
  caps.areas_max = claims.integer<std::uint32_t>("areas_max", 0, limits::areas_per_session_max);
  caps.area_radius_max_m = claims.number("area_radius_max_m", 0, limits::area_size_m);
  caps.bytes_per_s = claims.integer<std::uint32_t>("bytes_per_s", 1, all);
  caps.categories = claims.integer<std::uint32_t>("categories", 0, all).value_or(all);
  caps.group = claims.integer<std::int32_t>("group", INT32_MIN, INT32_MAX);
  return caps;
}

Checked grant_of(const Json& payload, const TokenRules& rules, std::int64_t now_s) {
  Claims claims(payload);
  const auto expires = claims.number("exp", 0, time_max_s);
  const auto not_before = claims.number("nbf", 0, time_max_s);
  const auto [has_audience, is_ours] = claims.audience(rules.audience);
  const auto role = role_of(claims.text("role"));
  Grant grant;
  grant.subject = claims.text("sub");
  grant.caps = caps_of(claims);
  if (!claims.fault().empty()) return unauthorized(claims.fault());
  if (!expires) return unauthorized("the claim exp is missing");
  if (!role) return unauthorized("the claim role is none of observer, player, authority");
  if (grant.subject.empty() || grant.subject.size() > limits::subject_bytes_max)
    return unauthorized("the claim sub must have 1 to 64 bytes");
  if (rules.audience.empty() ? has_audience : !is_ours)
    return unauthorized("the token is for another audience");
  grant.role = *role;
  grant.ends_at_s = static_cast<std::int64_t>(*expires) + rules.skew.count();
  if (now_s >= grant.ends_at_s) return TokenFault{ErrorCode::TokenExpired, "it has expired"};
  if (not_before && static_cast<double>(now_s + rules.skew.count()) < *not_before)
    return unauthorized("it is not valid yet");
  return grant;
}

}  // namespace

Checked check_token(std::string_view token, const TokenKeys& keys, const TokenRules& rules,
                    std::int64_t now_s) {
  if (token.empty()) return unauthorized("there is none");
  if (token.size() > limits::token_bytes_max) return unauthorized("it is too long");
  if (!is_compact_form(token)) return unauthorized("it is not three parts of base64url");
  const auto key = key_for(token, keys);
  if (!key.ok()) return key.error();
  const auto payload = signed_payload(token, *key.value());
  if (!payload.ok()) return payload.error();
  return grant_of(payload.value(), rules, now_s);
}

std::optional<TokenText> read_unchecked(std::string_view token) {
  if (token.size() > limits::token_bytes_max || !is_compact_form(token)) return std::nullopt;
  const std::size_t dot = token.find('.');
  const Json header = parse(decoded(token.substr(0, dot)));
  const Json payload = parse(decoded(token.substr(dot + 1, token.rfind('.') - dot - 1)));
  if (!header.is_object() || !payload.is_object()) return std::nullopt;
  return TokenText{header.dump(), payload.dump()};
}

std::string_view name_of(Role role) {
  if (role == Role::Authority) return "authority";
  return role == Role::Player ? "player" : "observer";
}

std::optional<Role> role_of(std::string_view name) {
  for (const Role role : {Role::Observer, Role::Player, Role::Authority})
    if (name == name_of(role)) return role;
  return std::nullopt;
}

}  // namespace vicinity::access
