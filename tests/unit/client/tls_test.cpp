// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#include "client/tls.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/asio/io_context.hpp>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "support/test_certificate.h"

namespace vicinity::client {
namespace {

using boost::asio::ip::tcp;
using testing::HasSubstr;

class TlsOfClient : public testing::Test {
 protected:
  /// Connections that trust the file; how often it was read for them.
  std::uint64_t reads_for(int count, const std::string& file) {
    const std::uint64_t before = trusted_certificates_read();
    ConnectOptions options;
    options.tls_ca_file = file;
    for (int i = 0; i < count; ++i) EXPECT_TRUE(make_tls(socket_, options).ok());
    return trusted_certificates_read() - before;
  }

  boost::asio::io_context io_;
  tcp::socket socket_{io_};
};

TEST_F(TlsOfClient, ReadsWhoIsTrustedOnceForAllConnections) {
  const test::TestCertificate one;
  const test::TestCertificate other;
  EXPECT_EQ(reads_for(100, one.certificate_file()), 1u);
  EXPECT_EQ(reads_for(100, other.certificate_file()), 1u);
  EXPECT_EQ(reads_for(100, one.certificate_file()), 0u);
  EXPECT_LE(reads_for(100, ""), 1u);  // that of the system
}

TEST_F(TlsOfClient, ReadsAFileAnewWhenItHasChanged) {
  const test::TestCertificate issuer;
  const std::string file = issuer.certificate_file() + ".trusted";
  std::filesystem::copy_file(issuer.certificate_file(), file);
  EXPECT_EQ(reads_for(2, file), 1u);
  std::ofstream(file, std::ios::app) << "\n";
  EXPECT_EQ(reads_for(2, file), 1u);
  std::ofstream(file) << "nonsense";
  ConnectOptions options;
  options.tls_ca_file = file;
  const auto made = make_tls(socket_, options);
  ASSERT_FALSE(made.ok());
  EXPECT_THAT(made.error(), HasSubstr(file));
}

}  // namespace
}  // namespace vicinity::client
