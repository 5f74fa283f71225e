// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#pragma once

// A small HTTP/1.1 server for operators, their tools and probes. One thread serves everything: the
// handler runs on it, and nobody else waits for it. Boost.Beast is in http_server.cpp alone.
//
// Whatever comes, it costs a bounded amount: so many connections, each with one request of bounded
// size that must arrive in time, and one answer that must be taken in time; then it is closed.
//
//      accept ──► request, within request_ms ──► handler ──► answer, within response_ms ──► close
//         │ one more than connection_count_max: the longest that sends its request is cut

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "base/error.h"
#include "base/limits.h"
#include "base/result.h"

namespace vicinity::admin {

struct HttpSettings {
  std::string address = "127.0.0.1";  ///< IP literal
  std::uint16_t port = 0;             ///< 0 = any free port
  /// Empty: everybody may ask who names this machine as loopback (Host) and is no web page (Origin,
  /// Sec-Fetch-Site), so that none can ask by way of its user's browser.
  std::string token;
  std::vector<std::string> open_paths = {};  ///< answered without the token: probes have none
  std::size_t connection_count_max = limits::http_connections_max;
  std::uint32_t header_bytes_max = limits::http_header_bytes_max;
  std::uint32_t body_bytes_max = limits::http_body_bytes_max;
  std::chrono::milliseconds request_limit{limits::http_request_ms};
  std::chrono::milliseconds response_limit{limits::http_response_ms};
  std::chrono::milliseconds poll_limit{limits::http_poll_ms};  ///< for answers to come
};

struct HttpRequest {
  std::string method;                             ///< HEAD comes as GET
  std::string path;                               ///< "/debug/tick"
  std::map<std::string, std::string> parameters;  ///< behind the question mark, as they were sent
  std::string body;
};

struct HttpResponse {
  unsigned status = 200;
  std::string body;
  std::string content_type = "text/plain; charset=utf-8";
  std::string allow = {};  ///< with 405: the methods that are allowed
};

/// Asked every few milliseconds until there is an answer; `last`: the connection ends, as when the
/// peer ends its side, or poll_limit is over, and this is the last call.
using HttpPoll = std::function<std::optional<HttpResponse>(bool last)>;
using HttpAnswer = std::variant<HttpResponse, HttpPoll>;
/// On the server's thread. What it throws is answered with 500.
using HttpHandler = std::function<HttpAnswer(const HttpRequest&)>;

/// Since the start. Any thread.
struct HttpStats {
  std::uint64_t answered_well = 0;  ///< below 400
  std::uint64_t answered_badly = 0;
  std::uint64_t cut = 0;  ///< too slow, or for the place
};

class HttpServer {
 public:
  /// Binds and listens; the error names address, port and the system's reason.
  static Result<std::unique_ptr<HttpServer>, Error> open(HttpSettings settings,
                                                         HttpHandler handler);
  virtual ~HttpServer() = default;
  virtual std::uint16_t port() const = 0;
  virtual void start() = 0;
  /// Cuts what is open and joins the thread.
  virtual void stop() = 0;
  virtual HttpStats stats() const = 0;
};

}  // namespace vicinity::admin
