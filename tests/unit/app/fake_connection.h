// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#pragma once

// A connection that keeps what it is sent and remembers why it was closed. Any thread.

#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "net/server_socket.h"

namespace vicinity::app {

class FakeConnection final : public net::Connection {
 public:
  explicit FakeConnection(std::uint64_t id, std::string peer = "test")
      : id_(id), peer_(std::move(peer)) {}

  std::uint64_t id() const override { return id_; }
  std::string peer() const override { return peer_; }
  bool send(std::span<const std::uint8_t> frames) override {
    const std::lock_guard lock(mutex_);
    if (cause_) return false;
    sent_.insert(sent_.end(), frames.begin(), frames.end());
    return true;
  }
  bool wants_frame() const override { return true; }
  bool offer(std::vector<std::uint8_t> frame, std::chrono::steady_clock::time_point) override {
    return send(frame);
  }
  void close(net::CloseCause cause) override {
    const std::lock_guard lock(mutex_);
    if (!cause_) cause_ = std::move(cause);
  }
  void close(net::CloseCause cause, std::vector<std::uint8_t>) override { close(std::move(cause)); }
  bool closing() const override { return cause().has_value(); }
  bool authenticated() override { return true; }
  std::size_t outbox_bytes() const override { return unread_bytes; }
  std::atomic<std::size_t> unread_bytes{0};  ///< as if so much had not been read

  std::vector<std::uint8_t> sent() const {
    const std::lock_guard lock(mutex_);
    return sent_;
  }
  /// Of the first close().
  std::optional<net::CloseCause> cause() const {
    const std::lock_guard lock(mutex_);
    return cause_;
  }
  /// None when it is open.
  ErrorCode code() const {
    const auto closed = cause();
    return closed ? closed->code : ErrorCode::None;
  }

 private:
  const std::uint64_t id_;
  const std::string peer_;
  mutable std::mutex mutex_;
  std::vector<std::uint8_t> sent_;
  std::optional<net::CloseCause> cause_;
};

}  // namespace vicinity::app
