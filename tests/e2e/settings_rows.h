// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#pragma once

// What each setting changes: two values, and what is seen with either.

#include <functional>
#include <map>
#include <string>

#include "support/server_process.h"

namespace vicinity::test {

struct SettingValueSeen {
  std::string value;
  std::string observed;
};

struct SettingRow {
  Variables others = {};  ///< settings that the observation needs beside the one it is about
  SettingValueSeen one;
  SettingValueSeen other;
  std::function<std::string(const Variables& settings)> observe;
};

/// A port of this machine that nobody listens on.
std::string free_port();

void add_process_rows(std::map<std::string, SettingRow>& rows);  ///< listening, ticks, logs
void add_world_rows(std::map<std::string, SettingRow>& rows);    ///< index and world
void add_session_rows(std::map<std::string, SettingRow>& rows);  ///< sessions and connections
void add_stream_rows(std::map<std::string, SettingRow>& rows);   ///< what goes to clients, and when
void add_access_rows(std::map<std::string, SettingRow>& rows);   ///< tokens, TLS, rates
void add_web_rows(std::map<std::string, SettingRow>& rows);      ///< the WebSocket listener
void add_admin_rows(std::map<std::string, SettingRow>& rows);    ///< the listener for operators
void add_journal_rows(std::map<std::string, SettingRow>& rows);  ///< the journal

}  // namespace vicinity::test
