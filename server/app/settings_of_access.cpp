// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#include "app/settings_of_access.h"

#include "base/limits.h"

namespace vicinity::app {

std::vector<Setting> access_settings() {
  return {
      {"token_keys",
       &Config::token_keys,
       0,
       0,
       "",
       {},
       "Keys that tokens of clients are checked with: a folder, or files separated by commas, "
       "named "
       "KEY-ID.hs256 (a secret) or KEY-ID.pem (an ES256 public key); empty: no tokens."},
      {"token_audience",
       &Config::token_audience,
       0,
       0,
       "",
       {},
       "Audience (aud) that tokens must name; empty: only tokens that name none."},
      {"token_skew_s",
       &Config::token_skew_s,
       0,
       600,
       "s",
       {},
       "Difference of clocks that is granted to the times in tokens."},
      {"tls_certificate",
       &Config::tls_certificate,
       0,
       0,
       "",
       {},
       "File (PEM) of the certificate for TLS, those that lead to its issuer behind it; empty: no "
       "TLS."},
      {"tls_private_key",
       &Config::tls_private_key,
       0,
       0,
       "",
       {},
       "File (PEM) of the private key of tls_certificate."},
  };
}

std::vector<Setting> rate_settings() {
  return {
      {"connections_per_address_max",
       &Config::connections_per_address_max,
       0,
       limits::sessions_max,
       "connections",
       {},
       "Connections of one address (IPv6: of one /64) at the same time; 0: no bound."},
      {"connects_per_address_per_s",
       &Config::connects_per_address_per_s,
       0,
       1e6,
       "connections/s",
       {},
       "New connections of one address; 0: no bound."},
      {"limit_loopback",
       &Config::limit_loopback,
       0,
       0,
       "",
       {},
       "Hold the addresses of this machine to the two settings above as well, and to what clients "
       "of "
       "them had used up of their rates."},
      {"commands_per_s",
       &Config::commands_per_s,
       0,
       1e9,
       "commands/s",
       {},
       "Commands of one player or observer; more are refused, in the end it is closed with "
       "RateLimited; 0: no bound."},
      {"bytes_in_per_s",
       &Config::bytes_in_per_s,
       0,
       1 << 30,
       "bytes/s",
       {},
       "Bytes that one player or observer may send; what is in messages above it is refused; 0: no "
       "bound."},
      {"query_us_per_s",
       &Config::query_us_per_s,
       0,
       1e6,
       "us/s",
       {},
       "Time that the answers to one player or observer, and the hulls of its shapes, may take; "
       "what is above it is refused; 0: no bound."},
      {"query_us_per_s_total",
       &Config::query_us_per_s_total,
       0,
       64e6,
       "us/s",
       {},
       "The same for all sessions together, authorities last; the default is half of two "
       "net_threads; "
       "0: no bound."},
  };
}

}  // namespace vicinity::app
