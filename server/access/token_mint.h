// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#pragma once

// The issuer's side: tokens and keys for development and tests. The server itself never makes one.
// Pure but for the system's randomness; any thread. Errors are sentences for the user.

#include <string>

#include "access/token_keys.h"
#include "base/result.h"

namespace vicinity::access {

struct SigningKey {
  Algorithm algorithm = Algorithm::Hs256;
  std::string id;        ///< goes into the header (`kid`)
  std::string material;  ///< the secret, or the private PEM
};

/// `claims`: the payload, a JSON object. Not looked at: also a token that nobody accepts is made.
Result<std::string, Fault> sign_token(const std::string& claims, const SigningKey& key);

/// A secret for HS256: 256 random bits as 64 hexadecimal digits.
std::string random_secret();

struct KeyPair {
  std::string private_pem;
  std::string public_pem;
};
/// A pair for ES256.
Result<KeyPair, Fault> random_pair();

}  // namespace vicinity::access
