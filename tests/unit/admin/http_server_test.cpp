// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors

// The listener for operators, byte by byte: what it answers, and what it makes of those who break
// the protocol, send too much, come too slowly or too often.

#include "admin/http_server.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "support/raw_socket.h"

namespace vicinity::admin {
namespace {

using namespace std::chrono_literals;
using test::RawSocket;
using testing::EndsWith;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

constexpr const char* token = "a-token-of-enough-characters";

std::atomic<bool> one_is_under_way{false};
std::atomic<int> one_was_waited_for{0};  ///< so often: asked, when nobody had left

/// Like a recording: goes on until the last call, and meanwhile there can be no other.
HttpAnswer one_at_a_time() {
  if (one_is_under_way.exchange(true)) return HttpResponse{409, "another one goes on"};
  return HttpPoll([](bool last) -> std::optional<HttpResponse> {
    if (!last) {
      ++one_was_waited_for;
      return std::nullopt;
    }
    one_is_under_way = false;
    return HttpResponse{200, "as far as it came"};
  });
}

HttpAnswer echo(const HttpRequest& request) {
  if (request.path == "/one-at-a-time") return one_at_a_time();
  if (request.path == "/throws") throw std::runtime_error("no good");
  if (request.path == "/large") return HttpResponse{200, std::string(8 << 20, 'x')};
  if (request.path == "/never") {
    return HttpPoll([](bool last) -> std::optional<HttpResponse> {
      if (last) return HttpResponse{200, "at last"};
      return std::nullopt;
    });
  }
  if (request.path == "/fails-at-last") {
    return HttpPoll([](bool last) -> std::optional<HttpResponse> {
      if (last) throw std::runtime_error("no good");
      return std::nullopt;
    });
  }
  std::string text = request.method + " " + request.path;
  for (const auto& [name, value] : request.parameters) text += " " + name + "=" + value;
  return HttpResponse{200, text + " [" + request.body + "]"};
}

class Http : public testing::Test {
 protected:
  std::uint16_t listen(HttpSettings settings = {}) {
    settings.port = 0;
    auto opened = HttpServer::open(std::move(settings), echo);
    EXPECT_TRUE(opened.ok()) << (opened.ok() ? "" : opened.error().text);
    server_ = std::move(opened.value());
    server_->start();
    return server_->port();
  }

  static bool write(RawSocket& socket, std::string_view text) {
    return socket.write({reinterpret_cast<const std::uint8_t*>(text.data()), text.size()});
  }
  /// Everything until the server closes.
  static std::string read_all(RawSocket& socket) {
    std::string text;
    while (const auto byte = socket.read_bytes(1)) text += static_cast<char>(byte->front());
    EXPECT_TRUE(socket.ended()) << "not closed after: " << text.substr(0, 200);
    return text;
  }
  static std::string ask(std::uint16_t port, std::string_view request) {
    auto socket = RawSocket::connected(port);
    EXPECT_TRUE(write(socket, request));
    return read_all(socket);
  }
  static std::string get(std::uint16_t port, const std::string& target,
                         const std::string& headers = {}) {
    return ask(port, "GET " + target + " HTTP/1.1\r\nHost: localhost\r\n" + headers + "\r\n");
  }

  std::unique_ptr<HttpServer> server_;
};

// --- Answers ---------------------------------------------------------------------------------

TEST_F(Http, AnswersAndCloses) {
  const std::string answer = get(listen(), "/a/path?last=3&x=");
  EXPECT_THAT(answer, StartsWith("HTTP/1.1 200 OK\r\n"));
  EXPECT_THAT(answer, HasSubstr("Connection: close\r\n"));
  EXPECT_THAT(answer, HasSubstr("Cache-Control: no-store\r\n"));
  EXPECT_THAT(answer, EndsWith("\r\n\r\nGET /a/path last=3 x= []"));
  EXPECT_EQ(server_->stats().answered_well, 1u);
}

TEST_F(Http, GivesTheBodyToTheHandler) {
  EXPECT_THAT(ask(listen(), "PUT /l HTTP/1.1\r\nHost: [::1]:80\r\nContent-Length: 5\r\n\r\ndebug"),
              EndsWith("PUT /l [debug]"));
}

TEST_F(Http, HeadHasTheLengthOfTheBodyAndNoBody) {
  const std::string answer = ask(listen(), "HEAD /x HTTP/1.1\r\nHost: 127.0.0.1:7422\r\n\r\n");
  EXPECT_THAT(answer, HasSubstr("Content-Length: 9\r\n"));  // "GET /x []"
  EXPECT_THAT(answer, EndsWith("\r\n\r\n"));
}

TEST_F(Http, AHandlerThatThrowsIsAnswered) {
  EXPECT_THAT(get(listen(), "/throws"), AllOf(StartsWith("HTTP/1.1 500 "), HasSubstr("no good")));
}

TEST_F(Http, AsksForAnAnswerOneLastTimeWhenTheTimeIsOver) {
  HttpSettings settings;
  settings.poll_limit = 50ms;
  EXPECT_THAT(get(listen(settings), "/never"), EndsWith("at last"));
}

TEST_F(Http, AnAnswerThatNobodyWaitsForIsGivenUp) {
  const std::uint16_t port = listen();
  for (const bool resets : {false, true}) {
    auto waiting = RawSocket::connected(port);
    ASSERT_TRUE(
        write(waiting, "GET /one-at-a-time HTTP/1.1\r\nHost: localhost\r\n\r\nand more of it"));
    for (int i = 0; !one_is_under_way && i < 1'000; ++i) std::this_thread::sleep_for(10ms);
    EXPECT_THAT(get(port, "/one-at-a-time"), StartsWith("HTTP/1.1 409 "));
    const int enough = one_was_waited_for + 5;
    for (int i = 0; one_is_under_way && one_was_waited_for < enough && i < 1'000; ++i)
      std::this_thread::sleep_for(10ms);
    EXPECT_GE(one_was_waited_for, enough);
    EXPECT_TRUE(one_is_under_way) << "it is waited for";
    resets ? waiting.reset() : waiting.close();
    for (int i = 0; one_is_under_way && i < 1'000; ++i) std::this_thread::sleep_for(10ms);
    EXPECT_FALSE(one_is_under_way);
  }
}

TEST_F(Http, APortThatIsTakenIsAnError) {
  HttpSettings settings;
  settings.port = listen();
  const auto second = HttpServer::open(settings, echo);
  ASSERT_FALSE(second.ok());
  EXPECT_THAT(second.error().text, HasSubstr(std::to_string(settings.port)));
}

// --- Who may ask -----------------------------------------------------------------------------

TEST_F(Http, WantsTheToken) {
  HttpSettings settings;
  settings.token = token;
  settings.open_paths = {"/healthz"};
  const std::uint16_t port = listen(settings);
  EXPECT_THAT(get(port, "/x"), AllOf(StartsWith("HTTP/1.1 401 "), HasSubstr("Bearer")));
  for (const std::string wrong : {"a-token-of-enough-character", "a-token-of-enough-charactersX",
                                  "A-token-of-enough-characters", ""})
    EXPECT_THAT(get(port, "/x", "Authorization: Bearer " + wrong + "\r\n"),
                StartsWith("HTTP/1.1 401 "))
        << wrong;
  EXPECT_THAT(get(port, "/x", std::string("Authorization: Basic ") + token + "\r\n"),
              StartsWith("HTTP/1.1 401 "));
  EXPECT_THAT(get(port, "/x", std::string("Authorization: Bearer ") + token + "\r\n"),
              StartsWith("HTTP/1.1 200 "));
  EXPECT_THAT(get(port, "/healthz"), StartsWith("HTTP/1.1 200 "));
  EXPECT_THAT(get(port, "/healthz/x"), StartsWith("HTTP/1.1 401 "));
}

TEST_F(Http, WebPagesMayNotAskWithoutAToken) {
  const std::uint16_t port = listen();
  EXPECT_THAT(get(port, "/x", "Origin: http://localhost\r\n"), StartsWith("HTTP/1.1 403 "));
  for (const std::string host : {"example.org", "127.0.0.1.example.org", "localhost.example.org",
                                 "[::2]:80", "1127.0.0.1"}) {
    EXPECT_THAT(ask(port, "GET / HTTP/1.1\r\nHost: " + host + "\r\n\r\n"),
                StartsWith("HTTP/1.1 403 "))
        << host;
  }
}

TEST_F(Http, NorMayTheirPicturesWhichHaveNoOrigin) {
  const std::uint16_t port = listen();
  for (const std::string site : {"cross-site", "same-site", "", "Same-Origin-Not"}) {
    EXPECT_THAT(get(port, "/x", "Sec-Fetch-Site: " + site + "\r\n"),
                AllOf(StartsWith("HTTP/1.1 403 "), HasSubstr("web pages may not ask")))
        << site;
  }
  EXPECT_THAT(get(port, "/x", "sec-fetch-site: none\r\nSec-Fetch-Site: cross-site\r\n"),
              StartsWith("HTTP/1.1 403 "));
  for (const std::string site : {"none", "same-origin"}) {
    EXPECT_THAT(get(port, "/x", "Sec-Fetch-Site: " + site + "\r\n"), StartsWith("HTTP/1.1 200 "))
        << site;
  }
}

// --- Broken, too large, too slow -------------------------------------------------------------

TEST_F(Http, RefusesWhatIsNoRequest) {
  const std::uint16_t port = listen();
  for (const char* text :
       {"\x16\x03\x01\x02 hello\r\n\r\n", "GET\r\n\r\n", "GET / HTTP/9.9\r\n\r\n",
        "GET / HTTP/1.1\r\nno colon\r\n\r\n", "POST / HTTP/1.1\r\nContent-Length: -1\r\n\r\n",
        "GET http://else.where/ HTTP/1.1\r\nHost: localhost\r\n\r\n"})
    EXPECT_THAT(ask(port, text), StartsWith("HTTP/1.1 400 ")) << text;
  EXPECT_EQ(server_->stats().answered_badly, 6u);
  EXPECT_THAT(get(port, "/x"), StartsWith("HTTP/1.1 200 "));
}

TEST_F(Http, RefusesAHeaderAndABodyThatAreTooLong) {
  const std::uint16_t port = listen();
  EXPECT_THAT(get(port, "/x", "X: " + std::string(9'000, 'x') + "\r\n"),
              StartsWith("HTTP/1.1 431 "));
  EXPECT_THAT(get(port, "/" + std::string(20'000, 'x')), StartsWith("HTTP/1.1 431 "));
  EXPECT_THAT(ask(port, "POST /x HTTP/1.1\r\nHost: localhost\r\nContent-Length: 5000\r\n\r\n" +
                            std::string(5'000, 'x')),
              StartsWith("HTTP/1.1 413 "));
}

TEST_F(Http, CutsWhoSendsTooSlowly) {
  HttpSettings settings;
  settings.request_limit = 200ms;
  auto socket = RawSocket::connected(listen(settings));
  const std::string_view request = "GET / HTTP/1.1\r\nHost: localhost\r\n";
  bool open = true;
  for (int i = 0; open && i < 1'000; ++i)  // a byte at a time, and never the end
    open = write(socket, request.substr(i % request.size(), 1)) && !socket.wait_for_end(20ms);
  EXPECT_FALSE(open);
  EXPECT_EQ(server_->stats().cut, 1u);
}

TEST_F(Http, CutsWhoDoesNotReadTheAnswer) {
  HttpSettings settings;
  settings.response_limit = 200ms;
  const std::uint16_t port = listen(settings);
  auto socket = RawSocket::connected(port, 4096);
  ASSERT_TRUE(write(socket, "GET /large HTTP/1.1\r\nHost: localhost\r\n\r\n"));
  for (int i = 0; server_->stats().cut == 0 && i < 1'000; ++i) std::this_thread::sleep_for(10ms);
  EXPECT_EQ(server_->stats().cut, 1u);
  EXPECT_THAT(get(port, "/x"), StartsWith("HTTP/1.1 200 "));
}

TEST_F(Http, WhoConnectsAndAsksNothingKeepsNobodyOut) {
  HttpSettings settings;
  settings.connection_count_max = 4;
  const std::uint16_t port = listen(settings);
  std::vector<RawSocket> silent;
  for (int i = 0; i < 10; ++i) silent.push_back(RawSocket::connected(port));
  EXPECT_THAT(get(port, "/x"), StartsWith("HTTP/1.1 200 "));
  EXPECT_EQ(server_->stats().cut, 7u);  // 11 came, 4 have a place
  EXPECT_TRUE(silent.front().wait_for_end());
}

TEST_F(Http, WhoHasItsAnswerAndStaysGivesWayBeforeWhoStillAsks) {
  HttpSettings settings;
  settings.connection_count_max = 2;
  const std::uint16_t port = listen(settings);
  auto asking = RawSocket::connected(port);  // the older one
  ASSERT_TRUE(write(asking, "GET /a HTTP/1.1\r\nHost: localhost\r\n"));
  auto answered = RawSocket::connected(port);
  ASSERT_TRUE(write(answered, "GET /b HTTP/1.1\r\nHost: localhost\r\n\r\n"));
  EXPECT_THAT(read_all(answered), StartsWith("HTTP/1.1 200 "));
  EXPECT_THAT(get(port, "/c"), StartsWith("HTTP/1.1 200 "));
  ASSERT_TRUE(write(asking, "\r\n"));
  EXPECT_THAT(read_all(asking), EndsWith("GET /a []"));
}

TEST_F(Http, AnswersNoSecondRequestOfAConnection) {
  const std::string answer =
      ask(listen(), "GET /a HTTP/1.1\r\nHost: localhost\r\n\r\nGET /b HTTP/1.1\r\n\r\n");
  EXPECT_THAT(answer, HasSubstr("GET /a []"));
  EXPECT_THAT(answer, Not(HasSubstr("/b")));
}

TEST_F(Http, StopsThoughAnAnswerFailsInTheEnd) {
  const std::uint16_t port = listen();
  auto failing = RawSocket::connected(port);
  auto another = RawSocket::connected(port);
  ASSERT_TRUE(write(failing, "GET /fails-at-last HTTP/1.1\r\nHost: localhost\r\n\r\n"));
  ASSERT_TRUE(write(another, "GET /never HTTP/1.1\r\nHost: localhost\r\n\r\n"));
  EXPECT_THAT(get(port, "/x"), StartsWith("HTTP/1.1 200 "));  // both are asked by now
  server_->stop();
  EXPECT_TRUE(failing.wait_for_end());
  EXPECT_TRUE(another.wait_for_end());
}

TEST_F(Http, StopsWhileSomebodyAsks) {
  auto socket = RawSocket::connected(listen());
  ASSERT_TRUE(write(socket, "GET /never HTTP/1.1\r\nHost: localhost\r\n\r\n"));
  server_->stop();
  EXPECT_TRUE(socket.wait_for_end());
}

}  // namespace
}  // namespace vicinity::admin
