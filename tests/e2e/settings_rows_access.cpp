// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors

#include <fstream>
#include <memory>
#include <vector>

#include "access/gatekeeper.h"
#include "settings_observed.h"
#include "settings_rows.h"
#include "support/raw_token.h"
#include "support/test_certificate.h"
#include "support/tls_layer.h"

namespace vicinity::test {
namespace {

const std::string secret = "0123456789abcdef0123456789abcdef";

/// A folder with one key.
const std::filesystem::path& keys() {
  static const TemporaryFolder folder;
  std::ofstream(folder.path() / "dev.hs256") << secret;
  return folder.path();
}

const TestCertificate& certificate() {
  static const TestCertificate certificate;
  return certificate;
}

std::string name_of(ErrorCode code) { return std::string(to_string(code)); }

/// What a hello with a token leads to that is for `arena` and has ended a minute ago.
std::string hello_with_token(const Variables& settings, std::int64_t ends_in_s) {
  ObservedServer server(settings);
  WireClient client = server.client();
  SessionWish wish;
  wish.credentials = hs256_token(header_of("HS256", "dev"),
                                 R"({"sub":"ada","role":"player","aud":"arena","exp":)" +
                                     std::to_string(access::Gatekeeper::now_s() + ends_in_s) + "}",
                                 secret);
  const Greeted greeted = greet(client, wish);
  return greeted.welcomed ? "welcome" : name_of(greeted.code);
}

std::string hello_without_token(const Variables& settings) {
  ObservedServer server(settings);
  WireClient client = server.client();
  const Greeted greeted = greet(client, {});
  return greeted.welcomed ? "welcome" : name_of(greeted.code);
}

/// Whether a server that starts speaks TLS.
std::string carrier(const Variables& settings) {
  ServerProcess server({}, settings);
  if (server.port() == 0)
    return "ends with " + std::to_string(server.process().wait().value_or(-1));
  const TlsCarrier tls;
  RawSocket socket;
  return socket.connect(server.port()) ? "TLS" : "plain";
}

/// What becomes of the last of so many connections.
std::string last_of(const Variables& settings, int count) {
  ObservedServer server(settings);
  std::vector<std::unique_ptr<WireClient>> clients;
  for (int i = 0; i < count; ++i) clients.push_back(std::make_unique<WireClient>(server.port()));
  const Greeted greeted = greet(*clients.back(), {});
  return greeted.welcomed ? "welcome" : name_of(greeted.code);
}

/// Whether a player is told RateLimited at once for some of so many frames of 1000 commands.
std::string many_commands(const Variables& settings, int frames) {
  ObservedServer server(settings);
  WireClient player = server.client();
  if (!player.join({proto::Role::Player})) return "no welcome";
  for (int i = 0; i < frames; ++i) {
    const auto first = static_cast<std::uint64_t>(1 + i * 1000);
    player.send(commands_frame(first, std::vector<MakeCommand>(1000, despawn(1))));
  }
  player.send(ping_frame(1));
  while (const auto* message = player.next()) {
    if (message->body_as_Pong() != nullptr) return "taken";
    const auto* results = message->body_as_CommandResults();
    if (results != nullptr) return name_of(ObservedServer::code_of(results));
  }
  return "gone";
}

/// The last of many queries: one alone may cost less than a microsecond.
std::string last_query(const Variables& settings) {
  constexpr std::uint64_t queries = 200;
  ObservedServer server(settings);
  WireClient player = server.client();
  if (!player.join({proto::Role::Player})) return "no welcome";
  for (std::uint64_t i = 1; i <= queries; ++i) player.send(box_query_frame(i, 10));
  while (const auto* answer = player.next_of<proto::QueryAnswer>())
    if (answer->request() == queries) return name_of(WireClient::code(answer->code()));
  return "gone";
}

}  // namespace

void add_access_rows(std::map<std::string, SettingRow>& rows) {
  const std::string folder = keys();
  const Variables with_keys{{"VICINITY_TOKEN_KEYS", folder}};
  Variables for_arena = with_keys;
  for_arena["VICINITY_TOKEN_AUDIENCE"] = "arena";
  rows["token_keys"] = {{}, {"", "welcome"}, {folder, "Unauthorized"}, hello_without_token};
  rows["token_audience"] = {
      with_keys, {"arena", "welcome"}, {"shop", "Unauthorized"}, [](const Variables& settings) {
        return hello_with_token(settings, 3600);
      }};
  rows["token_skew_s"] = {
      for_arena, {"600", "welcome"}, {"0", "TokenExpired"}, [](const Variables& settings) {
        return hello_with_token(settings, -60);
      }};
  const std::string file = certificate().certificate_file();
  const std::string key_file = certificate().private_key_file();
  rows["tls_certificate"] = {
      {{"VICINITY_TLS_PRIVATE_KEY", key_file}}, {file, "TLS"}, {"", "ends with 2"}, carrier};
  rows["tls_private_key"] = {
      {{"VICINITY_TLS_CERTIFICATE", file}}, {key_file, "TLS"}, {file, "ends with 2"}, carrier};
  const auto third = [](const Variables& settings) { return last_of(settings, 3); };
  const Variables bounded{{"VICINITY_LIMIT_LOOPBACK", "true"}};
  Variables one_only;
  one_only["VICINITY_CONNECTIONS_PER_ADDRESS_MAX"] = "1";
  rows["connections_per_address_max"] = {bounded, {"2", "RateLimited"}, {"3", "welcome"}, third};
  rows["connects_per_address_per_s"] = {bounded, {"1", "RateLimited"}, {"1000", "welcome"}, third};
  rows["limit_loopback"] = {one_only, {"true", "RateLimited"}, {"false", "welcome"}, third};
  rows["commands_per_s"] = {{{"VICINITY_BYTES_IN_PER_S", "0"}},
                            {"1", "RateLimited"},
                            {"0", "taken"},
                            [](const Variables& settings) { return many_commands(settings, 2); }};
  rows["bytes_in_per_s"] = {{{"VICINITY_COMMANDS_PER_S", "0"}},
                            {"1", "RateLimited"},
                            {"0", "taken"},
                            [](const Variables& settings) { return many_commands(settings, 5); }};
  rows["query_us_per_s_total"] = {
      {{"VICINITY_QUERY_US_PER_S", "0"}}, {"1", "RateLimited"}, {"0", "None"}, last_query};
  rows["query_us_per_s"] = {{}, {"1", "RateLimited"}, {"0", "None"}, last_query};
}

}  // namespace vicinity::test
