// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#include "app/named_files.h"

#include <filesystem>
#include <system_error>

#include "access/token_keys.h"
#include "app/settings_of_admin.h"
#include "net/tls_context.h"

namespace vicinity::app {
namespace {

namespace fs = std::filesystem;

bool is_of_journal(const std::string& name) {
  return name == "lock" || name == "journal.mdb" || name.starts_with("cut-after-tick-");
}

/// What file systems and their tools leave in a folder that is empty to its owner.
bool is_of_the_system(const std::string& name) {
  return name == "lost+found" || name.starts_with('.');
}

}  // namespace

std::optional<std::string> journal_dir_fault(const std::string& path) {
  const std::string where = "journal_dir " + path;
  std::error_code error;
  const fs::file_status status = fs::status(path, error);
  if (status.type() == fs::file_type::not_found) return std::nullopt;
  if (status.type() == fs::file_type::none) return where + ": " + error.message();
  if (status.type() != fs::file_type::directory) return where + ": not a folder";
  std::string foreign;
  for (fs::directory_iterator entry(path, error), end; !error && entry != end;
       entry.increment(error)) {
    const std::string name = entry->path().filename().string();
    if (is_of_journal(name)) return std::nullopt;
    if (foreign.empty() && !is_of_the_system(name)) foreign = name;
  }
  if (error) return where + ": " + error.message();
  if (foreign.empty()) return std::nullopt;
  return where + ": holds other things (" + foreign +
         ") and no journal; take a folder that is new or empty, or the one of a journal";
}

std::optional<std::string> named_files_fault(const Config& config) {
  if (!config.token_keys.empty()) {
    const auto keys = access::TokenKeys::load(config.token_keys);
    if (!keys.ok()) return "token_keys: " + keys.error().text;
  }
  if (!config.tls_certificate.empty()) {
    const auto tls = net::TlsContext::load(config.tls_certificate, config.tls_private_key);
    if (!tls.ok()) return tls.error().text;
  }
  if (config.admin) {
    const auto token = read_admin_token(config);
    if (!token.ok()) return token.error().text;
  }
  return config.journal_dir.empty() ? std::nullopt : journal_dir_fault(config.journal_dir);
}

}  // namespace vicinity::app
