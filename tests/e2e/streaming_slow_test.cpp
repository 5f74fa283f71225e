// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors

// Clients that read slowly or not at all beside clients that do: the others get what they would get
// without them, and memory stays within what the settings say.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <iostream>

#include "base/limits.h"
#include "streaming_run.h"

namespace vicinity::test {
namespace {

constexpr double healthy = 40;
constexpr double slow = 200;
constexpr double stalled = 1;
/// What a session costs beside its outbox: the views of its stream and of interest, its buffers in
/// the server.
constexpr double bytes_per_session = 512 * 1024;

struct Outcome {
  nlohmann::json report;
  double memory_bytes = 0;
  double outbox_peak_bytes = 0;
  double outboxes_peak_bytes = 0;
  double slow_consumers = 0;
};

Outcome run_with(double slow_count, double stalled_count) {
  ServerProcess server({"--slow-consumer-ms", "2000"});
  EXPECT_NE(server.port(), 0) << server.standard_error();
  const double before = resident_bytes(server.process().pid());
  Arguments arguments = {
      "--bots",        std::to_string(static_cast<int>(healthy + slow_count + stalled_count)),
      "--entities",    "1000",
      "--duration",    "10s",  // what the kernel takes before a stall shows, and slow_consumer_ms
      "--check-share", "0.2"};
  if (slow_count > 0)
    arguments.insert(arguments.end(),
                     {"--behaviours", "normal:" + std::to_string(healthy) +
                                          ",slow-reader:" + std::to_string(slow_count) +
                                          ",stalled-reader:" + std::to_string(stalled_count)});
  Outcome run;
  run.report = run_bots(server, arguments);
  run.memory_bytes = resident_bytes(server.process().pid()) - before;
  EXPECT_EQ(server.stop(), "");
  run.outbox_peak_bytes = last_words(server, "outbox_peak_bytes");
  run.outboxes_peak_bytes = last_words(server, "outboxes_peak_bytes");
  run.slow_consumers = last_words(server, "slow_consumers");
  return run;
}

TEST(StreamingSlow, OthersAreNotDelayedAndMemoryIsBounded) {
  const Outcome alone = run_with(0, 0);
  const Outcome beside = run_with(slow, stalled);
  for (const Outcome* run : {&alone, &beside}) {
    // Of the healthy ones: hostile bots do not count here.
    std::cout << "update age p50 " << run->report["update_age_p50_ms"] << " ms, p99 "
              << run->report["update_age_p99_ms"] << " ms, ticks " << run->report["ticks"] << " at "
              << run->report["tick_rate_measured_hz"] << " Hz, memory " << run->memory_bytes / 1e6
              << " MB, outboxes " << run->outboxes_peak_bytes / 1e3 << " kB\n";
  }
  // Nobody holds more than one frame and what a few answers take.
  EXPECT_LE(beside.outbox_peak_bytes, 2.0 * limits::stream_frame_bytes_default);
  EXPECT_LE(beside.outboxes_peak_bytes,
            (healthy + slow + stalled) * 2.0 * limits::stream_frame_bytes_default);
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
  EXPECT_LE(beside.memory_bytes - alone.memory_bytes,
            (slow + stalled) * bytes_per_session + beside.outboxes_peak_bytes);
#endif
  // The one that reads nothing was closed; that no healthy one was, run_bots() sees to.
  EXPECT_GE(beside.slow_consumers, 1);
}

}  // namespace
}  // namespace vicinity::test
