// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#include "client/tls.h"

#include <openssl/err.h>
#include <openssl/x509.h>
#include <sys/stat.h>

#include <atomic>
#include <boost/asio/error.hpp>
#include <boost/asio/ip/address.hpp>
#include <boost/asio/ssl/context.hpp>
#include <boost/asio/ssl/error.hpp>
#include <boost/asio/ssl/host_name_verification.hpp>
#include <cstdlib>
#include <list>
#include <mutex>
#include <tuple>
#include <utility>

namespace vicinity::client {
namespace {

namespace ssl = boost::asio::ssl;

// --- Who vouches for servers -----------------------------------------------------------------

using Context = std::shared_ptr<ssl::context>;

/// A file as it was when it was read.
struct FileState {
  std::string path;
  std::tuple<dev_t, ino_t, off_t, time_t, long> stamp;
  friend bool operator==(const FileState&, const FileState&) = default;
};

/// Files that are remembered; a process names one, and tests a few.
constexpr std::size_t files_max = 8;
std::atomic<std::uint64_t> reads{0};

/// Where OpenSSL looks for the certificates of the system.
std::string system_file() {
  const char* named = std::getenv(X509_get_default_cert_file_env());
  return named != nullptr ? named : X509_get_default_cert_file();
}

FileState state_of(const std::string& ca_file) {
  FileState state{ca_file, {}};
  struct stat now {};
  if (stat((ca_file.empty() ? system_file() : ca_file).c_str(), &now) == 0) {
    state.stamp = {now.st_dev, now.st_ino, now.st_size, now.st_mtim.tv_sec, now.st_mtim.tv_nsec};
  }
  return state;
}

Result<Context, std::string> read_context(const std::string& ca_file) {
  boost::system::error_code error;
  auto context = std::make_shared<ssl::context>(ssl::context::tls_client);
  SSL_CTX_set_min_proto_version(context->native_handle(), TLS1_2_VERSION);
  if (ca_file.empty())
    context->set_default_verify_paths(error);
  else
    context->load_verify_file(ca_file, error);
  if (error) return "cannot use the certificates " + ca_file + ": " + error.message();
  ++reads;
  return context;
}

/// The same for all connections that trust the same file. Any thread.
Result<Context, std::string> shared_context(const std::string& ca_file) {
  static std::mutex mutex;
  static std::list<std::pair<FileState, Context>> known;  // the newest in front
  const FileState now = state_of(ca_file);
  const std::lock_guard lock(mutex);
  for (auto& [state, context] : known)
    if (state == now) return context;
  auto fresh = read_context(ca_file);
  if (!fresh.ok()) return fresh.error();
  known.remove_if([&](const auto& entry) { return entry.first.path == ca_file; });
  known.emplace_front(now, fresh.value());
  if (known.size() > files_max) known.pop_back();
  return fresh.value();
}

// --- Who the server is -----------------------------------------------------------------------

const std::string& name_of_server(const ConnectOptions& options) {
  return options.tls_server_name.empty() ? options.host : options.tls_server_name;
}

/// Says for which reason it refuses, so that it can be told.
bool is_named(const ssl::host_name_verification& names, bool preverified,
              ssl::verify_context& context) {
  if (names(preverified, context)) return true;
  if (preverified) X509_STORE_CTX_set_error(context.native_handle(), X509_V_ERR_HOSTNAME_MISMATCH);
  return false;
}

std::string describe_refusal(long reason, const ConnectOptions& options) {
  const std::string text = X509_verify_cert_error_string(reason);
  switch (reason) {
    case X509_V_ERR_HOSTNAME_MISMATCH:
      return "the server's certificate is not for " + name_of_server(options) +
             "; --tls-name NAME (tls_server_name) says which name it must have";
    case X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT:
    case X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT_LOCALLY:
    case X509_V_ERR_UNABLE_TO_VERIFY_LEAF_SIGNATURE:
    case X509_V_ERR_DEPTH_ZERO_SELF_SIGNED_CERT:
    case X509_V_ERR_SELF_SIGNED_CERT_IN_CHAIN:
      return "nobody who is trusted vouches for the server's certificate (" + text +
             "); --tls-ca FILE (tls_ca_file) names who does";
    default: return "the server's certificate is refused: " + text;
  }
}

/// Signs of a peer that answers in another language, or not at all.
bool is_no_tls(const boost::system::error_code& code) {
  if (code == boost::asio::error::eof || code == boost::asio::error::connection_reset ||
      code == ssl::error::stream_truncated)
    return true;
  if (code.category() != boost::asio::error::get_ssl_category()) return false;
  const int reason = ERR_GET_REASON(static_cast<unsigned long>(code.value()));
  return reason == SSL_R_WRONG_VERSION_NUMBER || reason == SSL_R_PACKET_LENGTH_TOO_LONG ||
         reason == SSL_R_UNEXPECTED_MESSAGE || reason == SSL_R_UNKNOWN_PROTOCOL;
}

}  // namespace

std::uint64_t trusted_certificates_read() { return reads; }

std::string describe_handshake_fault(TlsStream& stream, const boost::system::error_code& code,
                                     const ConnectOptions& options) {
  const long refusal = SSL_get_verify_result(stream.native_handle());
  if (refusal != X509_V_OK) return describe_refusal(refusal, options);
  if (!is_no_tls(code)) return code.message();
  return "it does not seem to speak TLS (" + code.message() + "); without --tls it may answer";
}

Result<std::unique_ptr<TlsStream>, std::string> make_tls(boost::asio::ip::tcp::socket& socket,
                                                         const ConnectOptions& options) {
  auto context = shared_context(options.tls_ca_file);
  if (!context.ok()) return context.error();
  const std::string& name = name_of_server(options);
  boost::system::error_code error;
  // The stream keeps what it needs of the context.
  auto stream = std::make_unique<TlsStream>(socket, *context.value());
  stream->set_verify_mode(ssl::verify_peer, error);
  stream->set_verify_callback(
      [names = ssl::host_name_verification(name)](bool preverified, ssl::verify_context& asked) {
        return is_named(names, preverified, asked);
      },
      error);
  if (error) return error.message();
  boost::system::error_code no_address;
  boost::asio::ip::make_address(name, no_address);
  // Servers with several certificates go by the name; an address is none.
  if (no_address) SSL_set_tlsext_host_name(stream->native_handle(), name.c_str());
  return stream;
}

}  // namespace vicinity::client
