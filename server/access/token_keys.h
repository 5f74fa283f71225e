// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#pragma once

// The keys that tokens are checked with, each under the name that the header of a token calls it by
// (`kid`). The algorithm belongs to the key, so that a token has no say in it:
//
//      game-1.hs256   a secret, the text of the file without the line end at its end
//      game-2.pem     the public key of an ES256 pair (curve P-256), PEM
//
// Several keys at a time, so that issuers can change theirs one after the other. A value; read-only
// once it is loaded.

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "base/result.h"

namespace vicinity::access {

enum class Algorithm : std::uint8_t {
  Hs256 = 0,  ///< HMAC with SHA-256: who can check tokens can also make them
  Es256 = 1,  ///< ECDSA on P-256 with SHA-256: the issuer alone can make them
};
std::string_view to_string(Algorithm algorithm);  ///< "HS256", "ES256"

struct TokenKey {
  Algorithm algorithm = Algorithm::Hs256;
  std::string material;  ///< the secret, or a PEM
};

/// Why something cannot be had, in a sentence for the user.
struct Fault {
  std::string text;
};

/// Whether a key may have this name: 1 to 64 of A-Z a-z 0-9 . _ -
bool is_key_id(std::string_view text);

/// All of a file of at most limits::token_key_file_bytes_max. The error names file and reason.
Result<std::string, Fault> read_key_file(const std::string& path);
/// The secret in the text of a file; refused below limits::token_secret_bytes_min.
Result<std::string, Fault> secret_of(std::string_view text);

class TokenKeys {
 public:
  /// `where`: a folder, of which every file counts whose name does not begin with a dot, or files
  /// separated by commas. One that is no key is an error, and so is none at all; the text names the
  /// file and says what is wrong, never what is in it.
  static Result<TokenKeys, Fault> load(const std::string& where);

  /// None, or why the key cannot be taken: its id is taken or none, it is too short, or not P-256.
  std::string add(const std::string& id, TokenKey key);

  /// Null when there is no key of that name.
  const TokenKey* find(std::string_view id) const;
  std::size_t count() const { return keys_.size(); }

 private:
  std::map<std::string, TokenKey, std::less<>> keys_;
};

}  // namespace vicinity::access
