// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#include "client/tls.h"

#include <boost/asio/ip/address.hpp>
#include <boost/asio/ssl/context.hpp>
#include <boost/asio/ssl/host_name_verification.hpp>

namespace vicinity::client {

namespace ssl = boost::asio::ssl;

Result<std::unique_ptr<TlsStream>, std::string> make_tls(boost::asio::ip::tcp::socket& socket,
                                                         const ConnectOptions& options) {
  boost::system::error_code error;
  ssl::context context(ssl::context::tls_client);  // the stream keeps what it needs of it
  SSL_CTX_set_min_proto_version(context.native_handle(), TLS1_2_VERSION);
  if (options.tls_ca_file.empty())
    context.set_default_verify_paths(error);
  else
    context.load_verify_file(options.tls_ca_file, error);
  if (error) return "cannot use the certificates " + options.tls_ca_file + ": " + error.message();

  const std::string& name =
      options.tls_server_name.empty() ? options.host : options.tls_server_name;
  auto stream = std::make_unique<TlsStream>(socket, context);
  stream->set_verify_mode(ssl::verify_peer, error);
  stream->set_verify_callback(ssl::host_name_verification(name), error);
  if (error) return error.message();
  boost::system::error_code no_address;
  boost::asio::ip::make_address(name, no_address);
  // Servers with several certificates go by the name; an address is none.
  if (no_address) SSL_set_tlsext_host_name(stream->native_handle(), name.c_str());
  return stream;
}

}  // namespace vicinity::client
