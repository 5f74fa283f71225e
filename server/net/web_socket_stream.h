// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#pragma once

// The socket below a WebSocket, plain or with TLS, as Boost.Beast wants it: a stream that reads and
// writes some bytes asynchronously. The handshake of TLS is part of the first read. For
// web_socket_connection.cpp alone. Net room; the thread of the connection only.

#include <array>
#include <boost/asio/buffer.hpp>
#include <boost/asio/compose.hpp>
#include <boost/asio/error.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/post.hpp>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <utility>

#include "net/tls_stream.h"

namespace vicinity::net {

class WebSocketStream {
 public:
  using tcp = boost::asio::ip::tcp;
  using executor_type = tcp::socket::executor_type;
  using ErrorOfAsio = boost::system::error_code;

  /// `tls` null: plain.
  WebSocketStream(tcp::socket socket, const TlsContext* tls) : socket_(std::move(socket)) {
    if (tls != nullptr) tls_.emplace(*tls, socket_.native_handle());
  }

  executor_type get_executor() { return socket_.get_executor(); }
  /// Below TLS: to wait, to throw bytes away and to close.
  tcp::socket& socket() { return socket_; }
  /// Told how many bytes each read brought, before its handler runs. What the handlers of reads
  /// keep alive may be used in it.
  void watch_reads(std::function<void(std::size_t)> watcher) { watcher_ = std::move(watcher); }
  /// No read that begins from now on brings anything: it ends with the socket.
  void end_reads() { reads_ended_ = true; }
  /// Why an operation ended with this error.
  std::string reason_of(const ErrorOfAsio& error) const;

  template <class Buffers, class Handler>
  auto async_read_some(const Buffers& buffers, Handler&& handler) {
    if (!tls_) {
      return boost::asio::async_compose<Handler, void(ErrorOfAsio, std::size_t)>(
          PlainRead<Buffers>{*this, buffers}, handler, socket_);
    }
    return boost::asio::async_compose<Handler, void(ErrorOfAsio, std::size_t)>(
        Transfer<Buffers, true>{*this, buffers}, handler, socket_);
  }
  template <class Buffers, class Handler>
  auto async_write_some(const Buffers& buffers, Handler&& handler) {
    if (!tls_) return socket_.async_write_some(buffers, std::forward<Handler>(handler));
    return boost::asio::async_compose<Handler, void(ErrorOfAsio, std::size_t)>(
        Transfer<Buffers, false>{*this, buffers}, handler, socket_);
  }
  /// As much as goes out at once; nothing before the handshake is done.
  void write_now(const std::string& text);
  /// No more is sent; the peer is told.
  void shut_sending();

 private:
  /// Small pieces are joined to one record of this size at most.
  static constexpr std::size_t joined_bytes = 4096;

  TlsStep read(std::span<std::uint8_t> into) {
    if (!tls_->established())
      if (const TlsStep step = tls_->handshake(); step.outcome != TlsStep::Outcome::Done)
        return step;
    return tls_->read(into);
  }
  /// The same bytes for the same buffers, as TlsStream::write wants it.
  template <class Buffers>
  TlsStep write(const Buffers& buffers) {
    std::array<std::uint8_t, joined_bytes> joined;
    const auto first = first_of<boost::asio::const_buffer>(buffers);
    if (first.size() >= joined.size() || first.size() == boost::asio::buffer_size(buffers))
      return tls_->write({static_cast<const std::uint8_t*>(first.data()), first.size()});
    const std::size_t size = boost::asio::buffer_copy(boost::asio::buffer(joined), buffers);
    return tls_->write({joined.data(), size});
  }
  /// The first that is not empty; an empty one when all are.
  template <class Buffer, class Buffers>
  static Buffer first_of(const Buffers& buffers) {
    const auto end = boost::asio::buffer_sequence_end(buffers);
    for (auto at = boost::asio::buffer_sequence_begin(buffers); at != end; ++at)
      if (Buffer(*at).size() > 0) return Buffer(*at);
    return {};
  }
  ErrorOfAsio error_of(const TlsStep& step) const;
  /// Of a wait for the socket's end, which may come without one.
  static ErrorOfAsio error_of_end(const ErrorOfAsio& error) {
    return error ? error : ErrorOfAsio(boost::asio::error::connection_aborted);
  }
  void tell_watcher(std::size_t size_bytes) const {
    if (watcher_ && size_bytes > 0) watcher_(size_bytes);
  }

  template <class Buffers>
  struct PlainRead {
    WebSocketStream& stream;
    Buffers buffers;
    bool is_begun = false;
    bool is_held = false;

    template <class Self>
    void operator()(Self& self, ErrorOfAsio error = {}, std::size_t size_bytes = 0) {
      if (is_held) return self.complete(error_of_end(error), 0);
      if (std::exchange(is_begun, true)) {
        stream.tell_watcher(size_bytes);
        return self.complete(error, size_bytes);
      }
      if (stream.reads_ended_) {
        is_held = true;
        return stream.socket_.async_wait(tcp::socket::wait_error, std::move(self));
      }
      const Buffers into = buffers;  // those of this struct move with it
      stream.socket_.async_read_some(into, std::move(self));
    }
  };

  /// One read or write: tries, waits for the socket, tries again. Its handler keeps the stream.
  template <class Buffers, bool reads>
  struct Transfer {
    WebSocketStream& stream;
    Buffers buffers;
    bool is_first = true;
    bool is_held = false;
    std::optional<TlsStep> done = {};

    template <class Self>
    void operator()(Self& self, ErrorOfAsio error = {}) {
      const bool within_call = std::exchange(is_first, false);
      if (is_held) return self.complete(error_of_end(error), 0);
      if (error) return self.complete(error, 0);
      // The other direction may have closed it since the wait was over: the number of its
      // descriptor is somebody else's by now.
      if (!within_call && !stream.socket_.is_open())
        return self.complete(boost::asio::error::operation_aborted, 0);
      if (done) return complete(self);
      if (reads && stream.reads_ended_) {
        is_held = true;
        return stream.socket_.async_wait(tcp::socket::wait_error, std::move(self));
      }
      const TlsStep step = attempt();
      const bool to_read = step.outcome == TlsStep::Outcome::WantsRead;
      if (to_read || step.outcome == TlsStep::Outcome::WantsWrite) {
        return stream.socket_.async_wait(to_read ? tcp::socket::wait_read : tcp::socket::wait_write,
                                         std::move(self));
      }
      done = step;
      // No handler runs within the call that names it.
      if (within_call) return boost::asio::post(stream.get_executor(), std::move(self));
      complete(self);
    }

    template <class Self>
    void complete(Self& self) {
      const TlsStep step = *done;
      if constexpr (reads) stream.tell_watcher(step.size_bytes);
      self.complete(stream.error_of(step), step.size_bytes);
    }

    TlsStep attempt() {
      if constexpr (reads) {
        const auto into = first_of<boost::asio::mutable_buffer>(buffers);
        if (into.size() == 0) return {TlsStep::Outcome::Done, 0};
        return stream.read({static_cast<std::uint8_t*>(into.data()), into.size()});
      } else {
        if (boost::asio::buffer_size(buffers) == 0) return {TlsStep::Outcome::Done, 0};
        return stream.write(buffers);
      }
    }
  };

  tcp::socket socket_;
  std::optional<TlsStream> tls_;
  std::function<void(std::size_t)> watcher_;
  bool reads_ended_ = false;
};

}  // namespace vicinity::net
