// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors

#include "cases/live_world.h"

#include <unistd.h>

#include <fstream>
#include <thread>

namespace vicinity::cases {

namespace {

constexpr auto pump_pause = std::chrono::milliseconds(2);
constexpr auto patience = std::chrono::seconds(60);
/// Commands that may be on their way, so that the door of the session never fills.
constexpr std::uint64_t commands_ahead_max = 100'000;
constexpr std::size_t commands_per_batch = 10'000;

}  // namespace

WallClock::WallClock() : file_(folder_.path() / "offset") { jump(0); }

test::Variables WallClock::variables() const {
  return {{"LD_PRELOAD", CASES_WALL_CLOCK_LIBRARY}, {"WALL_CLOCK_OFFSET_FILE", file_}};
}

void WallClock::jump(std::int64_t seconds) {
  offset_s_ += seconds;
  // The server maps this file: its bytes change in place.
  std::fstream file(file_, offset_s_ == seconds && seconds == 0
                               ? std::ios::out | std::ios::binary
                               : std::ios::in | std::ios::out | std::ios::binary);
  file.write(reinterpret_cast<const char*>(&offset_s_), sizeof offset_s_);
}

LiveWorld::LiveWorld(const test::Arguments& arguments, const test::Variables& variables,
                     const std::string& server_path)
    : server_(arguments, variables, server_path) {
  if (server_.port() == 0)
    throw ScriptError("the server did not start: " + server_.standard_error());
}

std::size_t LiveWorld::memory_bytes(pid_t pid) {
  std::ifstream file("/proc/" + std::to_string(pid) + "/statm");
  std::size_t total = 0;
  std::size_t resident = 0;
  file >> total >> resident;
  return resident * static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
}

LiveClient& LiveWorld::client(const std::string& name) {
  const auto at = clients_.find(name);
  if (at == clients_.end()) throw ScriptError("there is no client " + name);
  return *at->second;
}

LiveClient& LiveWorld::add_client(const std::string& name, const LinkOptions& link) {
  auto& place = clients_[name];
  if (place != nullptr) throw ScriptError("there is a client " + name + " already");
  place = std::make_unique<LiveClient>(server_.port(), link);
  return *place;
}

std::uint64_t LiveWorld::number_of(const std::string& account) {
  return accounts_.emplace(account, accounts_.size() + 1).first->second;
}

LiveClient& LiveWorld::director() {
  if (director_ == nullptr) {
    director_ = std::make_unique<LiveClient>(server_.port(), LinkOptions{});
    client::ConnectOptions options;
    options.client_name = "director";
    options.role = Role::Authority;
    director_->send_hello(options);
    if (!wait_until(patience, [&] { return director_->welcomed() || director_->closed(); }) ||
        !director_->welcomed())
      throw ScriptError("the authority is not served");
  }
  return *director_;
}

void LiveWorld::spawn(const std::vector<std::pair<std::string, SpawnCommand>>& named) {
  LiveClient& from = director();
  std::vector<CommandBody> commands;
  for (std::size_t i = 0; i < named.size(); ++i) {
    spawned_[named[i].first] = from.commands_sent() + commands.size() + 1;
    commands.emplace_back(named[i].second);
    if (commands.size() < commands_per_batch && i + 1 < named.size()) continue;
    from.send(commands);
    commands.clear();
    const auto has_room = [&] {
      return from.commands_sent() - from.commands_answered() < commands_ahead_max;
    };
    if (!wait_until(patience, has_room)) throw ScriptError("spawns are not answered");
  }
  const auto done = [&] { return from.commands_sent() == from.commands_answered(); };
  if (!wait_until(patience, done)) throw ScriptError("spawns are not answered");
  if (from.commands_refused() > 0) throw ScriptError("a spawn was refused");
}

void LiveWorld::despawn(const std::string& name) {
  const auto at = spawned_.find(name);
  const auto id = at == spawned_.end() ? std::nullopt : director().made_by(at->second);
  if (!id) throw ScriptError("there is no entity " + name);
  director().send(DespawnCommand{{*id, 0}});
}

client::PongMessage LiveWorld::ask_time() {
  LiveClient& from = director();
  const std::uint64_t before = from.pong() ? from.pong()->server_time_us : 0;
  from.ping();
  const auto answered = [&] { return from.pong() && from.pong()->server_time_us != before; };
  if (!wait_until(patience, answered)) throw ScriptError("a ping is not answered");
  return *from.pong();
}

void LiveWorld::pump() {
  if (director_ != nullptr) director_->pump();
  for (const auto& [name, one] : clients_) one->pump();
  for (const auto& each : also_) each();
}

void LiveWorld::wait(Clock::duration time) {
  (void)wait_until(time, [] { return false; });
}

bool LiveWorld::wait_until(Clock::duration limit, const std::function<bool()>& condition) {
  const auto end = Clock::now() + limit;
  while (true) {
    pump();
    if (condition()) return true;
    if (Clock::now() >= end) return false;
    std::this_thread::sleep_for(pump_pause);
  }
}

}  // namespace vicinity::cases
