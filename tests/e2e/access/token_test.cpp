// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors

// Tokens, good and forged, at the door of a real server.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>
#include <string>

#include "access_fixture.h"
#include "base/limits.h"

namespace vicinity::test {
namespace {

using testing::HasSubstr;
using testing::Not;

class AccessByToken : public AccessServer {};

TEST_F(AccessByToken, ForgedTokensAreRefusedTheLogSaysWhyAndTheClientIsToldLittle) {
  start_stepped();
  start_honest();
  const std::string good = claims("eve", "player");
  const std::string none = R"({"alg":"none","kid":"dev"})";
  const auto stranger = access::random_pair().value();
  const struct {
    const char* what;
    std::string token;
    ErrorCode code;
    std::string reason;
  } cases[] = {
      {"none", "", ErrorCode::Unauthorized, "there is none"},
      {"no token at all", "let me in", ErrorCode::Unauthorized, "three parts"},
      {"expired", sign(claims("eve", "player", "", -31)), ErrorCode::TokenExpired, "expired"},
      {"not yet valid",
       sign(claims("eve", "player", R"(,"nbf":)" + std::to_string(now_s() + 3600))),
       ErrorCode::Unauthorized, "not valid yet"},
      {"another audience", sign(R"({"aud":"shop","sub":"eve","role":"player","exp":9999999999})"),
       ErrorCode::Unauthorized, "audience"},
      {"no role", sign(R"({"aud":"arena","sub":"eve","exp":9999999999})"), ErrorCode::Unauthorized,
       "role"},
      {"alg none", unsigned_token(none, good) + ".AA", ErrorCode::Unauthorized, "algorithm"},
      {"alg none, no signature", unsigned_token(none, good) + ".", ErrorCode::Unauthorized,
       "three parts"},
      {"foreign pair", es256_token(header_of("ES256", "game"), good, stranger.private_pem),
       ErrorCode::Unauthorized, "signature"},
      {"foreign secret", hs256_token(header_of("HS256", "dev"), good, "x" + secret_),
       ErrorCode::Unauthorized, "signature"},
      {"public key as secret", hs256_token(header_of("HS256", "game"), good, pair_.public_pem),
       ErrorCode::Unauthorized, "algorithm"},
      {"unknown key", hs256_token(header_of("HS256", "gone"), good, secret_),
       ErrorCode::Unauthorized, "no key"},
  };
  for (const auto& one : cases) {
    WireClient client(port());
    const Greeted greeted = hello(client, one.token);
    EXPECT_EQ(greeted.code, one.code) << one.what;
    if (one.code == ErrorCode::Unauthorized) {
      EXPECT_EQ(greeted.text, "the token was not accepted") << one.what;
    }
    EXPECT_TRUE(client.socket().wait_for_end()) << one.what;
    EXPECT_TRUE(logs(one.reason)) << one.what;
    if (one.token.size() > 20) {
      EXPECT_THAT(server().standard_error(), Not(HasSubstr(one.token.substr(20)))) << one.what;
    }
  }
  EXPECT_EQ(code_of(sign(good)), ErrorCode::None);
  EXPECT_EQ(code_of(hs256_token(header_of("HS256", "dev"), good, secret_)), ErrorCode::None);
  expect_honest_goes_on();
}

TEST_F(AccessByToken, ATokenThatIsTooLongIsNotLookedAt) {
  start();
  EXPECT_EQ(code_of(std::string(limits::token_bytes_max + 1, 'a')), ErrorCode::LimitExceeded);
  EXPECT_EQ(code_of(std::string(3000, 'a')), ErrorCode::FrameTooLarge);
  EXPECT_EQ(code_of(token("ada", "player")), ErrorCode::None);
}

TEST_F(AccessByToken, NobodyIsMoreThanTheTokenSays) {
  start();
  const proto::Role roles[] = {proto::Role::Observer, proto::Role::Player, proto::Role::Authority};
  const char* names[] = {"observer", "player", "authority"};
  for (int has = 0; has < 3; ++has)
    for (int asks = 0; asks < 3; ++asks)
      EXPECT_EQ(code_of(token("ada", names[has]), roles[asks]),
                asks <= has ? ErrorCode::None : ErrorCode::WrongRole)
          << names[has] << " asks to be " << names[asks];
}

TEST_F(AccessByToken, APlayerIsRefusedWhatAuthoritiesMayInEveryMessage) {
  start({"--tick-mode", "manual"});
  WireClient authority(port());
  ASSERT_TRUE(authority.join({.token = token("honest", "authority")}));
  WireClient eve(port());
  ASSERT_TRUE(hello(eve, token("eve", "player")).welcomed);
  ASSERT_TRUE(eve.send(step_frame(1, 1)));
  const auto* done = eve.next_of<proto::StepDone>();
  ASSERT_NE(done, nullptr);
  EXPECT_EQ(done->code(), proto::ErrorCode::WrongRole);
  const MakeCommand policy = [](Builder& b) {
    proto::CommandBuilder command(b);
    command.add_kind(proto::CommandKind::SetPolicy);
    return command.Finish();
  };
  ASSERT_TRUE(eve.send(commands_frame(1, {policy})));
  const auto* refused = eve.next_of<proto::CommandResults>();
  ASSERT_NE(refused, nullptr);
  EXPECT_EQ(refused->errors()->Get(0)->code(), proto::ErrorCode::WrongRole);
  EXPECT_TRUE(authority.is_served());
}

TEST_F(AccessByToken, TheSubjectIsThatOfTheToken) {
  start();
  WireClient eve(port());
  EXPECT_EQ(hello(eve, token("eve", "player"), proto::Role::Player, "ada").code,
            ErrorCode::Unauthorized);
  WireClient ada(port());
  ASSERT_TRUE(hello(ada, token("ada", "player"), proto::Role::Player, "ada").welcomed);
  WireClient again(port());
  ASSERT_TRUE(hello(again, token("ada", "player")).welcomed) << "without a word it is the same";
  EXPECT_EQ(ada.farewell(), ErrorCode::TakenOver);
  EXPECT_TRUE(again.is_served());
}

TEST_F(AccessByToken, ASessionEndsWithItsToken) {
  start_stepped({"--token-skew-s", "0"});
  start_honest();
  WireClient client(port());
  const std::string brief = sign(claims("ada", "player", "", 2));
  const Greeted greeted = hello(client, brief);
  ASSERT_TRUE(greeted.welcomed);
  EXPECT_EQ(client.farewell(), ErrorCode::TokenExpired);
  EXPECT_EQ(code_of(brief), ErrorCode::TokenExpired);
  EXPECT_TRUE(logs("code=TokenExpired"));
  expect_honest_goes_on();
}

TEST_F(AccessByToken, WhoResumesNeedsAGoodTokenOfTheSameSubjectAndHasItsEnd) {
  start({"--token-skew-s", "0"});
  std::optional<WireClient> client(std::in_place, port());
  const Greeted first = hello(*client, sign(claims("ada", "player", "", 3)));
  ASSERT_TRUE(first.welcomed);
  client.reset();
  ASSERT_TRUE(logs("session parked"));
  SessionWish wish = again(first);
  const auto outcome = [&](const std::string& credentials) {
    WireClient other(port());
    wish.credentials = credentials;
    return greet(other, wish).code;
  };
  EXPECT_EQ(outcome(""), ErrorCode::Unauthorized);
  EXPECT_EQ(outcome(token("eve", "player")), ErrorCode::ResumeRefused);
  EXPECT_EQ(outcome(token("ada", "observer")), ErrorCode::WrongRole);
  EXPECT_EQ(outcome(token("ada", "player", R"(,"areas_max":7)")), ErrorCode::ResumeRefused)
      << "other caps than it began with";
  WireClient back(port());
  wish.credentials = sign(claims("ada", "player", "", 3600));
  ASSERT_TRUE(greet(back, wish).resumed);
  // Beyond the end of the first token.
  const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(5);
  while (std::chrono::steady_clock::now() < until) ASSERT_TRUE(back.is_served());
}

TEST_F(AccessByToken, KeysAreReadAnewOnSighupAndBadOnesChangeNothing) {
  start_stepped();
  start_honest();
  const auto next = access::random_pair().value();
  const std::string of_next =
      es256_token(header_of("ES256", "next"), claims("ada", "player"), next.private_pem);
  EXPECT_EQ(code_of(of_next), ErrorCode::Unauthorized);
  write_key("next.pem", next.public_pem);
  server().process().signal(SIGHUP);
  ASSERT_TRUE(logs("token keys reloaded keys=3"));
  EXPECT_EQ(code_of(of_next), ErrorCode::None);
  write_key("broken.pem", "nonsense");
  server().process().signal(SIGHUP);
  ASSERT_TRUE(logs("the token keys stay as they were"));
  EXPECT_EQ(code_of(of_next), ErrorCode::None);
  std::filesystem::remove(keys_.path() / "broken.pem");
  std::filesystem::remove(keys_.path() / "next.pem");
  server().process().signal(SIGHUP);
  ASSERT_TRUE(logs("token keys reloaded keys=2"));
  EXPECT_EQ(code_of(of_next), ErrorCode::Unauthorized);
  expect_honest_goes_on();
}

// --- Caps ------------------------------------------------------------------------------------

/// What becomes of one command; None: applied.
ErrorCode outcome(WireClient& client, std::uint64_t sequence, const MakeCommand& make) {
  if (!client.send(commands_frame(sequence, {make}))) return ErrorCode::Internal;
  const auto* results = client.next_of<proto::CommandResults>();
  if (results == nullptr) return ErrorCode::Internal;
  if (results->errors() == nullptr || results->errors()->size() == 0) return ErrorCode::None;
  return WireClient::code(results->errors()->Get(0)->code());
}

MakeCommand spawn_of(std::uint32_t category, std::int32_t group) {
  return [=](Builder& b) {
    proto::ShapeBuilder shape(b);
    shape.add_kind(proto::ShapeKind::Sphere);
    shape.add_radius_m(1);
    const auto sphere = shape.Finish();
    proto::FilterPatchBuilder filter(b);
    filter.add_category(category);
    filter.add_group(group);
    const auto built = filter.Finish();
    const proto::Vec3 position(0, 0, 0);
    proto::CommandBuilder command(b);
    command.add_kind(proto::CommandKind::Spawn);
    command.add_position(&position);
    command.add_shape(sphere);
    command.add_filter(built);
    return command.Finish();
  };
}

TEST_F(AccessByToken, CapsOfAreasHold) {
  start();
  WireClient client(port());
  ASSERT_TRUE(
      hello(client, token("ada", "player", R"(,"areas_max":2,"area_radius_max_m":50)")).welcomed);
  EXPECT_EQ(outcome(client, 1, add_area(1, 51)), ErrorCode::LimitExceeded);
  EXPECT_EQ(outcome(client, 2, add_area(1, 45)), ErrorCode::None);
  EXPECT_EQ(outcome(client, 3, add_area(2, 45)), ErrorCode::None);
  EXPECT_EQ(outcome(client, 4, add_area(3, 45)), ErrorCode::LimitExceeded);
  const MakeCommand remove = [](Builder& b) {
    proto::CommandBuilder command(b);
    command.add_kind(proto::CommandKind::RemoveArea);
    command.add_area(1);
    return command.Finish();
  };
  EXPECT_EQ(outcome(client, 5, remove), ErrorCode::None);
  EXPECT_EQ(outcome(client, 6, add_area(3, 45)), ErrorCode::None);
}

TEST_F(AccessByToken, CapsHoldForWhoResumesAfterARestart) {
  const TemporaryFolder folder;
  const Arguments with_journal{"--journal", (folder.path() / "journal").string()};
  start(with_journal);
  const std::string capped = token("ada", "player", R"(,"areas_max":2,"area_radius_max_m":50)");
  SessionWish wish;
  {
    WireClient client(port());
    const Greeted first = hello(client, capped);
    ASSERT_TRUE(first.welcomed);
    EXPECT_EQ(outcome(client, 1, add_area(1, 45)), ErrorCode::None);
    wish = again(first);
    EXPECT_EQ(server().stop(), "");
  }
  start(with_journal);
  const auto resumed_with = [&](WireClient& client, const std::string& credentials) {
    wish.credentials = credentials;
    return greet(client, wish);
  };
  WireClient unbound(port());
  EXPECT_EQ(resumed_with(unbound, token("ada", "player")).code, ErrorCode::ResumeRefused)
      << "without the caps it began with";
  WireClient client(port());
  const Greeted back = resumed_with(client, capped);
  ASSERT_TRUE(back.resumed) << back.text;
  EXPECT_EQ(outcome(client, 2, add_area(2, 51)), ErrorCode::LimitExceeded);
  EXPECT_EQ(outcome(client, 3, add_area(2, 45)), ErrorCode::None);
  EXPECT_EQ(outcome(client, 4, add_area(3, 45)), ErrorCode::LimitExceeded)
      << "the area of before counts";
}

TEST_F(AccessByToken, CapsOfCategoriesHoldForWhatIsMadeSeenAndAskedFor) {
  start();
  start_honest();  // its sphere has category 1
  WireClient client(port());
  ASSERT_TRUE(hello(client, token("ada", "player", R"(,"categories":6,"group":-4)")).welcomed);
  EXPECT_EQ(outcome(client, 1, spawn_of(1, -4)), ErrorCode::WrongRole);
  EXPECT_EQ(outcome(client, 2, spawn_of(2, 4)), ErrorCode::WrongRole);
  EXPECT_EQ(outcome(client, 3, spawn_of(2, -4)), ErrorCode::None);
  EXPECT_EQ(outcome(client, 4, add_area(1, 1e6)), ErrorCode::None);
  ASSERT_TRUE(client.send(box_query_frame(9, 1e6)));
  std::size_t seen = 0;
  for (;;) {
    const auto* message = client.next();
    ASSERT_NE(message, nullptr);
    if (const auto* frame = message->body_as_Frame())
      seen += frame->enters() == nullptr ? 0 : frame->enters()->size();
    const auto* answer = message->body_as_QueryAnswer();
    if (answer == nullptr) continue;
    ASSERT_NE(answer->hits(), nullptr);
    EXPECT_EQ(answer->hits()->size(), 1u) << "its own";
    break;
  }
  while (seen == 0) {
    const auto* frame = client.next_of<proto::Frame>();
    ASSERT_NE(frame, nullptr);
    seen += frame->enters() == nullptr ? 0 : frame->enters()->size();
  }
  EXPECT_EQ(seen, 1u);
}

TEST_F(AccessByToken, TheCapOfBytesIsTheBudget) {
  start();
  WireClient client(port());
  EXPECT_EQ(hello(client, token("ada", "player", R"(,"bytes_per_s":5000)")).budget_bytes_per_s,
            5000u);
  WireClient authority(port());
  EXPECT_EQ(
      hello(authority, token("root", "authority", R"(,"bytes_per_s":7000)"), proto::Role::Authority)
          .budget_bytes_per_s,
      7000u);
}

}  // namespace
}  // namespace vicinity::test
