// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#pragma once

// The fixture of tests that every engine has to pass. Where this machine has no io_uring, its
// instances are skipped and say why.

#include <gtest/gtest.h>

#include <string>

#include "net/server_socket.h"
#include "recording_handler.h"

namespace vicinity::net {

class EngineTest : public testing::TestWithParam<Engine> {
 protected:
  void SetUp() override {
    RecordingHandler nobody;
    const auto probe = ServerSocket::open(defaults(), nobody);
    if (!probe.ok()) GTEST_SKIP() << probe.error().text;
  }

  SocketSettings defaults() const {
    SocketSettings settings;
    settings.engine = GetParam();
    return settings;
  }
};

class ServerSocketTest : public EngineTest {};

inline std::string engine_name(const testing::TestParamInfo<Engine>& info) {
  return info.param == Engine::IoUring ? "IoUring" : "Epoll";
}

}  // namespace vicinity::net

/// Once per test file and fixture.
#define INSTANTIATE_ENGINES(prefix, fixture)                                                 \
  INSTANTIATE_TEST_SUITE_P(prefix, fixture, testing::Values(Engine::Epoll, Engine::IoUring), \
                           engine_name)
