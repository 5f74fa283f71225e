// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors

// Every setting changes something that can be seen from outside: for each key of the table there is
// an observation, and it comes out differently with two values. A key without one fails.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "app/settings_table.h"
#include "settings_rows.h"

namespace vicinity::test {
namespace {

std::vector<std::string> all_keys() {
  std::vector<std::string> keys;
  for (const app::Setting& setting : app::settings_table()) keys.emplace_back(setting.key);
  return keys;
}

std::map<std::string, SettingRow> all_rows() {
  std::map<std::string, SettingRow> rows;
  for (auto* add : {add_process_rows, add_world_rows, add_session_rows, add_stream_rows,
                    add_web_rows, add_access_rows, add_admin_rows, add_journal_rows})
    add(rows);
  return rows;
}

class EverySetting : public testing::TestWithParam<std::string> {};
INSTANTIATE_TEST_SUITE_P(Of, EverySetting, testing::ValuesIn(all_keys()),
                         [](const auto& key) { return key.param; });

TEST_P(EverySetting, ChangesWhatCanBeSeen) {
  const std::string key = GetParam();
  const auto rows = all_rows();
  const auto row = rows.find(key);
  ASSERT_NE(row, rows.end()) << "no observation shows what " << key << " does";
  const std::string variable = app::variable_name(*app::find_setting(key));
  ASSERT_NE(row->second.one.observed, row->second.other.observed);
  for (const SettingValueSeen& expected : {row->second.one, row->second.other}) {
    Variables settings = row->second.others;
    settings[variable] = expected.value;
    try {
      EXPECT_EQ(row->second.observe(settings), expected.observed) << key << " = " << expected.value;
    } catch (const std::exception& error) {
      ADD_FAILURE() << key << " = " << expected.value << ": " << error.what();
    }
  }
}

TEST(EverySetting, RowsNameSettings) {
  for (const auto& [key, row] : all_rows()) EXPECT_NE(app::find_setting(key), nullptr) << key;
}

}  // namespace
}  // namespace vicinity::test
