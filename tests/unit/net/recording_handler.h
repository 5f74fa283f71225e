// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#pragma once

// A ConnectionHandler that writes down what happens, lets tests wait for it, and does on a frame
// what the test says. Its farewell is the name of the code, so that clients can see it.

#include <chrono>
#include <condition_variable>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/check.h"
#include "net/server_socket.h"
#include "support/raw_socket.h"

namespace vicinity::net {

inline test::Bytes text_frame(std::string_view text) {
  return test::framed({reinterpret_cast<const std::uint8_t*>(text.data()), text.size()});
}
inline std::string text_of(std::span<const std::uint8_t> body) {
  return {body.begin(), body.end()};
}

class RecordingHandler : public ConnectionHandler {
 public:
  using Link = std::shared_ptr<Connection>;
  using FrameAction = std::function<void(const Link&, const std::string& body)>;

  explicit RecordingHandler(FrameAction action = {}) : action_(std::move(action)) {}

  void on_open(const Link& connection) override {
    const std::lock_guard lock(mutex_);
    open_[connection->id()] = connection;
    last_opened_ = connection;
    changed_.notify_all();
  }
  void on_frame(const Link& connection, std::span<const std::uint8_t> body) override {
    if (action_) action_(connection, text_of(body));
    const std::lock_guard lock(mutex_);
    frames_.push_back(text_of(body));
    changed_.notify_all();
  }
  std::vector<std::uint8_t> farewell(const CloseCause& cause) override {
    return text_frame(to_string(cause.code));
  }
  void on_close(const Link& connection, const CloseCause& cause) override {
    const std::lock_guard lock(mutex_);
    if (open_.erase(connection->id()) != 1) ++closes_without_open_;
    if (last_opened_ == connection) last_opened_ = nullptr;
    closes_.push_back(cause.code);
    changed_.notify_all();
  }
  void on_refused(const CloseCause& cause) override {
    const std::lock_guard lock(mutex_);
    refusals_.push_back(cause);
    changed_.notify_all();
  }

  /// Waits until `condition`, called with the lock held, is true.
  bool wait(const std::function<bool()>& condition) {
    std::unique_lock lock(mutex_);
    return changed_.wait_for(lock, test::patience, condition);
  }
  bool wait_for_frames(std::size_t count) {
    return wait([&] { return frames_.size() >= count; });
  }
  bool wait_for_opens(std::size_t count) {
    return wait([&] { return open_.size() >= count; });
  }
  bool wait_for_closes(std::size_t count) {
    return wait([&] { return closes_.size() >= count; });
  }
  bool wait_for_refusals(std::size_t count) {
    return wait([&] { return refusals_.size() >= count; });
  }
  /// The connection that was opened last; waits for one.
  Link opened() {
    Link link;
    wait([&] { return (link = last_opened_) != nullptr; });
    return link;
  }

  std::vector<std::string> frames() const {
    const std::lock_guard lock(mutex_);
    return frames_;
  }
  std::vector<ErrorCode> closes() const {
    const std::lock_guard lock(mutex_);
    return closes_;
  }
  std::vector<CloseCause> refusals() const {
    const std::lock_guard lock(mutex_);
    return refusals_;
  }
  std::size_t open_count() const {
    const std::lock_guard lock(mutex_);
    return open_.size();
  }
  std::size_t closes_without_open() const {
    const std::lock_guard lock(mutex_);
    return closes_without_open_;
  }

 private:
  const FrameAction action_;
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::map<std::uint64_t, Link> open_;
  Link last_opened_;
  std::vector<std::string> frames_;
  std::vector<ErrorCode> closes_;
  std::vector<CloseCause> refusals_;
  std::size_t closes_without_open_ = 0;
};

/// Frame action: sends every frame back.
inline void echo(const RecordingHandler::Link& link, const std::string& body) {
  link->send(text_frame(body));
}

/// The next frame as text, "<end>" at the end of the stream.
inline std::string read_text(test::RawSocket& socket) {
  const auto body = socket.read_frame();
  return body ? text_of(*body) : "<end>";
}

/// A listening socket with its threads, for one test.
struct RunningSocket {
  RunningSocket(const SocketSettings& settings, ConnectionHandler& handler) {
    auto opened = ServerSocket::open(settings, handler);
    CHECK(opened.ok());
    socket = std::move(opened.value());
    socket->start();
  }
  std::uint16_t port() const { return socket->port(); }
  std::unique_ptr<ServerSocket> socket;
};

}  // namespace vicinity::net
