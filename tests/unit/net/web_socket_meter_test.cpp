// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#include "net/web_socket_meter.h"

#include <gtest/gtest.h>

#include <chrono>
#include <cstddef>

namespace vicinity::net {
namespace {

using namespace std::chrono_literals;

constexpr std::size_t frame_max = 2048;
constexpr auto excess_max = static_cast<std::size_t>(WebSocketMeter::excess_bytes_max);
constexpr WebSocketMeter::TimePoint start{1h};

TEST(WebSocketMeter, IsExceededByAByteAboveAFrameAndTheAllowance) {
  WebSocketMeter meter;
  meter.arrived(excess_max + frame_max, start);
  EXPECT_FALSE(meter.is_exceeded(frame_max));
  meter.arrived(1, start);
  EXPECT_TRUE(meter.is_exceeded(frame_max));
}

TEST(WebSocketMeter, DoesNotMindMessages) {
  WebSocketMeter meter;
  for (int i = 0; i < 100'000; ++i) {
    meter.arrived(WebSocketMeter::header_bytes_max + frame_max, start);
    meter.carried(frame_max);
    meter.end_message();
    ASSERT_FALSE(meter.is_exceeded(frame_max));
  }
}

TEST(WebSocketMeter, MessagesSaveNothingUp) {
  WebSocketMeter meter;
  for (int i = 0; i < 100; ++i) meter.end_message();
  meter.arrived(excess_max + frame_max + 1, start);
  EXPECT_TRUE(meter.is_exceeded(frame_max));
}

TEST(WebSocketMeter, BearsAsManyControlFramesAsTheRateSays) {
  constexpr std::size_t ping_bytes = 10;
  constexpr auto per_s = static_cast<int>(WebSocketMeter::excess_bytes_per_s /
                                          (WebSocketMeter::control_frame_bytes + ping_bytes));
  const auto lasts = [&](int frames_per_s) {
    WebSocketMeter meter;
    for (auto now = start; now < start + 1min; now += 1s) {
      for (int i = 0; i < frames_per_s; ++i) {
        meter.arrived(ping_bytes, now);
        meter.add_control_frame();
      }
      if (meter.is_exceeded(frame_max)) return false;
    }
    return true;
  };
  EXPECT_TRUE(lasts(per_s));
  EXPECT_FALSE(lasts(2 * per_s));
}

}  // namespace
}  // namespace vicinity::net
