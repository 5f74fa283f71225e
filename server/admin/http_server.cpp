// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#include "admin/http_server.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <boost/asio/buffer.hpp>
#include <boost/asio/error.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/core/tcp_stream.hpp>
#include <boost/beast/http/empty_body.hpp>
#include <boost/beast/http/message.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/read.hpp>
#include <boost/beast/http/string_body.hpp>
#include <boost/beast/http/write.hpp>
#include <exception>
#include <list>
#include <string_view>
#include <thread>
#include <utility>

#include "base/check.h"
#include "base/thread_name.h"

namespace vicinity::admin {
namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = boost::beast::http;
using asio::ip::tcp;
using ErrorOfAsio = boost::system::error_code;
using namespace std::chrono_literals;

constexpr auto poll_interval = 10ms;
/// What a peer may still send while it is told the answer, and for how long.
constexpr std::size_t farewell_bytes_max = 64 * 1024;
constexpr auto farewell_limit = 1s;
/// After the system could not accept: it would fail again at once.
constexpr auto accept_pause = 100ms;

std::string text_of(beast::string_view text) { return {text.data(), text.size()}; }

/// Takes as long for a wrong secret as for the right one.
bool same_secret(std::string_view given, std::string_view expected) {
  unsigned difference = given.size() == expected.size() ? 0 : 1;
  for (std::size_t i = 0; i < expected.size(); ++i) {
    const char c = i < given.size() ? given[i] : '\0';
    difference |= static_cast<unsigned char>(c) ^ static_cast<unsigned char>(expected[i]);
  }
  return difference == 0;
}

/// A Host that no name server can be made to point here.
bool names_loopback(std::string_view host) {
  const std::size_t colon = host.rfind(':');
  if (colon != std::string_view::npos && host.find(']', colon) == std::string_view::npos)
    host = host.substr(0, colon);
  if (host == "localhost" || host == "[::1]") return true;
  return host.starts_with("127.") && host.find_first_not_of("0123456789.") == host.npos;
}

/// Whether a web page asks. For a picture or a script a browser sends no Origin, but it says whose
/// page wants it; `none` is what the user typed, and pages of our own are ours.
bool is_of_web_page(const http::request<http::string_body>& request) {
  if (request.count(http::field::origin) > 0) return true;
  const auto [first, last] = request.equal_range("Sec-Fetch-Site");
  return std::any_of(first, last, [](const auto& field) {
    return field.value() != "none" && field.value() != "same-origin";
  });
}

HttpRequest parse_target(std::string_view target) {
  HttpRequest request;
  const std::size_t mark = target.find('?');
  request.path = target.substr(0, mark);
  std::string_view rest = mark == target.npos ? std::string_view() : target.substr(mark + 1);
  while (!rest.empty()) {
    const std::string_view one = rest.substr(0, rest.find('&'));
    rest.remove_prefix(std::min(one.size() + 1, rest.size()));
    const std::size_t equals = one.find('=');
    const std::string_view value = equals == one.npos ? std::string_view() : one.substr(equals + 1);
    request.parameters.emplace(one.substr(0, equals), value);
  }
  return request;
}

class Server;

/// One connection: one request and its answer. Handlers of its operations keep it alive.
class Exchange : public std::enable_shared_from_this<Exchange> {
 public:
  Exchange(Server& server, tcp::socket socket);

  void start();
  /// Ends it now. Nothing happens when it has ended.
  void cut();
  bool says_farewell() const { return phase_ == Phase::Farewell; }
  bool sends_request() const { return phase_ == Phase::Request; }

 private:
  enum class Phase { Request, Poll, Response, Farewell, Ended };
  using Parser = http::request_parser<http::string_body>;

  void on_request(const ErrorOfAsio& error);
  HttpAnswer answer();
  std::optional<HttpResponse> refusal() const;
  void wait_for_poll();
  void poll(bool last);
  bool is_left();
  void respond(HttpResponse response);
  void on_response();
  void throw_away();
  void end();

  Server& server_;
  beast::tcp_stream stream_;
  asio::steady_timer poll_timer_;
  beast::flat_buffer buffer_;
  std::optional<Parser> parser_;
  http::response<http::string_body> response_;
  http::response<http::empty_body> head_;
  HttpPoll poll_;
  std::chrono::steady_clock::time_point poll_end_;
  std::size_t thrown_away_ = 0;
  Phase phase_ = Phase::Request;
};

class Server final : public HttpServer {
 public:
  Server(HttpSettings settings, HttpHandler handler)
      : settings_(std::move(settings)), handler_(std::move(handler)), acceptor_(io_), pause_(io_) {}
  ~Server() override { stop(); }

  Error listen();
  std::uint16_t port() const override { return port_; }
  void start() override;
  void stop() override;
  HttpStats stats() const override { return {well_.load(), badly_.load(), cut_.load()}; }

  // On the thread of the server.
  asio::io_context& io() { return io_; }
  const HttpSettings& settings() const { return settings_; }
  const HttpHandler& handler() const { return handler_; }
  void count_answer(unsigned status) { ++(status < 400 ? well_ : badly_); }
  void count_cut() { ++cut_; }
  void forget(const Exchange& exchange);

 private:
  void run();
  void cut_all();
  void accept();
  void accept_anew();
  void on_accept(const ErrorOfAsio& error, tcp::socket socket);
  void make_room();

  const HttpSettings settings_;
  const HttpHandler handler_;
  asio::io_context io_{1};
  tcp::acceptor acceptor_;
  asio::steady_timer pause_;
  bool is_stopped_ = false;
  std::uint64_t accept_number_ = 0;                 ///< of the last accept that was begun
  std::list<std::shared_ptr<Exchange>> exchanges_;  ///< the oldest first
  std::thread thread_;
  std::uint16_t port_ = 0;
  std::atomic<std::uint64_t> well_{0};
  std::atomic<std::uint64_t> badly_{0};
  std::atomic<std::uint64_t> cut_{0};
};

// --- Exchange --------------------------------------------------------------------------------

Exchange::Exchange(Server& server, tcp::socket socket)
    : server_(server),
      stream_(std::move(socket)),
      poll_timer_(server.io()),
      buffer_(server.settings().header_bytes_max + server.settings().body_bytes_max) {
  parser_.emplace();
  parser_->header_limit(server.settings().header_bytes_max);
  parser_->body_limit(server.settings().body_bytes_max);
}

void Exchange::start() {
  stream_.expires_after(server_.settings().request_limit);
  http::async_read(stream_, buffer_, *parser_,
                   [self = shared_from_this()](const ErrorOfAsio& error, std::size_t) {
                     self->on_request(error);
                   });
}

void Exchange::on_request(const ErrorOfAsio& error) {
  if (phase_ != Phase::Request) return;
  if (error == beast::error::timeout) {
    server_.count_cut();
    return end();
  }
  if (error == http::error::header_limit || error == http::error::buffer_overflow) {
    return respond({431, "the header of the request is too long\n"});
  }
  if (error == http::error::body_limit)
    return respond({413, "the body of the request is too long\n"});
  const bool of_http = error.category() == make_error_code(http::error::bad_method).category();
  if (error && of_http && error != http::error::end_of_stream &&
      error != http::error::partial_message)
    return respond({400, "not an HTTP request: " + error.message() + "\n"});
  if (error) return end();
  HttpAnswer answered = answer();
  if (auto* response = std::get_if<HttpResponse>(&answered)) return respond(std::move(*response));
  poll_ = std::move(std::get<HttpPoll>(answered));
  phase_ = Phase::Poll;
  ErrorOfAsio ignored;  // then is_left() finds an error, too
  stream_.socket().non_blocking(true, ignored);
  stream_.expires_never();
  poll_end_ = std::chrono::steady_clock::now() + server_.settings().poll_limit;
  poll(false);
}

/// Why nobody is asked; nothing when all is well.
std::optional<HttpResponse> Exchange::refusal() const {
  const auto& request = parser_->get();
  const HttpSettings& settings = server_.settings();
  if (settings.token.empty()) {
    if (is_of_web_page(request))
      return HttpResponse{403, "web pages may not ask; this is for tools\n"};
    if (request.count(http::field::host) > 0 &&
        !names_loopback(text_of(request[http::field::host])))
      return HttpResponse{403, "without a token, ask for localhost or a loopback address\n"};
    return std::nullopt;
  }
  const std::string path = parse_target(text_of(request.target())).path;
  for (const std::string& open : settings.open_paths)
    if (path == open) return std::nullopt;
  constexpr std::string_view scheme = "Bearer ";
  const std::string given = text_of(request[http::field::authorization]);
  const bool is_bearer = std::string_view(given).starts_with(scheme);
  if (is_bearer && same_secret(std::string_view(given).substr(scheme.size()), settings.token))
    return std::nullopt;
  return HttpResponse{401, "the token is missing or wrong: Authorization: Bearer ...\n"};
}

HttpAnswer Exchange::answer() {
  if (auto refused = refusal()) return *refused;
  auto& message = parser_->get();
  const std::string target = text_of(message.target());
  if (!target.starts_with('/')) return HttpResponse{400, "the target must be a path\n"};
  HttpRequest request = parse_target(target);
  request.method = text_of(message.method_string());
  if (message.method() == http::verb::head) request.method = "GET";
  request.body = std::move(message.body());
  try {
    return server_.handler()(request);
  } catch (const std::exception& error) {
    return HttpResponse{500, "that failed: " + std::string(error.what()) + "\n"};
  }
}

void Exchange::wait_for_poll() {
  poll_timer_.expires_after(poll_interval);
  poll_timer_.async_wait([self = shared_from_this()](const ErrorOfAsio& error) {
    if (error || self->phase_ != Phase::Poll) return;
    if (self->is_left()) return self->end();
    self->poll(std::chrono::steady_clock::now() >= self->poll_end_);
  });
}

/// Whether nobody waits for the answer any more: the peer has ended its side, or is lost. Nothing
/// else tells, for nothing is sent meanwhile. What it sends is thrown away.
bool Exchange::is_left() {
  std::array<char, 1024> sent;
  ErrorOfAsio error;
  thrown_away_ += stream_.socket().read_some(asio::buffer(sent), error);
  if (error) return error != asio::error::would_block;
  return thrown_away_ > farewell_bytes_max;
}

void Exchange::poll(bool last) {
  std::optional<HttpResponse> response;
  try {
    response = poll_(last);
  } catch (const std::exception& error) {
    response = HttpResponse{500, "that failed: " + std::string(error.what()) + "\n"};
  }
  if (response) return respond(std::move(*response));
  if (last) return respond({503, "there is no answer yet\n"});
  wait_for_poll();
}

void Exchange::respond(HttpResponse response) {
  phase_ = Phase::Response;
  poll_ = nullptr;
  server_.count_answer(response.status);
  const bool only_head = parser_->get().method() == http::verb::head;
  const auto fill = [&](auto& message) {
    message.version(11);
    message.result(response.status);
    message.keep_alive(false);
    message.set(http::field::server, "vicinity");
    message.set(http::field::content_type, response.content_type);
    message.set(http::field::cache_control, "no-store");
    message.set("X-Content-Type-Options", "nosniff");
    if (!response.allow.empty()) message.set(http::field::allow, response.allow);
    if (response.status == 401) message.set(http::field::www_authenticate, "Bearer");
    message.content_length(response.body.size());
  };
  stream_.expires_after(server_.settings().response_limit);
  const auto written = [self = shared_from_this()](const ErrorOfAsio& error, std::size_t) {
    if (self->phase_ != Phase::Response) return;
    if (error == beast::error::timeout) self->server_.count_cut();
    if (error) return self->end();
    self->on_response();
  };
  if (only_head) {
    fill(head_);
    http::async_write(stream_, head_, written);
  } else {
    fill(response_);
    response_.body() = std::move(response.body);
    http::async_write(stream_, response_, written);
  }
}

/// Closing with unread input would make the system reset the connection, and the answer be lost on
/// its way. So what arrives is read for a moment.
void Exchange::on_response() {
  phase_ = Phase::Farewell;
  ErrorOfAsio ignored;
  stream_.socket().shutdown(tcp::socket::shutdown_send, ignored);
  stream_.expires_after(farewell_limit);
  throw_away();
}

void Exchange::throw_away() {
  buffer_.clear();
  stream_.async_read_some(buffer_.prepare(buffer_.max_size()),
                          [self = shared_from_this()](const ErrorOfAsio& error, std::size_t size) {
                            self->thrown_away_ += size;
                            if (error || self->thrown_away_ > farewell_bytes_max)
                              return self->end();
                            self->throw_away();
                          });
}

void Exchange::cut() {
  if (phase_ == Phase::Ended) return;
  server_.count_cut();
  end();
}

void Exchange::end() {
  if (phase_ == Phase::Ended) return;
  phase_ = Phase::Ended;
  poll_timer_.cancel();
  stream_.close();
  const auto self = shared_from_this();
  server_.forget(*this);
  if (const auto ended = std::exchange(poll_, nullptr)) ended(true);
}

// --- Server ----------------------------------------------------------------------------------

Error Server::listen() {
  ErrorOfAsio error;
  const auto address = asio::ip::make_address(settings_.address, error);
  const tcp::endpoint endpoint(address, settings_.port);
  if (!error) acceptor_.open(endpoint.protocol(), error);
  if (!error) acceptor_.set_option(tcp::acceptor::reuse_address(true), error);
  if (!error) acceptor_.bind(endpoint, error);
  if (!error) acceptor_.listen(tcp::acceptor::max_listen_connections, error);
  if (!error) port_ = acceptor_.local_endpoint(error).port();
  if (!error) return {};
  return {ErrorCode::Internal, "cannot listen for operators on " + settings_.address + " port " +
                                   std::to_string(settings_.port) + ": " + error.message()};
}

void Server::start() {
  CHECK(!thread_.joinable());
  accept();
  thread_ = std::thread([this] {
    name_thread("admin");
    run();
  });
}

/// What fails for one who asks, for want of memory, must not end the server.
void Server::run() {
  for (bool failed = false;; failed = true) {
    try {
      if (failed) {
        io_.restart();
        cut_all();
        accept_anew();
      }
      io_.run();
      if (is_stopped_) return;  // else it has lost count of its work, of which some had no memory
    } catch (const std::exception&) {
      // Whose operation it was is not known: all of them are cut. What fails now fails again at
      // once, so it waits.
      std::this_thread::sleep_for(accept_pause);
    }
  }
}

void Server::cut_all() {
  while (!exchanges_.empty()) {
    const auto oldest = exchanges_.front();
    oldest->cut();
  }
}

void Server::stop() {
  if (!thread_.joinable()) return;
  asio::post(io_, [this] {
    is_stopped_ = true;
    ErrorOfAsio ignored;
    acceptor_.close(ignored);
    pause_.cancel();
    cut_all();
  });
  thread_.join();
}

/// Only the last one that was begun counts, see accept_anew().
void Server::accept() {
  const std::uint64_t number = ++accept_number_;
  acceptor_.async_accept([this, number](const ErrorOfAsio& error, tcp::socket socket) {
    if (number == accept_number_) on_accept(error, std::move(socket));
  });
}

/// What has thrown may have been an accept, before its handler was called: whether one is still
/// under way nobody can say.
void Server::accept_anew() {
  if (!acceptor_.is_open()) return;
  ErrorOfAsio ignored;
  pause_.cancel();
  acceptor_.cancel(ignored);
  accept();
}

void Server::on_accept(const ErrorOfAsio& error, tcp::socket socket) {
  if (!acceptor_.is_open()) return;
  if (error) {
    pause_.expires_after(accept_pause);
    pause_.async_wait([this](const ErrorOfAsio& cancelled) {
      if (!cancelled && acceptor_.is_open()) accept();
    });
    return;
  }
  if (exchanges_.size() >= settings_.connection_count_max) make_room();
  if (exchanges_.size() < settings_.connection_count_max) {
    exchanges_.push_back(std::make_shared<Exchange>(*this, std::move(socket)));
    exchanges_.back()->start();
  } else {
    count_cut();
  }
  accept();
}

/// Who connects and asks nothing, or has its answer and stays, keeps nobody out.
void Server::make_room() {
  const auto cut_oldest = [this](bool (Exchange::*is_idle)() const) {
    for (const auto& exchange : exchanges_) {
      if (!((*exchange).*is_idle)()) continue;
      const auto oldest = exchange;
      oldest->cut();
      return true;
    }
    return false;
  };
  if (!cut_oldest(&Exchange::says_farewell)) cut_oldest(&Exchange::sends_request);
}

void Server::forget(const Exchange& exchange) {
  exchanges_.remove_if([&](const auto& other) { return other.get() == &exchange; });
}

}  // namespace

Result<std::unique_ptr<HttpServer>, Error> HttpServer::open(HttpSettings settings,
                                                            HttpHandler handler) {
  auto server = std::make_unique<Server>(std::move(settings), std::move(handler));
  Error error = server->listen();
  if (error.code != ErrorCode::None) return error;
  return std::unique_ptr<HttpServer>(std::move(server));
}

}  // namespace vicinity::admin
