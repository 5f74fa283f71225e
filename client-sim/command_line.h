// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#pragma once

// The options of a run as they are written on the command line, and what they mean. The texts of
// --help stand here too. No input or output.

#include <optional>
#include <string>

#include "client-sim/requirement.h"
#include "client-sim/swarm.h"

namespace CLI {
class App;
}

namespace vicinity::sim {

enum class ReportForm : std::uint8_t { Text, Json, Html };

/// What to do with a report.
struct OutputArguments {
  std::string report = "text";
  std::string out_file;
  std::optional<std::string> require;
  std::optional<std::string> baseline_file;
};

struct SwarmArguments {
  SwarmOptions options;
  std::string scenario = "crowd";
  std::string behaviours = "normal";
  std::string duration = "30s";
  std::string area_kind = "sphere";
  std::optional<double> leave_radius_m;
  std::optional<std::string> rings;
  std::string query_interval = "2s";
  std::string schedule = "closed";
  std::optional<std::string> net;
  std::string check = "truth";
  std::string allowed_delay = "2s";
};

void add_swarm_options(CLI::App& app, const std::string& group, SwarmArguments& arguments);
void add_output_options(CLI::App& app, const std::string& group, OutputArguments& arguments);

/// Fills `arguments.options` from the texts. An error is a sentence for the user that names the
/// option.
std::optional<std::string> read_swarm_arguments(SwarmArguments& arguments);
/// Why so many tokens do not suffice for the sessions of a run; nothing when they do, or when there
/// are none. Sessions with the same token are of the same subject, and end one another.
std::optional<std::string> token_fault(std::size_t token_count, const SwarmOptions& options);
/// `form` must be one of those that --report allows.
ReportForm report_form_of(const std::string& form);

}  // namespace vicinity::sim
