// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors

#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include "index/index.h"
#include "settings_observed.h"
#include "settings_rows.h"

namespace vicinity::test {

std::string free_port() {
  const int socket = ::socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  ::bind(socket, reinterpret_cast<const sockaddr*>(&address), size);
  ::getsockname(socket, reinterpret_cast<sockaddr*>(&address), &size);
  ::close(socket);
  return std::to_string(ntohs(address.sin_port));
}

namespace {

std::string text_of(const std::filesystem::path& path) {
  std::ifstream file(path);
  std::string text;
  file >> text;
  return text;
}

/// A server that is told its port by the settings.
std::string port_listened_on(const Variables& settings) {
  const TemporaryFolder folder;
  const auto file = folder.path() / "port";
  ChildProcess server("vicinity-server", {"--port-file", file.string()}, settings);
  if (!server.wait_for_error_text("server started")) return server.standard_error();
  return text_of(file);
}

std::string port_file_written(const Variables& settings) {
  const TemporaryFolder folder;
  Variables here = settings;
  std::string& name = here["VICINITY_PORT_FILE"];
  if (!name.empty()) name = folder.path() / name;
  ChildProcess server("vicinity-server", {"--port", "0"}, here);
  if (!server.wait_for_error_text("server started")) return server.standard_error();
  return text_of(folder.path() / "there").empty() ? "none" : "a number";
}

std::string starts(const Variables& settings) {
  ChildProcess server("vicinity-server", {"--port", "0"}, settings);
  const bool started = server.wait_for_error_text("server started", Milliseconds(2'000));
  return started ? "starts" : "ends with " + std::to_string(server.wait().value_or(-1));
}

std::string reached_at_loopback(const Variables& settings) {
  ObservedServer server(settings);
  RawSocket socket;
  return socket.connect(server.port()) ? "reached" : "not reached";
}

std::string step_answer(const Variables& settings) {
  ObservedServer server(settings);
  if (!server.authority().send(step_frame(1, 1))) return "gone";
  const auto* done = server.authority().next_of<proto::StepDone>();
  return done == nullptr ? "none" : std::string(to_string(WireClient::code(done->code())));
}

/// An entity at 60 m/s after one tick.
std::string way_of_a_tick(const Variables& settings) {
  ObservedServer server(settings);
  server.made({spawn(0, 0, 0, 60)});
  server.step();
  if (!server.authority().send(box_query_frame(1, 100))) return "gone";
  const auto* answer = server.authority().next_of<proto::QueryAnswer>();
  if (answer == nullptr || answer->hits() == nullptr) return "not found";
  return std::to_string(std::lround(answer->hits()->Get(0)->position().x() * 1000)) + " mm";
}

/// Threads beyond those of a server with one of either kind.
std::string more_threads(const Variables& settings) {
  const auto threads = [](const Variables& with) {
    ObservedServer server(with);
    // Small worlds are no work for more than one.
    for (int row = 0; row < 10; ++row) {
      std::vector<MakeCommand> some;
      for (int i = 0; i < 500; ++i) some.push_back(spawn(i * 3.0, row * 3.0, 0, 1));
      server.made(some);
    }
    server.step(10);
    return std::stoi(server.status("Threads"));
  };
  const Variables least = {{"VICINITY_WORKERS", "1"}, {"VICINITY_NET_THREADS", "1"}};
  return threads(settings) > threads(least) ? "more" : "as few";
}

/// More entities than 64 MiB hold.
std::string more_than_fits(const Variables& settings) {
  ObservedServer server(settings);
  for (int row = 0; row < 160; ++row) {
    std::vector<MakeCommand> some;
    for (int i = 0; i < 500; ++i) some.push_back(spawn(i * 3.0, row * 3.0, 0));
    if (server.made(some).size() < some.size()) return std::string(to_string(server.last_code()));
  }
  return "made";
}

std::string index_chosen(const Variables& settings) {
  ObservedServer server(settings);
  std::vector<MakeCommand> some;
  for (int i = 0; i < 100; ++i) some.push_back(spawn(i * 5.0, i % 7, 0, 1));
  server.made(some);
  server.step(20);
  return server.logged("chosen");
}

std::string kernel_logged(const Variables& settings) {
  return ObservedServer(settings).logged("index_kernel");
}

std::string join_logged(const Variables& settings) {
  ObservedServer server(settings);
  server.authority();
  return server.logs("session open", Milliseconds(1'000)) ? "logged" : "not logged";
}

std::string log_form(const Variables& settings) {
  ObservedServer server(settings);
  if (!server.logs("server started")) return "nothing";
  return server.process().standard_error().front() == '{' ? "JSON" : "text";
}

}  // namespace

void add_process_rows(std::map<std::string, SettingRow>& rows) {
  const std::string port = free_port();
  const std::string other_port = free_port();
  rows["listen_address"] = {
      {}, {"127.0.0.1", "reached"}, {"127.0.0.2", "not reached"}, reached_at_loopback};
  rows["port"] = {{}, {port, port}, {other_port, other_port}, port_listened_on};
  rows["port_file"] = {{}, {"", "none"}, {"there", "a number"}, port_file_written};
  rows["insecure"] = {{{"VICINITY_LISTEN_ADDRESS", "0.0.0.0"}},
                      {"true", "starts"},
                      {"false", "ends with 2"},
                      starts};
  rows["tick_mode"] = {{}, {"manual", "None"}, {"timer", "WrongTickMode"}, step_answer};
  rows["tick_rate_hz"] = {{}, {"20", "3000 mm"}, {"60", "1000 mm"}, way_of_a_tick};
  rows["workers"] = {{{"VICINITY_NET_THREADS", "1"}}, {"1", "as few"}, {"2", "more"}, more_threads};
  rows["net_threads"] = {{{"VICINITY_WORKERS", "1"}}, {"1", "as few"}, {"4", "more"}, more_threads};
  rows["max_memory"] = {{}, {"67108864", "ServerFull"}, {"0", "made"}, more_than_fits};
  rows["index"] = {{}, {"rows", "rows"}, {"sweep", "sweep"}, index_chosen};
  const bool wide = is_supported(IndexKernel::Avx2);
  rows["index_kernel"] = {
      {}, {"scalar", "scalar"}, {wide ? "avx2" : "none", wide ? "avx2" : ""}, kernel_logged};
  rows["log_level"] = {{}, {"info", "logged"}, {"warning", "not logged"}, join_logged};
  rows["log_format"] = {{}, {"text", "text"}, {"json", "JSON"}, log_form};
}

}  // namespace vicinity::test
