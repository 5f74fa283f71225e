// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#include "client-sim/bot.h"

#include <algorithm>
#include <array>
#include <string>
#include <utility>
#include <vector>

#include "query/query_types.h"
#include "world/command.h"

namespace vicinity::sim {
namespace {

constexpr ObserverId observer{1};
constexpr AreaId area{1};

/// What a game asks around a player: who is in reach, what is in front, who is nearest.
Query make_query(Prng& prng, Vec3 position) {
  Query query;
  switch (prng.below(4)) {
    case 0: query.body = SphereQuery{position, prng.between(1, 30)}; break;
    case 1: {
      const Vec3 half{prng.between(1, 20), prng.between(1, 5), prng.between(1, 20)};
      query.body = BoxQuery{{position - half, position + half}};
      break;
    }
    case 2: {
      const Vec3 delta{prng.between(1, 30), prng.between(-2, 2), prng.between(-30, 30)};
      query.body = CastQuery{{position, position}, delta, 1};
      break;
    }
    default: {
      const auto k = static_cast<std::uint32_t>(1 + prng.below(16));
      query.body = NearestQuery{position, k, -1};
    }
  }
  return query;
}

}  // namespace

Bot::Bot(boost::asio::io_context& io, const BotSettings& settings, const BotContext& context)
    : settings_(settings),
      context_(context),
      query_prng_(Prng(settings.mover.seed ^ settings.mover.bot).next()),
      connection_(io, {.on_welcome = [this](const auto& welcome) { on_welcome(welcome); },
                       .on_frame = [this](const auto& frame) { on_frame(frame); },
                       .on_command = [this](const auto& outcome) { on_command(outcome); },
                       .on_step = {},
                       .on_query = [this](const auto& outcome) { on_query(outcome); },
                       .on_pong =
                           [this](const auto& pong) {
                             context_.clock.add_pong(local_time_us(), pong.round_trip_us,
                                                     pong.server_time_us);
                           },
                       .on_closed = [this](const Error& error) { on_closed(error); }}) {}

void Bot::connect() {
  state_ = State::Joining;
  client::ConnectOptions options = settings_.connect;
  options.role = Role::Player;
  options.contacts = ContactScope::Own;
  options.client_name = "vicinity-bots " + std::to_string(number());
  connection_.connect(options);
}

void Bot::close() {
  if (!has_session()) return;
  state_ = State::Closing;
  connection_.close();
}

void Bot::on_welcome(const client::Welcome& welcome) {
  settings_.mover.tick_rate_hz = std::max(1u, welcome.tick_rate_hz);
  mover_.emplace(settings_.mover);

  SpawnCommand spawn;
  spawn.position = mover_->position();
  spawn.shape = mover_->shape();
  spawn.rotation = mover_->rotation();
  spawn.user_data = number() + 1ull;
  AreaSpec spec;
  spec.anchor.spawned_by = connection_.next_sequence();
  spec.enter_radius_m = settings_.enter_radius_m;
  spec.leave_radius_m = settings_.leave_radius_m;
  spawn_sequence_ = connection_.send({spawn, AddAreaCommand{observer, area, spec}});
}

void Bot::on_command(const client::CommandOutcome& outcome) {
  const auto move = moves_.extract(outcome.sequence);
  if (outcome.error.code != ErrorCode::None) {
    RunTotals::count(context_.totals.command_errors, outcome.error.code);
    if (state_ == State::Joining)
      lose({outcome.error.code, "the spawn was refused: " + outcome.error.text});
    return;
  }
  if (!move.empty()) {
    const Pose& pose = move.mapped();
    context_.check.add_move(number(), outcome.tick, pose.position, pose.rotation);
  }
  if (outcome.sequence == spawn_sequence_) entity_ = outcome.entity;
  if (outcome.sequence != spawn_sequence_ + 1 || state_ != State::Joining) return;
  // The area exists from this tick on; the frame of the same tick follows.
  state_ = State::InWorld;
  first_tick_ = outcome.tick;
  context_.check.add_bot(number(), {entity_, observer, settings_.enter_radius_m,
                                    settings_.leave_radius_m, first_tick_});
  context_.check.add_move(number(), first_tick_, mover_->position(), mover_->rotation());
  context_.on_ready(number());
}

void Bot::on_frame(const client::TickFrame& frame) {
  const std::int64_t received_us = context_.clock.to_server_us(local_time_us());
  if (context_.totals.measuring)
    context_.totals.update_age.add(received_us - static_cast<std::int64_t>(frame.server_time_us));
  context_.check.add_frame(number(), frame, received_us);
  if (state_ != State::InWorld) return;
  if (!frame.lost.empty())
    lose({ErrorCode::OutOfWorld, "the server removed its entity"});
  else if (acting_)
    act(frame.tick);
}

void Bot::act(Tick tick) {
  const Step step = mover_->advance();
  const EntityRef self{entity_, 0};
  std::vector<CommandBody> commands;  // the first one says where to be
  switch (step.kind) {
    case StepKind::Stay: break;
    case StepKind::MoveTo:
      commands = {MoveToCommand{self, step.position, false, step.rotation}};
      break;
    case StepKind::Steer:
      commands = {MoveToCommand{self, step.position, false, step.rotation},
                  SetVelocityCommand{self, step.velocity, step.angular_velocity}};
      break;
    case StepKind::Teleport:
      commands = {TeleportCommand{self, step.position, step.rotation}};
      break;
  }
  if (!commands.empty()) moves_[connection_.send(commands)] = {step.position, mover_->rotation()};
  ask(tick);
}

void Bot::ask(Tick tick) {
  if (settings_.query_interval_ms == 0) return;
  const std::uint64_t interval = std::max<std::uint64_t>(
      1, std::uint64_t{settings_.query_interval_ms} * settings_.mover.tick_rate_hz / 1000);
  // Bots take turns, so that the queries do not all come in the same tick.
  if ((tick - first_tick_ + number()) % interval != 0) return;
  const std::uint64_t request = connection_.query(make_query(query_prng_, mover_->position()));
  asked_at_us_[request] = local_time_us();
}

void Bot::on_query(const client::QueryOutcome& outcome) {
  const auto asked = asked_at_us_.extract(outcome.request);
  if (outcome.error.code != ErrorCode::None) {
    RunTotals::count(context_.totals.query_errors, outcome.error.code);
    return;
  }
  ++context_.totals.queries;
  if (!asked.empty() && context_.totals.measuring)
    context_.totals.query_latency.add(local_time_us() - asked.mapped());
}

void Bot::on_closed(const Error& error) {
  const State before = std::exchange(state_, State::Closed);
  if (before != State::Closing) context_.on_lost(number(), error);
}

/// The bot itself gives up: it counts as lost now, and its session ends quietly.
void Bot::lose(const Error& error) {
  context_.on_lost(number(), error);
  close();
}

}  // namespace vicinity::sim
