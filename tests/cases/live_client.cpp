// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors

#include "cases/live_client.h"

#include <algorithm>

#include "base/limits.h"
#include "client/encode.h"

namespace vicinity::cases {

namespace {

constexpr auto ping_interval = std::chrono::milliseconds(500);
constexpr std::size_t frames_kept = 4096;
/// Messages of one pump, so that one client cannot keep the others waiting.
constexpr int messages_per_pump = 256;
/// A link takes no more at once than this part of a second.
constexpr double burst_s = 0.05;

}  // namespace

LiveClient::LiveClient(std::uint16_t port, const LinkOptions& link)
    : socket_(test::RawSocket::connected(port, link.receive_buffer_bytes)), link_(link) {}

void LiveClient::send_hello(const client::ConnectOptions& options) {
  std::vector<std::uint8_t> bytes;
  client::encode_hello(options, bytes);
  send_bytes(bytes);
}

void LiveClient::send(std::span<const CommandBody> commands) {
  std::vector<std::uint8_t> bytes;
  client::encode_commands(next_sequence_, commands,
                          {limits::client_frame_bytes_max, limits::commands_per_frame_max}, bytes,
                          whole_tick_);
  next_sequence_ += commands.size();
  send_bytes(bytes);
}

void LiveClient::send_bytes(std::span<const std::uint8_t> bytes) {
  if (silent_ || ended_) return;
  outgoing_.emplace_back(Clock::now() + link_.delay, test::Bytes(bytes.begin(), bytes.end()));
  flush();
}

void LiveClient::ping() {
  std::vector<std::uint8_t> bytes;
  client::encode_ping(1, 1, bytes, whole_tick_);
  last_ping_ = Clock::now();
  send_bytes(bytes);
}

void LiveClient::flush() {
  const auto now = Clock::now();
  for (; !outgoing_.empty() && outgoing_.front().first <= now; outgoing_.pop_front())
    if (!silent_) (void)socket_.write(outgoing_.front().second);
}

bool LiveClient::may_read() {
  if (stalled_ || ended_) return false;
  if (link_.bytes_per_s == 0) return true;
  const auto now = Clock::now();
  const std::chrono::duration<double> passed = now - std::exchange(refilled_at_, now);
  link_tokens_ =
      std::min(link_tokens_ + passed.count() * link_.bytes_per_s, burst_s * link_.bytes_per_s);
  return link_tokens_ > 0;
}

void LiveClient::pump() {
  flush();
  for (int count = 0; count < messages_per_pump && may_read(); ++count) {
    const auto body = socket_.read_frame(std::chrono::milliseconds(0));
    if (!body) {
      ended_ = socket_.ended();
      break;
    }
    link_tokens_ -= static_cast<double>(body->size() + limits::frame_prefix_bytes);
    read(*body);
  }
  if (may_serve() && !stalled_ && Clock::now() - last_ping_ >= ping_interval) ping();
}

void LiveClient::read(const std::vector<std::uint8_t>& body) {
  largest_message_bytes_ = std::max(largest_message_bytes_, body.size());
  auto decoded = client::decode_server_message(body, views_, joiner_);
  if (!decoded.ok()) {
    ++verify_failures_;
    ended_ = true;
    return;
  }
  client::ServerMessage& message = decoded.value();
  if (const auto* welcome = std::get_if<client::Welcome>(&message)) {
    welcome_ = *welcome;
    welcomed_at_ = Clock::now();
    views_.set_resolution_m(welcome->position_resolution_m);
  } else if (const auto* reject = std::get_if<client::RejectMessage>(&message)) {
    close_code_ = reject->error.code;
  } else if (const auto* closing = std::get_if<client::ClosingMessage>(&message)) {
    close_code_ = closing->error.code;
  } else if (const auto* results = std::get_if<client::CommandResultsMessage>(&message)) {
    answered_ += results->outcomes.size();
    for (const client::CommandOutcome& outcome : results->outcomes) {
      refused_ += outcome.ok() ? 0 : 1;
      made_[outcome.sequence] = outcome.entity;
    }
  } else if (const auto* part = std::get_if<client::FramePart>(&message)) {
    if (part->whole != nullptr) take(*part->whole);
  } else if (const auto* pong = std::get_if<client::PongMessage>(&message)) {
    pong_ = *pong;
  }
}

void LiveClient::take(const client::TickFrame& frame) {
  for (const client::EntityLeave& leave : frame.leaves) {
    const auto at = known_.find(leave.id);
    if (at == known_.end()) {
      ++view_errors_;
      continue;
    }
    --now_of_[at->second];
    known_.erase(at);
  }
  for (const client::EntityView& enter : frame.enters) {
    if (!known_.emplace(enter.id, enter.user_data).second) {
      ++view_errors_;
      continue;
    }
    enters_ += enter.user_data == 0 ? 1 : 0;
    ++now_of_[enter.user_data];
  }
  const auto check = [this](const auto& list) {
    for (const auto& told : list) view_errors_ += known_.contains(told.id) ? 0 : 1;
  };
  check(frame.moved);
  check(frame.turned);
  check(frame.velocities);
  check(frame.spins);
  check(frame.jumped);
  whole_tick_ = frame.tick;
  enters_waiting_ = frame.enters_waiting;
  for (const auto& [user_data, count] : now_of_)
    most_of_[user_data] = std::max(most_of_[user_data], count);
  frames_.push_back({frame.tick, frame.server_time_us});
  if (frames_.size() > frames_kept) frames_.pop_front();
}

std::uint64_t LiveClient::known_of(std::uint64_t user_data) const {
  const auto at = now_of_.find(user_data);
  return at == now_of_.end() ? 0 : at->second;
}

std::uint64_t LiveClient::most_of(std::uint64_t user_data) const {
  const auto at = most_of_.find(user_data);
  return at == most_of_.end() ? 0 : at->second;
}

void LiveClient::forget_counts() { enters_ = 0; }

std::optional<EntityId> LiveClient::made_by(std::uint64_t sequence) const {
  const auto at = made_.find(sequence);
  return at == made_.end() ? std::nullopt : std::optional(at->second);
}

}  // namespace vicinity::cases
