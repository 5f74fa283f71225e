// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#pragma once

// The rules of the house that a machine can hold: which module may include which, where oneTBB,
// Asio and FlatBuffers may appear, what the tick room must not use, sizes, and words that do not
// belong into a committed file. Each returns what it found; nothing found is a clean file.

#include <map>
#include <set>
#include <string>
#include <vector>

#include "tidy/source_file.h"

namespace vicinity::tidy {

struct Finding {
  std::string path;
  std::size_t line = 0;  ///< from 1
  std::string what;
};
using Findings = std::vector<Finding>;

/// Module -> modules that it may include (server/DEPENDENCIES).
using Dependencies = std::map<std::string, std::set<std::string>>;

Dependencies parse_dependencies(const SourceFile& file);
/// A module whose dependencies lead back to it, or empty.
std::string find_cycle(const Dependencies& dependencies);

/// Module of a path: "server/net/x.h" -> "net", "client/x.h" -> "client"; empty for other folders.
std::string module_of(const std::string& path);

Findings check_includes(const SourceFile& file, const Dependencies& dependencies);
Findings check_fences(const SourceFile& file);
Findings check_tick_room(const SourceFile& file);
Findings check_licence(const SourceFile& file);
/// Lines of at most 100 columns, files of at most 500 lines, functions of at most 70. A longer
/// function says why in a comment `// long: reason` on the line before it or inside it.
Findings check_sizes(const SourceFile& file);
Findings check_words(const SourceFile& file);

}  // namespace vicinity::tidy
