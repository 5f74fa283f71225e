// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#include "client-sim/link.h"

#include <algorithm>
#include <array>
#include <boost/asio/connect.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/write.hpp>
#include <chrono>
#include <deque>
#include <utility>

#include "client-sim/clock_map.h"

namespace vicinity::sim {
namespace {

namespace asio = boost::asio;
using asio::ip::tcp;
using boost::system::error_code;

constexpr std::size_t read_bytes = 8 * 1024;

struct Pipe;

/// Bytes on their way from one socket to the other.
struct Direction {
  Direction(tcp::socket& source, tcp::socket& target, const NetConditions& conditions,
            std::uint64_t seed)
      : from(source), to(target), shaper(conditions, seed), timer(source.get_executor()) {}

  struct Piece {
    std::int64_t due_us = 0;
    std::vector<std::uint8_t> bytes;
  };

  tcp::socket& from;
  tcp::socket& to;
  LinkShaper shaper;
  asio::steady_timer timer;
  std::deque<Piece> pieces;
  std::size_t held_bytes = 0;
  std::array<std::uint8_t, read_bytes> buffer;
  bool is_reading = false;
  bool is_sending = false;
  bool is_stalled = false;
  bool has_ended = false;  ///< the source will say no more
};

/// One connection through the link. Every operation holds it.
struct Pipe : std::enable_shared_from_this<Pipe> {
  Pipe(tcp::socket accepted, const LinkSettings& settings, std::uint64_t seed)
      : bot(std::move(accepted)),
        server(bot.get_executor()),
        life(bot.get_executor()),
        up(bot, server, settings.conditions, seed),
        down(server, bot, down_conditions(settings), seed ^ 0xD0) {}

  static NetConditions down_conditions(const LinkSettings& settings) {
    NetConditions out = settings.conditions;
    if (settings.read_bytes_per_s > 0) out.bandwidth_bit_per_s = 8 * settings.read_bytes_per_s;
    return out;
  }

  void open(const tcp::endpoint& endpoint, std::int64_t life_us);
  void read(Direction& way);
  void push(Direction& way, std::vector<std::uint8_t> bytes);
  void send(Direction& way);
  void write(Direction& way);
  void close(bool on_purpose);

  tcp::socket bot;
  tcp::socket server;
  asio::steady_timer life;
  Direction up;
  Direction down;
  bool is_open = false;
  bool is_closed = false;
  bool was_cut = false;
};

void Pipe::open(const tcp::endpoint& endpoint, std::int64_t life_us) {
  error_code ignored;
  server.open(endpoint.protocol(), ignored);
  // A large buffer of the kernel would read on for a bot that does not.
  if (down.shaper.window_bytes() < read_bytes * 4)
    server.set_option(
        asio::socket_base::receive_buffer_size(static_cast<int>(down.shaper.window_bytes())),
        ignored);
  server.async_connect(endpoint, [self = shared_from_this(), life_us](const error_code& code) {
    if (self->is_closed) return;
    if (code) return self->close(false);
    error_code no_matter;
    self->server.set_option(tcp::no_delay(true), no_matter);
    self->bot.set_option(tcp::no_delay(true), no_matter);
    self->is_open = true;
    self->send(self->up);
    self->read(self->up);
    self->read(self->down);
    if (life_us == 0) return;
    self->life.expires_after(std::chrono::microseconds(life_us));
    self->life.async_wait([self](const error_code& stopped) {
      if (!stopped) self->close(true);
    });
  });
}

void Pipe::read(Direction& way) {
  if (is_closed || way.is_reading || way.is_stalled || way.has_ended) return;
  if (way.held_bytes >= way.shaper.window_bytes()) return;
  way.is_reading = true;
  way.from.async_read_some(asio::buffer(way.buffer), [self = shared_from_this(), &way](
                                                         const error_code& code, std::size_t size) {
    way.is_reading = false;
    if (self->is_closed) return;
    if (code) {
      way.has_ended = true;
      return self->send(way);
    }
    self->push(way, {way.buffer.data(), way.buffer.data() + size});
    self->read(way);
  });
}

void Pipe::push(Direction& way, std::vector<std::uint8_t> bytes) {
  way.held_bytes += bytes.size();
  const std::int64_t due_us = way.shaper.arrival_us(local_time_us(), bytes.size());
  way.pieces.push_back({due_us, std::move(bytes)});
  send(way);
}

/// Writes the next piece when it is due, and tells the other side when there will be no more.
void Pipe::send(Direction& way) {
  if (is_closed || !is_open || way.is_sending || way.is_stalled) return;
  if (way.pieces.empty()) {
    error_code ignored;
    if (way.has_ended) way.to.shutdown(tcp::socket::shutdown_send, ignored);
    if (up.has_ended && down.has_ended && up.pieces.empty() && down.pieces.empty()) close(false);
    return;
  }
  way.is_sending = true;
  const std::int64_t wait_us = way.pieces.front().due_us - local_time_us();
  if (wait_us <= 0) return write(way);
  way.timer.expires_after(std::chrono::microseconds(wait_us));
  way.timer.async_wait([self = shared_from_this(), &way](const error_code& code) {
    if (!code && !self->is_closed) self->write(way);
  });
}

void Pipe::write(Direction& way) {
  asio::async_write(way.to, asio::buffer(way.pieces.front().bytes),
                    [self = shared_from_this(), &way](const error_code& code, std::size_t) {
                      way.is_sending = false;
                      if (self->is_closed) return;
                      way.held_bytes -= way.pieces.front().bytes.size();
                      way.pieces.pop_front();
                      if (code) {  // nobody listens there any more
                        way.pieces.clear();
                        way.held_bytes = 0;
                        way.has_ended = true;
                      }
                      self->send(way);
                      self->read(way);
                    });
}

void Pipe::close(bool on_purpose) {
  if (is_closed) return;
  is_closed = true;
  was_cut = on_purpose;
  error_code ignored;
  life.cancel();
  up.timer.cancel();
  down.timer.cancel();
  bot.close(ignored);
  server.close(ignored);
}

}  // namespace

struct Link::Impl : std::enable_shared_from_this<Link::Impl> {
  Impl(asio::io_context& io, const LinkSettings& wanted)
      : settings(wanted),
        acceptor(io, tcp::endpoint(asio::ip::make_address("127.0.0.1"), 0)),
        resolver(io),
        cuts(wanted.conditions.cut_every_us, wanted.seed ^ 0xC7),
        prng(wanted.seed) {}

  void resolve();
  void accept();

  LinkSettings settings;
  tcp::acceptor acceptor;
  tcp::resolver resolver;
  tcp::endpoint endpoint;
  CutSchedule cuts;
  Prng prng;
  std::shared_ptr<Pipe> pipe;
  std::vector<std::uint8_t> greeting;  ///< for the next connection
};

void Link::Impl::resolve() {
  error_code not_numeric;
  const auto address = asio::ip::make_address(settings.host, not_numeric);
  if (!not_numeric) {
    endpoint = {address, settings.port};
    return accept();
  }
  resolver.async_resolve(settings.host, std::to_string(settings.port),
                         [self = shared_from_this()](const error_code& code,
                                                     const tcp::resolver::results_type& found) {
                           if (code || found.empty()) return;  // the bot's deadline tells
                           self->endpoint = found.begin()->endpoint();
                           self->accept();
                         });
}

void Link::Impl::accept() {
  acceptor.async_accept([self = shared_from_this()](const error_code& code, tcp::socket socket) {
    if (!self->acceptor.is_open()) return;
    if (!code) {
      if (self->pipe) self->pipe->close(false);
      self->pipe = std::make_shared<Pipe>(std::move(socket), self->settings, self->prng.next());
      if (!self->greeting.empty()) self->pipe->push(self->pipe->up, std::move(self->greeting));
      self->greeting.clear();
      self->pipe->open(self->endpoint, self->cuts.next_life_us());
    }
    self->accept();
  });
}

Link::Link(asio::io_context& io, const LinkSettings& settings)
    : impl_(std::make_shared<Impl>(io, settings)) {
  impl_->resolve();
}

Link::~Link() {
  error_code ignored;
  impl_->acceptor.close(ignored);
  impl_->resolver.cancel();
  if (impl_->pipe) impl_->pipe->close(false);
}

std::uint16_t Link::port() const { return impl_->acceptor.local_endpoint().port(); }

void Link::stall() {
  if (impl_->pipe) impl_->pipe->down.is_stalled = true;
}

void Link::go_on() {
  if (!impl_->pipe || !impl_->pipe->down.is_stalled) return;
  impl_->pipe->down.is_stalled = false;
  impl_->pipe->send(impl_->pipe->down);
  impl_->pipe->read(impl_->pipe->down);
}

void Link::cut() {
  if (impl_->pipe) impl_->pipe->close(true);
}

void Link::inject(const std::vector<std::uint8_t>& bytes) {
  if (impl_->pipe && !impl_->pipe->is_closed)
    impl_->pipe->push(impl_->pipe->up, bytes);
  else
    impl_->greeting = bytes;
}

bool Link::was_cut() const { return impl_->pipe && impl_->pipe->was_cut; }

}  // namespace vicinity::sim
