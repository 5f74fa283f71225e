// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#include "bench/tick_measure.h"

#include <algorithm>
#include <cmath>

#include "base/check.h"
#include "bench/implementation.h"
#include "bench/progress.h"
#include "bench/scene.h"
#include "bench/statistics.h"
#include "tick/simulation.h"

namespace vicinity::bench {
namespace {

constexpr SessionId session = {1};
constexpr double tick_s = 1.0 / 32;
/// Whatever goes farther in a tick without leaving a box along its path has jumped; walkers go 5
/// cm.
constexpr double step_max_m = 1;

enum class Bodies { Boxes, Shapes };

Vec3 half_extent(const Aabb& box) { return (box.max - box.min) * 0.5; }

/// What fits into the box: persons are twice as high as wide, bullets are cubes.
Shape shape_inside(Vec3 half_m) {
  const double radius_m = std::min(half_m.x, half_m.z);
  if (half_m.y <= radius_m) return Shape::sphere(half_m.y);
  return Shape::capsule(radius_m, half_m.y - radius_m);
}

/// Commands that move the bodies of a world as a scene moves its boxes.
class Mover {
 public:
  Mover(const Scene& scene, Bodies bodies) : scene_(scene), bodies_(bodies) {}

  std::vector<Command> spawn_all() {
    const SceneState& state = scene_.state();
    add(OpenSessionCommand{Role::Authority, ContactScope::None});
    for (std::uint32_t slot = 0; slot < state.slot_count(); ++slot) {
      CHECK(state.alive[slot] != 0);
      half_m_.push_back(half_extent(state.boxes[slot]));
      position_.push_back(centre(state.boxes[slot]));
      SpawnCommand spawn;
      spawn.position = position_.back();
      spawn.shape =
          bodies_ == Bodies::Boxes ? Shape::box(half_m_.back()) : shape_inside(half_m_.back());
      spawn.filter = state.filters[slot];
      add(spawn);
    }
    return std::exchange(commands_, {});
  }
  /// What the first tick answered.
  void learn_ids(const SessionOutput& output) {
    for (const CommandResult& result : output.results) ids_.push_back(result.entity);
    CHECK(ids_.size() == half_m_.size());
  }

  std::vector<Command> move_all() {
    for (const std::uint32_t slot : scene_.state().moved) move(slot, scene_.state().boxes[slot]);
    return std::exchange(commands_, {});
  }

 private:
  void add(CommandBody body) { commands_.push_back({session, sequence_++, std::move(body)}); }

  void move(std::uint32_t slot, const Aabb& box) {
    const Vec3 before = position_[slot];
    const Vec3 slack = half_extent(box) - half_m_[slot];
    Vec3& now = position_[slot];
    now = centre(box);
    if (slack == Vec3{}) {
      if (length(now - before) > step_max_m) return add(TeleportCommand{{ids_[slot]}, now});
    } else {
      // A box along a path: it starts at one of its corners, and ends at the one across.
      const Vec3 start = {now.x + std::copysign(slack.x, before.x - now.x),
                          now.y + std::copysign(slack.y, before.y - now.y),
                          now.z + std::copysign(slack.z, before.z - now.z)};
      now = now * 2 - start;
      CHECK(start == before);
    }
    add(MoveToCommand{{ids_[slot]}, now});
  }

  const Scene& scene_;
  Bodies bodies_;
  std::vector<Vec3> half_m_;
  std::vector<Vec3> position_;
  std::vector<EntityId> ids_;
  std::vector<Command> commands_;
  std::uint64_t sequence_ = 0;
};

/// One world, once.
struct WorldRun {
  double p50_ms = 0;
  double begins = 0;
  double contacts = 0;
  std::vector<std::uint64_t> hashes;
  std::string wrong;
};

void note(const TickReport& report, bool is_measured, WorldRun& run) {
  run.hashes.push_back(report.hash);
  if (report.commands_refused > 0) run.wrong = "commands were refused";
  if (report.audit.misses > 0) run.wrong = "the audit missed contacts";
  if (!is_measured) return;
  run.begins += static_cast<double>(report.begins);
  run.contacts += static_cast<double>(report.contacts);
}

WorldRun run_world(const std::string& name, Bodies bodies, int threads,
                   const TickOptions& options) {
  const std::unique_ptr<Scene> scene = make_scene(name, options.count, options.seed);
  CHECK(scene != nullptr);
  Mover mover(*scene, bodies);
  SimulationSettings settings;
  settings.dt_s = tick_s;
  settings.worker_count = threads;
  settings.entity_count_max = scene->state().slot_count();
  settings.audit_rate = options.audit ? 1 : 0;
  Simulation simulation(settings);
  StageClock clock(threads);
  WorldRun run;
  {
    const TickOutput first = simulation.run_tick(mover.spawn_all());
    CHECK(first.sessions.size() == 1);
    mover.learn_ids(first.sessions.front());
    note(first.report, false, run);
  }
  std::vector<double> took_ms;
  for (std::uint32_t tick = 0; tick < options.warm_up_ticks + options.ticks; ++tick) {
    scene->step();
    const std::vector<Command> commands = mover.move_all();
    clock.begin_tick();
    const TickOutput output = simulation.run_tick(commands);
    clock.end_stage("tick");
    const bool is_measured = tick >= options.warm_up_ticks;
    if (is_measured) took_ms.push_back(clock.total_ms());
    note(output.report, is_measured, run);
  }
  run.p50_ms = median(took_ms);
  run.begins /= options.ticks;
  run.contacts /= options.ticks;
  return run;
}

/// All rounds of one kind of bodies, for all numbers of threads; the first run is the reference.
class Comparison {
 public:
  /// What is wrong with that run beside the first one; empty if nothing is.
  std::string check(const WorldRun& run) {
    if (!run.wrong.empty()) return run.wrong;
    if (hashes_.empty()) hashes_ = run.hashes;
    return run.hashes == hashes_ ? "" : "results differ from those of the first run";
  }

 private:
  std::vector<std::uint64_t> hashes_;
};

}  // namespace

const std::vector<std::string>& tick_scenes() {
  static const std::vector<std::string> names = {"crowd", "bullets"};
  return names;
}

std::vector<TickResult> measure_ticks(const std::string& scene, const TickOptions& options) {
  CHECK(options.ticks > 0 && options.rounds > 0);
  std::vector<TickResult> results;
  Comparison of_boxes, of_shapes;
  for (const int threads : options.threads) {
    TickResult& result = results.emplace_back();
    result.scene = scene;
    result.count = options.count;
    result.threads = threads;
    std::vector<double> boxes_ms, shapes_ms;
    const auto run_and_check = [&](Bodies bodies, Comparison& comparison) {
      WorldRun run = run_world(scene, bodies, threads, options);
      const std::string wrong = comparison.check(run);
      if (!wrong.empty()) result.mismatch = wrong;
      return run;
    };
    for (std::uint32_t round = 0; round < options.rounds; ++round) {
      progress("round " + std::to_string(round + 1));
      const WorldRun boxes = run_and_check(Bodies::Boxes, of_boxes);
      const WorldRun shapes = run_and_check(Bodies::Shapes, of_shapes);
      boxes_ms.push_back(boxes.p50_ms);
      shapes_ms.push_back(shapes.p50_ms);
      result.boxes_begins = boxes.begins;
      result.shapes_begins = shapes.begins;
      result.boxes_contacts = boxes.contacts;
      result.shapes_contacts = shapes.contacts;
      // What fits into the boxes cannot touch where they do not.
      if (shapes.contacts > boxes.contacts) result.mismatch = "shapes touch where boxes do not";
    }
    result.boxes_p50_ms = median(boxes_ms);
    result.shapes_p50_ms = median(shapes_ms);
  }
  return results;
}

}  // namespace vicinity::bench
