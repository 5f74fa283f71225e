// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#include "app/port_file.h"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fstream>

namespace vicinity::app {

Error write_port_file(const std::string& path, std::uint16_t port) {
  const std::string beside = path + ".new";
  std::ofstream file(beside, std::ios::trunc);
  file << port << '\n';
  file.close();
  if (file.fail() || std::rename(beside.c_str(), path.c_str()) != 0)
    return {ErrorCode::Internal,
            "cannot write the port file " + path + ": " + std::strerror(errno)};
  return {};
}

}  // namespace vicinity::app
