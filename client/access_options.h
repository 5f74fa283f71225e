// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#pragma once

// The options of a command line about TLS and tokens, the same for every tool that talks to a
// server. Private to the tools.

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "client/connection.h"

namespace CLI {
class App;
}

namespace vicinity::client {

class AccessOptions {
 public:
  /// --tls, --tls-ca, --tls-name, --token, --token-file.
  void add_to(CLI::App& app);
  /// Once the command line is read: reads the file of tokens. An error is a sentence for the user.
  std::optional<std::string> read();
  /// For connection `number` of the tool, from 0: with several tokens each has its own.
  void apply(ConnectOptions& options, std::size_t number = 0) const;
  /// 0: the server is told none.
  std::size_t token_count() const { return tokens_.size(); }

 private:
  bool tls_ = false;
  std::string tls_ca_file_;
  std::string tls_server_name_;
  std::string token_;
  std::string token_file_;
  std::vector<std::string> tokens_;
};

}  // namespace vicinity::client
