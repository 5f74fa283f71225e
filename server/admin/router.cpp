// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#include "admin/router.h"

#include <algorithm>
#include <charconv>
#include <set>
#include <utility>

namespace vicinity::admin {
namespace {

/// What stands for the star; nothing when the path does not fit.
std::optional<std::string> match(const std::string& pattern, const std::string& path) {
  const std::size_t star = pattern.find('*');
  if (star == std::string::npos)
    return path == pattern ? std::optional<std::string>("") : std::nullopt;
  const std::string before = pattern.substr(0, star);
  const std::string after = pattern.substr(star + 1);
  if (path.size() <= before.size() + after.size() || !path.starts_with(before) ||
      !path.ends_with(after))
    return std::nullopt;
  std::string name = path.substr(before.size(), path.size() - before.size() - after.size());
  if (name.find('/') != std::string::npos) return std::nullopt;
  return name;
}

/// Why the page is not asked: what is misspelt would be taken for what is not given.
std::optional<HttpResponse> unknown_parameter(const Route& route, const HttpRequest& request) {
  constexpr std::size_t told_chars_max = 40;
  if (route.ignores_others) return std::nullopt;
  for (const auto& [name, value] : request.parameters) {
    const auto& known = route.parameters;
    if (std::find(known.begin(), known.end(), name) != known.end()) continue;
    std::string list;
    for (const std::string& one : known) list += (list.empty() ? "" : ", ") + one;
    return HttpResponse{400, "unknown parameter '" + name.substr(0, told_chars_max) + "'; " +
                                 route.pattern + " takes " + (list.empty() ? "none" : list) + "\n"};
  }
  return std::nullopt;
}

}  // namespace

Router::Router(std::vector<Route> routes, std::string title)
    : routes_(std::move(routes)), title_(std::move(title)) {
  routes_.insert(routes_.begin(), {"GET", "/", "this index", [this](const PageRequest&) {
                                     return HttpResponse{200, index()};
                                   }});
}

std::string Router::index() const {
  std::string text = title_ + "\n\n";
  for (const Route& route : routes_) {
    std::string line = "  " + route.method + " " + route.pattern;
    line.resize(std::max<std::size_t>(line.size() + 2, 36), ' ');
    text += line + route.meaning + "\n";
  }
  return text;
}

HttpAnswer Router::answer(const HttpRequest& request) const {
  std::set<std::string> allowed;
  for (const Route& route : routes_) {
    auto name = match(route.pattern, request.path);
    if (!name) continue;
    if (route.method == request.method) {
      if (auto refused = unknown_parameter(route, request)) return *refused;
      return route.page({request, std::move(*name)});
    }
    allowed.insert(route.method);
    if (route.method == "GET") allowed.insert("HEAD");
  }
  if (allowed.empty()) return HttpResponse{404, "no such page; / lists them\n"};
  std::string list;
  for (const std::string& method : allowed) list += (list.empty() ? "" : ", ") + method;
  HttpResponse response{405, "allowed here: " + list + "\n"};
  response.allow = list;
  return response;
}

std::optional<std::uint64_t> whole_number(const HttpRequest& request, const std::string& name,
                                          std::uint64_t min, std::uint64_t max,
                                          std::uint64_t otherwise, HttpResponse& problem) {
  const auto given = request.parameters.find(name);
  if (given == request.parameters.end()) return otherwise;
  const std::string& text = given->second;
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error == std::errc{} && end == text.data() + text.size() && value >= min && value <= max)
    return value;
  problem = {400, name + " must be an integer from " + std::to_string(min) + " to " +
                      std::to_string(max) + "\n"};
  return std::nullopt;
}

}  // namespace vicinity::admin
