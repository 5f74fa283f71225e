// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#include "client-sim/swarm.h"

#include <fmt/format.h>

#include <algorithm>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/signal_set.hpp>
#include <boost/asio/steady_timer.hpp>
#include <chrono>
#include <csignal>
#include <map>
#include <memory>
#include <vector>

#include "base/thread_slice.h"
#include "client-sim/batched_run.h"
#include "client-sim/bot.h"
#include "client-sim/crew.h"
#include "client-sim/pacer.h"
#include "client-sim/population.h"
#include "client-sim/witness.h"

namespace vicinity::sim {
namespace {

namespace asio = boost::asio;
using boost::system::error_code;
using std::chrono::milliseconds;

constexpr milliseconds poll_interval{10};
constexpr milliseconds pace_interval{1};
/// Bots that may be on their way into the world at a time.
constexpr std::uint32_t joining_max = 64;
/// For the last views to be compared, and for the goodbyes.
constexpr std::int64_t drain_max_us = 5'000'000;
constexpr std::int64_t close_max_us = 2'000'000;
/// And for each of the other entities to be taken out of the world.
constexpr std::int64_t despawn_max_us = 100;
/// Without a tick for so long the server counts as stuck.
constexpr std::int64_t silence_max_us = 10'000'000;
/// Nor may it take so long until the next bot has joined or was refused.
constexpr std::int64_t join_pause_max_us = 10'000'000;
/// For the other entities to be made.
constexpr std::int64_t populate_max_us = 120'000'000;
constexpr std::uint32_t lost_bots_told_max = 5;  ///< one by one; a stopped server loses all of them
constexpr std::uint64_t unchecked_part_max = 20;  ///< one in so many, on a machine that is busy
/// Bots that steer by velocity overshoot the scenario's ground by a few ticks' way, and border
/// huggers leave it.
constexpr double ground_margin_m = 100;

double seconds(std::int64_t us) { return static_cast<double>(us) / 1e6; }
std::string sentence(const Error& error) {
  if (error.code == ErrorCode::None) return error.text;
  return fmt::format("{}: {}", to_string(error.code), error.text);
}

class Swarm {
 public:
  Swarm(const SwarmOptions& options, const std::function<void(const Progress&)>& on_progress);
  RunReport run();

 private:
  enum class Phase : std::uint8_t { Witness, Populating, Joining, Measuring, Draining, Closing };

  client::ConnectOptions connect_options(std::size_t number) const;
  void start();
  void await_signal();
  void enter(Phase phase);
  void after_poll(void (Swarm::*step)());

  void on_witness_ready();
  void on_witness_lost(const Error& error);
  void on_population_lost(const Error& error);
  void join();
  void connect_more();
  void on_bot_ready(std::uint32_t bot);
  void on_bot_lost(std::uint32_t bot, const Error& error);
  void settle_join(std::uint32_t bot);
  void measure();
  void pace();
  void drain();
  void await_checks();
  void close();
  void await_goodbyes();

  void every_second();
  void watch_ticks();
  void watch_joins();
  Progress progress() const;
  void fail(std::string why) { failures_.push_back(std::move(why)); }
  client::TrafficStats traffic() const;
  std::uint64_t entities() const {
    return witness_.sees_all() ? witness_.entity_count() : joined_count_ + options_.entities;
  }
  RunReport report();
  void add_failures(RunReport& out);

  SwarmOptions options_;
  Crew crew_;
  const std::function<void(const Progress&)>& on_progress_;
  asio::io_context io_{1};
  asio::signal_set signals_{io_, SIGINT, SIGTERM};
  asio::steady_timer phase_timer_{io_};
  asio::steady_timer second_timer_{io_};
  asio::steady_timer pace_timer_{io_};
  Phase phase_ = Phase::Witness;

  ClockMap clock_;
  TruthCheck check_;
  RunTotals totals_;
  std::vector<Vec3> places_;
  BotContext context_;
  Witness witness_;
  std::unique_ptr<Population> population_;
  std::vector<std::unique_ptr<Bot>> bots_;
  std::optional<Pacer> pacer_;

  std::uint32_t connect_count_ = 0;  ///< connects begun
  std::vector<bool> settled_;        ///< by bot: has joined, or will not
  std::uint32_t settled_count_ = 0;
  std::int64_t settled_us_ = 0;  ///< local clock: when one did last, or joining began
  std::uint32_t joined_count_ = 0;
  std::uint32_t lost_count_ = 0;
  Counts evictions_;
  std::vector<std::string> failures_;
  bool interrupted_ = false;

  // Microseconds of the local clock.
  std::int64_t started_us_ = 0;
  std::int64_t phase_since_us_ = 0;
  std::int64_t measured_us_ = 0;  ///< length of the measured part
  std::int64_t tick_seen_us_ = 0;
  Tick tick_seen_ = 0;
  Tick first_tick_ = 0;  ///< last tick before the measured part
  Tick last_tick_ = 0;   ///< last tick whose views are checked
  std::uint64_t ticks_measured_ = 0;
  std::uint64_t entity_count_ = 0;
  client::TrafficStats traffic_before_;
  client::TrafficStats traffic_measured_;
  std::uint64_t bytes_told_ = 0;  ///< at the last progress
  double kbit_per_s_ = 0;
};

Swarm::Swarm(const SwarmOptions& options, const std::function<void(const Progress&)>& on_progress)
    : options_(options),
      crew_(options),
      on_progress_(on_progress),
      check_(crew_.check_settings()),
      places_(options.bots),
      context_{clock_,
               check_,
               totals_,
               places_,
               [this](std::uint32_t bot, EntityId entity) {
                 witness_.follow(bot, entity, crew_.watch_radius_m(bot));
               },
               [this](std::uint32_t bot) { on_bot_ready(bot); },
               [this](std::uint32_t bot, const Error& error) { on_bot_lost(bot, error); }},
      witness_(
          io_, clock_, options.checks ? &check_ : nullptr, crew_.is_watched_in_parts(),
          [this](std::uint64_t user_data) { return crew_.shape_of(user_data); },
          {[this] { on_witness_ready(); }, [this](const Error& error) { on_witness_lost(error); }}),
      settled_(options.bots, false) {}

RunReport Swarm::run() {
  asio::post(io_, [this] { start(); });
  ask_for_short_slices();
  run_in_batches(io_);
  return report();
}

client::ConnectOptions Swarm::connect_options(std::size_t number) const {
  client::ConnectOptions connect;
  connect.host = options_.host;
  connect.port = options_.port;
  options_.access.apply(connect, number);
  return connect;
}

void Swarm::start() {
  started_us_ = phase_since_us_ = tick_seen_us_ = local_time_us();
  await_signal();
  witness_.connect(connect_options(0));
  every_second();
}

void Swarm::await_signal() {
  signals_.async_wait([this](const error_code& error, int) {
    if (error) return;
    if (interrupted_) {
      fail("ended by a second signal");
      check_.finish(last_tick_);
      io_.stop();
      return;
    }
    interrupted_ = true;
    await_signal();
    drain();
  });
}

void Swarm::enter(Phase phase) {
  phase_ = phase;
  phase_since_us_ = local_time_us();
  phase_timer_.cancel();
}

void Swarm::after_poll(void (Swarm::*step)()) {
  phase_timer_.expires_after(poll_interval);
  phase_timer_.async_wait([this, step](const error_code& error) {
    if (!error) (this->*step)();
  });
}

// --- Joining -----------------------------------------------------------------------------------

void Swarm::on_witness_ready() {
  if (phase_ != Phase::Witness) return;
  const Ground ground = crew_.ground();
  const double needed_m = std::max(ground.half_x_m, ground.half_z_m) + ground_margin_m;
  if (witness_.welcome().world_half_size_m < needed_m) {
    fail(
        fmt::format("{} bots and {} entities of scenario {} need a world with a half size of "
                    "{:.0f} m; the server's is {:.0f} m",
                    options_.bots, options_.entities, to_string(options_.scenario), needed_m,
                    witness_.welcome().world_half_size_m));
    drain();
    return;
  }
  if (options_.entities == 0) return join();
  enter(Phase::Populating);
  settled_us_ = phase_since_us_;
  population_ = std::make_unique<Population>(
      io_, PopulationSettings{options_.entities, options_.seed, ground}, totals_,
      Population::Events{[this] {
                           if (phase_ == Phase::Populating) join();
                         },
                         [this](const Error& error) { on_population_lost(error); }});
  population_->connect(connect_options(1));
}

void Swarm::join() {
  enter(Phase::Joining);
  settled_us_ = phase_since_us_;
  for (std::uint32_t bot = 0; bot < options_.bots; ++bot)
    bots_.push_back(std::make_unique<Bot>(io_, crew_.settings(bot), context_));
  if (options_.is_open_loop) {
    const std::uint32_t rate_hz = std::max(1u, witness_.welcome().tick_rate_hz);
    pacer_.emplace(options_.bots, 1'000'000 / rate_hz, local_time_us());
    pace();
  }
  connect_more();
}

/// The clock says who acts; frames do not.
void Swarm::pace() {
  pacer_->take_due(local_time_us(),
                   [this](const Pacer::Turn& turn) { bots_[turn.bot]->act_at(turn.intended_us); });
  if (phase_ >= Phase::Draining) return;
  pace_timer_.expires_after(pace_interval);
  pace_timer_.async_wait([this](const error_code& error) {
    if (!error) pace();
  });
}

void Swarm::on_population_lost(const Error& error) {
  if (phase_ >= Phase::Draining) return;
  fail("the session of the other entities was lost: " + sentence(error));
  drain();
}

void Swarm::on_witness_lost(const Error& error) {
  if (phase_ == Phase::Draining || phase_ == Phase::Closing) return;
  fail(fmt::format("no session with {}:{} for the witness: {}", options_.host, options_.port,
                   sentence(error)));
  drain();
}

/// At a steady rate, and only so many at a time: all at once would overrun the server's accept
/// queue, and on a busy machine they would wait longer than their own deadline.
void Swarm::connect_more() {
  if (phase_ != Phase::Joining) return;  // a timer that had fired before the phase ended
  const double due = 1 + seconds(local_time_us() - phase_since_us_) * options_.connects_per_s;
  while (connect_count_ < options_.bots && connect_count_ < due &&
         connect_count_ - settled_count_ < joining_max)
    bots_[connect_count_++]->connect();
  if (connect_count_ < options_.bots) after_poll(&Swarm::connect_more);
}

void Swarm::on_bot_ready(std::uint32_t bot) {
  ++joined_count_;
  settle_join(bot);
}

void Swarm::on_bot_lost(std::uint32_t bot, const Error& error) {
  check_.end_bot(bot);
  if (phase_ == Phase::Closing) return;
  ++lost_count_;
  if (error.code != ErrorCode::None) RunTotals::count(evictions_, error.code);
  if (lost_count_ <= lost_bots_told_max)
    fail(fmt::format("bot {} was lost: {}", bot, sentence(error)));
  settle_join(bot);
  if (lost_count_ + crew_.hostile_count() >= options_.bots) drain();
}

void Swarm::settle_join(std::uint32_t bot) {
  if (settled_[bot]) return;
  settled_[bot] = true;
  ++settled_count_;
  settled_us_ = local_time_us();
  if (phase_ == Phase::Joining && settled_count_ == options_.bots) measure();
}

// --- Measuring and ending ----------------------------------------------------------------------

void Swarm::measure() {
  enter(Phase::Measuring);
  totals_.measuring = true;
  first_tick_ = witness_.tick();
  traffic_before_ = traffic();
  phase_timer_.expires_after(milliseconds(options_.duration_ms));
  phase_timer_.async_wait([this](const error_code& error) {
    if (!error) drain();
  });
}

/// From here on nobody acts; the run waits until all views up to now have been compared.
void Swarm::drain() {
  if (phase_ == Phase::Draining || phase_ == Phase::Closing) return;
  last_tick_ = witness_.tick();
  entity_count_ = entities();
  if (phase_ == Phase::Measuring) {
    measured_us_ = local_time_us() - phase_since_us_;
    ticks_measured_ = last_tick_ - first_tick_;
    traffic_measured_ = traffic();
    traffic_measured_.bytes_in -= traffic_before_.bytes_in;
    traffic_measured_.bytes_out -= traffic_before_.bytes_out;
    traffic_measured_.frames_in -= traffic_before_.frames_in;
  }
  totals_.measuring = false;
  for (const auto& bot : bots_) bot->stop_acting();
  if (population_) population_->stop_acting();
  enter(Phase::Draining);
  after_poll(&Swarm::await_checks);
}

void Swarm::await_checks() {
  const bool late = local_time_us() - phase_since_us_ > drain_max_us;
  if (check_.unfinished_bots(last_tick_) > 0 && !late)
    after_poll(&Swarm::await_checks);
  else
    close();
}

void Swarm::close() {
  enter(Phase::Closing);
  check_.finish(last_tick_);
  for (const auto& bot : bots_) bot->close();
  if (population_) population_->close();
  witness_.close();
  after_poll(&Swarm::await_goodbyes);
}

void Swarm::await_goodbyes() {
  const bool open =
      (population_ && population_->has_session()) ||
      std::any_of(bots_.begin(), bots_.end(), [](const auto& bot) { return bot->has_session(); });
  const std::int64_t limit_us = close_max_us + std::int64_t{options_.entities} * despawn_max_us;
  if (open && local_time_us() - phase_since_us_ <= limit_us)
    after_poll(&Swarm::await_goodbyes);
  else
    io_.stop();
}

// --- Watching ----------------------------------------------------------------------------------

void Swarm::every_second() {
  second_timer_.expires_after(std::chrono::seconds(1));
  second_timer_.async_wait([this](const error_code& error) {
    if (error) return;
    const std::uint64_t bytes = traffic().bytes_in;
    kbit_per_s_ = static_cast<double>(bytes - bytes_told_) * 8 / 1000;
    bytes_told_ = bytes;
    watch_ticks();
    watch_joins();
    if (on_progress_) on_progress_(progress());
    every_second();
  });
}

void Swarm::watch_ticks() {
  const std::int64_t now_us = local_time_us();
  if (witness_.tick() != tick_seen_) {
    tick_seen_ = witness_.tick();
    tick_seen_us_ = now_us;
  } else if (now_us - tick_seen_us_ > silence_max_us && phase_ < Phase::Draining) {
    fail(fmt::format("the server has not ticked for {:.0f} s", seconds(silence_max_us)));
    drain();
  }
}

/// An answer that never comes must not hold up the run for ever.
void Swarm::watch_joins() {
  const std::int64_t now_us = local_time_us();
  if (phase_ == Phase::Populating && now_us - phase_since_us_ > populate_max_us) {
    fail(fmt::format("the other entities were not in the world within {:.0f} s",
                     seconds(populate_max_us)));
    return drain();
  }
  if (phase_ != Phase::Joining || now_us - settled_us_ <= join_pause_max_us) return;
  fail(fmt::format("no bot has joined for {:.0f} s; {} of {} are in the world",
                   seconds(join_pause_max_us), joined_count_, options_.bots));
  drain();
}

Progress Swarm::progress() const {
  static constexpr const char* names[] = {"connecting", "populating", "joining",
                                          "running",    "checking",   "leaving"};
  Progress out;
  out.phase = names[static_cast<std::size_t>(phase_)];
  out.elapsed_s = seconds(local_time_us() - started_us_);
  out.bots = options_.bots;
  out.bots_joined = joined_count_;
  out.bots_lost = lost_count_;
  out.tick = witness_.tick();
  out.entities = entities();
  for (const Counts* counts : {&evictions_, &totals_.hostile_evictions})
    for (const auto& [name, count] : *counts) out.evictions += count;
  out.kbit_per_s = kbit_per_s_;
  out.check = check_.stats();
  if (const auto age_us = totals_.update_age.percentile_us(0.99))
    out.update_age_p99_ms = static_cast<double>(*age_us) / 1000;
  return out;
}

client::TrafficStats Swarm::traffic() const {
  client::TrafficStats sum;
  for (const auto& bot : bots_) {
    const client::TrafficStats one = bot->traffic();
    sum.bytes_in += one.bytes_in;
    sum.bytes_out += one.bytes_out;
    sum.frames_in += one.frames_in;
  }
  return sum;
}

RunReport Swarm::report() {
  RunReport out;
  out.scenario = to_string(options_.scenario);
  out.behaviours = crew_.describe();
  if (options_.conditions) out.network = to_string(*options_.conditions);
  out.schedule = options_.is_open_loop ? "open" : "closed";
  out.bots = options_.bots;
  out.seed = options_.seed;
  out.server_version = witness_.welcome().server_version;
  out.tick_rate_hz = witness_.welcome().tick_rate_hz;
  out.duration_s = seconds(measured_us_);
  out.interrupted = interrupted_;
  out.ticks = ticks_measured_;
  out.entities = entity_count_;
  out.check = check_.stats();
  out.totals = totals_;
  out.enter_latency = check_.enter_latency();
  out.leave_latency = check_.leave_latency();
  out.ring_age = check_.update_age();
  out.bytes_in = traffic_measured_.bytes_in;
  out.bytes_out = traffic_measured_.bytes_out;
  out.frames_in = traffic_measured_.frames_in;
  out.disconnects = lost_count_;
  out.evictions = evictions_;
  out.wrong_examples = check_.examples();
  add_failures(out);
  return out;
}

void Swarm::add_failures(RunReport& out) {
  if (lost_count_ > lost_bots_told_max)
    fail(fmt::format("{} more bots were lost", lost_count_ - lost_bots_told_max));
  if (witness_.violation_count() > 0)
    fail(fmt::format("the witness's stream broke its rules {} times", witness_.violation_count()));
  if (out.check.unchecked_views > out.check.checked_views / unchecked_part_max)
    fail(
        fmt::format("{} views could not be compared with the truth: sessions were lost, or the "
                    "machine is too busy for so many bots",
                    out.check.unchecked_views));
  out.failures = failures_;
}

}  // namespace

RunReport run_swarm(const SwarmOptions& options,
                    const std::function<void(const Progress&)>& on_progress) {
  return Swarm(options, on_progress).run();
}

}  // namespace vicinity::sim
