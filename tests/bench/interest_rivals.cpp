// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors

// Ours; every entity for every observer (vectorised by the compiler, f32); and the r-tree of
// Boost.Geometry, packed anew in every tick.

#include <algorithm>
#include <boost/geometry.hpp>
#include <boost/geometry/index/rtree.hpp>
#include <boost/iterator/function_output_iterator.hpp>

#include "bench/interest_rival.h"
#include "interest/interest.h"

namespace vicinity::bench {
namespace {

constexpr std::size_t observers_per_block = 64;

// --- Ours --------------------------------------------------------------------------------------

class Ours : public InterestRival {
 public:
  Ours(const WalkScene& scene, int threads)
      : threads_(threads), interest_(settings()), workers_(threads) {
    for (std::uint32_t i = 0; i < scene.observer_count(); ++i) {
      AreaSpec spec;
      spec.enter_radius_m = enter_radius_m;
      spec.leave_radius_m = leave_radius_m;
      const SessionId session{i + 1};
      interest_.open_session(session, Role::Player);
      const EntityId anchor = scene.snapshot().id[scene.anchor(i)];
      CHECK(interest_.add_area(session, {ObserverId{1}, AreaId{1}, spec}, anchor) ==
            ErrorCode::None);
    }
    index_ = make_index({.kind = IndexKind::BruteForce})->view();
  }
  /// The one call does everything.
  void build(const WalkScene&) override {}
  void look(const WalkScene& scene) override {
    snapshot_ = &scene.snapshot();
    steps_.clear();
    interest_.update(scene.snapshot(), scene.changed(), *index_, workers_, events_);
  }
  std::vector<News> news() const override {
    std::vector<News> out(interest_observers());
    for (const ObserverEvents& events : events_) {
      News& news = out[events.session.value - 1];
      news.enters = events.enters;
      for (const Leave& leave : events.leaves) news.leaves.push_back(leave.id.index());
    }
    return out;
  }
  std::uint64_t visible_count() const override { return interest_.visible_count(); }
  std::vector<InterestStep> steps() const override { return steps_; }

 private:
  InterestSettings settings() {
    InterestSettings out;
    out.on_step = [this](std::string_view name) {
      const double now_us = interest_now_us(threads_);
      if (name != "begin") steps_.push_back({std::string(name), now_us - mark_us_});
      mark_us_ = now_us;
    };
    return out;
  }
  std::size_t interest_observers() const {
    std::size_t count = 0;
    for (const SessionId owner : snapshot_->owner) count += owner == SessionId{} ? 0 : 1;
    return count;
  }

  int threads_;
  double mark_us_ = 0;
  std::vector<InterestStep> steps_;
  Interest interest_;
  Workers workers_;
  std::shared_ptr<const IndexView> index_;
  const Snapshot* snapshot_ = nullptr;
  std::vector<ObserverEvents> events_;
};

// --- Every entity ------------------------------------------------------------------------------

class Brute : public SearchingRival {
 public:
  using SearchingRival::SearchingRival;
  void build(const WalkScene& scene) override {
    const auto& position = scene.snapshot().position;
    x_.resize(position.size());
    z_.resize(position.size());
    for (std::size_t i = 0; i < position.size(); ++i) {
      x_[i] = static_cast<float>(position[i].x);
      z_[i] = static_cast<float>(position[i].z);
    }
  }

 protected:
  void find(Vec3 from, std::vector<std::uint32_t>& slots) const override {
    const auto x = static_cast<float>(from.x);
    const auto z = static_cast<float>(from.z);
    constexpr auto reach = static_cast<float>(leave_radius_m + person_radius_m + 0.01);
    constexpr std::size_t width = 64;
    std::uint8_t near[width];
    for (std::size_t begin = 0; begin < x_.size(); begin += width) {
      const std::size_t count = std::min(width, x_.size() - begin);
      std::uint8_t any = 0;
      for (std::size_t i = 0; i < count; ++i) {
        const float dx = x_[begin + i] - x;
        const float dz = z_[begin + i] - z;
        near[i] = dx * dx + dz * dz <= reach * reach ? 1 : 0;
        any |= near[i];
      }
      if (any == 0) continue;
      for (std::size_t i = 0; i < count; ++i)
        if (near[i] != 0) slots.push_back(static_cast<std::uint32_t>(begin + i));
    }
  }

 private:
  std::vector<float> x_;
  std::vector<float> z_;
};

// --- Boost -------------------------------------------------------------------------------------

namespace bg = boost::geometry;
using Point = bg::model::point<float, 3, bg::cs::cartesian>;
using Box = bg::model::box<Point>;
using Value = std::pair<Point, std::uint32_t>;
using Tree = bg::index::rtree<Value, bg::index::linear<16>>;

class Boost : public SearchingRival {
 public:
  using SearchingRival::SearchingRival;
  void build(const WalkScene& scene) override {
    const auto& position = scene.snapshot().position;
    values_.clear();
    for (std::uint32_t i = 0; i < position.size(); ++i)
      values_.emplace_back(
          Point(static_cast<float>(position[i].x), 0, static_cast<float>(position[i].z)), i);
    tree_ = Tree(values_.begin(), values_.end());
  }

 protected:
  void find(Vec3 from, std::vector<std::uint32_t>& slots) const override {
    constexpr auto reach = static_cast<float>(leave_radius_m + person_radius_m + 0.01);
    const auto x = static_cast<float>(from.x);
    const auto z = static_cast<float>(from.z);
    const Box box(Point(x - reach, -1, z - reach), Point(x + reach, 1, z + reach));
    tree_.query(bg::index::intersects(box),
                boost::make_function_output_iterator(
                    [&](const Value& hit) { slots.push_back(hit.second); }));
  }

 private:
  std::vector<Value> values_;
  Tree tree_;
};

template <class Rival>
InterestRivalInfo info(std::string name) {
  return {std::move(name), [](const WalkScene& scene, int threads) {
            return std::make_unique<Rival>(scene, threads);
          }};
}

}  // namespace

// --- What all that search have in common -------------------------------------------------------

SearchingRival::SearchingRival(const WalkScene& scene, int threads)
    : workers_(threads),
      scratch_(static_cast<std::size_t>(threads)),
      views_(scene.observer_count()),
      news_(scene.observer_count()) {
  for (Scratch& scratch : scratch_) scratch.marks.resize(scene.snapshot().slot_count());
}

void SearchingRival::look_for(const WalkScene& scene, std::uint32_t observer, Scratch& scratch) {
  const std::uint32_t anchor = scene.anchor(observer);
  const auto& position = scene.snapshot().position;
  const Vec3 from = position[anchor];
  std::vector<std::uint32_t>& view = views_[observer];
  News& news = news_[observer];
  news.enters.clear();
  news.leaves.clear();
  scratch.found.clear();
  scratch.now.clear();
  find(from, scratch.found);
  for (const std::uint32_t slot : view) scratch.marks[slot] = 1;
  for (const std::uint32_t slot : scratch.found) {
    if (slot == anchor) continue;
    const double squared = axis_distance_squared(from, position[slot]);
    const bool was = scratch.marks[slot] != 0;
    const double reach_m = (was ? leave_radius_m : enter_radius_m) + person_radius_m;
    if (squared > reach_m * reach_m) continue;
    scratch.now.push_back(slot);
    if (!was) news.enters.push_back(slot);
    scratch.marks[slot] = 0;
  }
  for (const std::uint32_t slot : view) {
    if (scratch.marks[slot] == 0) continue;
    news.leaves.push_back(slot);
    scratch.marks[slot] = 0;
  }
  view.assign(scratch.now.begin(), scratch.now.end());
}

void SearchingRival::look(const WalkScene& scene) {
  workers_.parallel_blocks(scene.observer_count(), observers_per_block,
                           [&](std::size_t, std::size_t begin, std::size_t end) {
                             Scratch& scratch = scratch_[Workers::current_worker()];
                             for (std::size_t i = begin; i < end; ++i)
                               look_for(scene, static_cast<std::uint32_t>(i), scratch);
                           });
}

std::vector<News> SearchingRival::news() const {
  std::vector<News> out = news_;
  for (News& news : out) {
    std::ranges::sort(news.enters);
    std::ranges::sort(news.leaves);
  }
  return out;
}

std::uint64_t SearchingRival::visible_count() const {
  std::uint64_t sum = 0;
  for (const auto& view : views_) sum += view.size();
  return sum;
}

InterestRivalInfo make_vicinity_interest() { return info<Ours>("vicinity"); }
InterestRivalInfo make_brute_interest() { return info<Brute>("brute"); }
InterestRivalInfo make_boost_interest() { return info<Boost>("boost"); }

}  // namespace vicinity::bench
