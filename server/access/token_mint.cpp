// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#include "access/token_mint.h"

#include <jwt.h>
#include <openssl/bio.h>
#include <openssl/ec.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdlib>
#include <memory>
#include <system_error>

namespace vicinity::access {
namespace {

struct FreeJwt {
  void operator()(jwt_t* jwt) const { jwt_free(jwt); }
};
struct FreeText {
  void operator()(char* text) const { std::free(text); }
};
using Bio = std::unique_ptr<BIO, decltype(&BIO_free)>;

std::string text_of(BIO& bio) {
  char* data = nullptr;
  const long size = BIO_get_mem_data(&bio, &data);
  return {data, static_cast<std::size_t>(size)};
}

}  // namespace

Result<std::string, Fault> sign_token(const std::string& claims, const SigningKey& key) {
  jwt_t* raw = nullptr;
  if (jwt_new(&raw) != 0) return Fault{"out of memory"};
  const std::unique_ptr<jwt_t, FreeJwt> jwt(raw);
  if (jwt_add_grants_json(raw, claims.c_str()) != 0) return Fault{"the claims are no JSON"};
  const auto* material = reinterpret_cast<const unsigned char*>(key.material.data());
  const auto algorithm = key.algorithm == Algorithm::Hs256 ? JWT_ALG_HS256 : JWT_ALG_ES256;
  const std::unique_ptr<char, FreeText> text(
      jwt_add_header(raw, "kid", key.id.c_str()) == 0 &&
              jwt_set_alg(raw, algorithm, material, static_cast<int>(key.material.size())) == 0
          ? jwt_encode_str(raw)
          : nullptr);
  if (text) return std::string(text.get());
  return Fault{"the key cannot sign with " + std::string(to_string(key.algorithm))};
}

std::string random_secret() {
  std::array<unsigned char, 32> bytes{};
  if (getentropy(bytes.data(), bytes.size()) != 0)
    throw std::system_error(errno, std::generic_category(), "getentropy");
  std::string text;
  for (const unsigned char byte : bytes) {
    text += "0123456789abcdef"[byte >> 4];
    text += "0123456789abcdef"[byte & 15];
  }
  return text;
}

Result<KeyPair, Fault> random_pair() {
  const std::unique_ptr<EVP_PKEY, decltype(&EVP_PKEY_free)> key(EVP_EC_gen("P-256"), EVP_PKEY_free);
  const Bio secret(BIO_new(BIO_s_mem()), BIO_free);
  const Bio open(BIO_new(BIO_s_mem()), BIO_free);
  if (!key || !secret || !open ||
      PEM_write_bio_PrivateKey(secret.get(), key.get(), nullptr, nullptr, 0, nullptr, nullptr) !=
          1 ||
      PEM_write_bio_PUBKEY(open.get(), key.get()) != 1)
    return Fault{"the system's OpenSSL cannot make a key"};
  return KeyPair{text_of(*secret), text_of(*open)};
}

}  // namespace vicinity::access
