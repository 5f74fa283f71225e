// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#include "client-sim/population.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/check.h"

namespace vicinity::sim {
namespace {

constexpr std::uint32_t spawns_per_frame = 500;
constexpr std::uint32_t despawns_per_frame = 2'000;
constexpr std::uint32_t starts_per_frame = 1'000;
constexpr std::uint32_t spawns_waiting_max = 2'000;
constexpr double speed_min_m_per_s = 0.8;
constexpr double speed_max_m_per_s = 3;
constexpr double leg_min_s = 3;
constexpr double leg_max_s = 20;
constexpr std::size_t wheel_ticks = 4096;

}  // namespace

Walkers::Walkers(const PopulationSettings& settings, std::uint32_t tick_rate_hz)
    : ground_(settings.ground),
      tick_rate_hz_(tick_rate_hz),
      prng_(settings.seed ^ 0x3A1D'0000'0000'0001ull),
      walkers_(settings.entities),
      due_(wheel_ticks) {
  CHECK(tick_rate_hz > 0);
  for (std::uint32_t i = 0; i < settings.entities; ++i) {
    walkers_[i].position = {prng_.between(-ground_.half_x_m, ground_.half_x_m), 0,
                            prng_.between(-ground_.half_z_m, ground_.half_z_m)};
    begin_leg(i);
  }
}

Shape Walkers::shape(std::uint32_t walker) const {
  const double radius_m = 0.3 + 0.05 * (walker % 5);
  if (walker % 4 == 0) return Shape::sphere(radius_m, {0, radius_m, 0});
  return Shape::capsule(radius_m, 0.5, {0, radius_m + 0.5, 0});
}

/// Towards a place on the ground, for a time; never beyond it, so nobody leaves the ground.
void Walkers::begin_leg(std::uint32_t index) {
  Walker& walker = walkers_[index];
  const Vec3 target{prng_.between(-ground_.half_x_m, ground_.half_x_m), 0,
                    prng_.between(-ground_.half_z_m, ground_.half_z_m)};
  const Vec3 way = target - walker.position;
  const double way_m = std::max(1e-3, length(way));
  const double speed = prng_.between(speed_min_m_per_s, speed_max_m_per_s);
  const double leg_s = std::min(prng_.between(leg_min_s, leg_max_s), way_m / speed);
  const auto ticks = static_cast<std::uint64_t>(leg_s * tick_rate_hz_);
  walker.velocity = way * (speed / way_m);
  walker.leg_ticks = std::clamp<std::uint64_t>(ticks, 1, wheel_ticks - 1);
  due_[(tick_ + walker.leg_ticks) % wheel_ticks].push_back(index);
}

const std::vector<Walkers::Turn>& Walkers::advance() {
  ++tick_;
  turns_.clear();
  std::vector<std::uint32_t> due = std::move(due_[tick_ % wheel_ticks]);
  due_[tick_ % wheel_ticks].clear();
  std::sort(due.begin(), due.end());
  for (const std::uint32_t index : due) {
    Walker& walker = walkers_[index];
    const double leg_s = static_cast<double>(walker.leg_ticks) / tick_rate_hz_;
    walker.position = walker.position + walker.velocity * leg_s;
    begin_leg(index);
    turns_.push_back({index, walker.velocity});
  }
  return turns_;
}

Population::Population(boost::asio::io_context& io, const PopulationSettings& settings,
                       RunTotals& totals, Events events)
    : settings_(settings),
      totals_(totals),
      events_(std::move(events)),
      connection_(io, handlers()) {}

client::Handlers Population::handlers() {
  client::Handlers out;
  out.on_welcome = [this](const auto& welcome) { on_welcome(welcome); };
  out.on_frame = [this](const auto&) { on_frame(); };
  out.on_command = [this](const auto& outcome) { on_command(outcome); };
  out.on_closed = [this](const Error& error) { events_.on_lost(error); };
  return out;
}

void Population::connect(client::ConnectOptions options) {
  options.role = Role::Authority;
  options.contacts = ContactScope::None;
  options.client_name = "vicinity-bots world";
  connection_.connect(options);
}

void Population::on_welcome(const client::Welcome& welcome) {
  walkers_.emplace(settings_, std::max(1u, welcome.tick_rate_hz));
  entities_.resize(settings_.entities);
  spawn_more();
}

/// They stand until all are there.
void Population::spawn_more() {
  const Walkers& walkers = *walkers_;
  while (spawns_sent_ < walkers.count() && spawns_sent_ - spawns_answered_ < spawns_waiting_max) {
    std::vector<CommandBody> commands;
    const std::uint32_t end = std::min(walkers.count(), spawns_sent_ + spawns_per_frame);
    for (; spawns_sent_ < end; ++spawns_sent_) {
      SpawnCommand spawn;
      spawn.position = walkers.position(spawns_sent_);
      spawn.shape = walkers.shape(spawns_sent_);
      commands.push_back(spawn);
    }
    connection_.send(commands);
  }
}

void Population::on_command(const client::CommandOutcome& outcome) {
  if (outcome.error.code != ErrorCode::None)
    RunTotals::count(totals_.command_errors, outcome.error.code);
  if (outcome.sequence > settings_.entities) return;
  if (outcome.error.code != ErrorCode::None)
    return events_.on_lost({outcome.error.code, "an entity was refused: " + outcome.error.text});
  entities_[outcome.sequence - 1] = outcome.entity;
  ++spawns_answered_;
  if (closing_) return;
  spawn_more();
  if (spawns_answered_ == settings_.entities) events_.on_ready();
}

void Population::close() {
  closing_ = true;
  if (!connection_.is_open()) connection_.close();
}

void Population::despawn_more() {
  std::vector<CommandBody> commands;
  const std::uint32_t end = std::min(spawns_answered_, despawned_ + despawns_per_frame);
  for (; despawned_ < end; ++despawned_)
    commands.push_back(DespawnCommand{{entities_[despawned_], 0}});
  if (!commands.empty())
    connection_.send(commands);
  else
    connection_.close();
}

void Population::on_frame() {
  if (closing_) return despawn_more();
  if (!walkers_ || spawns_answered_ < settings_.entities || !acting_) return;
  std::vector<CommandBody> commands;
  const auto set_velocity = [&](std::uint32_t walker, Vec3 velocity) {
    commands.push_back(SetVelocityCommand{{entities_[walker], 0}, velocity});
  };
  // Who starts first is a few metres ahead of its path for good; the ground has room for that.
  const std::uint32_t end = std::min(settings_.entities, started_ + starts_per_frame);
  if (started_ < end) {
    for (; started_ < end; ++started_) set_velocity(started_, walkers_->velocity(started_));
  } else {
    for (const Walkers::Turn& turn : walkers_->advance()) set_velocity(turn.walker, turn.velocity);
  }
  if (commands.empty()) return;
  totals_.commands += commands.size();
  connection_.send(commands);
}

}  // namespace vicinity::sim
