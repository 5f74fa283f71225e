// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#include "client/connection.h"

#include <algorithm>
#include <boost/asio.hpp>
#include <boost/asio/ssl/error.hpp>
#include <cctype>
#include <chrono>
#include <span>
#include <type_traits>
#include <utility>
#include <variant>

#include "base/check.h"
#include "base/framing.h"
#include "base/limits.h"
#include "client/decode.h"
#include "client/encode.h"
#include "client/session_state.h"
#include "client/tls.h"

namespace vicinity::client {
namespace {

namespace asio = boost::asio;
using asio::ip::tcp;
using boost::system::error_code;
using std::chrono::milliseconds;

/// Time for the server to answer a goodbye, or to tell why it stopped reading.
constexpr milliseconds farewell_deadline{1'000};
/// Bytes asked of the socket at once: grows while reads fill it, so that a session with much to
/// hear needs few turns and a thousand quiet ones little memory.
constexpr std::size_t read_bytes_min = 64 * 1024;
constexpr std::size_t read_bytes_max = 1024 * 1024;

std::uint64_t now_us() {
  const auto now = std::chrono::steady_clock::now().time_since_epoch();
  return static_cast<std::uint64_t>(
      std::chrono::duration_cast<std::chrono::microseconds>(now).count());
}

/// The system's reason in the middle of a sentence: "connection refused".
std::string reason_of(const error_code& code) {
  std::string text = code.message();
  if (text.size() > 1 && std::islower(static_cast<unsigned char>(text[1])) != 0)
    text[0] = static_cast<char>(std::tolower(static_cast<unsigned char>(text[0])));
  return text;
}

}  // namespace

//   Idle -connect-> Connecting -Welcome-> Open -close()-> Closing
//                       |                  |                 |
//                       +------------------+-----------------+--finish--> Closed
//
// Every asynchronous operation holds the Impl, so it outlives the Connection for as long as one is
// pending; `detached` then keeps the handlers silent. finish() and finish_soon() are the only ways
// to Closed and the only callers of on_closed.
struct Connection::Impl : std::enable_shared_from_this<Connection::Impl> {
  enum class Phase { Idle, Connecting, Open, Closing, Closed };

  Impl(asio::io_context& context, Handlers callbacks)
      : io(context),
        handlers(std::move(callbacks)),
        resolver(context),
        socket(context),
        deadline(context),
        ping_timer(context) {}

  void connect(const ConnectOptions& wanted, std::shared_ptr<SessionState> resume);
  void connected(const error_code& code);
  void shake_hands();
  void greet();
  /// Calls `use` with what the bytes go over.
  template <class Use>
  void with_stream(Use use) {
    tls ? use(*tls) : use(socket);
  }
  void arm_deadline(milliseconds duration, std::string text);
  void close();
  void finish(Error error);
  void finish_soon(Error error);
  void detach();
  void cut();

  std::vector<std::uint8_t>& outgoing();
  template <class Encode>
  void queue(Encode encode);
  void flush();
  void read();
  void on_read_error(const error_code& code);
  void take(std::span<const std::uint8_t> bytes);
  void on_body(std::span<const std::uint8_t> body);
  void schedule_ping();
  void on_ping_due();
  void send_ping();

  void on_message(const Welcome& welcome);
  void on_message(const RejectMessage& reject);
  void on_message(const ClosingMessage& closing);
  void on_message(const CommandResultsMessage& results);
  void on_message(const StepOutcome& step);
  void on_message(const QueryOutcome& query);
  void on_message(const PongMessage& pong);
  void on_message(const FramePart& part);

  /// Calls a handler, unless it is absent or handlers may no longer run.
  template <class... Args>
  void tell(const std::function<void(const Args&...)>& handler, const Args&... args) const {
    if (handler && !detached && phase != Phase::Closed) handler(args...);
  }
  bool was_welcomed() const { return phase != Phase::Idle && phase != Phase::Connecting; }
  std::string peer() const { return options.host + ":" + std::to_string(options.port); }

  asio::io_context& io;
  Handlers handlers;
  ConnectOptions options;
  Phase phase = Phase::Idle;
  bool detached = false;

  tcp::resolver resolver;
  tcp::socket socket;
  std::unique_ptr<TlsStream> tls;  ///< over the socket; null = plain
  asio::steady_timer deadline;
  asio::steady_timer ping_timer;

  FrameReader reader{limits::server_frame_bytes_max};
  /// A tick waits in the server's outbox as a whole, so it can never be larger than one.
  FrameJoiner joiner{limits::outbox_bytes_max};
  std::vector<std::uint8_t> input = std::vector<std::uint8_t>(read_bytes_min);
  std::vector<std::uint8_t> waiting;  ///< encoded, not given to the socket yet
  std::vector<std::uint8_t> writing;  ///< owned by the write that is under way
  bool flush_posted = false;
  bool write_under_way = false;
  std::uint32_t unanswered_pings = 0;  ///< sent by the timer since bytes arrived last

  BatchLimits batch_limits;
  std::uint64_t next_sequence = 1;
  std::uint64_t next_step = 1;
  std::uint64_t next_request = 1;
  std::uint64_t next_nonce = 1;
  TrafficStats traffic;
  CloseDetails details;
  std::shared_ptr<SessionState> session = std::make_shared<SessionState>();
  bool reading = true;
  bool read_under_way = false;
};

void Connection::Impl::connect(const ConnectOptions& wanted, std::shared_ptr<SessionState> resume) {
  CHECK(phase == Phase::Idle);
  options = wanted;
  if (resume) {
    session = std::move(resume);
    options.resume_token = session->resume_token;
    options.resume_tick = session->whole_tick;
  }
  phase = Phase::Connecting;
  arm_deadline(
      milliseconds(options.connect_timeout_ms),
      "no answer from " + peer() + " within " + std::to_string(options.connect_timeout_ms) + " ms");
  const auto self = shared_from_this();
  error_code not_numeric;
  const auto address = asio::ip::make_address(options.host, not_numeric);
  if (!not_numeric) {  // no need to wake the resolver's thread
    socket.async_connect({address, options.port},
                         [self](const error_code& code) { self->connected(code); });
    return;
  }
  resolver.async_resolve(
      options.host, std::to_string(options.port),
      [self](const error_code& code, const tcp::resolver::results_type& endpoints) {
        if (self->phase != Phase::Connecting) return;
        if (code) return self->connected(code);
        asio::async_connect(
            self->socket, endpoints,
            [self](const error_code& result, const tcp::endpoint&) { self->connected(result); });
      });
}

void Connection::Impl::connected(const error_code& code) {
  if (phase != Phase::Connecting) return;
  if (code)
    return finish({ErrorCode::None, "cannot connect to " + peer() + ": " + reason_of(code)});
  error_code ignored;  // a socket without this option works as well, only slower
  socket.set_option(tcp::no_delay(true), ignored);
  options.tls ? shake_hands() : greet();
}

void Connection::Impl::shake_hands() {
  auto made = make_tls(socket, options);
  if (!made) return finish({ErrorCode::None, "no TLS with " + peer() + ": " + made.error()});
  tls = std::move(made.value());
  tls->async_handshake(asio::ssl::stream_base::client, [self = shared_from_this()](
                                                           const error_code& code) {
    if (self->phase != Phase::Connecting) return;
    if (!code) return self->greet();
    self->finish({ErrorCode::None, "no TLS with " + self->peer() + ": " +
                                       describe_handshake_fault(*self->tls, code, self->options)});
  });
}

void Connection::Impl::greet() {
  encode_hello(options, outgoing());
  read();
}

void Connection::Impl::arm_deadline(milliseconds duration, std::string text) {
  deadline.expires_after(duration);
  deadline.async_wait([self = shared_from_this(), text = std::move(text),
                       armed_in = phase](const error_code& code) {
    // An expiry may already be queued when the timer is cancelled: it counts in its phase only.
    if (!code && self->phase == armed_in) self->finish({ErrorCode::None, text});
  });
}

void Connection::Impl::close() {
  if (phase == Phase::Connecting) finish_soon({ErrorCode::None, "closed by the client"});
  if (phase != Phase::Open) return;
  phase = Phase::Closing;
  ping_timer.cancel();
  encode_goodbye(outgoing());
  arm_deadline(farewell_deadline, "closed by the client; the server did not answer the goodbye");
}

void Connection::Impl::finish(Error error) {
  if (phase == Phase::Closed) return;
  phase = Phase::Closed;
  cut();
  if (handlers.on_closed && !detached) handlers.on_closed(error);
}

/// For what ends within a call of the user: on_closed may destroy what is calling, so it comes in
/// a turn of its own; nothing else comes from now on.
void Connection::Impl::finish_soon(Error error) {
  phase = Phase::Closed;
  cut();
  asio::post(io, [self = shared_from_this(), error = std::move(error)] {
    if (self->handlers.on_closed && !self->detached) self->handlers.on_closed(error);
  });
}

void Connection::Impl::detach() {
  detached = true;
  phase = Phase::Closed;
  cut();
}

void Connection::Impl::cut() {
  error_code ignored;
  resolver.cancel();
  deadline.cancel();
  ping_timer.cancel();
  socket.close(ignored);
}

/// Where to append what shall be sent. All of one turn of the io_context goes out in one write.
std::vector<std::uint8_t>& Connection::Impl::outgoing() {
  if (!flush_posted && !write_under_way) {
    flush_posted = true;
    asio::post(io, [self = shared_from_this()] {
      self->flush_posted = false;
      self->flush();
    });
  }
  return waiting;
}

template <class Encode>
void Connection::Impl::queue(Encode encode) {
  if (phase != Phase::Open) return;
  encode(outgoing());
  const std::size_t in_flight = write_under_way ? writing.size() : 0;
  if (waiting.size() + in_flight <= options.outgoing_bytes_max) return;
  finish_soon({ErrorCode::None, peer() + " does not read: more than " +
                                    std::to_string(options.outgoing_bytes_max) +
                                    " bytes wait to be sent"});
}

void Connection::Impl::flush() {
  if (write_under_way || waiting.empty() || phase == Phase::Closed) return;
  std::swap(writing, waiting);
  waiting.clear();
  write_under_way = true;
  auto written = [self = shared_from_this()](const error_code& code, std::size_t size_bytes) {
    self->traffic.bytes_out += size_bytes;
    self->write_under_way = false;
    if (self->phase == Phase::Closed) return;
    if (!code) return self->flush();
    // The server may have told why before it stopped reading: let read() find it.
    self->arm_deadline(farewell_deadline, "connection lost: " + reason_of(code));
  };
  with_stream(
      [&](auto& stream) { asio::async_write(stream, asio::buffer(writing), std::move(written)); });
}

void Connection::Impl::read() {
  if (!reading || read_under_way) return;
  read_under_way = true;
  auto taken = [self = shared_from_this()](const error_code& code, std::size_t size_bytes) {
    self->read_under_way = false;
    if (self->phase == Phase::Closed) return;
    if (code) return self->on_read_error(code);
    self->traffic.bytes_in += size_bytes;
    self->unanswered_pings = 0;
    self->take(std::span<const std::uint8_t>(self->input).first(size_bytes));
    if (self->phase == Phase::Closed) return;
    if (size_bytes == self->input.size() && size_bytes < read_bytes_max)
      self->input.resize(2 * size_bytes);
    self->read();
  };
  with_stream([&](auto& stream) { stream.async_read_some(asio::buffer(input), std::move(taken)); });
}

void Connection::Impl::on_read_error(const error_code& code) {
  if (phase == Phase::Closing) return finish({ErrorCode::None, "closed by the client"});
  // Vicinity says why it closes. A server that waits for TLS cannot, nor do others.
  if (phase == Phase::Connecting && !tls && traffic.bytes_in == 0)
    return finish({ErrorCode::None, peer() + " closed the connection without a word (" +
                                        reason_of(code) +
                                        "); if it speaks TLS, connect with --tls"});
  if (code == asio::error::eof || code == asio::ssl::error::stream_truncated)
    return finish({ErrorCode::None, peer() + " closed the connection without a reason"});
  finish({ErrorCode::None, "connection lost: " + reason_of(code)});
}

void Connection::Impl::take(std::span<const std::uint8_t> bytes) {
  while (const auto body = reader.next(bytes)) {
    ++traffic.frames_in;
    on_body(*body);
    if (phase == Phase::Closed) return;
  }
  if (reader.failed() != ErrorCode::None)
    finish({reader.failed(), peer() + " sent a frame of an impossible length; is it Vicinity?"});
}

void Connection::Impl::on_body(std::span<const std::uint8_t> body) {
  session->views.expect_drops(session->areas.removal_pending());
  Result<ServerMessage, Error> message = decode_server_message(body, session->views, joiner);
  if (!message) return finish(message.error());
  const bool opening = std::holds_alternative<Welcome>(message.value());
  const bool ending = std::holds_alternative<RejectMessage>(message.value()) ||
                      std::holds_alternative<ClosingMessage>(message.value());
  if (!ending && opening != (phase == Phase::Connecting))
    return finish({ErrorCode::BadFrame, opening ? "the server sent a second welcome"
                                                : "the server did not begin with a welcome"});
  std::visit([this](const auto& value) { on_message(value); }, message.value());
}

void Connection::Impl::on_message(const Welcome& welcome) {
  phase = Phase::Open;
  deadline.cancel();
  batch_limits = {welcome.client_frame_bytes_max, welcome.commands_per_frame_max};
  session->welcomed(welcome);
  if (welcome.resumed) next_sequence = welcome.last_sequence + 1;
  if (options.ping_interval_ms > 0) schedule_ping();
  tell(handlers.on_welcome, welcome);
}

void Connection::Impl::on_message(const RejectMessage& reject) {
  details.rejected = true;
  details.by_server = true;
  finish(reject.error);
}

void Connection::Impl::on_message(const ClosingMessage& closing) {
  details.by_server = true;
  details.retry_after_ms = closing.retry_after_ms;
  const bool answers_goodbye = phase == Phase::Closing && closing.error.code == ErrorCode::None;
  finish(answers_goodbye ? Error{ErrorCode::None, "closed by the client"} : closing.error);
}

void Connection::Impl::on_message(const CommandResultsMessage& results) {
  for (const CommandOutcome& outcome : results.outcomes) {
    if (const auto dropped = session->areas.answered(outcome)) {
      session->views.drop_observer(*dropped);
      tell(handlers.on_observer_dropped, *dropped);
    }
    tell(handlers.on_command, outcome);
  }
}

void Connection::Impl::on_message(const StepOutcome& step) { tell(handlers.on_step, step); }

void Connection::Impl::on_message(const QueryOutcome& query) { tell(handlers.on_query, query); }

void Connection::Impl::on_message(const PongMessage& pong) {
  const std::uint64_t now = now_us();
  const std::uint64_t round_trip = pong.client_time_us < now ? now - pong.client_time_us : 0;
  tell(handlers.on_pong, PongInfo{pong.nonce, round_trip, pong.server_time_us, pong.tick});
}

void Connection::Impl::on_message(const FramePart& part) {
  if (part.whole == nullptr) return;
  session->whole_tick = part.whole->tick;
  tell(handlers.on_frame, *part.whole);
}

void Connection::Impl::schedule_ping() {
  ping_timer.expires_after(milliseconds(options.ping_interval_ms));
  ping_timer.async_wait([self = shared_from_this()](const error_code& code) {
    if (code || self->phase != Phase::Open) return;
    self->on_ping_due();
  });
}

void Connection::Impl::on_ping_due() {
  if (!reading) unanswered_pings = 0;
  if (unanswered_pings >= std::max(1u, options.silence_timeout_ms / options.ping_interval_ms))
    return finish({ErrorCode::None, peer() + " has been silent for " +
                                        std::to_string(options.silence_timeout_ms) + " ms"});
  ++unanswered_pings;
  send_ping();
  schedule_ping();
}

void Connection::Impl::send_ping() {
  queue([this](auto& out) { encode_ping(next_nonce++, now_us(), out, session->whole_tick); });
}

Connection::Connection(asio::io_context& io, Handlers handlers)
    : impl_(std::make_shared<Impl>(io, std::move(handlers))) {}

Connection::~Connection() { impl_->detach(); }

void Connection::connect(const ConnectOptions& options) { impl_->connect(options, nullptr); }

void Connection::connect(const ConnectOptions& options, std::shared_ptr<SessionState> session) {
  impl_->connect(options, std::move(session));
}

std::shared_ptr<SessionState> Connection::session() const { return impl_->session; }

std::uint64_t Connection::send(const std::vector<CommandBody>& commands) {
  const std::uint64_t first_sequence = impl_->next_sequence;
  send(first_sequence, commands);
  return first_sequence;
}

void Connection::send(std::uint64_t first_sequence, const std::vector<CommandBody>& commands) {
  CHECK(impl_->was_welcomed());
  impl_->next_sequence = std::max(impl_->next_sequence, first_sequence + commands.size());
  if (!is_open()) return;
  impl_->session->areas.sent(first_sequence, commands);
  impl_->queue([&](auto& out) {
    encode_commands(first_sequence, commands, impl_->batch_limits, out, impl_->session->whole_tick);
  });
}

std::uint64_t Connection::next_sequence() const { return impl_->next_sequence; }

std::uint64_t Connection::step(std::uint32_t count) {
  CHECK(impl_->was_welcomed());
  const std::uint64_t sequence = impl_->next_step++;
  impl_->queue([&](auto& out) { encode_step(sequence, count, out); });
  return sequence;
}

std::uint64_t Connection::query(const Query& query) {
  CHECK(impl_->was_welcomed());
  const std::uint64_t request = impl_->next_request++;
  impl_->queue([&](auto& out) { encode_query(request, query, out); });
  return request;
}

void Connection::ping() {
  CHECK(impl_->was_welcomed());
  impl_->send_ping();
}

void Connection::close() { impl_->close(); }

void Connection::set_reading(bool reading) {
  impl_->reading = reading;
  if (impl_->was_welcomed() && impl_->phase != Impl::Phase::Closed) impl_->read();
}

CloseDetails Connection::close_details() const { return impl_->details; }

bool Connection::is_open() const { return impl_->phase == Impl::Phase::Open; }

TrafficStats Connection::traffic() const { return impl_->traffic; }

}  // namespace vicinity::client
