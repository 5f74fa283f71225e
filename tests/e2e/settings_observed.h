// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#pragma once

// One run of the server under given settings, for tests that look at what a setting changes. Words
// of a client, and a few things only the system sees of a process. What does not work throws.

#include <fstream>
#include <memory>
#include <regex>
#include <stdexcept>
#include <string>
#include <vector>

#include "session_client.h"

namespace vicinity::test {

/// A server in manual tick mode unless the settings say otherwise, and its authority.
class ObservedServer {
 public:
  explicit ObservedServer(const Variables& settings) : server_({}, with_defaults(settings)) {
    if (server_.port() == 0) throw std::runtime_error(server_.standard_error());
  }

  ServerProcess& process() { return server_; }
  std::uint16_t port() const { return server_.port(); }
  WireClient client(int receive_buffer_bytes = 0) {
    return WireClient(server_.port(), receive_buffer_bytes);
  }
  WireClient& authority() {
    if (authority_ == nullptr) {
      authority_ = std::make_unique<WireClient>(server_.port());
      if (!authority_->join()) throw std::runtime_error("no authority");
    }
    return *authority_;
  }
  void step(std::uint32_t count = 1) {
    if (!authority().send(step_frame(++steps_, count)) || !authority().next_of<proto::StepDone>())
      throw std::runtime_error("no step");
  }

  /// What the server says of one command: the code, after one more tick.
  ErrorCode outcome(WireClient& of, std::uint64_t sequence, const MakeCommand& make) {
    if (!of.send(commands_frame(sequence, {make})) || !of.is_served(sequence))
      throw std::runtime_error("not served");
    step();
    const auto* results = &of == &authority() ? nullptr : of.next_of<proto::CommandResults>();
    return results == nullptr ? ErrorCode::Internal : code_of(results);
  }
  static ErrorCode code_of(const proto::CommandResults* results) {
    if (results->errors() == nullptr || results->errors()->size() == 0) return ErrorCode::None;
    return WireClient::code(results->errors()->Get(0)->code());
  }
  /// Has the authority send commands, runs a tick, and gives the entities that they made.
  std::vector<std::uint64_t> made(const std::vector<MakeCommand>& make) {
    if (!authority().send(commands_frame(sequence_, make))) throw std::runtime_error("gone");
    sequence_ += make.size();
    if (!authority().send(step_frame(++steps_, 1))) throw std::runtime_error("gone");
    std::vector<std::uint64_t> ids;
    const auto* results = authority().next_of<proto::CommandResults>();
    if (results == nullptr) throw std::runtime_error("no results");
    last_code_ = code_of(results);
    if (results->acks() != nullptr)
      for (const auto* ack : *results->acks()) ids.push_back(ack->entity());
    if (!authority().next_of<proto::StepDone>()) throw std::runtime_error("no step");
    return ids;
  }
  ErrorCode last_code() const { return last_code_; }

  bool logs(const std::string& text, Milliseconds limit = Milliseconds(20'000)) {
    return server_.process().wait_for_error_text(text, limit);
  }
  /// The first value of the field in the log, once it is there.
  std::string logged(const std::string& field) {
    if (!logs(" " + field + "=")) return "nothing";
    std::smatch match;
    const std::string log = server_.standard_error();
    return std::regex_search(log, match, std::regex(" " + field + R"(=(\S+))")) ? match[1].str()
                                                                                : "nothing";
  }
  /// Of the last words of the server.
  std::string logged_at_end(const std::string& field) {
    server_.process().signal(SIGTERM);
    server_.process().wait();
    return logged(field);
  }

  std::string status(const std::string& field) const {
    std::ifstream file("/proc/" + std::to_string(pid()) + "/status");
    for (std::string line; std::getline(file, line);)
      if (line.starts_with(field + ":")) return line.substr(field.size() + 2);
    return "nothing";
  }
  /// Most bytes that the system holds for the peers of this server, of one connection.
  std::size_t unsent_bytes() const {
    std::ifstream file("/proc/net/tcp");
    std::size_t most = 0;
    char port[8];
    std::snprintf(port, sizeof port, ":%04X", server_.port());
    for (std::string line; std::getline(file, line);) {
      std::smatch match;
      if (!std::regex_search(line, match, row()) || match[1].str() != port) continue;
      most = std::max<std::size_t>(most, std::stoul(match[2].str(), nullptr, 16));
    }
    return most;
  }

 private:
  static const std::regex& row() {
    // Number, local address, remote address, established, bytes sent and not acknowledged.
    static const std::regex words(R"(^\s*\d+: [0-9A-F]{8}(:[0-9A-F]{4}) \S+ 01 ([0-9A-F]{8}):)");
    return words;
  }
  static Variables with_defaults(Variables settings) {
    settings.emplace("VICINITY_TICK_MODE", "manual");
    return settings;
  }
  pid_t pid() const { return const_cast<ServerProcess&>(server_).process().pid(); }

  ServerProcess server_;
  std::unique_ptr<WireClient> authority_;
  std::uint64_t steps_ = 0;
  std::uint64_t sequence_ = 1;
  ErrorCode last_code_ = ErrorCode::None;
};

}  // namespace vicinity::test
