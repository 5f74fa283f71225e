// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#pragma once

// What the benchmark compares: something that keeps the pairs of overlapping boxes up to date.
// Vicinity itself is one, the peers are the others. One object lives through one measurement:
//
//      tick(state 0)  everything appears; not measured
//      tick(state 1)  measured, stage by stage           collect()  not measured
//      tick(state 2)  ...

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "bench/scene.h"
#include "index/index.h"

namespace vicinity::bench {

/// Times the stages of a tick. One thread is measured by the CPU time of the process, which other
/// programs on the machine do not add to; several are measured by the wall clock.
class StageClock {
 public:
  static constexpr std::size_t stages_max = 4;
  struct Stage {
    std::string_view name;
    double took_ms = 0;
  };

  explicit StageClock(int threads) : one_thread_(threads == 1) {}

  void begin_tick() {
    count_ = 0;
    mark_ms_ = now_ms();
  }
  /// What was done since the tick began or the last stage ended was this stage.
  void end_stage(std::string_view name);
  std::size_t stage_count() const { return count_; }
  const Stage& stage(std::size_t index) const { return stages_[index]; }
  double total_ms() const;

 private:
  double now_ms() const;

  bool one_thread_;
  double mark_ms_ = 0;
  std::array<Stage, stages_max> stages_ = {};
  std::size_t count_ = 0;
};

struct TickCounts {
  std::uint64_t candidates = 0;  ///< pairs that the search reported or the pair cache holds
  std::uint64_t begins = 0;
  std::uint64_t ends = 0;
};

class Implementation {
 public:
  virtual ~Implementation() = default;

  /// Measured. Applies what moved and ends when its pairs are complete.
  virtual void tick(const SceneState& state, StageClock& clock) = 0;

  /// Not measured. Appends the pairs after the last tick, each once, in any order. Returns what is
  /// wrong beyond the set that they are; empty if nothing is.
  virtual std::string collect(const SceneState& state, std::vector<SlotPair>& pairs) = 0;

  virtual TickCounts counts() const = 0;
  /// Memory that it does not take from malloc.
  virtual std::size_t unseen_bytes() const { return 0; }
  /// Memory that serves verification only.
  virtual std::size_t harness_bytes() const { return 0; }
};

struct ImplementationInfo {
  std::string name;
  bool is_peer = true;
  bool gives_events = false;
  std::uint32_t entities_max = 0xFFFF'FFFFu;  ///< more are not tried
  std::string_view entities_max_reason = {};
  std::uint64_t pairs_max = ~std::uint64_t{0};  ///< worlds with more pairs are not tried
  std::string_view pairs_max_reason = {};
  std::function<std::unique_ptr<Implementation>(const SceneState& first, int threads)> make;
};

/// `settings.kind` and `settings.kernel` other than Auto become part of the name.
ImplementationInfo make_vicinity(const IndexSettings& settings);
/// Those whose packages were there when this program was built, in a fixed order.
std::vector<ImplementationInfo> peers();

// Each is there only when its package is.
std::vector<ImplementationInfo> embree_peers();
std::vector<ImplementationInfo> bullet_peers();
std::vector<ImplementationInfo> fcl_peers();
std::vector<ImplementationInfo> boost_peers();

}  // namespace vicinity::bench
