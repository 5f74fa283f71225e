// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors

// Tokens of strangers. The first byte says what the rest is: the text of a token as it is, or
// header, a zero byte and payload, which are then signed with a key that the server has, so that
// what stands behind the signature is reached as well. Whatever is accepted must keep its promises.

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "access/token.h"
#include "access/token_keys.h"
#include "base/check.h"
#include "base/limits.h"
#include "tests/support/raw_token.h"

namespace {

using namespace vicinity;

constexpr std::int64_t now_s = 1'800'000'000;
const std::string secret = "0123456789abcdef0123456789abcdef";
constexpr const char* public_pem = R"(-----BEGIN PUBLIC KEY-----
MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEYM/UthOxxsuxwHIym8+D3Uaj3hiK
He9Eg9k0ndF/LOu7wNO+fYhndaMqFNun32aQ4W/2r17aholVAZddSIrhhg==
-----END PUBLIC KEY-----
)";

const access::TokenKeys& keys() {
  static const access::TokenKeys keys = [] {
    access::TokenKeys made;
    CHECK(made.add("dev", {access::Algorithm::Hs256, secret}).empty());
    CHECK(made.add("game", {access::Algorithm::Es256, public_pem}).empty());
    return made;
  }();
  return keys;
}

std::string token_of(std::string_view text) {
  const bool is_signed = text.front() % 2 != 0;
  text.remove_prefix(1);
  if (!is_signed) return std::string(text);
  const std::size_t zero = text.find('\0');
  if (zero == std::string_view::npos)
    return test::hs256_token(test::header_of("HS256", "dev"), text, secret);
  return test::hs256_token(text.substr(0, zero), text.substr(zero + 1), secret);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::string token = token_of({reinterpret_cast<const char*>(data), size});
  const access::TokenRules rules{"arena"};
  const auto checked = access::check_token(token, keys(), rules, now_s);
  (void)access::read_unchecked(token);
  if (!checked.ok()) {
    CHECK(checked.error().code == ErrorCode::Unauthorized ||
          checked.error().code == ErrorCode::TokenExpired);
    CHECK(!checked.error().reason.empty());
    return 0;
  }
  const access::Grant& grant = checked.value();
  CHECK(token.size() <= limits::token_bytes_max);
  CHECK(!grant.subject.empty() && grant.subject.size() <= 64);
  CHECK(grant.ends_at_s > now_s);
  CHECK(!grant.caps.areas_max || *grant.caps.areas_max <= limits::areas_per_session_max);
  CHECK(!grant.caps.area_radius_max_m || *grant.caps.area_radius_max_m >= 0);
  CHECK(!grant.caps.bytes_per_s || *grant.caps.bytes_per_s > 0);
  return 0;
}
