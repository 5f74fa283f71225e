// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#include "access/token_keys.h"

#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/pem.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <memory>
#include <utility>
#include <vector>

#include "base/limits.h"

namespace vicinity::access {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t key_id_bytes_max = 64;

bool is_p256_public_key(const std::string& pem) {
  const std::unique_ptr<BIO, decltype(&BIO_free)> bio(
      BIO_new_mem_buf(pem.data(), static_cast<int>(pem.size())), BIO_free);
  const std::unique_ptr<EVP_PKEY, decltype(&EVP_PKEY_free)> key(
      PEM_read_bio_PUBKEY(bio.get(), nullptr, nullptr, nullptr), EVP_PKEY_free);
  ERR_clear_error();
  char curve[32] = {};
  return key && EVP_PKEY_is_a(key.get(), "EC") == 1 &&
         EVP_PKEY_get_group_name(key.get(), curve, sizeof curve, nullptr) == 1 &&
         std::string_view(curve) == "prime256v1";
}

Result<std::vector<fs::path>, Fault> files_of(const std::string& where) {
  std::vector<fs::path> files;
  std::error_code error;
  if (fs::is_directory(where, error)) {
    for (fs::directory_iterator entry(where, error), end; !error && entry != end;
         entry.increment(error)) {
      // Platforms keep the files behind links and folders that begin with a dot.
      if (!entry->path().filename().string().starts_with('.')) files.push_back(entry->path());
    }
    if (error) return Fault{where + ": " + error.message()};
    std::sort(files.begin(), files.end());
    return files;
  }
  for (std::size_t begin = 0; begin <= where.size();) {
    const std::size_t end = std::min(where.find(',', begin), where.size());
    if (end > begin) files.emplace_back(where.substr(begin, end - begin));
    begin = end + 1;
  }
  return files;
}

Result<TokenKey, Fault> key_of(const fs::path& file, const std::string& text) {
  if (file.extension() == ".pem") return TokenKey{Algorithm::Es256, text};
  if (file.extension() != ".hs256")
    return Fault{"its name must be KEY-ID.hs256 (a secret) or KEY-ID.pem (a public key)"};
  auto secret = secret_of(text);
  if (!secret.ok()) return secret.error();
  return TokenKey{Algorithm::Hs256, std::move(secret.value())};
}

}  // namespace

std::string_view to_string(Algorithm algorithm) {
  return algorithm == Algorithm::Hs256 ? "HS256" : "ES256";
}

bool is_key_id(std::string_view text) {
  constexpr std::string_view others = "._-";
  const auto allowed = [&](char c) {
    return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') ||
           others.find(c) != std::string_view::npos;
  };
  return !text.empty() && text.size() <= key_id_bytes_max &&
         std::all_of(text.begin(), text.end(), allowed);
}

Result<std::string, Fault> read_key_file(const std::string& path) {
  std::error_code error;
  if (!fs::is_regular_file(path, error))
    return Fault{path + ": " + (error ? error.message() : std::string("not a regular file"))};
  std::ifstream file(path, std::ios::binary);
  std::string text(limits::token_key_file_bytes_max + 1, '\0');
  file.read(text.data(), static_cast<std::streamsize>(text.size()));
  if (!file.is_open() || file.bad()) return Fault{path + ": cannot be read"};
  text.resize(static_cast<std::size_t>(file.gcount()));
  if (text.size() <= limits::token_key_file_bytes_max) return text;
  return Fault{path + ": longer than " + std::to_string(limits::token_key_file_bytes_max) +
               " bytes"};
}

Result<std::string, Fault> secret_of(std::string_view text) {
  if (text.ends_with('\n')) text.remove_suffix(1);
  if (text.ends_with('\r')) text.remove_suffix(1);
  if (text.size() >= limits::token_secret_bytes_min) return std::string(text);
  return Fault{"the secret has " + std::to_string(text.size()) + " bytes; at least " +
               std::to_string(limits::token_secret_bytes_min) + " are needed"};
}

Result<TokenKeys, Fault> TokenKeys::load(const std::string& where) {
  const auto files = files_of(where);
  if (!files.ok()) return files.error();
  TokenKeys keys;
  for (const fs::path& file : files.value()) {
    const auto text = read_key_file(file.string());
    if (!text.ok()) return text.error();
    auto key = key_of(file, text.value());
    std::string fault = key.ok() ? keys.add(file.stem().string(), key.value()) : key.error().text;
    if (!fault.empty()) return Fault{file.string() + ": " + fault};
  }
  if (keys.count() == 0) return Fault{"'" + where + "' holds no key"};
  return keys;
}

std::string TokenKeys::add(const std::string& id, TokenKey key) {
  if (!is_key_id(id)) return "a key id is 1 to 64 of the characters A-Z a-z 0-9 . _ -";
  if (keys_.size() == limits::token_keys_max)
    return "more than " + std::to_string(limits::token_keys_max) + " keys";
  if (key.algorithm == Algorithm::Hs256) {
    const auto secret = secret_of(key.material);
    if (!secret.ok()) return secret.error().text;
  } else if (!is_p256_public_key(key.material)) {
    return "not the public key of an EC pair on P-256 in PEM; the private one stays with the "
           "issuer";
  }
  if (!keys_.emplace(id, std::move(key)).second) return "another key has the id " + id;
  return {};
}

const TokenKey* TokenKeys::find(std::string_view id) const {
  const auto found = keys_.find(id);
  return found == keys_.end() ? nullptr : &found->second;
}

}  // namespace vicinity::access
