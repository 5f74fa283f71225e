// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors

#include "cases/live_case.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "cases/live_settings.h"
#include "cases/live_words.h"
#include "cases/live_world.h"
#include "cases/values.h"
#include "client/encode.h"

namespace vicinity::cases {

namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr int attempts = 3;
constexpr double everything_m = 1e6;
/// For what must come true when a case states no time.
constexpr auto patience = seconds(20);
constexpr auto patience_with_many = seconds(180);
/// After it came true: for what must not come on top of it.
constexpr auto aftermath = milliseconds(300);
constexpr int small_buffer_bytes = 4096;
constexpr double bytes_per_move = 8;

struct Dribbler {
  test::RawSocket socket;
  Clock::time_point opened;
  Clock::time_point next;
  std::size_t sent = 0;
};

struct Later {
  Measure measure;
  Json value;
};

class LiveRun {
 public:
  LiveRun(const Case& script, IndexKind kind, const std::string& server_path)
      : settings_(live_settings(script, kind)),
        clock_(has_operation(script, "wall_clock_jump_s") ? std::make_unique<WallClock>()
                                                          : nullptr),
        world_(settings_.arguments, clock_ ? clock_->variables() : test::Variables{}, server_path) {
    world_.on_pump([this] { dribble_on(); });
  }

  void run_step(const Step& step, CaseOutcome& outcome) {
    for (const auto& [name, one] : world_.clients()) one->forget_counts();
    for (const Operation& operation : step.operations) run(operation);
    settle();
    for (const Expectation& expectation : step.expectations) check(expectation, outcome);
  }

  /// Ends the server, and looks at what only its last words say.
  void finish(CaseOutcome& outcome) {
    if (std::string fault = world_.server().stop(); !fault.empty())
      outcome.differences.push_back(fault);
    for (const Later& later : later_) {
      const bool of_one = later.measure == Measure::QueuedBytesOfOne;
      compare(last_words(of_one ? " outbox_peak_bytes=" : " outboxes_peak_bytes="), later.value,
              outcome);
    }
  }

 private:
  Clock::duration scaled(double time_s) const {
    return std::chrono::duration_cast<Clock::duration>(
        std::chrono::duration<double>(time_s / settings_.speed));
  }

  // --- Operations ------------------------------------------------------------------------------

  void run(const Operation& operation) {
    const Json& fields = operation.fields;
    const std::string name = fields.value("client", "");
    if (operation.name == "connect") connect(fields);
    if (operation.name == "connect_many") connect_many(fields);
    if (operation.name == "cut") cut(name);
    if (operation.name == "kick") kick(name);
    if (operation.name == "stall_read") stall(name);
    if (operation.name == "wait_ms") world_.wait(scaled(number(fields["ms"]) / 1000));
    if (operation.name == "run_for_s") run_for(scaled(number(fields["s"])));
    if (operation.name == "spawn_many") spawn_many(fields);
    if (operation.name == "despawn") world_.despawn(fields["id"].get<std::string>());
    if (operation.name == "wall_clock_jump_s") jump(fields["s"].get<std::int64_t>());
  }

  void connect(const Json& fields) {
    const std::string name = fields["client"].get<std::string>();
    const std::string account = fields.value("account", "");
    const LinkOptions link = fields.contains("link") ? *parse_link(fields["link"]) : LinkOptions{};
    client::ConnectOptions options;
    options.client_name = name;
    options.subject = account;
    options.role = account.empty() ? Role::Observer : Role::Player;
    // What sees a million may have as much per tick as it takes.
    if (fields.contains("sees") && !fields.contains("link")) options.role = Role::Authority;
    if (fields.contains("update_bytes_per_tick"))
      spawn_moving(number(fields["update_bytes_per_tick"]) / bytes_per_move);
    LiveClient& client = world_.add_client(name, link);
    client.send_hello(options);
    std::vector<CommandBody> commands = {area_of(fields)};
    if (!account.empty()) {
      account_of_[name] = account;
      SpawnCommand avatar;
      avatar.shape = Shape::sphere(0.5);
      avatar.filter.mask = 0;
      avatar.user_data = world_.number_of(account);
      commands.emplace_back(avatar);
    }
    client.send(commands);
  }

  static AddAreaCommand area_of(const Json& fields) {
    AddAreaCommand area{ObserverId{1}, AreaId{1}, {}};
    area.spec.enter_radius_m = area.spec.leave_radius_m = everything_m;
    if (fields.contains("observer")) {
      const Json& observer = fields["observer"];
      area.spec.centre = vector3(observer["at"]);
      area.spec.enter_radius_m = number(observer["r_in"]);
      area.spec.leave_radius_m = number(observer["r_out"]);
    }
    return area;
  }

  void connect_many(const Json& fields) {
    const std::string prefix = fields["prefix"].get<std::string>();
    const auto count = fields["count"].get<int>();
    memory_before_ = world_.memory_bytes();
    if (fields["behaviour"] == dribble) {
      for (int i = 0; i < count; ++i)
        dribblers_.push_back(
            {test::RawSocket::connected(world_.server().port()), Clock::now(), Clock::now()});
      world_.wait(milliseconds(200));
      const std::size_t now = world_.memory_bytes();
      memory_per_socket_ = static_cast<double>(now - std::min(now, memory_before_)) / count;
      return;
    }
    for (int i = 0; i < count; ++i) {
      const std::string name = prefix + std::to_string(i);
      client::ConnectOptions options;
      options.client_name = name;
      if (fields["behaviour"] == wrong_token) options.resume_token = std::string(32, '7');
      LiveClient& client = world_.add_client(name, fields["behaviour"] == never_reads
                                                       ? LinkOptions{small_buffer_bytes}
                                                       : LinkOptions{});
      client.send_hello(options);
      if (fields["behaviour"] == never_reads) {
        client.send(area_of(fields));
        stall(name);
      } else {
        expect_soon([&] { return client.closed(); }, name + " is not refused");
      }
    }
  }

  void dribble_on() {
    if (hello_.empty()) client::encode_hello({}, hello_);
    const auto now = Clock::now();
    for (Dribbler& each : dribblers_) {
      if (now < each.next || each.sent + 1 >= hello_.size() || each.socket.ended()) continue;
      each.next = now + scaled(5);
      (void)each.socket.read_frame(milliseconds(0));
      (void)each.socket.write(std::span(hello_).subspan(each.sent++, 1));
    }
  }

  void cut(const std::string& name) {
    settle();
    gone_.insert(name);
    world_.client(name).fall_silent();
  }

  /// The server ends the session of who breaks the rules.
  void kick(const std::string& name) {
    settle();
    LiveClient& client = world_.client(name);
    gone_.insert(name);
    client.send_bytes(test::Bytes{1, 0, 0, 0, 77});
    expect_soon([&] { return client.closed(); }, name + " is not kicked");
  }

  void stall(const std::string& name) {
    LiveClient& client = world_.client(name);
    expect_soon([&] { return client.welcomed(); }, name + " is not served");
    gone_.insert(name);
    client.stop_reading();
  }

  void run_for(Clock::duration time) {
    const std::size_t memory = world_.memory_bytes();
    const client::PongMessage before = world_.ask_time();
    world_.wait(time);
    const client::PongMessage after = world_.ask_time();
    ticks_ = static_cast<double>(after.tick - before.tick);
    time_s_ = static_cast<double>(after.server_time_us - before.server_time_us) * 1e-6;
    const std::size_t now = world_.memory_bytes();
    memory_growth_ = static_cast<double>(now - std::min(now, memory));
  }

  void spawn_many(const Json& fields) {
    const Aabb first = corners(fields);
    const Vec3 step = vector3(fields["step"]);
    std::vector<std::pair<std::string, SpawnCommand>> named;
    for (std::int64_t i = 0; i < fields["count"].get<std::int64_t>(); ++i) {
      const Vec3 shift = step * static_cast<double>(i);
      const Placement placed = place_box({first.min + shift, first.max + shift});
      SpawnCommand spawn;
      spawn.position = placed.position;
      spawn.shape = placed.shape;
      named.emplace_back(fields["prefix"].get<std::string>() + std::to_string(i), spawn);
    }
    world_.spawn(named);
    many_ = many_ || named.size() > 100'000;
  }

  void spawn_moving(double count) {
    std::vector<std::pair<std::string, SpawnCommand>> named;
    for (int i = 0; i < static_cast<int>(count); ++i) {
      SpawnCommand spawn;
      spawn.position = {i * 3.0, 0, 0};
      spawn.velocity = {0, 0.1 + i * 1e-4, 0};
      spawn.shape = Shape::sphere(1);
      named.emplace_back("moving" + std::to_string(i), spawn);
    }
    world_.spawn(named);
  }

  /// The log has the time of day: whether the server sees the jump at all.
  void jump(std::int64_t s) {
    settle();
    clock_->jump(s);
    const std::size_t begin = world_.server().standard_error().size();
    LiveClient& stranger = world_.add_client("stranger " + std::to_string(clock_->offset_s()), {});
    client::ConnectOptions options;
    stranger.send_hello(options);
    std::string line;
    expect_soon(
        [&] {
          const std::string log = world_.server().standard_error();
          const auto at = log.find("session open", begin);
          if (at == std::string::npos) return false;
          const auto start = log.rfind('\n', at);
          line = log.substr(start == std::string::npos ? 0 : start + 1, 19);
          return true;
        },
        "the server logs nothing");
    tm parts{};
    if (strptime(line.c_str(), "%Y-%m-%dT%H:%M:%S", &parts) == nullptr)
      throw ScriptError("no time in the log: " + line);
    const double off = std::difftime(timegm(&parts), std::time(nullptr) + clock_->offset_s());
    if (std::abs(off) > 600) throw ScriptError("the clock of the server did not jump");
  }

  void expect_soon(const std::function<bool()>& condition, const std::string& otherwise) {
    if (!world_.wait_until(patience, condition)) throw ScriptError(otherwise);
  }

  /// Everybody who said hello was answered.
  void settle() {
    expect_soon(
        [&] {
          return std::all_of(world_.clients().begin(), world_.clients().end(), [](const auto& at) {
            return at.second->welcomed() || at.second->closed();
          });
        },
        "a hello is not answered");
  }

  // --- Expectations ----------------------------------------------------------------------------

  void check(const Expectation& expectation, CaseOutcome& outcome) {
    const Json& value = expectation.value;
    if (expectation.kind == "note") return;
    if (expectation.kind == "assert") return check_measure(value, outcome);
    LiveClient& client = world_.client(value["client"].get<std::string>());
    if (expectation.kind == "deliver") {
      const auto count = value["count"].get<std::uint64_t>();
      (void)world_.wait_until(patience, [&] { return client.enters() >= count; });
      world_.wait(aftermath);
      if (client.enters() != count || client.view_errors() != 0)
        outcome.differences.push_back("deliver: expected " + value.dump() + ", got " +
                                      std::to_string(client.enters()) + " enters and " +
                                      std::to_string(client.view_errors()) + " wrong ones");
      return;
    }
    const ErrorCode code = *close_code_of(value["reason"].get<std::string>());
    (void)world_.wait_until(milliseconds(value["within_ms"].get<int>()),
                            [&] { return client.closed(); });
    if (!client.closed() || client.close_code() != code)
      outcome.differences.push_back("closed: expected " + value.dump() + ", got " +
                                    (client.closed() ? error_name(client.close_code()) : "open"));
  }

  void check_measure(const Json& value, CaseOutcome& outcome) {
    const MeasureOf what = *parse_measure(value["metric"].get<std::string>());
    if (what.measure == Measure::QueuedBytes || what.measure == Measure::QueuedBytesOfOne) {
      later_.push_back({what.measure, value});
      return;
    }
    if (what.measure == Measure::KnownIds) {
      // From the moment that it connected.
      const LiveClient& client = world_.client(what.names[0]);
      const auto limit =
          value.contains("within_ms")
              ? milliseconds(value["within_ms"].get<int>()) - (Clock::now() - client.connected_at())
              : Clock::duration(many_ ? patience_with_many : patience);
      (void)world_.wait_until(limit, [&] { return met(measure(what), value); });
    } else if (what.measure == Measure::AvatarsSeen || what.measure == Measure::SessionsOf) {
      (void)world_.wait_until(patience, [&] { return met(measure(what), value); });
      world_.wait(aftermath);
    }
    compare(measure(what), value, outcome);
  }

  double wanted(const Json& value) const {
    if (value["value"].is_boolean()) return value["value"].get<bool>() ? 1 : 0;
    if (value["value"] == "10 s / tick, +-1") return std::round(time_s_ * tick_hz());
    if (value["value"] == "tick rate of its rate class") return tick_hz();
    return number(value["value"]);
  }

  bool met(double got, const Json& value) const {
    if (value["value"] == "10 s / tick, +-1") return std::abs(got - wanted(value)) <= 1;
    return holds(got, value["cmp"].get<std::string>(), wanted(value));
  }

  void compare(double got, const Json& value, CaseOutcome& outcome) const {
    if (!met(got, value))
      outcome.differences.push_back("assert: expected " + value.dump() + ", got " +
                                    std::to_string(got));
  }

  double tick_hz() const { return settings_.tick_hz; }

  double measure(const MeasureOf& what) {
    switch (what.measure) {
      case Measure::AvatarsSeen:
        return static_cast<double>(
            world_.client(what.names[1]).known_of(world_.number_of(what.names[0])));
      case Measure::AvatarsSeenAtAnyTick:
        return static_cast<double>(
            world_.client(what.names[1]).most_of(world_.number_of(what.names[0])));
      case Measure::KnownIds: return static_cast<double>(world_.client(what.names[0]).known_of(0));
      case Measure::AcceptedWithin: return accepted_ms(world_.client(what.names[0]));
      case Measure::IsConnected: return world_.client(what.names[0]).closed() ? 0 : 1;
      case Measure::IsClosed: return world_.client(what.names[0]).closed() ? 1 : 0;
      case Measure::UpdatesPerSecond: return frames_per_s(world_.client(what.names[0]));
      case Measure::OldSocketsOpen: return old_sockets(std::stod(what.names[1]));
      case Measure::MemoryPerSocket: return memory_per_socket_;
      case Measure::SlotsTaken: return slots_taken();
      case Measure::TicksInTime: return ticks_;
      case Measure::MemoryGrowth: return memory_growth_;
      case Measure::ServerAlive: return world_.ask_time().tick > 0 ? 1 : 0;
      default: return sum_over_clients(what);
    }
  }

  double sum_over_clients(const MeasureOf& what) {
    double sum = 0;
    for (const auto& [name, one] : world_.clients()) {
      if (what.measure == Measure::VerifyFailures)
        sum += static_cast<double>(one->verify_failures());
      if (what.measure == Measure::LargestMessage)
        sum = std::max(sum, static_cast<double>(one->largest_message_bytes()));
      if (what.measure == Measure::SessionsOf)
        sum += account_of_[name] == what.names[0] && one->welcomed() && !one->closed() ? 1 : 0;
      if (what.measure == Measure::Disconnects)
        sum += one->closed() && !gone_.contains(name) ? 1 : 0;
    }
    return sum;
  }

  static double accepted_ms(const LiveClient& client) {
    if (!client.welcomed()) throw ScriptError("a client is not accepted");
    return std::chrono::duration<double, std::milli>(client.welcomed_after()).count();
  }

  /// Of every tick in a row: then it is the rate of the ticks.
  double frames_per_s(const LiveClient& client) const {
    const auto count = static_cast<std::size_t>(2 * tick_hz());
    if (client.frames().size() < count) return 0;
    const auto& last = client.frames().back();
    const auto& first = client.frames()[client.frames().size() - count];
    return tick_hz() * static_cast<double>(count - 1) / static_cast<double>(last.tick - first.tick);
  }

  double old_sockets(double age_s) {
    int open = 0;
    for (Dribbler& each : dribblers_) {
      while (each.socket.read_frame(milliseconds(0))) continue;
      open += !each.socket.ended() && Clock::now() - each.opened > scaled(age_s) ? 1 : 0;
    }
    return open;
  }

  /// Newcomers take all places that are free.
  double slots_taken() {
    const auto places = settings_.places;
    std::vector<LiveClient*> newcomers;
    for (int i = 0; i < places; ++i) {
      newcomers.push_back(&world_.add_client("newcomer " + std::to_string(i), {}));
      newcomers.back()->send_hello({});
    }
    settle();
    return static_cast<double>(
        places - std::count_if(newcomers.begin(), newcomers.end(),
                               [](const LiveClient* one) { return one->welcomed(); }));
  }

  double last_words(const std::string& field) {
    const std::string log = world_.server().standard_error();
    const auto at = log.rfind(field);
    if (at == std::string::npos) throw ScriptError("the server does not say" + field);
    return std::stod(log.substr(at + field.size()));
  }

  const LiveSettings settings_;
  const std::unique_ptr<WallClock> clock_;
  LiveWorld world_;
  std::vector<Dribbler> dribblers_;
  std::vector<std::uint8_t> hello_;
  std::map<std::string, std::string> account_of_;  ///< by client
  std::set<std::string> gone_;                     ///< clients whose end is meant
  std::vector<Later> later_;
  bool many_ = false;
  std::size_t memory_before_ = 0;
  double memory_per_socket_ = 0;
  double memory_growth_ = 0;
  double ticks_ = 0;
  double time_s_ = 0;
};

CaseOutcome attempt(const Case& script, IndexKind kind, const std::string& server_path) {
  std::optional<LiveRun> run;
  CaseOutcome outcome = run_steps(script, [&](const Step& step, CaseOutcome& added) {
    if (!run) run.emplace(script, kind, server_path);
    run->run_step(step, added);
  });
  if (!run) return outcome;
  try {
    run->finish(outcome);
  } catch (const std::exception& error) {
    outcome.differences.push_back(error.what());
  }
  return outcome;
}

}  // namespace

SpecialRunner live_cases(IndexKind kind, std::string server_path) {
  SpecialRunner runner;
  runner.takes = [](const Case& script) {
    return (has_operation(script, "connect") || has_operation(script, "connect_many")) &&
           all_known(script, is_live_operation, is_live_expectation);
  };
  runner.run = [kind, server_path = std::move(server_path)](const Case& script) {
    CaseOutcome outcome = attempt(script, kind, server_path);
    for (int again = 1; again < attempts && !outcome.differences.empty(); ++again)
      outcome = attempt(script, kind, server_path);
    return outcome;
  };
  return runner;
}

}  // namespace vicinity::cases
