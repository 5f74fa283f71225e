// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#include "net/web_socket_connection.h"

#include <algorithm>
#include <boost/asio/buffer.hpp>
#include <boost/asio/error.hpp>
#include <boost/asio/post.hpp>
#include <boost/beast/core/bind_handler.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http/empty_body.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/read.hpp>
#include <boost/beast/websocket/rfc6455.hpp>
#include <boost/beast/websocket/stream.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "base/check.h"
#include "base/limits.h"
#include "net/socket_options.h"
#include "net/web_socket_meter.h"
#include "net/web_socket_server.h"
#include "net/web_socket_stream.h"

namespace vicinity::net {
namespace {

namespace asio = boost::asio;
namespace http = boost::beast::http;
namespace websocket = boost::beast::websocket;
using asio::ip::tcp;
using ErrorOfAsio = boost::system::error_code;

/// What a silent connection holds for its next message, and the least that is read at once.
constexpr std::size_t message_bytes_kept = 2 * 1024;

/// Found by Beast through the type of the stream. Beast ends a connection by waiting for the peer's
/// end for as long as it takes; ConnectionCore does that within its deadline, so that Beast is told
/// it is done.
class Stream : public WebSocketStream {
  using WebSocketStream::WebSocketStream;
};
template <class Handler>
void async_teardown(boost::beast::role_type, Stream& stream, Handler&& handler) {
  asio::post(stream.get_executor(),
             boost::beast::bind_front_handler(std::forward<Handler>(handler), ErrorOfAsio()));
}

/// The same: how Beast closes it when a deadline of its own has passed.
void beast_close_socket(Stream& stream) {
  ErrorOfAsio ignored;
  stream.socket().close(ignored);
}

/// What pending operations refer to; their handlers keep it alive. The connection gives it up with
/// its socket: who still holds the connection then does not need the loop for it.
struct Link {
  Link(tcp::socket accepted, const TlsContext* tls) : stream(std::move(accepted), tls) {
    request.emplace();
    request->header_limit(limits::http_header_bytes_max);
  }
  tcp::socket& socket() { return stream.socket(); }
  Stream stream;
  boost::beast::flat_buffer header{limits::http_header_bytes_max};
  std::optional<http::request_parser<http::empty_body>> request;  ///< until it is accepted
};

/// Why an upgrade was refused, as HTTP says it.
struct Refusal {
  std::string_view status;
  std::string text;
  std::string cause = {};  ///< for the log; empty: the text
};

std::string response_text(const Refusal& refusal) {
  std::string out = "HTTP/1.1 " + std::string(refusal.status) + "\r\n";
  if (refusal.status.starts_with("426")) out += "Upgrade: websocket\r\n";
  out += "Server: vicinity\r\nConnection: close\r\nContent-Type: text/plain\r\nContent-Length: " +
         std::to_string(refusal.text.size() + 1) + "\r\n\r\n" + refusal.text + "\n";
  return out;
}

/// The operator is told which origin it was: perhaps it is missing in the setting.
Refusal refused_origin(std::string_view origin) {
  constexpr std::size_t told_chars_max = 100;
  const std::string text = "the Origin of this page is not in websocket_origins";
  return {"403 Forbidden", text, text + ": " + std::string(origin.substr(0, told_chars_max))};
}

std::optional<Refusal> refusal_of(const http::request<http::empty_body>& request,
                                  const WebSocketOrigins& origins) {
  if (!websocket::is_upgrade(request))
    return Refusal{"426 Upgrade Required", "this port speaks WebSocket only: GET with an upgrade"};
  const auto [first, last] = request.equal_range(http::field::origin);
  for (auto field = first; field != last; ++field) {
    const std::string_view origin(field->value().data(), field->value().size());
    if (!origins.allows(origin)) return refused_origin(origin);
  }
  return std::nullopt;
}

std::size_t total_bytes(const ConnectionCore::Chunks& chunks) {
  std::size_t total = 0;
  for (const auto chunk : chunks) total += chunk.size();
  return total;
}

/// Body of the frame at the front of whole frames.
std::span<const std::uint8_t> front_body(std::span<const std::uint8_t> frames) {
  CHECK(frames.size() > limits::frame_prefix_bytes);
  const std::size_t size = frames[0] | std::size_t{frames[1]} << 8 | std::size_t{frames[2]} << 16 |
                           std::size_t{frames[3]} << 24;
  CHECK(size <= frames.size() - limits::frame_prefix_bytes);
  return frames.subspan(limits::frame_prefix_bytes, size);
}

// Frames go to and come from ConnectionCore with their length prefix, as over TCP:
//
//   message, piece by piece ──► message_: [prefix|body] ──► take_bytes()   its FrameReader judges
//   all that the socket brought ──► count_bytes_in(), meter_
//   write(): [prefix|body|prefix|body..] ──► the first body as a message ──► on_written()
//
// Invariant: at most one read (of whatever kind) and one message are in flight at a time.
class WebSocketConnection final : public ConnectionCore {
 public:
  WebSocketConnection(const ConnectionContext& context, AsioLoop& loop, std::uint64_t id,
                      tcp::socket socket, std::shared_ptr<const WebSocketOrigins> origins)
      : ConnectionCore(context, loop, id, peer_name(socket.native_handle())),
        asio_loop_(loop),
        origins_(std::move(origins)),
        link_(std::make_shared<Link>(std::move(socket), context.settings.tls.get())) {
    set_options(link_->socket().native_handle(), context.settings);
    ErrorOfAsio ignored;  // then reading reports it
    link_->socket().non_blocking(true, ignored);
    link_->stream.watch_reads([this](std::size_t size) { on_wire_bytes(size); });
    message_.resize(limits::frame_prefix_bytes);
  }

 private:
  /// What can be sent.
  enum class Phase {
    Request,  ///< an HTTP response
    Accept,   ///< nothing: the response that accepts is on its way
    Open,     ///< messages
    Ended     ///< nothing any more
  };

  void start_reading() override;
  void pause_reading() override { reading_ = false; }
  void stop_reading() override;
  std::optional<std::size_t> write(const Chunks& chunks) override;
  void shut_sending() override;
  void close_socket() override;

  void on_wire_bytes(std::size_t size);
  void on_control_frame();
  void end_excess();
  void read_header();
  void on_header(const ErrorOfAsio& error, std::size_t);
  void refuse(Refusal refusal);
  void accept();
  void on_accept(const ErrorOfAsio& error);
  void answer_request();
  void read_piece();
  void on_piece(const ErrorOfAsio& error, std::size_t size);
  void take_piece();
  void hand_over(std::size_t body_bytes);
  void on_stream_end(const ErrorOfAsio& error);
  void on_stream_closed(const ErrorOfAsio& error);
  void throw_away();
  void on_readable(const ErrorOfAsio& error);
  void on_sent(const ErrorOfAsio& error, std::size_t);

  static std::shared_ptr<WebSocketConnection> self_of(ConnectionCore& connection) {
    return std::static_pointer_cast<WebSocketConnection>(connection.shared_from_this());
  }
  /// A handler that keeps the connection and what it refers to.
  template <class Method>
  auto bound(Method method) {
    return [self = self_of(*this), link = link_, method](const ErrorOfAsio& error, auto... values) {
      if (!self->finished()) (self.get()->*method)(error, values...);
    };
  }

  AsioLoop& asio_loop_;
  const std::shared_ptr<const WebSocketOrigins> origins_;
  std::shared_ptr<Link> link_;
  /// Operations hold it weakly, so it can go while some are pending; the socket below cannot.
  std::optional<websocket::stream<Stream&, false>> stream_;
  Phase phase_ = Phase::Request;
  Refusal refusal_;
  Bytes message_;                  ///< prefix and what there is of the body
  std::size_t received_ = 0;       ///< bytes of the body
  WebSocketMeter meter_;           ///< of what is no message
  bool reading_ = false;           ///< bytes are wanted
  bool read_pending_ = false;      ///< or what was read is being delivered
  bool throws_away_ = false;       ///< what arrives has no meaning any more
  std::size_t sending_bytes_ = 0;  ///< frame in flight, its prefix included
  bool write_waits_ = false;       ///< for Phase::Open
};

// --- Reading, whatever the bytes mean --------------------------------------------------------

void WebSocketConnection::start_reading() {
  if (closing() && phase_ == Phase::Request && std::exchange(write_waits_, false))
    loop().post([self = self_of(*this)] { self->on_written(0); });  // in vain, write() says now
  reading_ = true;
  if (std::exchange(read_pending_, true)) return;
  if (throws_away_) return throw_away();
  if (phase_ == Phase::Request) return read_header();
  read_piece();
}

void WebSocketConnection::throw_away() {
  link_->socket().async_wait(tcp::socket::wait_read, bound(&WebSocketConnection::on_readable));
}

void WebSocketConnection::on_readable(const ErrorOfAsio&) {
  read_pending_ = false;
  ErrorOfAsio error;
  const auto buffer = asio_loop_.read_buffer();
  count_bytes_in(link_->socket().read_some(asio::buffer(buffer.data(), buffer.size()), error));
  if (error && !is_temporary(error))
    return on_read_end(error == asio::error::eof ? std::string() : error.message());
  if (reading_) start_reading();
}

/// Beast reads by itself until the peer answers the close frame.
void WebSocketConnection::stop_reading() {
  reading_ = false;
  link_->stream.end_reads();
}

/// Beast reads on by itself behind control frames and empty fragments: here they are seen.
void WebSocketConnection::on_wire_bytes(std::size_t size) {
  if (finished()) return;
  count_bytes_in(size);
  meter_.arrived(size, Clock::now());
  end_excess();
}

void WebSocketConnection::on_control_frame() {
  if (finished()) return;
  meter_.add_control_frame();
  end_excess();
  take_bytes({});  // a sign of life
}

/// Who is closed for it may send as much once more until the close frame has arrived; so may all
/// that are closing, whose messages are excess as soon as Beast looks for the peer's close frame.
void WebSocketConnection::end_excess() {
  if (!meter_.is_exceeded(frame_bytes_max())) return;
  if (closing()) return stop_reading();
  meter_ = {};
  close({ErrorCode::RateLimited, "too many control frames or fragments of WebSocket"});
}

// --- Upgrade ---------------------------------------------------------------------------------

void WebSocketConnection::read_header() {
  http::async_read_header(link_->stream, link_->header, *link_->request,
                          bound(&WebSocketConnection::on_header));
}

void WebSocketConnection::on_header(const ErrorOfAsio& error, std::size_t) {
  read_pending_ = false;
  const bool gone = error == http::error::end_of_stream || error == http::error::partial_message;
  const bool of_http = error.category() == make_error_code(http::error::bad_method).category();
  if (gone) return on_read_end({});
  if (error && !of_http) return on_read_end(link_->stream.reason_of(error));
  if (closing()) {
    throws_away_ = true;
    return start_reading();
  }
  if (error == http::error::header_limit || error == http::error::buffer_overflow) {
    return refuse({"431 Request Header Fields Too Large",
                   "the request header is above " + std::to_string(limits::http_header_bytes_max) +
                       " bytes"});
  }
  if (error) return refuse({"400 Bad Request", "not an HTTP request: " + error.message()});
  if (auto refusal = refusal_of(link_->request->get(), *origins_)) return refuse(*refusal);
  if (link_->header.size() == 0) return accept();
  refuse({"400 Bad Request", "bytes behind the upgrade request; await its answer first"});
}

void WebSocketConnection::refuse(Refusal refusal) {
  throws_away_ = true;
  refusal_ = std::move(refusal);
  const std::string& cause = refusal_.cause.empty() ? refusal_.text : refusal_.cause;
  close({ErrorCode::HandshakeExpected, cause}, Bytes{});
}

void WebSocketConnection::accept() {
  phase_ = Phase::Accept;
  read_pending_ = true;
  stream_.emplace(link_->stream);
  stream_->set_option(websocket::stream_base::decorator(
      [](websocket::response_type& response) { response.set(http::field::server, "vicinity"); }));
  stream_->binary(true);
  stream_->auto_fragment(false);
  stream_->read_message_max(0);  // take_piece() checks, and can still say farewell
  stream_->control_callback(
      [this](websocket::frame_type, boost::beast::string_view) { on_control_frame(); });
  stream_->async_accept(link_->request->get(), bound(&WebSocketConnection::on_accept));
}

void WebSocketConnection::on_accept(const ErrorOfAsio& error) {
  read_pending_ = false;
  link_->request.reset();
  link_->header = boost::beast::flat_buffer(0);
  if (error) {  // a response says why if the request was at fault
    on_stream_end(error);
  } else if (phase_ == Phase::Accept) {
    phase_ = Phase::Open;
  } else {
    throws_away_ = true;
  }
  if (std::exchange(write_waits_, false)) on_written(0);
  if (reading_ && !finished()) start_reading();
}

/// Nothing else was written so far: the response fits into the buffer of the kernel.
void WebSocketConnection::answer_request() {
  if (refusal_.status.empty()) {
    if (cause().code == ErrorCode::None) return;  // nobody is there any more
    const bool late = cause().code == ErrorCode::HandshakeTimeout;
    refusal_ = {late ? "408 Request Timeout" : "503 Service Unavailable", cause().text};
  }
  link_->stream.write_now(response_text(refusal_));
}

// --- Messages in -----------------------------------------------------------------------------

void WebSocketConnection::read_piece() {
  // A byte above the limit shows that it is passed.
  const std::size_t room = frame_bytes_max() + 1 - received_;
  const std::size_t wanted = std::max(stream_->read_size_hint(1), message_bytes_kept);
  message_.resize(limits::frame_prefix_bytes + received_ + std::min(room, wanted));
  const std::size_t begin = limits::frame_prefix_bytes + received_;
  stream_->async_read_some(asio::buffer(message_.data() + begin, message_.size() - begin),
                           bound(&WebSocketConnection::on_piece));
}

void WebSocketConnection::on_piece(const ErrorOfAsio& error, std::size_t size) {
  if (error) {
    read_pending_ = false;
    return on_stream_end(error);
  }
  received_ += size;
  meter_.carried(size);
  take_piece();
  read_pending_ = false;  // only now: reading on would overwrite what was being delivered
  if (reading_ && !finished()) start_reading();
}

void WebSocketConnection::take_piece() {
  if (closing()) {
    received_ = 0;
  } else if (stream_->got_text()) {
    received_ = 0;
    close({ErrorCode::BadFrame, "a text message; frames are binary messages"});
  } else if (stream_->is_message_done()) {
    hand_over(received_);
  } else {
    // The rest of a fragment is announced; whether another one follows, nobody knows. So one byte
    // is not counted: it may never come.
    const std::size_t announced = received_ + stream_->read_size_hint(1) - 1;
    if (announced > frame_bytes_max()) return hand_over(announced);
    if (received_ > frame_bytes_max()) return hand_over(received_);
    take_bytes({});  // a sign of life
  }
}

/// Of a body that is too long the beginning is enough: its prefix is refused.
void WebSocketConnection::hand_over(std::size_t body_bytes) {
  const auto prefix = static_cast<std::uint32_t>(std::min<std::size_t>(body_bytes, UINT32_MAX));
  for (std::size_t i = 0; i < limits::frame_prefix_bytes; ++i)
    message_[i] = static_cast<std::uint8_t>(prefix >> 8 * i);
  meter_.end_message();
  take_bytes(std::span(message_).first(limits::frame_prefix_bytes + received_));
  received_ = 0;
  if (message_.capacity() > 2 * message_bytes_kept) message_ = Bytes();
}

/// The peer closed, broke the protocol or is lost; Beast has answered where an answer is due.
void WebSocketConnection::on_stream_end(const ErrorOfAsio& error) {
  if (error == asio::error::operation_aborted) return;  // on_stream_closed() comes
  const bool accepting = std::exchange(phase_, Phase::Ended) == Phase::Accept;
  throws_away_ = true;
  const ErrorOfAsio orderly = websocket::error::closed;
  if (error == orderly || error == asio::error::eof) return on_read_end({});
  if (error.category() != orderly.category()) return on_read_end(link_->stream.reason_of(error));
  close({accepting ? ErrorCode::HandshakeExpected : ErrorCode::BadFrame,
         "broken WebSocket protocol: " + error.message()},
        Bytes{});
  start_reading();
}

// --- Messages out ----------------------------------------------------------------------------

std::optional<std::size_t> WebSocketConnection::write(const Chunks& chunks) {
  if (phase_ == Phase::Ended || (phase_ == Phase::Request && closing()))
    return total_bytes(chunks);  // nobody is there who could read frames
  if (phase_ != Phase::Open) {
    write_waits_ = true;
    return std::nullopt;
  }
  const auto body = front_body(chunks.front());
  sending_bytes_ = limits::frame_prefix_bytes + body.size();
  stream_->async_write(asio::buffer(body.data(), body.size()),
                       bound(&WebSocketConnection::on_sent));
  return std::nullopt;
}

void WebSocketConnection::on_sent(const ErrorOfAsio& error, std::size_t) {
  if (error && error != asio::error::operation_aborted) return on_write_error(error.message());
  if (error) phase_ = Phase::Ended;  // the peer has closed: reading tells
  on_written(sending_bytes_);
}

void WebSocketConnection::shut_sending() {
  if (phase_ == Phase::Open) {
    const std::string_view reason = to_string(cause().code);
    stream_->async_close({static_cast<websocket::close_code>(web_socket_close_code(cause().code)),
                          boost::beast::string_view(reason.data(), reason.size())},
                         bound(&WebSocketConnection::on_stream_closed));
    return;
  }
  if (phase_ == Phase::Request) answer_request();
  phase_ = Phase::Ended;
  link_->stream.shut_sending();
}

/// The peer has answered the close frame, or never will.
void WebSocketConnection::on_stream_closed(const ErrorOfAsio&) { on_read_end({}); }

void WebSocketConnection::close_socket() {
  ErrorOfAsio ignored;
  link_->socket().close(ignored);
  stream_.reset();
  link_.reset();
}

}  // namespace

std::shared_ptr<ConnectionCore> make_web_socket_connection(
    const ConnectionContext& context, AsioLoop& loop, std::uint64_t id, tcp::socket socket,
    std::shared_ptr<const WebSocketOrigins> origins) {
  return std::make_shared<WebSocketConnection>(context, loop, id, std::move(socket),
                                               std::move(origins));
}

}  // namespace vicinity::net
