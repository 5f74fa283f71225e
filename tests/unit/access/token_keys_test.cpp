// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#include "access/token_keys.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "access/gatekeeper.h"
#include "access/token_mint.h"
#include "base/limits.h"

namespace vicinity::access {
namespace {

using testing::HasSubstr;
namespace fs = std::filesystem;

const std::string secret = "0123456789abcdef0123456789abcdef";

class KeyFiles : public testing::Test {
 protected:
  KeyFiles() {
    folder_ =
        fs::temp_directory_path() / ("vicinity_keys_" + std::to_string(getpid()) + "_" +
                                     testing::UnitTest::GetInstance()->current_test_info()->name());
    fs::create_directory(folder_);
  }
  ~KeyFiles() override { fs::remove_all(folder_); }

  std::string write(const std::string& name, const std::string& text) const {
    std::ofstream(folder_ / name, std::ios::binary) << text;
    return (folder_ / name).string();
  }
  std::string fault() const {
    const auto keys = TokenKeys::load(folder_.string());
    return keys.ok() ? "" : keys.error().text;
  }

  fs::path folder_;
};

TEST_F(KeyFiles, OfAFolderHaveTheirNamesAsIds) {
  const auto pair = random_pair().value();
  write("old.hs256", secret + "\n");
  write("game-1.v2.pem", pair.public_pem);
  write(".hidden", "anything");
  const auto keys = TokenKeys::load(folder_.string());
  ASSERT_TRUE(keys.ok()) << keys.error().text;
  EXPECT_EQ(keys.value().count(), 2u);
  ASSERT_NE(keys.value().find("old"), nullptr);
  EXPECT_EQ(keys.value().find("old")->algorithm, Algorithm::Hs256);
  EXPECT_EQ(keys.value().find("old")->material, secret);
  ASSERT_NE(keys.value().find("game-1.v2"), nullptr);
  EXPECT_EQ(keys.value().find("game-1.v2")->algorithm, Algorithm::Es256);
  EXPECT_EQ(keys.value().find("game-1"), nullptr);
}

TEST_F(KeyFiles, CanBeListedOneByOne) {
  const std::string first = write("a.hs256", secret);
  const std::string second = write("b.hs256", secret);
  const auto keys = TokenKeys::load(first + "," + second);
  ASSERT_TRUE(keys.ok()) << keys.error().text;
  EXPECT_EQ(keys.value().count(), 2u);
}

TEST_F(KeyFiles, ThatAreNoKeysAreNamedWithTheReason) {
  const auto pair = random_pair().value();
  const struct {
    std::string name;
    std::string text;
    std::string reason;
  } cases[] = {
      {"short.hs256", std::string(31, 'k'), "31 bytes"},
      {"notes.txt", "hello", "KEY-ID"},
      {"private.pem", pair.private_pem, "public key"},
      {"empty.pem", "", "public key"},
      {"bad id.hs256", secret, "key id"},
      {"long.hs256", std::string(limits::token_key_file_bytes_max + 1, 'k'), "longer"},
  };
  for (const auto& one : cases) {
    const std::string path = write(one.name, one.text);
    EXPECT_THAT(fault(), testing::AllOf(HasSubstr(one.name), HasSubstr(one.reason)));
    EXPECT_THAT(fault(), testing::Not(HasSubstr("kkkk"))) << "a secret was told";
    fs::remove(path);
  }
}

TEST_F(KeyFiles, OfOtherCurvesAreRefused) {
  // openssl ecparam -name secp384r1 -genkey -noout | openssl ec -pubout
  write("p384.pem",
        "-----BEGIN PUBLIC KEY-----\n"
        "MHYwEAYHKoZIzj0CAQYFK4EEACIDYgAEfeU8RnGaGc/IWvGPhKckKzfuIyP1yoG2\n"
        "Vp6Zkuyka9rAKw3cl4R3LFnuqbu6b7cZBC0gGr10NDEN1LQx8u24nAVCdRwzUCa6\n"
        "k/DfD1P2py8+z+BfK42Q4dfolU1efXvr\n"
        "-----END PUBLIC KEY-----\n");
  EXPECT_THAT(fault(), HasSubstr("P-256"));
}

TEST_F(KeyFiles, ThereMustBeOne) {
  EXPECT_THAT(fault(), HasSubstr("no key"));
  const auto missing = TokenKeys::load((folder_ / "nothing.pem").string());
  ASSERT_FALSE(missing.ok());
  EXPECT_THAT(missing.error().text, HasSubstr("nothing.pem"));
}

TEST_F(KeyFiles, OfTwoKeysWithOneIdTheSecondIsRefused) {
  write("same.hs256", secret);
  write("same.pem", random_pair().value().public_pem);
  EXPECT_THAT(fault(), HasSubstr("same"));
}

TEST_F(KeyFiles, AreReadAnewAndStayWhenTheNewOnesAreBad) {
  write("a.hs256", secret);
  Gatekeeper gatekeeper({folder_.string(), {}});
  ASSERT_EQ(gatekeeper.reload(), "");
  EXPECT_EQ(gatekeeper.key_count(), 1u);
  const std::string claims =
      R"({"sub":"ada","role":"player","exp":)" + std::to_string(Gatekeeper::now_s() + 600) + "}";
  const auto token = sign_token(claims, {Algorithm::Hs256, "b", secret});
  ASSERT_TRUE(token.ok());
  EXPECT_FALSE(gatekeeper.check(token.value()).ok());
  write("b.hs256", secret);
  ASSERT_EQ(gatekeeper.reload(), "");
  EXPECT_TRUE(gatekeeper.check(token.value()).ok());
  write("c.hs256", "short");
  EXPECT_THAT(gatekeeper.reload(), HasSubstr("c.hs256"));
  EXPECT_TRUE(gatekeeper.check(token.value()).ok());
  EXPECT_EQ(gatekeeper.stats().accepted, 2u);
  EXPECT_EQ(gatekeeper.stats().unauthorized, 1u);
}

}  // namespace
}  // namespace vicinity::access
