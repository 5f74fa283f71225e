// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#pragma once

// Ways to find what observers see, one against the other. Everyone is given the same snapshots and
// must tell the same news in every tick.

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/parallel.h"
#include "bench/interest_scene.h"

namespace vicinity::bench {

/// What one observer is told: slots, ascending.
struct News {
  std::vector<std::uint32_t> enters;
  std::vector<std::uint32_t> leaves;
};

/// A part of look(). Microseconds.
struct InterestStep {
  std::string name;
  double took_us = 0;
};

/// Of one thread its own time, which others on the machine do not lengthen; else that of the clock.
double interest_now_us(int threads);

class InterestRival {
 public:
  virtual ~InterestRival() = default;
  /// Brings what is searched up to date.
  virtual void build(const WalkScene& scene) = 0;
  /// Finds what every observer sees and what is new. The news of all are valid until the next one.
  virtual void look(const WalkScene& scene) = 0;
  /// Not measured. By observer.
  virtual std::vector<News> news() const = 0;
  virtual std::uint64_t visible_count() const = 0;
  /// Of the last look(); empty for those that have none.
  virtual std::vector<InterestStep> steps() const { return {}; }
};

struct InterestRivalInfo {
  std::string name;
  std::function<std::unique_ptr<InterestRival>(const WalkScene&, int threads)> make;
};

/// Entities near a point by some search; the rest is the same for all: the exact test, and the
/// difference by marks in an array per worker, without sorting.
class SearchingRival : public InterestRival {
 public:
  SearchingRival(const WalkScene& scene, int threads);
  void look(const WalkScene& scene) override;
  std::vector<News> news() const override;
  std::uint64_t visible_count() const override;

 protected:
  /// Any thread. Appends at least the slots of all within leave_radius_m of `from`.
  virtual void find(Vec3 from, std::vector<std::uint32_t>& slots) const = 0;
  Workers& workers() { return workers_; }

 private:
  struct Scratch {
    std::vector<std::uint8_t> marks;  ///< by slot: in the old view
    std::vector<std::uint32_t> found;
    std::vector<std::uint32_t> now;
  };
  void look_for(const WalkScene& scene, std::uint32_t observer, Scratch& scratch);

  Workers workers_;
  std::vector<Scratch> scratch_;                   ///< by worker
  std::vector<std::vector<std::uint32_t>> views_;  ///< by observer, in no order
  std::vector<News> news_;
};

InterestRivalInfo make_vicinity_interest();
InterestRivalInfo make_brute_interest();
InterestRivalInfo make_boost_interest();
InterestRivalInfo make_embree_interest();  ///< only where Embree is

}  // namespace vicinity::bench
