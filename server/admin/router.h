// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#pragma once

// Which page answers a request: the table of all paths, from which the index at / comes as well.
// Admin thread.

#include <optional>
#include <string>
#include <vector>

#include "admin/http_server.h"

namespace vicinity::admin {

/// What a page gets to know: the request, and the part of the path that the pattern leaves open.
struct PageRequest {
  const HttpRequest& http;
  std::string name;
};
using Page = std::function<HttpAnswer(const PageRequest&)>;

struct Route {
  std::string method;   ///< GET, POST or PUT
  std::string pattern;  ///< "/debug/tick", or "/sessions/*/kick": one part is open
  std::string meaning;  ///< one line, for the index
  Page page;
  /// Names behind the question mark that the page knows; with another one it is not asked.
  std::vector<std::string> parameters = {};
  /// Of pages for probes and scrapers, which may add some of their own: it is asked all the same.
  bool ignores_others = false;
};

class Router {
 public:
  /// Adds the index at / itself.
  Router(std::vector<Route> routes, std::string title);
  Router(const Router&) = delete;
  Router& operator=(const Router&) = delete;

  /// 404 for a path that is not known, 405 with the methods for a known one, 400 for a parameter
  /// that the page does not know.
  HttpAnswer answer(const HttpRequest& request) const;

 private:
  std::string index() const;

  std::vector<Route> routes_;
  std::string title_;
};

/// Parameter `name` as a whole number from `min` to `max`; `otherwise` when it is not given. With
/// nothing, `problem` is the answer to give.
std::optional<std::uint64_t> whole_number(const HttpRequest& request, const std::string& name,
                                          std::uint64_t min, std::uint64_t max,
                                          std::uint64_t otherwise, HttpResponse& problem);

}  // namespace vicinity::admin
