// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#pragma once

// The client's end of TLS over a socket. Private to the client library; one thread.

#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/ssl/stream.hpp>
#include <boost/system/error_code.hpp>
#include <cstdint>
#include <memory>
#include <string>

#include "base/result.h"
#include "client/connection.h"

namespace vicinity::client {

using TlsStream = boost::asio::ssl::stream<boost::asio::ip::tcp::socket&>;

/// Why a handshake failed, in words for who set the options, and which of them may help: an issuer
/// that nobody named, another name, a server that does not speak TLS.
std::string describe_handshake_fault(TlsStream& stream, const boost::system::error_code& code,
                                     const ConnectOptions& options);

/// How often certificates that vouch for servers were read: once per file, and again when it
/// changes, however many connections there are. The store of the system has some 150 of them, which
/// take milliseconds and megabytes.
std::uint64_t trusted_certificates_read();

/// Ready to shake hands: TLS 1.2 or newer, and a server whose certificate leads to one of
/// ConnectOptions::tls_ca_file (empty: of the system) and names tls_server_name (empty: the host).
/// `socket` outlives it. The error says what is wrong with the file.
Result<std::unique_ptr<TlsStream>, std::string> make_tls(boost::asio::ip::tcp::socket& socket,
                                                         const ConnectOptions& options);

}  // namespace vicinity::client
