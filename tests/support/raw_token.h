// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#pragma once

// Tokens made of any header and payload, signed by OpenSSL alone: shares no code with the library
// that checks them. Also those that no honest issuer makes.

#include <openssl/bio.h>
#include <openssl/ecdsa.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <openssl/pem.h>

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace vicinity::test {

inline std::string base64url(std::string_view bytes) {
  constexpr std::string_view digits =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
  std::string out;
  std::uint32_t bits = 0;
  int count = 0;
  for (const char byte : bytes) {
    bits = bits << 8 | static_cast<std::uint8_t>(byte);
    for (count += 8; count >= 6;) out += digits[bits >> (count -= 6) & 63];
  }
  if (count > 0) out += digits[bits << (6 - count) & 63];
  return out;
}

inline std::string unsigned_token(std::string_view header, std::string_view payload) {
  return base64url(header) + "." + base64url(payload);
}

inline std::string hs256_token(std::string_view header, std::string_view payload,
                               std::string_view secret) {
  const std::string text = unsigned_token(header, payload);
  std::array<unsigned char, EVP_MAX_MD_SIZE> mac{};
  unsigned size = 0;
  HMAC(EVP_sha256(), secret.data(), static_cast<int>(secret.size()),
       reinterpret_cast<const unsigned char*>(text.data()), text.size(), mac.data(), &size);
  return text + "." + base64url({reinterpret_cast<const char*>(mac.data()), size});
}

/// Empty when the PEM is no private EC key on P-256.
inline std::string es256_token(std::string_view header, std::string_view payload,
                               const std::string& private_pem) {
  const std::string text = unsigned_token(header, payload);
  const std::unique_ptr<BIO, decltype(&BIO_free)> bio(
      BIO_new_mem_buf(private_pem.data(), static_cast<int>(private_pem.size())), BIO_free);
  const std::unique_ptr<EVP_PKEY, decltype(&EVP_PKEY_free)> key(
      PEM_read_bio_PrivateKey(bio.get(), nullptr, nullptr, nullptr), EVP_PKEY_free);
  const std::unique_ptr<EVP_MD_CTX, decltype(&EVP_MD_CTX_free)> context(EVP_MD_CTX_new(),
                                                                        EVP_MD_CTX_free);
  std::array<unsigned char, 128> der{};
  std::size_t size = der.size();
  if (!key || EVP_DigestSignInit(context.get(), nullptr, EVP_sha256(), nullptr, key.get()) != 1 ||
      EVP_DigestSign(context.get(), der.data(), &size,
                     reinterpret_cast<const unsigned char*>(text.data()), text.size()) != 1)
    return {};
  const unsigned char* at = der.data();
  const std::unique_ptr<ECDSA_SIG, decltype(&ECDSA_SIG_free)> signature(
      d2i_ECDSA_SIG(nullptr, &at, static_cast<long>(size)), ECDSA_SIG_free);
  std::string raw(64, '\0');
  auto* out = reinterpret_cast<unsigned char*>(raw.data());
  if (!signature || BN_bn2binpad(ECDSA_SIG_get0_r(signature.get()), out, 32) != 32 ||
      BN_bn2binpad(ECDSA_SIG_get0_s(signature.get()), out + 32, 32) != 32)
    return {};
  return text + "." + base64url(raw);
}

inline std::string header_of(std::string_view algorithm, std::string_view key_id) {
  return R"({"alg":")" + std::string(algorithm) + R"(","typ":"JWT","kid":")" + std::string(key_id) +
         R"("})";
}

}  // namespace vicinity::test
