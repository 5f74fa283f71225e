// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#include "app/settings_of_admin.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "base/limits.h"

namespace vicinity::app {

std::vector<Setting> admin_settings() {
  return {
      {"admin",
       &Config::admin,
       0,
       0,
       "",
       {},
       "Listen for operators and their tools: metrics, health, ticks, sessions, drain (HTTP)."},
      {"admin_address",
       &Config::admin_address,
       0,
       0,
       "",
       {},
       "IP address for operators; one other than loopback needs `admin_token_file`."},
      {"admin_port",
       &Config::admin_port,
       0,
       65535,
       "",
       {},
       "TCP port for operators; 0 takes any free one."},
      {"admin_port_file",
       &Config::admin_port_file,
       0,
       0,
       "",
       {},
       "File that receives admin_port once the server listens there; empty: none."},
      {"admin_token_file",
       &Config::admin_token_file,
       0,
       0,
       "",
       {},
       "File with the token that operators must send; empty: none is needed."},
  };
}

std::optional<std::string> admin_fault(const Config& config) {
  if (!config.admin || is_loopback(config.admin_address) || !config.admin_token_file.empty())
    return std::nullopt;
  return "admin_address " + config.admin_address +
         " can be reached from other machines; set admin_token_file (--admin-token-file), or a "
         "loopback address";
}

Result<std::string, Error> read_admin_token(const Config& config) {
  const std::string& path = config.admin_token_file;
  if (path.empty()) return std::string();
  std::error_code status;
  std::ifstream file(path, std::ios::binary);
  if (!std::filesystem::is_regular_file(path, status) || !file.is_open()) {
    return Error{ErrorCode::Internal,
                 "admin_token_file " + path + " cannot be read, or is not a regular file"};
  }
  std::string text(limits::admin_token_chars_max + 3, '\0');
  file.read(text.data(), static_cast<std::streamsize>(text.size()));
  text.resize(static_cast<std::size_t>(file.gcount()));
  const std::size_t begin = text.find_first_not_of(" \t\r\n");
  const std::size_t end = text.find_last_not_of(" \t\r\n");
  text = begin == text.npos ? "" : text.substr(begin, end - begin + 1);
  const bool is_plain =
      std::all_of(text.begin(), text.end(), [](char c) { return c > ' ' && c <= '~'; });
  if (!is_plain || text.size() < limits::admin_token_chars_min ||
      text.size() > limits::admin_token_chars_max) {
    return Error{ErrorCode::Internal, "admin_token_file " + path + " must hold one word of " +
                                          std::to_string(limits::admin_token_chars_min) + " to " +
                                          std::to_string(limits::admin_token_chars_max) +
                                          " printable characters and nothing else"};
  }
  return text;
}

}  // namespace vicinity::app
