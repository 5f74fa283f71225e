// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors

// What may be sent to the listener for operators, on a real socket: any bytes get one answer of
// HTTP, never a failure of the server, or none at all; and a page is asked only by who has the
// token, where there is one, with what its path and its parameters promise.
//
// Input: whether there is a token, and what is sent before the rest (1 byte), size of the pieces
// (1 byte, 0 = all at once), the rest.

#include <atomic>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <memory>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "admin/http_server.h"
#include "admin/router.h"
#include "base/check.h"
#include "fuzz/loopback_client.h"

namespace vicinity::fuzz {
namespace {

constexpr const char* token = "0123456789abcdef";
constexpr const char* open_path = "/healthz";

/// Two servers with one set of pages, which live as long as the process.
class Servers {
 public:
  Servers() : router_(routes(), "fuzz") {
    for (const bool has_token : {false, true}) {
      admin::HttpSettings settings;
      settings.open_paths = {open_path};
      if (has_token) settings.token = token;
      auto opened = admin::HttpServer::open(settings, [this](const admin::HttpRequest& request) {
        CHECK(request.path.starts_with('/'));
        CHECK(request.path.find('?') == std::string::npos);
        CHECK(request.method != "HEAD");
        CHECK(request.body.size() <= admin::HttpSettings{}.body_bytes_max);
        if (request.path != open_path) ++asked_;
        return router_.answer(request);
      });
      CHECK(opened.ok());
      servers_[has_token] = std::move(opened.value());
      servers_[has_token]->start();
    }
  }
  std::uint16_t port(bool has_token) const { return servers_[has_token]->port(); }
  /// Requests for pages that are not open to all, since the last question.
  std::uint64_t take_asked() { return asked_.exchange(0); }

 private:
  static admin::HttpResponse whole(const admin::PageRequest& page) {
    constexpr std::uint64_t least = 1, most = 512, otherwise = 10;
    admin::HttpResponse problem;
    const auto last = admin::whole_number(page.http, "last", least, most, otherwise, problem);
    if (!last) {
      CHECK(problem.status == 400 && page.http.parameters.contains("last"));
      return problem;
    }
    CHECK(*last >= least && *last <= most);
    const auto given = page.http.parameters.find("last");
    if (given == page.http.parameters.end()) CHECK(*last == otherwise);
    return {200, std::to_string(*last) + "\n"};
  }
  static admin::HttpResponse named(const admin::PageRequest& page) {
    CHECK(!page.name.empty() && page.name.find('/') == std::string::npos);
    CHECK(page.http.path == "/sessions/" + page.name + "/kick");
    return {200, page.name};
  }
  static admin::HttpResponse echo(const admin::PageRequest& page) { return {200, page.http.body}; }
  static std::vector<admin::Route> routes() {
    return {{"GET", open_path, "open", echo},
            {"GET", "/debug/tick", "whole number", whole, {"last"}},
            {"POST", "/sessions/*/kick", "named", named},
            {"GET", "/log/level", "read", echo},
            {"PUT", "/log/level", "write", echo}};
  }

  admin::Router router_;
  std::unique_ptr<admin::HttpServer> servers_[2];
  std::atomic<std::uint64_t> asked_{0};
};

/// One answer, whole, and none that says that the server failed.
void check_answer(std::string_view answer, bool is_head) {
  if (answer.empty()) return;
  CHECK(answer.starts_with("HTTP/1.1 2") || answer.starts_with("HTTP/1.1 4"));
  const std::size_t end = answer.find("\r\n\r\n");
  CHECK(end != std::string_view::npos);
  constexpr std::string_view field = "Content-Length: ";
  const std::size_t place = answer.find(field);
  CHECK(place < end);
  const std::string_view number = answer.substr(place + field.size());
  std::size_t length = 0;
  CHECK(std::from_chars(number.data(), number.data() + number.size(), length).ec == std::errc{});
  const std::size_t body = answer.size() - end - 4;
  CHECK(body == length || (is_head && body == 0));
}

void run(BytesView input) {
  static auto* const servers = new Servers;
  if (input.size() < 2) return;
  const bool has_token = (input[0] & 1u) != 0;
  const BytesView rest = input.subspan(2);
  static constexpr std::string_view beginnings[] = {
      "",
      "GET /debug/tick?",
      "GET /debug/tick?last=",
      "POST /sessions/",
      "PUT /log/level HTTP/1.1\r\n",
      "GET / HTTP/1.1\r\nAuthorization: Bearer 0123456789abcde"};
  std::string sent(beginnings[(input[0] >> 1) % std::size(beginnings)]);
  sent.append(reinterpret_cast<const char*>(rest.data()), rest.size());
  const BytesView bytes(reinterpret_cast<const std::uint8_t*>(sent.data()), sent.size());
  const std::string answer = exchange(servers->port(has_token), {}, bytes, input[1]);
  check_answer(answer, sent.find("HEAD ") != std::string::npos);
  const bool asked = servers->take_asked() > 0;
  if (asked && has_token) CHECK(sent.find(token) != std::string::npos);
}

}  // namespace
}  // namespace vicinity::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  vicinity::fuzz::run({data, size});
  return 0;
}
