// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#pragma once

// The project's own text as data, for the rules in rules.h.

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace vicinity::tidy {

struct SourceFile {
  std::string path;  ///< from the root of the repository, with '/'
  std::vector<std::string> lines;
  /// The same lines with comments and the insides of literals blanked out (C++ files only).
  std::vector<std::string> code;

  bool is_cpp() const { return path.ends_with(".h") || path.ends_with(".cpp"); }
};

/// A file from text; the way in for tests of the rules.
SourceFile parse(std::string path, std::string_view text);

/// Every text file of the project below `root`, sorted by path. Build trees are left out.
std::vector<SourceFile> load_tree(const std::filesystem::path& root);

}  // namespace vicinity::tidy
