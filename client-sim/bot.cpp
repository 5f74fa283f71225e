// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#include "client-sim/bot.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "client-sim/garbage.h"
#include "query/query_types.h"

namespace vicinity::sim {
namespace {

constexpr ObserverId observer{1};
constexpr AreaId area{1};
constexpr std::uint64_t slow_reader_bytes_per_s = 4 * 1024;
/// A storm's connection lives this long, and stays away this long, microseconds.
constexpr double storm_life_us[] = {300e3, 1'500e3};
constexpr double storm_pause_us[] = {20e3, 300e3};
constexpr std::int64_t cut_pause_us = 200'000;
constexpr double evicted_pause_us[] = {500e3, 1'500e3};
constexpr double malformed_pause_us[] = {100e3, 600e3};
/// Garbage that the server waits behind is given up after this.
constexpr std::int64_t malformed_life_us = 3'000'000;
/// A stalled reader reads nothing for so long, then everything for a moment.
constexpr std::int64_t stall_us = 8'000'000;
constexpr std::int64_t stall_pause_us = 1'000'000;
constexpr int flood_commands_per_act = 256;
constexpr int flood_queries_per_act = 32;
constexpr double hugger_speed_m_per_s = 8;
constexpr double hugger_margin_m = 30;
/// Answers that never come must not pile up.
constexpr std::size_t pending_max = 4096;

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

bool needs_link(const BotSettings& settings) {
  return settings.conditions || settings.behaviour == Behaviour::SlowReader ||
         settings.behaviour == Behaviour::StalledReader ||
         settings.behaviour == Behaviour::Malformed;
}

std::int64_t between_us(Prng& prng, const double (&range)[2]) {
  return static_cast<std::int64_t>(prng.between(range[0], range[1]));
}

/// Takes the entry with this number out of an ascending list, and forgets all before it that were
/// never answered.
template <class Pending>
std::optional<Pending> take(std::deque<Pending>& list, std::uint64_t number) {
  const auto found =
      std::lower_bound(list.begin(), list.end(), number,
                       [](const Pending& entry, std::uint64_t n) { return entry.number < n; });
  if (found == list.end() || found->number != number) return std::nullopt;
  Pending out = std::move(*found);
  if (found == list.begin())
    list.pop_front();
  else
    list.erase(found);
  return out;
}

}  // namespace

Bot::Bot(boost::asio::io_context& io, const BotSettings& settings, const BotContext& context)
    : settings_(settings),
      context_(context),
      io_(io),
      prng_(Prng(settings.mover.seed ^ 0xB07).next() ^ Prng(settings.mover.bot).next()),
      query_prng_(Prng(settings.mover.seed ^ settings.mover.bot).next()),
      timer_(io) {}

client::Handlers Bot::handlers() {
  client::Handlers out;
  out.on_welcome = [this](const auto& welcome) { on_welcome(welcome); };
  out.on_frame = [this](const auto& frame) { on_frame(frame); };
  out.on_command = [this](const auto& outcome) { on_command(outcome); };
  out.on_query = [this](const auto& outcome) { on_query(outcome); };
  out.on_pong = [this](const auto& pong) {
    context_.clock.add_pong(local_time_us(), pong.round_trip_us, pong.server_time_us);
  };
  out.on_closed = [this](const Error& error) { on_closed(error); };
  return out;
}

// --- Connections -------------------------------------------------------------------------------

void Bot::connect() {
  if (needs_link(settings_)) {
    LinkSettings link{settings_.connect.host, settings_.connect.port, {}, 0, prng_.next()};
    if (settings_.conditions) link.conditions = *settings_.conditions;
    if (settings_.behaviour == Behaviour::SlowReader)
      link.read_bytes_per_s = slow_reader_bytes_per_s;
    if (settings_.behaviour == Behaviour::StalledReader) link.read_bytes_per_s = 256 * 1024;
    link_ = std::make_unique<Link>(io_, link);
  }
  open();
}

void Bot::open() {
  end_session();
  state_ = State::Joining;
  client::ConnectOptions options = settings_.connect;
  options.role = Role::Player;
  options.contacts = ContactScope::Own;
  options.client_name = "vicinity-bots " + std::to_string(number());
  if (link_) {
    options.host = "127.0.0.1";
    options.port = link_->port();
  }
  connect_us_ = local_time_us();
  has_first_view_ = false;
  if (settings_.behaviour == Behaviour::Malformed && prng_.chance(0.3)) misbehave();
  connection_ = std::make_unique<client::Connection>(io_, handlers());
  if (is_parked_)
    connect_to_resume(*connection_, options, resume_);
  else
    connection_->connect(options);
}

/// Counts what the last connection did and forgets it.
void Bot::end_session() {
  traffic_before_ = traffic();
  if (connection_) resume_.state = connection_->session();
  connection_.reset();
  commands_.clear();
  queries_.clear();
}

client::TrafficStats Bot::traffic() const {
  client::TrafficStats out = traffic_before_;
  if (!connection_) return out;
  const client::TrafficStats now = connection_->traffic();
  out.bytes_in += now.bytes_in;
  out.bytes_out += now.bytes_out;
  out.frames_in += now.frames_in;
  return out;
}

void Bot::close() {
  timer_.cancel();
  if (state_ == State::Away) {
    state_ = State::Closed;
    return;
  }
  if (!has_session()) return;
  state_ = State::Closing;
  connection_->close();
  if (link_) link_->go_on();
}

void Bot::come_back_after(std::int64_t pause_us) {
  state_ = State::Away;
  timer_.expires_after(std::chrono::microseconds(pause_us));
  timer_.async_wait([this](const boost::system::error_code& code) {
    if (code || state_ != State::Away) return;
    ++context_.totals.reconnects;
    open();
  });
}

void Bot::cut_after(std::int64_t life_us) {
  timer_.expires_after(std::chrono::microseconds(life_us));
  timer_.async_wait([this](const boost::system::error_code& code) {
    if (!code && (state_ == State::InWorld || state_ == State::Joining)) cut();
  });
}

/// Cuts its own connection. Not from within a callback of the connection.
void Bot::cut() {
  ++context_.totals.cuts;
  is_parked_ = !resume_.token.empty() && state_ == State::InWorld;
  if (!is_parked_) context_.check.end_bot(number());
  end_session();
  come_back_after(between_us(prng_, storm_pause_us));
}

void Bot::on_closed(const Error& error) {
  const State before = std::exchange(state_, State::Closed);
  if (before == State::Closing) return;
  if (error.code == ErrorCode::ResumeRefused && is_parked_) {
    is_parked_ = false;
    resume_ = {};
    context_.check.end_bot(number());
    return come_back_after(0);
  }
  const bool link_was_cut = link_ && link_->was_cut();
  is_parked_ = link_was_cut && !resume_.token.empty() && before == State::InWorld;
  if (!is_parked_) context_.check.end_bot(number());
  if (!is_parked_) resume_ = {};
  if (is_hostile()) {
    const bool is_malformed = settings_.behaviour == Behaviour::Malformed;
    if (!link_was_cut) {
      ++context_.totals.hostile_disconnects;
      if (error.code != ErrorCode::None)
        RunTotals::count(context_.totals.hostile_evictions, error.code);
    }
    ready();
    return come_back_after(between_us(prng_, is_malformed ? malformed_pause_us : evicted_pause_us));
  }
  if (link_was_cut) {
    ++context_.totals.cuts;
    return come_back_after(cut_pause_us);
  }
  context_.on_lost(number(), error);
}

/// The bot itself gives up: it counts as lost now, and its session ends quietly.
void Bot::lose(const Error& error) {
  context_.on_lost(number(), error);
  close();
}

void Bot::ready() {
  if (std::exchange(is_ready_, true)) return;
  context_.on_ready(number());
}

// --- Joining -----------------------------------------------------------------------------------

void Bot::on_welcome(const client::Welcome& welcome) {
  context_.totals.connect.add(local_time_us() - connect_us_);
  resume_.token = welcome.resume_token;
  if (settings_.behaviour == Behaviour::Malformed) {
    ready();
    misbehave();
    return;
  }
  if (settings_.behaviour == Behaviour::ReconnectStorm) cut_after(between_us(prng_, storm_life_us));
  settings_.mover.tick_rate_hz = std::max(1u, welcome.tick_rate_hz);
  if (!mover_) {
    mover_.emplace(settings_.mover);
    hugger_.emplace(mover_->position(), settings_.edge);
  }
  if (welcome.resumed && is_parked_) {
    is_parked_ = false;
    ++context_.totals.resumes;
    if (welcome.view_reset) context_.check.reset_view(number());
    state_ = State::InWorld;
    return;
  }
  if (std::exchange(is_parked_, false)) context_.check.end_bot(number());
  frame_tick_ = 0;
  resume_.tick = 0;
  join();
}

void Bot::join() {
  SpawnCommand spawn;
  const bool hugs = settings_.behaviour == Behaviour::BorderHugger;
  spawn.position = hugs ? hugger_->position() : mover_->position();
  spawn.shape = mover_->shape();
  spawn.rotation = mover_->rotation();
  spawn.user_data = user_data();
  AreaSpec spec = settings_.area;
  spec.anchor.spawned_by = connection_->next_sequence();
  spawn_sequence_ = connection_->send({spawn, AddAreaCommand{observer, area, spec}});
}

void Bot::on_command(const client::CommandOutcome& outcome) {
  const auto sent = take(commands_, outcome.sequence);
  if (outcome.error.code != ErrorCode::None) {
    RunTotals::count(is_hostile() ? context_.totals.hostile_errors : context_.totals.command_errors,
                     outcome.error.code);
    if (state_ == State::Joining && !is_hostile())
      lose({outcome.error.code, "the spawn was refused: " + outcome.error.text});
    return;
  }
  if (sent) {
    if (context_.totals.measuring && !is_hostile())
      context_.totals.command_echo.add(local_time_us() - sent->intended_us);
    if (sent->pose && settings_.is_checked)
      context_.check.add_move(number(), outcome.tick, sent->pose->position, sent->pose->rotation);
  }
  if (outcome.sequence == spawn_sequence_) entity_ = outcome.entity;
  // The area exists from this tick on; the frame of the same tick follows.
  if (outcome.sequence == spawn_sequence_ + 1 && state_ == State::Joining) on_joined(outcome.tick);
}

void Bot::on_joined(Tick tick) {
  state_ = State::InWorld;
  const bool hugs = settings_.behaviour == Behaviour::BorderHugger;
  const Vec3 position = hugs ? hugger_->position() : mover_->position();
  context_.places[number()] = position;
  if (settings_.is_checked) {
    context_.check.add_bot(number(), {entity_, observer, settings_.area, tick});
    context_.check.add_move(number(), tick, position, mover_->rotation());
    context_.on_entity(number(), entity_);
  }
  if (settings_.behaviour == Behaviour::StalledReader) stall();
  ready();
}

// --- In the world ------------------------------------------------------------------------------

void Bot::on_frame(const client::TickFrame& frame) {
  const std::int64_t received_us = context_.clock.to_server_us(local_time_us());
  count_frame(frame, received_us);
  if (settings_.is_checked) context_.check.add_frame(number(), frame, received_us);
  resume_.tick = frame.tick;
  if (state_ != State::InWorld) return;
  if (!frame.lost.empty() && !is_hostile())
    lose({ErrorCode::OutOfWorld, "the server removed its entity"});
  else if (acting_ && !settings_.is_paced)
    act(local_time_us());
}

void Bot::count_frame(const client::TickFrame& frame, std::int64_t received_us) {
  RunTotals& totals = context_.totals;
  const bool tells_views = frame.enters_waiting == 0 && !frame.events_only;
  if (state_ == State::InWorld && !has_first_view_ && tells_views) {
    has_first_view_ = true;
    totals.first_view.add(local_time_us() - connect_us_);
  }
  const Tick gap = frame_tick_ == 0 || frame.tick <= frame_tick_ ? 1 : frame.tick - frame_tick_;
  frame_tick_ = frame.tick;
  ++totals.frames;
  ++totals.health[std::min<std::size_t>(static_cast<std::size_t>(frame.health), 2)];
  ++totals.shedding[std::min<std::size_t>(static_cast<std::size_t>(frame.shedding), 3)];
  if (is_hostile()) return;
  totals.skipped_ticks += gap - 1;
  if (!totals.measuring) return;
  totals.update_age.add(received_us - static_cast<std::int64_t>(frame.server_time_us));
  const std::int64_t tick_us = 1'000'000 / settings_.mover.tick_rate_hz;
  for (const auto& begin : frame.contact_begins) {
    if (begin.event_seq == 0 || begin.begin_tick > frame.tick) continue;
    const auto ticks_ago = static_cast<std::int64_t>(frame.tick - begin.begin_tick);
    totals.contact_latency.add(received_us - static_cast<std::int64_t>(frame.server_time_us) +
                               ticks_ago * tick_us);
  }
}

void Bot::act_at(std::int64_t intended_us) {
  if (state_ == State::InWorld && acting_) act(intended_us);
}

void Bot::act(std::int64_t intended_us) {
  const std::vector<CommandBody> commands = next_commands();
  if (!commands.empty()) {
    const bool hugs = settings_.behaviour == Behaviour::BorderHugger;
    const Vec3 position = hugs ? hugger_->position() : mover_->position();
    context_.places[number()] = position;
    context_.totals.commands += commands.size();
    commands_.push_back(
        {connection_->send(commands), intended_us, Pose{position, mover_->rotation()}});
    if (commands_.size() > pending_max) commands_.pop_front();
  }
  ask(intended_us);
  if (settings_.behaviour == Behaviour::Flood) flood();
  ++acts_;
}

/// The first one says where to be.
std::vector<CommandBody> Bot::next_commands() {
  const Step step = mover_->advance();
  if (settings_.behaviour == Behaviour::BorderHugger) return hug();
  const EntityRef self{entity_, 0};
  switch (step.kind) {
    case StepKind::Stay: break;
    case StepKind::MoveTo: return {MoveToCommand{self, step.position, false, step.rotation}};
    case StepKind::Steer:
      return {MoveToCommand{self, step.position, false, step.rotation},
              SetVelocityCommand{self, step.velocity, step.angular_velocity}};
    case StepKind::Teleport: return {TeleportCommand{self, step.position, step.rotation}};
  }
  return {};
}

std::vector<CommandBody> Bot::hug() {
  const std::size_t host = (number() + 1) % context_.places.size();
  const double step_m = hugger_speed_m_per_s / settings_.mover.tick_rate_hz;
  const Ground ground = ground_of(settings_.mover.scenario, settings_.mover.bot_count);
  hugger_->advance(context_.places[host], step_m, ground, hugger_margin_m);
  return {MoveToCommand{{entity_, 0}, hugger_->position(), false, mover_->rotation()}};
}

void Bot::ask(std::int64_t intended_us) {
  if (settings_.query_interval_ms == 0) return;
  const std::uint64_t interval = std::max<std::uint64_t>(
      1, std::uint64_t{settings_.query_interval_ms} * settings_.mover.tick_rate_hz / 1000);
  // Bots take turns, so that the queries do not all come in the same tick.
  if ((acts_ + number()) % interval != 0) return;
  queries_.push_back(
      {connection_->query(make_query(query_prng_, mover_->position())), intended_us, {}});
  if (queries_.size() > pending_max) queries_.pop_front();
}

void Bot::on_query(const client::QueryOutcome& outcome) {
  const auto asked = take(queries_, outcome.request);
  if (outcome.error.code != ErrorCode::None) {
    RunTotals::count(is_hostile() ? context_.totals.hostile_errors : context_.totals.query_errors,
                     outcome.error.code);
    return;
  }
  if (is_hostile()) return;
  ++context_.totals.queries;
  if (asked && context_.totals.measuring)
    context_.totals.query_latency.add(local_time_us() - asked->intended_us);
}

void Bot::flood() {
  std::vector<CommandBody> commands;
  for (int i = 0; i < flood_commands_per_act; ++i)
    commands.push_back(SetUserDataCommand{{entity_, 0}, user_data()});  // as it is
  connection_->send(commands);
  for (int i = 0; i < flood_queries_per_act; ++i)
    connection_->query(make_query(query_prng_, mover_->position()));
}

/// Like a program that is stopped and goes on after a while, to learn what became of it.
void Bot::stall() {
  link_->stall();
  timer_.expires_after(std::chrono::microseconds(stall_us));
  timer_.async_wait([this](const boost::system::error_code& code) {
    if (code || state_ != State::InWorld) return;
    link_->go_on();
    timer_.expires_after(std::chrono::microseconds(stall_pause_us));
    timer_.async_wait([this](const boost::system::error_code& stopped) {
      if (!stopped && state_ == State::InWorld) stall();
    });
  });
}

/// Before the hello when there is no connection yet. A server that waits for the rest of a frame is
/// not waited for.
void Bot::misbehave() {
  Prng& prng = prng_;
  const auto kind = static_cast<Garbage>(prng.below(garbage_count));
  link_->inject(make_garbage(kind, prng));
  timer_.expires_after(std::chrono::microseconds(malformed_life_us));
  timer_.async_wait([this](const boost::system::error_code& code) {
    if (!code && has_session() && state_ != State::Away && state_ != State::Closing) link_->cut();
  });
}

}  // namespace vicinity::sim
