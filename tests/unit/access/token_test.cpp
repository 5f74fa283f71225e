// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#include "access/token.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "access/token_mint.h"
#include "base/limits.h"
#include "support/raw_token.h"

namespace vicinity::access {
namespace {

using test::es256_token;
using test::header_of;
using test::hs256_token;
using testing::HasSubstr;

constexpr std::int64_t now_s = 1'800'000'000;
const std::string secret = "0123456789abcdef0123456789abcdef";

class Tokens : public testing::Test {
 protected:
  Tokens() : pair_(random_pair().value()), stranger_(random_pair().value()) {
    EXPECT_EQ(keys_.add("old", {Algorithm::Hs256, secret}), "");
    EXPECT_EQ(keys_.add("new", {Algorithm::Es256, pair_.public_pem}), "");
  }

  Result<Grant, TokenFault> check(const std::string& token) const {
    return check_token(token, keys_, rules_, now_s);
  }
  /// None: accepted.
  ErrorCode code(const std::string& token) const {
    const auto checked = check(token);
    return checked.ok() ? ErrorCode::None : checked.error().code;
  }
  std::string reason(const std::string& token) const {
    const auto checked = check(token);
    return checked.ok() ? "accepted" : checked.error().reason;
  }
  /// `claims` behind those that are needed.
  static std::string payload(const std::string& claims = {}, std::int64_t expires_s = now_s + 60) {
    return R"({"sub":"ada","role":"player","exp":)" + std::to_string(expires_s) + claims + "}";
  }
  static std::string hs256(const std::string& payload) {
    return hs256_token(header_of("HS256", "old"), payload, secret);
  }
  std::string es256(const std::string& payload) const {
    return es256_token(header_of("ES256", "new"), payload, pair_.private_pem);
  }

  KeyPair pair_;
  KeyPair stranger_;
  TokenKeys keys_;
  TokenRules rules_{"", std::chrono::seconds(30)};
};

TEST_F(Tokens, OfBothAlgorithmsSayWhoItIs) {
  for (const std::string& token : {hs256(payload()), es256(payload())}) {
    const auto grant = check(token);
    ASSERT_TRUE(grant.ok()) << grant.error().reason;
    EXPECT_EQ(grant.value().subject, "ada");
    EXPECT_EQ(grant.value().role, Role::Player);
    EXPECT_EQ(grant.value().ends_at_s, now_s + 60 + 30);
    EXPECT_EQ(grant.value().caps, Caps{});
  }
}

TEST_F(Tokens, OfTheIssuersToolAreGood) {
  const SigningKey old_key{Algorithm::Hs256, "old", secret};
  const SigningKey new_key{Algorithm::Es256, "new", pair_.private_pem};
  for (const SigningKey& key : {old_key, new_key}) {
    const auto token = sign_token(payload(), key);
    ASSERT_TRUE(token.ok());
    EXPECT_EQ(code(token.value()), ErrorCode::None) << reason(token.value());
  }
}

TEST_F(Tokens, WithAForeignSignatureAreRefused) {
  EXPECT_EQ(code(hs256_token(header_of("HS256", "old"), payload(), "x" + secret)),
            ErrorCode::Unauthorized);
  EXPECT_EQ(code(es256_token(header_of("ES256", "new"), payload(), stranger_.private_pem)),
            ErrorCode::Unauthorized);
}

TEST_F(Tokens, AreRefusedWithAnyBitOfThemChanged) {
  for (const std::string& token : {hs256(payload()), es256(payload())}) {
    ASSERT_EQ(code(token), ErrorCode::None);
    for (std::size_t i = 0; i + 1 < token.size(); ++i) {  // the last digit has bits to spare
      std::string changed = token;
      changed[i] = changed[i] == 'A' ? 'B' : 'A';
      if (changed[i] != token[i] && token[i] != '.') {
        EXPECT_NE(code(changed), ErrorCode::None) << i;
      }
    }
  }
}

TEST_F(Tokens, HaveNoSayInTheAlgorithm) {
  const std::string none = R"({"alg":"none","kid":"old"})";
  EXPECT_EQ(code(test::unsigned_token(none, payload()) + "."), ErrorCode::Unauthorized);
  EXPECT_EQ(code(test::unsigned_token(none, payload()) + ".AAAA"), ErrorCode::Unauthorized);
  EXPECT_EQ(code(hs256_token(none, payload(), secret)), ErrorCode::Unauthorized);
  EXPECT_EQ(code(hs256_token(R"({"alg":"None","kid":"old"})", payload(), secret)),
            ErrorCode::Unauthorized);
  // The public key is known to everybody: as a secret it proves nothing.
  EXPECT_EQ(code(hs256_token(header_of("HS256", "new"), payload(), pair_.public_pem)),
            ErrorCode::Unauthorized);
  EXPECT_EQ(code(es256_token(header_of("ES256", "old"), payload(), pair_.private_pem)),
            ErrorCode::Unauthorized);
  EXPECT_EQ(code(hs256_token(header_of("HS512", "old"), payload(), secret)),
            ErrorCode::Unauthorized);
  // Two spellings of one name: whichever a reader takes, it must be that of the key.
  EXPECT_EQ(code(hs256_token(R"({"alg":"HS256","alg":"none","kid":"old"})", payload(), secret)),
            ErrorCode::Unauthorized);
}

TEST_F(Tokens, NameAKeyThatThereIs) {
  EXPECT_EQ(code(hs256_token(R"({"alg":"HS256"})", payload(), secret)), ErrorCode::Unauthorized);
  EXPECT_EQ(code(hs256_token(R"({"alg":"HS256","kid":7})", payload(), secret)),
            ErrorCode::Unauthorized);
  EXPECT_EQ(code(hs256_token(header_of("HS256", "gone"), payload(), secret)),
            ErrorCode::Unauthorized);
}

TEST_F(Tokens, ThatAskForExtensionsAreRefused) {
  const std::string header = R"({"alg":"HS256","kid":"old","crit":["b64"],"b64":false})";
  EXPECT_EQ(code(hs256_token(header, payload(), secret)), ErrorCode::Unauthorized);
}

TEST_F(Tokens, EndWithTheirTimeAndTheSkew) {
  EXPECT_EQ(code(hs256(payload("", now_s - 29))), ErrorCode::None);
  EXPECT_EQ(code(hs256(payload("", now_s - 30))), ErrorCode::TokenExpired);
  EXPECT_EQ(code(hs256(payload("", 0))), ErrorCode::TokenExpired);
  rules_.skew = std::chrono::seconds(0);
  EXPECT_EQ(code(hs256(payload("", now_s + 1))), ErrorCode::None);
  EXPECT_EQ(code(hs256(payload("", now_s))), ErrorCode::TokenExpired);
}

TEST_F(Tokens, AreNotValidBeforeTheirTime) {
  const auto from = [](std::int64_t s) { return payload(R"(,"nbf":)" + std::to_string(s)); };
  EXPECT_EQ(code(hs256(from(now_s + 30))), ErrorCode::None);
  EXPECT_EQ(code(hs256(from(now_s + 31))), ErrorCode::Unauthorized);
}

TEST_F(Tokens, AreForTheAudienceOfTheServer) {
  EXPECT_EQ(code(hs256(payload(R"(,"aud":"arena")"))), ErrorCode::Unauthorized);
  rules_.audience = "arena";
  EXPECT_EQ(code(hs256(payload(R"(,"aud":"arena")"))), ErrorCode::None);
  EXPECT_EQ(code(hs256(payload(R"(,"aud":["lobby","arena"])"))), ErrorCode::None);
  EXPECT_EQ(code(hs256(payload(R"(,"aud":["lobby"])"))), ErrorCode::Unauthorized);
  EXPECT_EQ(code(hs256(payload(R"(,"aud":[])"))), ErrorCode::Unauthorized);
  EXPECT_EQ(code(hs256(payload(R"(,"aud":{"arena":1})"))), ErrorCode::Unauthorized);
  EXPECT_EQ(code(hs256(payload())), ErrorCode::Unauthorized);
}

TEST_F(Tokens, NeedSubjectRoleAndEnd) {
  for (const char* claims :
       {R"({"role":"player","exp":1900000000})", R"({"sub":"","role":"player","exp":1900000000})",
        R"({"sub":7,"role":"player","exp":1900000000})", R"({"sub":"ada","exp":1900000000})",
        R"({"sub":"ada","role":"admin","exp":1900000000})", R"({"sub":"ada","role":"player"})",
        R"({"sub":"ada","role":["player"],"exp":1900000000})",
        R"({"sub":"ada","role":"player","exp":"1900000000"})",
        R"({"sub":"ada","role":"player","exp":-5})", R"({"sub":"ada","role":"player","exp":1e300})",
        R"({"sub":"ada","role":"player","exp":null})", R"([1,2])", R"("text")", R"({)", ""}) {
    EXPECT_EQ(code(hs256(claims)), ErrorCode::Unauthorized) << claims;
  }
  EXPECT_EQ(
      code(hs256(R"({"sub":")" + std::string(65, 'a') + R"(","role":"player","exp":1900000000})")),
      ErrorCode::Unauthorized);
}

TEST_F(Tokens, CarryCaps) {
  const auto grant = check(hs256(payload(
      R"(,"areas_max":3,"area_radius_max_m":12.5,"bytes_per_s":4096,"categories":5,"group":-2)")));
  ASSERT_TRUE(grant.ok());
  const Caps& caps = grant.value().caps;
  EXPECT_EQ(caps.areas_max, 3u);
  EXPECT_EQ(caps.area_radius_max_m, 12.5);
  EXPECT_EQ(caps.bytes_per_s, 4096u);
  EXPECT_EQ(caps.categories, 5u);
  EXPECT_EQ(caps.group, -2);
}

TEST_F(Tokens, WithACapThatIsNoneAreRefusedInsteadOfFree) {
  for (const char* claim :
       {R"("areas_max":-1)", R"("areas_max":"3")", R"("areas_max":1.5)", R"("areas_max":1e9)",
        R"("area_radius_max_m":-0.5)", R"("area_radius_max_m":true)", R"("bytes_per_s":0)",
        R"("bytes_per_s":null)", R"("categories":4294967296)", R"("categories":[1])",
        R"("group":2147483648)", R"("group":"red")"}) {
    EXPECT_EQ(code(hs256(payload(std::string(",") + claim))), ErrorCode::Unauthorized) << claim;
  }
}

TEST_F(Tokens, ThatAreNoneAreRefusedAndTheReasonRepeatsNothingOfThem) {
  for (const std::string& text :
       {std::string(), std::string("a"), std::string("..."), std::string("a.b"),
        std::string("a.b.c"), std::string("a.b.c.d"), std::string(" ") + hs256(payload()),
        hs256(payload()) + "=", hs256(payload()) + "\n", hs256(payload()) + std::string(1, '\0'),
        "Bearer " + hs256(payload()), std::string(limits::token_bytes_max + 1, 'A')}) {
    EXPECT_EQ(code(text), ErrorCode::Unauthorized) << text;
    if (text.size() > 5) {
      EXPECT_EQ(reason(text).find(text.substr(0, 5)), std::string::npos);
    }
  }
}

TEST_F(Tokens, OfTheLargestSizeAreTaken) {
  std::string token;
  for (int pad = 0; token.size() < limits::token_bytes_max - 3; ++pad)
    token = hs256(payload(R"(,"pad":")" + std::string(static_cast<std::size_t>(pad), 'x') + '"'));
  ASSERT_LE(token.size(), limits::token_bytes_max);
  EXPECT_EQ(code(token), ErrorCode::None);
  EXPECT_EQ(code(hs256(payload(R"(,"pad":")" + std::string(900, 'x') + '"'))),
            ErrorCode::Unauthorized);
}

TEST_F(Tokens, AreShownToPeopleUnchecked) {
  const auto text = read_unchecked(hs256_token(header_of("HS256", "x"), R"({"sub":"ada"})", "k"));
  ASSERT_TRUE(text);
  EXPECT_THAT(text->header, HasSubstr(R"("kid":"x")"));
  EXPECT_EQ(text->payload, R"({"sub":"ada"})");
  EXPECT_FALSE(read_unchecked("a.b.c"));
}

}  // namespace
}  // namespace vicinity::access
