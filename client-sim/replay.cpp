// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#include "client-sim/replay.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <fstream>
#include <map>
#include <optional>
#include <tuple>
#include <utility>
#include <vector>

#include "base/check.h"
#include "client-sim/replay_input.h"
#include "client/blocking.h"
#include "client/replica.h"

namespace vicinity::sim {
namespace {

constexpr int exit_done = 0;
constexpr int exit_failed = 1;
constexpr int exit_usage = 2;

Error cannot_write(const std::string& file) {
  return {ErrorCode::None, fmt::format("cannot write {}", file)};
}

/// One line of the output. `kind` as in the header: B, E, N or L.
struct ReplayEvent {
  std::int64_t time = 0;
  char kind = 'B';
  std::int64_t a = 0;
  std::int64_t b = 0;
  friend bool operator<(const ReplayEvent& x, const ReplayEvent& y) {
    return std::tie(x.time, x.kind, x.a, x.b) < std::tie(y.time, y.kind, y.a, y.b);
  }
};

/// Ids of the file travel as the user data of the entities.
std::uint64_t to_user_data(std::int64_t file_id) { return static_cast<std::uint64_t>(file_id); }
std::int64_t to_file_id(std::uint64_t user_data) { return static_cast<std::int64_t>(user_data); }

/// One incarnation: from its first row until the first step without one.
struct Incarnation {
  EntityId id;               ///< known once its spawn was acknowledged
  std::uint32_t number = 0;  ///< of its area and observer; 0 = it does not observe
};

/// Feeds the steps one by one. One at a time, because commands that arrive while a step still waits
/// would be applied in that step, not in the one they were meant for.
class Replay {
 public:
  Replay(const ReplayInput& input, const ReplayOptions& options)
      : input_(input), options_(options) {}

  std::optional<Error> run(client::BlockingClient& session, const client::Welcome& welcome);
  std::size_t step_count() const { return step_count_; }
  std::size_t count(char kind) const {
    return static_cast<std::size_t>(
        std::count_if(events_.begin(), events_.end(),
                      [kind](const ReplayEvent& event) { return event.kind == kind; }));
  }
  /// Sorts the events and writes them to the file of that name.
  std::optional<Error> write(std::ofstream& file);

 private:
  void spawn(std::int64_t file_id, Vec3 position, Vec3 half_extent_m, bool is_static);
  void despawn(const Incarnation& incarnation);
  void queue_statics();
  void queue_step(const Positions& present);
  void queue_end();

  std::optional<Error> run_step(client::BlockingClient& session, std::int64_t time);
  std::optional<Error> take_outcomes(client::BlockingClient& session, std::int64_t time);
  std::optional<Error> take_frame(client::BlockingClient& session, std::int64_t time);
  void record_interest(const client::TickFrame& frame, std::int64_t time);
  void record_contacts(const client::TickFrame& frame, std::int64_t time);
  void record_contact(std::int64_t time, char kind, std::uint64_t user_a, std::uint64_t user_b);
  void show_progress();

  const ReplayInput& input_;
  const ReplayOptions& options_;
  std::map<std::int64_t, Incarnation> moving_;
  std::map<std::int64_t, Incarnation> static_;
  std::uint32_t last_number_ = 0;
  std::map<std::uint32_t, std::int64_t> file_id_of_number_;

  // The step that is being put together.
  std::vector<CommandBody> commands_;
  std::uint64_t first_sequence_ = 1;
  std::map<std::uint64_t, Incarnation*> spawned_;  ///< by sequence; map nodes keep their address
  std::vector<ObserverId> dropped_;                ///< observers that this step removes

  client::Replica replica_;
  std::vector<ReplayEvent> events_;
  std::size_t step_count_ = 0;
  Tick last_tick_ = 0;
  std::chrono::steady_clock::time_point last_progress_ = std::chrono::steady_clock::now();
};

void Replay::spawn(std::int64_t file_id, Vec3 position, Vec3 half_extent_m, bool is_static) {
  SpawnCommand command;
  command.position = position;
  command.shape = Shape::box(half_extent_m);
  command.filter.is_static = is_static;
  command.user_data = to_user_data(file_id);
  const std::uint64_t sequence = first_sequence_ + commands_.size();
  commands_.emplace_back(command);
  Incarnation& incarnation = (is_static ? static_ : moving_)[file_id];
  spawned_[sequence] = &incarnation;
  if (is_static || !input_.observers.contains(file_id)) return;
  incarnation.number = ++last_number_;
  file_id_of_number_[incarnation.number] = file_id;
  AreaSpec spec;
  spec.reach = Reach::Centre;
  spec.anchor = {{}, sequence};
  spec.enter_radius_m = options_.enter_m;
  spec.leave_radius_m = options_.leave_m;
  commands_.emplace_back(AddAreaCommand{{incarnation.number}, {incarnation.number}, spec});
}

void Replay::despawn(const Incarnation& incarnation) {
  if (incarnation.number != 0) {
    // Before the entity goes: an area without its anchor would stay where it was.
    commands_.emplace_back(RemoveAreaCommand{{incarnation.number}});
    dropped_.push_back({incarnation.number});
    file_id_of_number_.erase(incarnation.number);
  }
  commands_.emplace_back(DespawnCommand{{incarnation.id, 0}});
}

void Replay::queue_statics() {
  for (const StaticBox& box : input_.statics) spawn(box.id, box.position, box.half_extent_m, true);
}

void Replay::queue_step(const Positions& present) {
  for (auto entry = moving_.begin(); entry != moving_.end();) {
    if (present.count(entry->first) != 0) {
      ++entry;
      continue;
    }
    despawn(entry->second);
    entry = moving_.erase(entry);
  }
  for (const auto& [file_id, position] : present) {
    const auto entry = moving_.find(file_id);
    if (entry == moving_.end()) {
      spawn(file_id, position, input_.movement.half_extent_m, false);
    } else {
      commands_.emplace_back(TeleportCommand{{entry->second.id, 0}, position});
    }
  }
}

/// Leaves the world as empty as it was found.
void Replay::queue_end() {
  for (const auto& [file_id, incarnation] : moving_) despawn(incarnation);
  for (const auto& [file_id, incarnation] : static_) despawn(incarnation);
  moving_.clear();
  static_.clear();
}

std::optional<Error> Replay::run(client::BlockingClient& session, const client::Welcome& welcome) {
  static const Positions nobody;
  last_tick_ = welcome.tick;
  queue_statics();
  for (const std::int64_t time : input_.step_times) {
    const auto rows = input_.movement.rows.find(time);
    queue_step(rows == input_.movement.rows.end() ? nobody : rows->second);
    if (auto error = run_step(session, time)) return error;
    ++step_count_;
    show_progress();
  }
  const std::size_t recorded = events_.size();
  queue_end();
  if (commands_.empty()) return std::nullopt;
  auto error = run_step(session, input_.step_times.back());
  events_.resize(recorded);  // the end of the replay is no event of the file
  return error;
}

std::optional<Error> Replay::run_step(client::BlockingClient& session, std::int64_t time) {
  if (!commands_.empty()) {
    const std::uint64_t sequence = session.send(commands_);
    CHECK(sequence == first_sequence_);
    first_sequence_ += commands_.size();
    commands_.clear();
  }
  const auto step = session.step();
  if (!step) return step.error();
  if (auto error = take_outcomes(session, time)) return error;
  return take_frame(session, time);
}

std::optional<Error> Replay::take_outcomes(client::BlockingClient& session, std::int64_t time) {
  for (const client::CommandOutcome& outcome : session.take_outcomes()) {
    if (outcome.error.code != ErrorCode::None) {
      return Error{outcome.error.code,
                   fmt::format("a command at time {} was refused: {}", time, outcome.error.text)};
    }
    const auto spawned = spawned_.find(outcome.sequence);
    if (spawned == spawned_.end()) continue;
    spawned->second->id = outcome.entity;
    spawned_.erase(spawned);
  }
  if (spawned_.empty()) return std::nullopt;
  return Error{ErrorCode::None,
               fmt::format("{} spawns at time {} were not acknowledged", spawned_.size(), time)};
}

std::optional<Error> Replay::take_frame(client::BlockingClient& session, std::int64_t time) {
  const std::vector<client::TickFrame> frames = session.take_frames();
  if (frames.size() != 1 || frames.front().tick != last_tick_ + 1) {
    return Error{ErrorCode::None,
                 fmt::format("time {} got {} ticks instead of one; does another session step this "
                             "server?",
                             time, frames.size())};
  }
  const client::TickFrame& frame = frames.front();
  last_tick_ = frame.tick;
  for (const ObserverId observer : dropped_) replica_.drop_observer(observer);
  dropped_.clear();
  record_interest(frame, time);
  record_contacts(frame, time);
  const auto violations = replica_.apply(frame);
  if (violations.empty()) return std::nullopt;
  return Error{ErrorCode::None, "the server's stream is wrong: " + violations.front()};
}

/// Before the frame is applied: a leave names an entity that only the replica knows.
void Replay::record_interest(const client::TickFrame& frame, std::int64_t time) {
  const auto record = [&](char kind, ObserverId observer, std::uint64_t user_data) {
    const auto file_id = file_id_of_number_.find(observer.value);
    if (file_id == file_id_of_number_.end()) return;  // the replica reports it
    events_.push_back({time, kind, file_id->second, to_file_id(user_data)});
  };
  for (const client::EntityLeave& leave : frame.leaves) {
    const auto seen = replica_.find(leave.id, leave.observer);
    if (seen) record('L', leave.observer, seen->user_data);
  }
  for (const client::EntityView& enter : frame.enters) record('N', enter.observer, enter.user_data);
}

void Replay::record_contacts(const client::TickFrame& frame, std::int64_t time) {
  for (const auto& end : frame.contact_ends)
    record_contact(time, 'E', end.user_data_a, end.user_data_b);
  for (const auto& begin : frame.contact_begins)
    record_contact(time, 'B', begin.user_data_a, begin.user_data_b);
  for (const auto& passed : frame.contact_passed)
    record_contact(time, 'E', passed.user_data_a, passed.user_data_b);
}

void Replay::record_contact(std::int64_t time, char kind, std::uint64_t user_a,
                            std::uint64_t user_b) {
  const auto [a, b] = std::minmax({to_file_id(user_a), to_file_id(user_b)});
  events_.push_back({time, kind, a, b});
}

void Replay::show_progress() {
  const auto now = std::chrono::steady_clock::now();
  if (now - last_progress_ < std::chrono::seconds(1)) return;
  last_progress_ = now;
  fmt::print(stderr, "replay: {} of {} steps, {} events\n", step_count_, input_.step_times.size(),
             events_.size());
}

std::optional<Error> Replay::write(std::ofstream& file) {
  std::sort(events_.begin(), events_.end());
  file << "tick,kind,a,b\n";
  for (const ReplayEvent& event : events_)
    file << event.time << ',' << event.kind << ',' << event.a << ',' << event.b << '\n';
  file.flush();
  if (file) return std::nullopt;
  return cannot_write(options_.events_file);
}

int fail(int exit_code, const Error& error) {
  if (error.code == ErrorCode::None) {
    fmt::print(stderr, "replay: {}\n", error.text);
  } else {
    fmt::print(stderr, "replay: {}: {}\n", to_string(error.code), error.text);
  }
  return exit_code;
}

/// Strangers in the world would meet the entities of the file.
std::optional<Error> check_empty(client::BlockingClient& session, double world_half_size_m) {
  const double half = world_half_size_m;
  Query query;
  query.body = BoxQuery{{{-half, -half, -half}, {half, half, half}}};
  query.limit = 1;
  const auto answer = session.query(query);
  if (!answer) return answer.error();
  if (answer.value().hits.empty()) return std::nullopt;
  return Error{ErrorCode::None, "the world is not empty; start the replay on a fresh server"};
}

}  // namespace

int run_replay(const ReplayOptions& options) {
  const auto input = read_replay_input(options);
  if (!input) return fail(exit_usage, input.error());
  client::ConnectOptions connect;
  connect.host = options.host;
  connect.port = options.port;
  connect.client_name = "vicinity-bots replay";
  options.access.apply(connect);
  connect.role = Role::Authority;
  connect.contacts = ContactScope::All;
  client::BlockingClient session;
  const auto welcome = session.connect(connect);
  if (!welcome) return fail(exit_failed, welcome.error());
  if (!welcome.value().manual_ticks) {
    return fail(exit_usage, {ErrorCode::None,
                             "a replay needs a server in manual tick mode; start it with "
                             "vicinity-server --tick-mode manual"});
  }
  if (const auto error = check_empty(session, welcome.value().world_half_size_m))
    return fail(exit_failed, *error);
  // Before the run: a file that cannot be written must not cost the run first.
  std::ofstream events(options.events_file, std::ios::binary | std::ios::trunc);
  if (!events) return fail(exit_usage, cannot_write(options.events_file));
  Replay replay(input.value(), options);
  if (const auto error = replay.run(session, welcome.value())) return fail(exit_failed, *error);
  if (const auto error = replay.write(events)) return fail(exit_failed, *error);
  session.close();
  fmt::print(stderr, "replay: {} steps, {} begins, {} ends, {} enters, {} leaves\n",
             replay.step_count(), replay.count('B'), replay.count('E'), replay.count('N'),
             replay.count('L'));
  return exit_done;
}

}  // namespace vicinity::sim
