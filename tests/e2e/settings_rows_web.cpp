// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors

#include <fstream>

#include "settings_rows.h"
#include "support/web_socket_client.h"

namespace vicinity::test {
namespace {

/// A server that listens for WebSocket clients, unless the settings say otherwise, on a port that
/// it writes into a file.
class WebServer {
 public:
  explicit WebServer(const Variables& settings)
      : server_("vicinity-server", {"--port", "0", "--websocket-port-file", file().string()},
                settings) {
    started_ = server_.wait_for_error_text("server started");
  }
  std::filesystem::path file() const { return folder_.path() / "web_port"; }
  /// 0 when it does not listen.
  std::uint16_t port() const {
    int port = 0;
    std::ifstream(file()) >> port;
    return started_ ? static_cast<std::uint16_t>(port) : std::uint16_t{0};
  }

 private:
  TemporaryFolder folder_;
  ChildProcess server_;
  bool started_ = false;
};

std::string listens(const Variables& settings) {
  return WebServer(settings).port() != 0 ? "listens" : "does not";
}

std::string port_listened_on(const Variables& settings) {
  return std::to_string(WebServer(settings).port());
}

std::string port_file_written(const Variables& settings) {
  const TemporaryFolder folder;
  Variables here = settings;
  std::string& name = here["VICINITY_WEBSOCKET_PORT_FILE"];
  if (!name.empty()) name = folder.path() / name;
  ChildProcess server("vicinity-server", {"--port", "0"}, here);
  if (!server.wait_for_error_text("server started")) return server.standard_error();
  return std::filesystem::exists(folder.path() / "there") ? "a file" : "none";
}

/// What a page of https://example.org is told.
std::string answer_to_a_page(const Variables& settings) {
  const WebServer server(settings);
  WebSocketClient client(server.port());
  client.write(upgrade_request("Origin: https://example.org\r\n"));
  return client.read_response().substr(0, 12);
}

}  // namespace

void add_web_rows(std::map<std::string, SettingRow>& rows) {
  const Variables on = {{"VICINITY_WEBSOCKET", "true"}, {"VICINITY_WEBSOCKET_PORT", "0"}};
  const std::string port = free_port();
  const std::string other_port = free_port();
  rows["websocket"] = {on, {"true", "listens"}, {"false", "does not"}, listens};
  rows["websocket_port"] = {on, {port, port}, {other_port, other_port}, port_listened_on};
  rows["websocket_port_file"] = {on, {"", "none"}, {"there", "a file"}, port_file_written};
  rows["websocket_origins"] = {
      on, {"https://example.org", "HTTP/1.1 101"}, {"", "HTTP/1.1 403"}, answer_to_a_page};
}

}  // namespace vicinity::test
