// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#include "app/config.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <initializer_list>
#include <string>
#include <vector>

#include "app/settings_table.h"
#include "base/limits.h"
#include "configuration.h"

namespace vicinity::app {
namespace {

using testing::AllOf;
using testing::HasSubstr;

TEST_F(Configuration, HasItsDefaultsWithoutAnySource) { EXPECT_EQ(config(), Config{}); }

TEST_F(Configuration, DefaultsAreInTheirOwnRange) {
  for (const Setting& setting : settings_table()) {
    const std::string text = toml_value(setting, Config{});
    const bool is_text = std::holds_alternative<std::string Config::*>(setting.field);
    const auto value = parse_value(setting, is_text ? text.substr(1, text.size() - 2) : text);
    Config config;
    ASSERT_TRUE(value.has_value()) << setting.key;
    EXPECT_TRUE(assign(setting, *value, config)) << setting.key;
    EXPECT_EQ(config, Config{}) << setting.key;
  }
}

// --- Precedence ------------------------------------------------------------------------------

TEST_F(Configuration, AFlagWinsOverAVariableOverTheFile) {
  file("tick_rate_hz = 30\nnet_threads = 2\nworkers = 3\n");
  variable("VICINITY_TICK_RATE_HZ", "40");
  variable("VICINITY_NET_THREADS", "4");
  flags({"--tick-rate-hz", "50"});
  EXPECT_EQ(config().tick_rate_hz, 50u);
  EXPECT_EQ(config().net_threads, 4u);
  EXPECT_EQ(config().workers, 3u);
}

TEST_F(Configuration, AFlagThatRepeatsTheDefaultStillWins) {
  file("tick_rate_hz = 30\ninsecure = true\n");
  flags({"--tick-rate-hz=20", "--insecure=false"});
  EXPECT_EQ(config().tick_rate_hz, 20u);
  EXPECT_FALSE(config().insecure);
}

/// A flag about what is off is refused: the variables that turn on what a flag of `key` is about.
Environment turned_on_for(std::string_view key, Config& wanted) {
  const auto begins_with = [key](std::initializer_list<std::string_view> beginnings) {
    return std::ranges::any_of(beginnings, [key](auto text) { return key.starts_with(text); });
  };
  Environment variables;
  if (begins_with({"websocket_"})) {
    variables["VICINITY_WEBSOCKET"] = "true";
    wanted.websocket = true;
  }
  if (begins_with({"admin_"})) {
    variables["VICINITY_ADMIN"] = "true";
    wanted.admin = true;
  }
  if (key != "journal_dir" && begins_with({"journal_", "sync", "snapshot_", "on_journal_"}))
    wanted.journal_dir = variables["VICINITY_JOURNAL_DIR"] = "there";
  if (key != "token_keys" && begins_with({"token_"}))
    wanted.token_keys = variables["VICINITY_TOKEN_KEYS"] = "keys";
  return variables;
}

TEST_F(Configuration, EverySettingCanComeFromEverySource) {
  for (const Setting& setting : settings_table()) {
    if (setting.key.starts_with("tls_")) continue;  // only together, see below
    // The largest allowed value (or the last choice, or true) differs from no range, so it is good
    // in each form of writing.
    Config wanted;
    std::string text = "127.0.0.2";
    if (const auto* whole = std::get_if<std::uint64_t Config::*>(&setting.field)) {
      wanted.** whole = static_cast<std::uint64_t>(setting.max);
      text = std::to_string(wanted.**whole);
    } else if (const auto* real = std::get_if<double Config::*>(&setting.field)) {
      wanted.** real = setting.min;
      text = fmt::format("{}", setting.min);
    } else if (const auto* flag = std::get_if<bool Config::*>(&setting.field)) {
      wanted.** flag = true;
      text = "true";
    } else {
      if (!setting.choices.empty()) text = setting.choices.back();
      if (setting.key == "websocket_origins") text = "http://127.0.0.2";
      wanted.*std::get<std::string Config::*>(setting.field) = text;
    }
    const bool quoted = std::holds_alternative<std::string Config::*>(setting.field);
    const std::string line =
        std::string(setting.key) + " = " + (quoted ? "\"" + text + "\"" : text) + "\n";
    std::ofstream(path()) << line;
    const std::string flag = flag_name(setting) + "=" + text;
    const char* by_file[] = {"vicinity-server", "--config", nullptr};
    const std::string file_path = path();
    by_file[2] = file_path.c_str();
    const char* by_flag[] = {"vicinity-server", flag.c_str()};
    const char* nothing[] = {"vicinity-server"};
    const Environment others = turned_on_for(setting.key, wanted);
    Environment by_variable = others;
    by_variable[variable_name(setting)] = text;
    for (const auto& result : {configure(3, by_file, others), configure(2, by_flag, others),
                               configure(1, nothing, by_variable)}) {
      ASSERT_TRUE(result.ok()) << result.error().text;
      EXPECT_EQ(result.value().config, wanted) << setting.key;
    }
  }
}

// --- Errors ----------------------------------------------------------------------------------

TEST_F(Configuration, AnUnknownKeyNamesFileAndLine) {
  file("port = 7420\n\ntick_rate = 30\n");
  EXPECT_THAT(error(), AllOf(HasSubstr(path() + ":3"), HasSubstr("unknown key 'tick_rate'")));
}

TEST_F(Configuration, AWrongTypeNamesFileLineKeyAndRange) {
  file("port = 7420\ntick_rate_hz = \"fast\"\n");
  EXPECT_THAT(error(), AllOf(HasSubstr(path() + ":2"), HasSubstr("tick_rate_hz"),
                             HasSubstr("an integer from 1 to 240 (Hz)"), HasSubstr("fast")));
}

TEST_F(Configuration, AFractionIsNoInteger) {
  file("tick_rate_hz = 20.5\n");
  EXPECT_THAT(error(), AllOf(HasSubstr(":1"), HasSubstr("tick_rate_hz must be an integer")));
}

TEST_F(Configuration, AnIntegerIsANumber) {
  file("row_size_m = 4\n");
  EXPECT_EQ(config().row_size_m, 4.0);
}

TEST_F(Configuration, AValueOutOfRangeNamesFileLineKeyAndRange) {
  file("# comment\n\ntick_rate_hz = 241\n");
  EXPECT_THAT(error(), AllOf(HasSubstr(path() + ":3"), HasSubstr("tick_rate_hz"),
                             HasSubstr("from 1 to 240 (Hz)"), HasSubstr("241")));
}

TEST_F(Configuration, NegativeAndUnboundedNumbersAreRefused) {
  for (const char* flag :
       {"--tick-rate-hz=-1", "--row-size-m=nan", "--row-size-m=inf", "--row-size-m=-0.5",
        "--tick-rate-hz=99999999999999999999", "--workers=", "--workers=1x", "--workers= 1"}) {
    const char* argv[] = {"vicinity-server", flag};
    const auto result = configure(2, argv, {});
    ASSERT_FALSE(result.ok()) << flag;
    EXPECT_THAT(result.error().text, HasSubstr(std::string(flag).substr(0, 8))) << flag;
  }
}

TEST_F(Configuration, AResolutionIsAPowerOfTwo) {
  for (const double good : {1.0 / 4096, 1.0 / 256, 0.5, 1.0}) {
    const std::string flag = fmt::format("--position-resolution-m={}", good);
    const char* argv[] = {"vicinity-server", flag.c_str()};
    const auto result = configure(2, argv, {});
    ASSERT_TRUE(result.ok()) << result.error().text;
    EXPECT_EQ(result.value().config.position_resolution_m, good);
  }
  for (const char* wrong : {"0", "0.3", "0.0001220703125", "2", "-0.5", "0.00390626"}) {
    const std::string flag = std::string("--position-resolution-m=") + wrong;
    const char* argv[] = {"vicinity-server", flag.c_str()};
    const auto result = configure(2, argv, {});
    ASSERT_FALSE(result.ok()) << wrong;
    EXPECT_THAT(result.error().text,
                AllOf(HasSubstr("position_resolution_m must be a power of two from "
                                "0.000244140625 to 1 (m)"),
                      HasSubstr(wrong)));
  }
}

TEST_F(Configuration, WhatALostPlayerLeavesBehindIsOneOfThree) {
  for (const char* good : {"grace", "despawn", "keep"}) {
    variable("VICINITY_ON_DISCONNECT", good);
    EXPECT_EQ(config().on_disconnect, good);
  }
  variable("VICINITY_ON_DISCONNECT", "drop");
  EXPECT_THAT(error(), HasSubstr("on_disconnect must be one of grace, despawn, keep"));
}

TEST_F(Configuration, ATextOutsideTheChoicesListsThem) {
  file("index = \"octree\"\n");
  EXPECT_THAT(error(), AllOf(HasSubstr(":1"),
                             HasSubstr("index must be one of auto, rows, sweep, brute_force"),
                             HasSubstr("octree")));
}

TEST_F(Configuration, AFaultInAFlagNamesTheFlag) {
  flags({"--tick-rate-hz", "241"});
  EXPECT_THAT(error(), AllOf(HasSubstr("--tick-rate-hz"), HasSubstr("from 1 to 240 (Hz)")));
}

TEST_F(Configuration, AFaultInAVariableNamesTheVariable) {
  variable("VICINITY_INSECURE", "yes");
  EXPECT_THAT(error(), AllOf(HasSubstr("VICINITY_INSECURE"), HasSubstr("true or false")));
}

TEST_F(Configuration, AnUnknownVariableIsNamed) {
  variable("VICINITY_TICK_RATE", "20");
  EXPECT_THAT(error(), AllOf(HasSubstr("VICINITY_TICK_RATE"), HasSubstr("unknown")));
}

TEST_F(Configuration, AnUnknownFlagAndAStrayWordAreNamed) {
  flags({"--tick-rate", "20"});
  EXPECT_THAT(error(), HasSubstr("--tick-rate"));
  const char* stray[] = {"vicinity-server", "serve"};
  EXPECT_THAT(configure(2, stray, {}).error().text, HasSubstr("serve"));
}

TEST_F(Configuration, BrokenTomlNamesFileAndLine) {
  file("port = 7420\ntick_rate_hz = = 3\n");
  EXPECT_THAT(error(), HasSubstr(path() + ":2"));
}

TEST_F(Configuration, ATableIsAnUnknownKey) {
  file("port = 7420\n[index]\nkind = 1\n");
  EXPECT_THAT(error(), AllOf(HasSubstr(":2"), HasSubstr("index")));
}

TEST_F(Configuration, TheFirstFaultOfAFileIsTheOneThatIsNamed) {
  file("workers = 1\nzzz = 1\naaa = 1\n");
  EXPECT_THAT(error(), AllOf(HasSubstr(":2"), HasSubstr("zzz")));
}

TEST_F(Configuration, AMissingFileIsNamed) {
  flags({"--config", "/nonexistent/server.toml"});
  EXPECT_THAT(error(), HasSubstr("/nonexistent/server.toml"));
}

TEST_F(Configuration, ADirectoryIsNoEmptyFile) {
  const std::string folder = std::filesystem::path(path()).parent_path().string();
  const char* directory[] = {"vicinity-server", "--config", folder.c_str()};
  const auto result = configure(3, directory, {});
  ASSERT_FALSE(result.ok());
  EXPECT_THAT(result.error().text, AllOf(HasSubstr(folder), HasSubstr("not a regular file")));
}

TEST_F(Configuration, AFileThatMayNotBeReadIsNamedWithTheReason) {
  if (geteuid() == 0) GTEST_SKIP() << "root may read every file";
  file("port = 1\n");
  std::filesystem::permissions(path(), std::filesystem::perms::none);
  EXPECT_THAT(error(), AllOf(HasSubstr(path()), HasSubstr("Permission denied")));
}

TEST_F(Configuration, AnAddressMustBeAnIpAddressAndItsSourceIsNamed) {
  const std::string wrong = "localhost";
  file("port = 7420\nlisten_address = \"localhost\"\n");
  EXPECT_THAT(error(), AllOf(HasSubstr(path() + ":2"), HasSubstr("listen_address must be an IP"),
                             HasSubstr(wrong)));
  const char* by_flag[] = {"vicinity-server", "--listen-address", "localhost"};
  EXPECT_THAT(configure(3, by_flag, {}).error().text,
              AllOf(HasSubstr("--listen-address: "), HasSubstr(wrong)));
  EXPECT_THAT(configure(1, by_flag, {{"VICINITY_LISTEN_ADDRESS", wrong}}).error().text,
              AllOf(HasSubstr("VICINITY_LISTEN_ADDRESS: "), HasSubstr(wrong)));
}

TEST_F(Configuration, AnAddressBeyondLoopbackNamesItsSource) {
  file("port = 7420\nlisten_address = \"0.0.0.0\"\n");
  EXPECT_THAT(error(), AllOf(HasSubstr(path() + ":2: "), HasSubstr("--insecure")));
  variable("VICINITY_LISTEN_ADDRESS", "10.0.0.1");  // wins, and is to blame
  EXPECT_THAT(error(), AllOf(HasSubstr("VICINITY_LISTEN_ADDRESS: "), HasSubstr("10.0.0.1")));
}

// --- Service links ---------------------------------------------------------------------------

TEST_F(Configuration, VariablesOfAServiceOfTheSameNameAreIgnored) {
  // As Kubernetes writes them for services named `vicinity` and `vicinity-server`.
  const Environment links{{"VICINITY_SERVICE_HOST", "10.0.0.11"},
                          {"VICINITY_SERVICE_PORT", "7420"},
                          {"VICINITY_SERVICE_PORT_GAME", "7420"},
                          {"VICINITY_PORT", "tcp://10.0.0.11:7420"},
                          {"VICINITY_PORT_7420_TCP", "tcp://10.0.0.11:7420"},
                          {"VICINITY_PORT_7420_TCP_PROTO", "tcp"},
                          {"VICINITY_PORT_7420_TCP_PORT", "7420"},
                          {"VICINITY_PORT_7420_TCP_ADDR", "10.0.0.11"},
                          {"VICINITY_SERVER_SERVICE_HOST", "10.0.0.12"},
                          {"VICINITY_SERVER_PORT", "tcp://10.0.0.12:7420"},
                          {"VICINITY_SERVER_PORT_7420_TCP_ADDR", "10.0.0.12"}};
  for (const auto& [name, value] : links) variable(name, value);
  const auto result = run();
  ASSERT_TRUE(result.ok()) << result.error().text;
  EXPECT_EQ(result.value().config, Config{});
  EXPECT_EQ(result.value().ignored_variables.size(), links.size());
}

TEST_F(Configuration, AnAddressBeyondLoopbackWithTokensAndTlsNeedsNoWord) {
  file(
      "listen_address = \"0.0.0.0\"\ntoken_keys = \"keys\"\n"
      "tls_certificate = \"c.pem\"\ntls_private_key = \"k.pem\"\n");
  EXPECT_EQ(config().token_keys, "keys");
  EXPECT_EQ(config().tls_certificate, "c.pem");
  EXPECT_EQ(config().tls_private_key, "k.pem");
  variable("VICINITY_TOKEN_KEYS", "");
  EXPECT_THAT(error(), HasSubstr("missing: token_keys (who may connect);"));
  variable("VICINITY_TOKEN_KEYS", "keys");
  variable("VICINITY_TLS_CERTIFICATE", "");
  variable("VICINITY_TLS_PRIVATE_KEY", "");
  EXPECT_THAT(error(), HasSubstr("missing: tls_certificate (encryption);"));
}

TEST_F(Configuration, CertificateAndPrivateKeyGoTogetherAndNotWithIoUring) {
  flags({"--tls-certificate", "c.pem"});
  EXPECT_THAT(error(), HasSubstr("go together"));
  flags({"--tls-private-key", "k.pem"});
  EXPECT_EQ(config().tls_private_key, "k.pem");
  variable("VICINITY_SOCKET_ENGINE", "io_uring");
  EXPECT_THAT(error(), HasSubstr("io_uring"));
}

TEST_F(Configuration, ThePortVariableIsNoServiceLink) {
  variable("VICINITY_PORT", "7421");
  variable("VICINITY_PORT_FILE", "port");
  EXPECT_EQ(config().port, 7421u);
  EXPECT_EQ(config().port_file, "port");
  variable("VICINITY_PORT", "http");
  EXPECT_THAT(error(), AllOf(HasSubstr("VICINITY_PORT"), HasSubstr("an integer")));
}

TEST_F(Configuration, AnAddressBeyondLoopbackNeedsTheWord) {
  for (const char* address : {"0.0.0.0", "::", "192.168.1.1"}) {
    const char* refused[] = {"vicinity-server", "--listen-address", address};
    EXPECT_THAT(configure(3, refused, {}).error().text, HasSubstr("--insecure")) << address;
    const char* allowed[] = {"vicinity-server", "--listen-address", address, "--insecure"};
    EXPECT_TRUE(configure(4, allowed, {}).ok()) << address;
  }
  for (const char* address : {"127.0.0.1", "127.9.9.9", "::1"}) {
    const char* argv[] = {"vicinity-server", "--listen-address", address};
    EXPECT_TRUE(configure(3, argv, {}).ok()) << address;
  }
}

TEST_F(Configuration, AnOriginThatNoBrowserSendsIsNamed) {
  const char* refused[] = {"vicinity-server", "--websocket-origins", "https://a.org, b.org"};
  EXPECT_THAT(configure(3, refused, {}).error().text,
              AllOf(HasSubstr("websocket_origins"), HasSubstr("'b.org'"), HasSubstr("://")));
}

TEST_F(Configuration, AFlagAboutAListenerNeedsTheListener) {
  flags({"--websocket-port", "0"});
  EXPECT_THAT(error(), HasSubstr("--websocket-port needs --websocket"));
  variable("VICINITY_WEBSOCKET", "true");
  EXPECT_TRUE(config().websocket);
  flags({"--admin-port=0"});
  EXPECT_THAT(error(), HasSubstr("--admin-port needs --admin"));
  flags({"--admin"});
  EXPECT_TRUE(config().admin);
}

TEST_F(Configuration, FilesAndVariablesMayNameAListenerThatIsOff) {
  file("websocket = false\nwebsocket_port = 7000\n");
  variable("VICINITY_ADMIN_PORT", "7001");
  EXPECT_EQ(config().websocket_port, 7000u);
  EXPECT_FALSE(config().admin);
  flags({"--websocket-port", "7002", "--print-config"});
  EXPECT_THAT(run().value().print_and_exit, HasSubstr("\nwebsocket_port = 7002\n"));
}

TEST_F(Configuration, AFlagAboutTheJournalNeedsTheJournal) {
  const std::pair<const char*, const char*> given[] = {{"--sync", "tick"},
                                                       {"--sync-interval-ms", "20"},
                                                       {"--snapshot-interval-s", "0"},
                                                       {"--on-journal-error", "stop"},
                                                       {"--journal-accept-loss", "true"},
                                                       {"--journal-bytes-max", "1048576"},
                                                       {"--journal-queue-bytes-max", "4096"}};
  for (const auto& [name, value] : given) {
    const char* alone[] = {"vicinity-server", name, value};
    EXPECT_THAT(configure(3, alone, {}).error().text,
                HasSubstr(std::string(name) + " needs --journal"));
    EXPECT_TRUE(configure(3, alone, {{"VICINITY_JOURNAL_DIR", "there"}}).ok()) << name;
    const char* both[] = {"vicinity-server", name, value, "--journal", "there"};
    EXPECT_TRUE(configure(5, both, {}).ok()) << name;
  }
  flags({"--sync", "tick", "--print-config"});
  EXPECT_THAT(run().value().print_and_exit, HasSubstr("\nsync = \"tick\"\n"));
}

TEST_F(Configuration, AFlagAboutTokensNeedsKeys) {
  flags({"--token-audience", "arena"});
  EXPECT_THAT(error(), HasSubstr("--token-audience needs --token-keys"));
  flags({"--token-keys", "keys", "--token-skew-s", "0"});
  EXPECT_EQ(config().token_skew_s, 0u);
  const char* alone[] = {"vicinity-server", "--token-skew-s", "0"};
  EXPECT_THAT(configure(3, alone, {}).error().text, HasSubstr("--token-skew-s needs --token-keys"));
}

TEST_F(Configuration, FilesAndVariablesMayNameWhatNeedsAJournalOrKeys) {
  file("sync = \"tick\"\ntoken_audience = \"arena\"\n");
  variable("VICINITY_JOURNAL_BYTES_MAX", "1048576");
  EXPECT_EQ(config().sync, "tick");
  EXPECT_EQ(config().token_audience, "arena");
}

// --- Printing --------------------------------------------------------------------------------

TEST_F(Configuration, PrintedSettingsReadBackTheSame) {
  Config odd;
  odd.port_file = "a \"quoted\" \\ path\twith\nall ä";
  odd.row_size_m = 0.1;
  odd.world_half_size_m = 1e12;
  odd.tick_mode = "manual";
  odd.insecure = true;
  odd.session_count_max = 7;
  file(print_config(odd));
  EXPECT_EQ(config(), odd);
}

TEST_F(Configuration, PrintedSettingsCarryRangeUnitAndMeaning) {
  flags({"--print-config"});
  const auto result = run();
  ASSERT_TRUE(result.ok());
  const std::string& text = result.value().print_and_exit;
  for (const Setting& setting : settings_table()) {
    EXPECT_THAT(text, HasSubstr("\n" + std::string(setting.key) + " = ")) << setting.key;
    EXPECT_THAT(text, HasSubstr("# " + std::string(setting.meaning))) << setting.key;
    EXPECT_THAT(text, HasSubstr(allowed_values(setting))) << setting.key;
    if (!setting.unit.empty()) {
      EXPECT_THAT(text, HasSubstr("(" + std::string(setting.unit) + ")")) << setting.key;
    }
  }
}

TEST_F(Configuration, HelpListsEveryFlagAndVariable) {
  flags({"--help"});
  const auto result = run();
  ASSERT_TRUE(result.ok());
  for (const Setting& setting : settings_table()) {
    EXPECT_THAT(result.value().print_and_exit, HasSubstr(flag_name(setting)));
    EXPECT_THAT(result.value().print_and_exit, HasSubstr(variable_name(setting)));
  }
}

TEST_F(Configuration, PrintsNothingWhenTheSettingsAreWrong) {
  flags({"--print-config", "--tick-rate-hz", "0"});
  EXPECT_THAT(error(), HasSubstr("--tick-rate-hz"));
}

}  // namespace
}  // namespace vicinity::app
