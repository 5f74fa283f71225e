// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#pragma once

// The contact policy in the settings file: one [[policy]] table for each rule, in the order in
// which they are tried. Neither flags nor variables have it. Start-up only.
//
//      [[policy]]
//      categories_a = 0x2          # keys are the fields of PolicyRule; what is absent is as there
//      categories_b = 0x4
//      action = "trigger"
//      stay_interval_ticks = 20
//      cooldown_ticks = 100

#include <toml++/toml.h>

#include <optional>
#include <string>
#include <vector>

#include "app/config.h"
#include "world/command.h"

namespace vicinity::app {

/// Reads the value of the key `policy` of the file `path`. The fault that comes first in the file
/// names file and line, the rule (counted from 1), the field and what is allowed.
std::optional<ConfigError> read_policy(const std::string& path, const toml::node& node,
                                       std::vector<PolicyRule>& policy);

/// What the tables mean and what their keys may be: lines without any mark in front.
std::vector<std::string> describe_policy();

/// The tables, as read_policy() reads them back to the same rules.
std::string print_policy(const std::vector<PolicyRule>& policy);

}  // namespace vicinity::app
