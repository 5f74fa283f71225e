// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#include "client/access_options.h"

#include <CLI/CLI.hpp>
#include <fstream>

namespace vicinity::client {

void AccessOptions::add_to(CLI::App& app) {
  constexpr const char* group = "Access";
  app.add_flag("--tls", tls_, "Speak TLS, and check who the server is")->group(group);
  app.add_option("--tls-ca", tls_ca_file_,
                 "Certificates that vouch for the server, PEM [those of the system]")
      ->group(group);
  app.add_option("--tls-name", tls_server_name_, "Name in the server's certificate [its host]")
      ->group(group);
  auto* token = app.add_option("--token", token_, "Token for the server; others can see it in ps")
                    ->group(group);
  app.add_option("--token-file", token_file_,
                 "File of the token; of several lines every connection takes the next one")
      ->group(group)
      ->excludes(token);
}

std::optional<std::string> AccessOptions::read() {
  if (!tls_ && !(tls_ca_file_.empty() && tls_server_name_.empty()))
    return "--tls-ca and --tls-name need --tls";
  if (!token_.empty()) tokens_.push_back(token_);
  if (token_file_.empty()) return std::nullopt;
  std::ifstream file(token_file_);
  if (!file) return "--token-file: '" + token_file_ + "' cannot be read";
  for (std::string line; std::getline(file, line);)
    if (!line.empty()) tokens_.push_back(line);
  if (tokens_.empty()) return "--token-file: '" + token_file_ + "' holds no token";
  return std::nullopt;
}

void AccessOptions::apply(ConnectOptions& options, std::size_t number) const {
  options.tls = tls_;
  options.tls_ca_file = tls_ca_file_;
  options.tls_server_name = tls_server_name_;
  if (!tokens_.empty()) options.token = tokens_[number % tokens_.size()];
}

}  // namespace vicinity::client
