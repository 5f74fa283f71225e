// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors

#include <fstream>

#include "settings_rows.h"
#include "support/web_socket_client.h"

namespace vicinity::test {
namespace {

/// A server with a listener for operators, unless the settings say otherwise, on a port that it
/// writes into a file; and a token in a file that nobody is told of.
class AdminServer {
 public:
  explicit AdminServer(Variables settings)
      : server_("vicinity-server",
                {"--port", "0", "--admin-port-file", file("admin_port").string()},
                in_folder(std::move(settings))) {
    started_ = server_.wait_for_error_text("server started");
  }
  /// 0 when it does not listen.
  std::uint16_t port() const {
    int port = 0;
    std::ifstream(file("admin_port")) >> port;
    return started_ ? static_cast<std::uint16_t>(port) : std::uint16_t{0};
  }
  /// Status of the answer to somebody on 127.0.0.1.
  std::string status() const {
    RawSocket socket;
    if (!socket.connect(port())) return "not reached";
    const std::string request = "GET /version HTTP/1.1\r\nHost: localhost\r\n\r\n";
    socket.write({reinterpret_cast<const std::uint8_t*>(request.data()), request.size()});
    const auto head = socket.read_bytes(12);
    return head ? std::string(head->begin(), head->end()) : "no answer";
  }

 private:
  std::filesystem::path file(const std::string& name) const { return folder_.path() / name; }
  Variables in_folder(Variables settings) const {
    std::ofstream(file("token")) << "a-token-for-operators\n";
    std::string& token = settings["VICINITY_ADMIN_TOKEN_FILE"];
    if (!token.empty()) token = file(token);
    return settings;
  }

  TemporaryFolder folder_;
  ChildProcess server_;
  bool started_ = false;
};

std::string listens(const Variables& settings) {
  return AdminServer(settings).port() != 0 ? "listens" : "does not";
}

std::string port_listened_on(const Variables& settings) {
  return std::to_string(AdminServer(settings).port());
}

std::string answer(const Variables& settings) { return AdminServer(settings).status(); }

std::string port_file_written(const Variables& settings) {
  const TemporaryFolder folder;
  Variables here = settings;
  std::string& name = here["VICINITY_ADMIN_PORT_FILE"];
  if (!name.empty()) name = folder.path() / name;
  ChildProcess server("vicinity-server", {"--port", "0"}, here);
  if (!server.wait_for_error_text("server started")) return server.standard_error();
  return std::filesystem::exists(folder.path() / "there") ? "a file" : "none";
}

}  // namespace

void add_admin_rows(std::map<std::string, SettingRow>& rows) {
  const Variables on = {{"VICINITY_ADMIN", "true"}, {"VICINITY_ADMIN_PORT", "0"}};
  const std::string port = free_port();
  const std::string other_port = free_port();
  rows["admin"] = {on, {"true", "listens"}, {"false", "does not"}, listens};
  rows["admin_address"] = {on, {"127.0.0.1", "HTTP/1.1 200"}, {"127.0.0.2", "not reached"}, answer};
  rows["admin_port"] = {on, {port, port}, {other_port, other_port}, port_listened_on};
  rows["admin_port_file"] = {on, {"", "none"}, {"there", "a file"}, port_file_written};
  rows["admin_token_file"] = {on, {"", "HTTP/1.1 200"}, {"token", "HTTP/1.1 401"}, answer};
}

}  // namespace vicinity::test
