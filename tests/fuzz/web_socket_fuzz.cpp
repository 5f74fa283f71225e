// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors

// What a stranger may send to the listener for WebSocket: the upgrade, then frames, on a real
// socket. Whatever it is, the connection comes to an end, is told of once, lets in no page of
// another origin, and hands over the bodies of whole messages and nothing else.
//
// Input: what the rest is (1 byte), size of the pieces (1 byte, 0 = all at once), the rest:
//   0  all that is sent, the upgrade included
//   1  headers of an upgrade that is right but for them
//   2  what follows an upgrade
//   3  frames as a client makes them: kind (1 byte), length (2 bytes), each payload one byte
//      again and again; what must arrive is known

#include <algorithm>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/check.h"
#include "base/limits.h"
#include "fuzz/loopback_client.h"
#include "net/web_socket_server.h"

namespace vicinity::fuzz {
namespace {

using Bytes = std::vector<std::uint8_t>;

constexpr std::string_view allowed_origins[] = {"https://play.example", "http://test.example:81"};
constexpr const char* origins_setting = "https://play.example, http://TEST.example:81";

/// What one connection came to. The first frame counts as its hello.
class Recorder final : public net::ConnectionHandler {
 public:
  void on_open(const std::shared_ptr<net::Connection>&) override {
    const std::lock_guard lock(mutex_);
    ++opened_;
  }
  void on_frame(const std::shared_ptr<net::Connection>& connection,
                std::span<const std::uint8_t> body) override {
    {
      const std::lock_guard lock(mutex_);
      CHECK(opened_ == closed_ + 1);
      CHECK(!body.empty());
      CHECK(body.size() <= (bodies_.empty() ? limits::frame_bytes_before_hello_max
                                            : limits::client_frame_bytes_max));
      bodies_.emplace_back(body.begin(), body.end());
    }
    CHECK(connection->authenticated());
    Bytes echo{4, 0, 0, 0, 'e', 'c', 'h', 'o'};
    connection->send(echo);
  }
  Bytes farewell(const net::CloseCause&) override { return {3, 0, 0, 0, 'b', 'y', 'e'}; }
  void on_close(const std::shared_ptr<net::Connection>&, const net::CloseCause& cause) override {
    const std::lock_guard lock(mutex_);
    ++closed_;
    CHECK(opened_ == closed_);
    CHECK(cause.code == ErrorCode::None || !cause.text.empty());
    changed_.notify_all();
  }
  void on_refused(const net::CloseCause&) override { CHECK(false); }

  /// Waits for the end of the connection of that number, from 1.
  std::vector<Bytes> take_bodies(std::uint64_t number) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return closed_ == number; });
    return std::exchange(bodies_, {});
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::uint64_t opened_ = 0;
  std::uint64_t closed_ = 0;
  std::vector<Bytes> bodies_;
};

/// Lives as long as the process.
struct Listener {
  Listener() {
    net::WebSocketSettings settings;
    settings.origins = origins_setting;
    auto opened = net::open_web_socket(settings, recorder);
    CHECK(opened.ok());
    socket = std::move(opened.value());
    socket->start();
  }
  Recorder recorder;
  std::unique_ptr<net::ServerSocket> socket;
  std::uint64_t connections = 0;
};

struct Outcome {
  std::string answer;
  std::vector<Bytes> bodies;
};

Outcome send(std::string_view opening, BytesView bytes, std::size_t piece_bytes) {
  static auto* const listener = new Listener;  // never ends: its threads serve until the last input
  Outcome out;
  out.answer = exchange(listener->socket->port(), opening, bytes, piece_bytes);
  out.bodies = listener->recorder.take_bodies(++listener->connections);
  return out;
}

std::string upgrade_with(std::string_view headers) {
  return "GET / HTTP/1.1\r\nHost: localhost\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
         "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n" +
         std::string(headers);
}

std::string lowered(std::string_view text) {
  std::string out(text);
  for (char& c : out)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return out;
}

bool is_upgraded(const Outcome& outcome) { return outcome.answer.starts_with("HTTP/1.1 101 "); }

/// No line of the request names an origin that is not in the list. Lines that go on in the next
/// one are left to the library.
void check_origins(std::string_view request) {
  request = request.substr(0, request.find("\r\n\r\n"));
  while (!request.empty()) {
    const std::size_t end = std::min(request.find("\r\n"), request.size());
    const std::string line = lowered(request.substr(0, end));
    request.remove_prefix(std::min(end + 2, request.size()));
    const bool goes_on = request.starts_with(' ') || request.starts_with('\t');
    if (!line.starts_with("origin:") || goes_on) continue;
    std::string_view value = std::string_view(line).substr(7);
    value.remove_prefix(std::min(value.find_first_not_of(" \t"), value.size()));
    while (value.ends_with(' ') || value.ends_with('\t')) value.remove_suffix(1);
    CHECK(value == allowed_origins[0] || value == allowed_origins[1]);
  }
}

void check(const Outcome& outcome) {
  if (is_upgraded(outcome)) return;
  CHECK(outcome.bodies.empty());
  CHECK(outcome.answer.empty() || outcome.answer.starts_with("HTTP/1.1 4"));
}

// --- Frames as a client makes them -----------------------------------------------------------

enum class Kind : std::uint8_t { Binary, First, Middle, Last, Ping, Pong, Text, Close };

void append_frame(Kind kind, std::size_t size, std::uint8_t value, Bytes& out) {
  static constexpr std::uint8_t heads[] = {0x82, 0x02, 0x00, 0x80, 0x89, 0x8A, 0x81, 0x88};
  static constexpr std::uint8_t mask[] = {0x12, 0x34, 0x56, 0x78};
  out.push_back(heads[static_cast<std::size_t>(kind)]);
  if (size < 126) {
    out.push_back(static_cast<std::uint8_t>(0x80 | size));
  } else {
    out.insert(out.end(),
               {0xFE, static_cast<std::uint8_t>(size >> 8), static_cast<std::uint8_t>(size)});
  }
  out.insert(out.end(), std::begin(mask), std::end(mask));
  for (std::size_t i = 0; i < size; ++i)
    out.push_back(static_cast<std::uint8_t>(value ^ mask[i % 4]));
}

/// What arrives of frames, in the words of the contract.
class Expected {
 public:
  /// False when the connection ends with it.
  bool take(Kind kind, std::size_t size, std::uint8_t value) {
    if (kind >= Kind::Ping && kind != Kind::Text) return size <= 125 && kind != Kind::Close;
    if (kind == Kind::Text) return false;
    const bool begins = kind == Kind::Binary || kind == Kind::First;
    if (begins == message_.has_value()) return false;
    if (begins) message_.emplace();
    message_->insert(message_->end(), size, value);
    const std::size_t limit =
        bodies.empty() ? limits::frame_bytes_before_hello_max : limits::client_frame_bytes_max;
    if (message_->size() > limit) return false;
    if (kind != Kind::Binary && kind != Kind::Last) return true;
    if (message_->empty()) return false;
    bodies.push_back(std::move(*message_));
    message_.reset();
    return true;
  }
  std::vector<Bytes> bodies;

 private:
  std::optional<Bytes> message_;
};

void check_frames(BytesView script, std::size_t piece_bytes) {
  constexpr std::size_t sent_bytes_max = 48 * 1024;  // the kernel holds it, read or not
  Bytes sent;
  Expected expected;
  bool goes_on = true;
  while (script.size() >= 3 && sent.size() < sent_bytes_max) {
    const auto kind = static_cast<Kind>(script[0] % 8);
    const std::size_t size = (script[1] | std::size_t{script[2]} << 8) % 8192;
    append_frame(kind, size, script[0], sent);
    goes_on = goes_on && expected.take(kind, size, script[0]);
    script = script.subspan(3);
  }
  const Outcome outcome = send(upgrade_with("\r\n"), sent, piece_bytes);
  CHECK(is_upgraded(outcome));
  CHECK(outcome.bodies.size() <= expected.bodies.size());
  CHECK(std::equal(outcome.bodies.begin(), outcome.bodies.end(), expected.bodies.begin()));
  // Who breaks a rule may lose what was not delivered by then.
  CHECK(!goes_on || outcome.bodies.size() == expected.bodies.size());
}

void run(BytesView input) {
  if (input.size() < 2) return;
  const std::size_t piece_bytes = input[1];
  const BytesView rest = input.subspan(2);
  const std::string_view text(reinterpret_cast<const char*>(rest.data()), rest.size());
  switch (input[0] % 4) {
    case 0: {
      const Outcome outcome = send({}, rest, piece_bytes);
      check(outcome);
      if (is_upgraded(outcome)) check_origins(text);
      return;
    }
    case 1: {
      const std::string request = upgrade_with(text) + "\r\n\r\n";
      const BytesView bytes(reinterpret_cast<const std::uint8_t*>(request.data()), request.size());
      const Outcome outcome = send({}, bytes, piece_bytes);
      check(outcome);
      if (is_upgraded(outcome)) check_origins(request);
      return;
    }
    case 2: return check(send(upgrade_with("\r\n"), rest, piece_bytes));
    default: return check_frames(rest, piece_bytes);
  }
}

}  // namespace
}  // namespace vicinity::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  vicinity::fuzz::run({data, size});
  return 0;
}
