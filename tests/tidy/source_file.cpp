// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#include "tidy/source_file.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <fstream>
#include <sstream>

namespace vicinity::tidy {
namespace {

namespace fs = std::filesystem;

std::vector<std::string> split_lines(std::string_view text) {
  std::vector<std::string> lines;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    lines.emplace_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

void blank(std::string& text, std::size_t begin, std::size_t end) {
  for (std::size_t i = begin; i < std::min(end, text.size()); ++i)
    if (text[i] != '\n') text[i] = ' ';
}

bool is_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

/// End of the literal whose opening quote stands at `open`: the position of the closing quote.
std::size_t literal_end(const std::string& text, std::size_t open) {
  const char quote = text[open];
  std::size_t i = open + 1;
  while (i < text.size() && text[i] != quote && text[i] != '\n') i += text[i] == '\\' ? 2 : 1;
  return i;
}

std::size_t raw_literal_end(const std::string& text, std::size_t open) {
  const std::size_t paren = text.find('(', open);
  if (paren == std::string::npos) return text.size();
  const std::string closing = ")" + text.substr(open + 1, paren - open - 1) + "\"";
  const std::size_t end = text.find(closing, paren);
  return end == std::string::npos ? text.size() : end + closing.size() - 1;
}

bool is_include(const std::string& text, std::size_t at) {
  const std::size_t line = text.rfind('\n', at) + 1;  // npos + 1 == 0
  return text.compare(line, 8, "#include") == 0;
}

/// Blanks comments and the insides of literals; names in #include lines stay.
std::string strip(std::string text) {
  for (std::size_t i = 0; i < text.size(); ++i) {
    std::size_t end = i;
    if (text.compare(i, 2, "//") == 0) {
      end = std::min(text.find('\n', i), text.size());
      blank(text, i, end);
    } else if (text.compare(i, 2, "/*") == 0) {
      end = std::min(text.find("*/", i + 2), text.size() - 2) + 2;
      blank(text, i, end);
    } else if (text[i] == '"' && i > 0 && text[i - 1] == 'R') {
      end = raw_literal_end(text, i);
      blank(text, i + 1, end);
    } else if (text[i] == '"' && !is_include(text, i)) {
      end = literal_end(text, i);
      blank(text, i + 1, end);
    } else if (text[i] == '\'' && (i == 0 || !is_word(text[i - 1]))) {  // not 1'000
      end = literal_end(text, i);
      blank(text, i + 1, end);
    }
    i = end;
  }
  return text;
}

bool belongs_to_the_project(const fs::path& path) {
  static constexpr std::array extensions = {".h",  ".cpp",  ".fbs", ".cmake", ".txt",   ".in",
                                            ".md", ".json", ".yml", ".sh",    ".proto", ".py"};
  static constexpr std::array names = {"dev", "run", "DEPENDENCIES", "Dockerfile"};
  return std::ranges::find(extensions, path.extension()) != extensions.end() ||
         std::ranges::find(names, path.filename()) != names.end();
}

}  // namespace

SourceFile parse(std::string path, std::string_view text) {
  SourceFile file{std::move(path), split_lines(text), {}};
  if (file.is_cpp()) file.code = split_lines(strip(std::string(text)));
  return file;
}

std::vector<SourceFile> load_tree(const fs::path& root) {
  std::vector<SourceFile> files;
  for (auto it = fs::recursive_directory_iterator(root); it != fs::recursive_directory_iterator();
       ++it) {
    const std::string path = it->path().lexically_relative(root).generic_string();
    if (it->is_directory() && (path == "build" || path == ".git" || path == ".cache"))
      it.disable_recursion_pending();
    if (!it->is_regular_file() || !belongs_to_the_project(it->path())) continue;
    std::ostringstream text;
    text << std::ifstream(it->path(), std::ios::binary).rdbuf();
    files.push_back(parse(path, text.str()));
  }
  std::ranges::sort(files, {}, &SourceFile::path);
  return files;
}

}  // namespace vicinity::tidy
