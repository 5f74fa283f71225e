// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#pragma once

// The fixture of tests that every engine has to pass, and TLS as well. Where this machine has no
// io_uring, its instances are skipped and say why.

#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <string>

#include "net/server_socket.h"
#include "net/tls_context.h"
#include "recording_handler.h"
#include "support/test_certificate.h"
#include "support/tls_layer.h"

namespace vicinity::net {

/// What the bytes go over: both engines, and TLS, which has one of its own.
enum class Carrier { Epoll, IoUring, Tls };

class EngineTest : public testing::TestWithParam<Carrier> {
 protected:
  void SetUp() override {
    if (GetParam() == Carrier::Tls) {
      clients_.emplace();
      static const test::TestCertificate certificate;
      auto loaded =
          TlsContext::load(certificate.certificate_file(), certificate.private_key_file());
      ASSERT_TRUE(loaded.ok()) << loaded.error().text;
      tls_ = std::move(loaded.value());
    }
    RecordingHandler nobody;
    const auto probe = ServerSocket::open(defaults(), nobody);
    if (!probe.ok()) GTEST_SKIP() << probe.error().text;
  }

  SocketSettings defaults() const {
    SocketSettings settings;
    settings.engine = GetParam() == Carrier::IoUring ? Engine::IoUring : Engine::Epoll;
    settings.tls = tls_;
    return settings;
  }
  bool is_tls() const { return tls_ != nullptr; }

 private:
  std::optional<test::TlsCarrier> clients_;
  std::shared_ptr<TlsContext> tls_;
};

class ServerSocketTest : public EngineTest {};

inline std::string engine_name(const testing::TestParamInfo<Carrier>& info) {
  if (info.param == Carrier::Tls) return "Tls";
  return info.param == Carrier::IoUring ? "IoUring" : "Epoll";
}

}  // namespace vicinity::net

/// Once per test file and fixture.
#define INSTANTIATE_ENGINES(prefix, fixture)                                                \
  INSTANTIATE_TEST_SUITE_P(prefix, fixture,                                                 \
                           testing::Values(Carrier::Epoll, Carrier::IoUring, Carrier::Tls), \
                           engine_name)
