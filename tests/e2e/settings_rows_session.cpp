// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors

#include <memory>

#include "settings_observed.h"
#include "settings_rows.h"

namespace vicinity::test {
namespace {

constexpr int small_buffer_bytes = 4096;

std::string name_of(std::optional<ErrorCode> code) {
  return code ? std::string(to_string(*code)) : "open";
}

/// How the server ends a connection within a second, if it does.
std::string end_of(WireClient& client) {
  const auto* message = client.next(Milliseconds(1'000));
  if (message == nullptr) return client.socket().ended() ? "cut" : "open";
  if (message->body_as_Closing() == nullptr) return "another message";
  return name_of(WireClient::code(message->body_as_Closing()->code()));
}

std::string third_join(const Variables& settings) {
  ObservedServer server(settings);
  std::vector<std::unique_ptr<WireClient>> clients;
  for (int i = 0; i < 2; ++i) {
    clients.push_back(std::make_unique<WireClient>(server.port()));
    if (!clients.back()->join()) return "no welcome";
  }
  WireClient third = server.client();
  const Greeted greeted = greet(third, {});
  return greeted.welcomed ? "welcome" : std::string(to_string(greeted.code));
}

/// An authority that looks at 16 000 entities: whether one frame holds the sight of all.
std::string first_sight(const Variables& settings) {
  ObservedServer server(settings);
  std::uint64_t sequence = 1;
  for (int batch = 0; batch < 32; ++batch) {
    std::vector<MakeCommand> some;
    for (int i = 0; i < 500; ++i) some.push_back(spawn(i * 5.0, batch * 5.0, 0));
    if (!server.authority().send(commands_frame(sequence, some))) return "gone";
    sequence += some.size();
  }
  if (!server.authority().send(commands_frame(sequence, {add_area(1, 1e5)}))) return "gone";
  if (!server.authority().send(step_frame(1, 1))) return "gone";
  while (const auto* frame = server.authority().next_of<proto::Frame>())
    if (frame->tick() == 1 && frame->last())
      return frame->enters_waiting() == 0 ? "all at once" : "some wait";
  return "no frame";
}

std::string silent_socket(const Variables& settings) {
  ObservedServer server(settings);
  WireClient silent = server.client();
  return end_of(silent);
}

std::string silent_session(const Variables& settings) {
  ObservedServer server(settings);
  WireClient silent = server.client();
  if (!silent.join({proto::Role::Observer})) return "no welcome";
  return end_of(silent);
}

std::string two_silent_sockets(const Variables& settings) {
  ObservedServer server(settings);
  WireClient first = server.client();
  WireClient second = server.client();
  return end_of(first);
}

/// A client that sees a crowd move and reads nothing.
class Stalled {
 public:
  explicit Stalled(const Variables& settings)
      : server_(settings), client_(server_.port(), small_buffer_bytes), authority_(server_.port()) {
    std::vector<MakeCommand> crowd;
    for (int i = 0; i < 500; ++i) crowd.push_back(spawn(i * 3.0, 0, 0, 0.5));
    good_ = authority_.join();
    for (std::uint64_t row = 0; row < 10; ++row)
      good_ = good_ && authority_.send(commands_frame(1 + row * crowd.size(), crowd));
    good_ = good_ && authority_.is_served() && client_.join({proto::Role::Observer}) &&
            client_.send(commands_frame(1, {add_area(1, 1e6)})) && client_.is_served();
  }
  bool good() const { return good_; }
  ObservedServer& server() { return server_; }

 private:
  ObservedServer server_;
  WireClient client_;
  WireClient authority_;
  bool good_ = false;
};

/// Most that the system held for it until the server gave up.
std::string held_by_the_system(const Variables& settings) {
  Stalled stalled(settings);
  if (!stalled.good()) return "not served";
  std::size_t most = 0;
  for (int i = 0; i < 1000; ++i) {
    most = std::max(most, stalled.server().unsent_bytes());
    if (stalled.server().logs("code=SlowConsumer", Milliseconds(10)))
      return most > 400'000 ? "much" : "little";
  }
  return "it was never closed";
}

std::string end_of_stalled(const Variables& settings) {
  Stalled stalled(settings);
  if (!stalled.good()) return "not served";
  if (stalled.server().logs("code=SlowConsumer", Milliseconds(4'000))) return "SlowConsumer";
  return stalled.server().logs("session parked", Milliseconds(100)) ? "lost" : "open";
}

std::string welcomed_grace(const Variables& settings) {
  ObservedServer server(settings);
  WireClient client = server.client();
  return std::to_string(greet(client, {}).grace_ms);
}

std::string body_of_a_lost_player(const Variables& settings) {
  ObservedServer server(settings);
  WireClient player = server.client();
  if (!player.join({proto::Role::Player})) return "no welcome";
  if (!player.send(commands_frame(1, {spawn(0, 0, 0)})) || !player.is_served()) return "gone";
  server.step();
  player.socket().reset();
  if (!server.logs("session parked")) return "not parked";
  server.step();
  if (!server.authority().send(box_query_frame(1, 100))) return "gone";
  const auto* answer = server.authority().next_of<proto::QueryAnswer>();
  return answer != nullptr && answer->hits() != nullptr && answer->hits()->size() == 1 ? "there"
                                                                                       : "ended";
}

std::string advice_of_a_server_that_stops(const Variables& settings) {
  ObservedServer server(settings);
  WireClient client = server.client();
  if (!client.join()) return "no welcome";
  server.process().process().signal(SIGTERM);
  const auto* closing = client.next_of<proto::Closing>();
  return closing == nullptr ? "none" : std::to_string(closing->retry_after_ms());
}

}  // namespace

void add_session_rows(std::map<std::string, SettingRow>& rows) {
  rows["session_count_max"] = {{}, {"2", "ServerFull"}, {"3", "welcome"}, third_join};
  rows["outbox_bytes_max"] = {
      {}, {"2097152", "some wait"}, {"33554432", "all at once"}, first_sight};
  rows["handshake_deadline_ms"] = {
      {}, {"100", "HandshakeTimeout"}, {"60000", "open"}, silent_socket};
  rows["idle_timeout_ms"] = {{}, {"100", "IdleTimeout"}, {"60000", "open"}, silent_session};
  rows["unauthenticated_count_max"] = {
      {}, {"1", "HandshakeTimeout"}, {"2", "open"}, two_silent_sockets};
  const Variables stalled = {{"VICINITY_TICK_MODE", "timer"},
                             {"VICINITY_SLOW_CONSUMER_MS", "1000"},
                             {"VICINITY_USER_TIMEOUT_MS", "0"},
                             {"VICINITY_BUDGET_BYTES_PER_S", "0"}};
  Variables any_low_water = stalled;
  any_low_water["VICINITY_NOTSENT_LOWAT_BYTES"] = "0";
  rows["send_buffer_bytes"] = {
      any_low_water, {"8192", "little"}, {"2097152", "much"}, held_by_the_system};
  Variables large_buffer = stalled;
  large_buffer["VICINITY_SEND_BUFFER_BYTES"] = "2097152";
  rows["notsent_lowat_bytes"] = {
      large_buffer, {"16384", "little"}, {"0", "much"}, held_by_the_system};
  Variables patient = stalled;
  patient["VICINITY_SLOW_CONSUMER_MS"] = "60000";
  rows["user_timeout_ms"] = {patient, {"500", "lost"}, {"0", "open"}, end_of_stalled};
  rows["slow_consumer_ms"] = {stalled, {"200", "SlowConsumer"}, {"60000", "open"}, end_of_stalled};
  rows["socket_engine"] = {
      {}, {"epoll", "epoll"}, {"io_uring", "io_uring"}, [](const Variables& settings) {
        return ObservedServer(settings).logged("socket_engine");
      }};
  rows["grace_ms"] = {{}, {"0", "0"}, {"5000", "5000"}, welcomed_grace};
  rows["on_disconnect"] = {{}, {"despawn", "ended"}, {"keep", "there"}, body_of_a_lost_player};
  rows["retry_after_ms"] = {{}, {"1500", "1500"}, {"9000", "9000"}, advice_of_a_server_that_stops};
}

}  // namespace vicinity::test
