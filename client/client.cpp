// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#include "client/client.h"

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <chrono>
#include <map>
#include <string>
#include <thread>

#include "client/link.h"
#include "client/server_clock.h"

namespace vicinity::client {

namespace asio = boost::asio;

//   application's thread                       network: own thread, or within poll()
//   Client::Impl  --post(lambda)-->  io  -->   Link --> Connection
//        ^                                       |
//        +------------- Inbox (mutex) <----------+
struct Client::Impl {
  Impl(Client& client, ClientOptions wanted)
      : owner(client),
        options(std::move(wanted)),
        link(io, options.connection, options.reconnect, inbox, counters),
        events(options.events_max),
        interpolator(options.interpolation) {
    replica.keep_suspended(options.suspended_max);
    if (options.own_thread) thread = std::thread([this] { io.run(); });
  }
  ~Impl() {
    if (!thread.joinable()) return;
    io.stop();
    thread.join();
  }

  template <class Task>
  void post(Task task) {
    asio::post(io, std::move(task));
  }
  void poll();
  void take(const StateEvent& news);
  void take(const WelcomeNews& news);
  void take(const TickFrame& frame);
  void take(const CommandOutcome& outcome);
  void take(const StepOutcome& outcome);
  void take(const QueryOutcome& outcome);
  void take(const PongNews& news);
  void take(const DropNews& news);
  void tell(const TickFrame& frame);
  void forget_views();

  std::uint64_t send(std::vector<CommandBody> commands, CommandCallback callback,
                     std::optional<std::promise<CommandOutcome>> promise);
  void refuse(std::uint64_t first_sequence, std::size_t count, const Error& error,
              std::optional<std::promise<CommandOutcome>> promise);
  void send_area(const AreaHandle& handle, CommandBody command, CommandCallback callback);

  Client& owner;
  ClientOptions options;
  asio::io_context io;
  asio::executor_work_guard<asio::io_context::executor_type> work{io.get_executor()};
  Inbox inbox;
  LinkCounters counters;
  Link link;
  std::thread thread;

  ConnectionState state = ConnectionState::Idle;
  Error last_error;
  Welcome welcome;
  std::uint64_t session_number = 0;
  EventQueue events;
  Replica replica;
  Interpolator interpolator;
  ServerClock clock;
  HealthEvent health;
  std::uint64_t next_sequence = 1;
  std::uint64_t next_number = 1;  ///< of queries and steps
  std::uint32_t next_area = 1;
  std::map<std::uint64_t, CommandCallback> command_callbacks;  ///< by sequence
  std::map<std::uint64_t, QueryCallback> query_callbacks;
  std::map<std::uint64_t, StepCallback> step_callbacks;
  std::int64_t round_trip_us = 0;
  std::int64_t update_age_us = 0;
  std::uint64_t tick_count = 0;
};

void Client::Impl::poll() {
  if (!options.own_thread) io.poll();
  const std::deque<News> all = inbox.take();
  if (!all.empty()) post([this] { link.on_inbox_taken(); });
  for (const News& news : all) std::visit([this](const auto& value) { take(value); }, news);
}

void Client::Impl::take(const StateEvent& news) {
  state = news.state;
  if (state == ConnectionState::Waiting || state == ConnectionState::Closed)
    last_error = news.reason;
  events.push(news);
}

void Client::Impl::take(const WelcomeNews& news) {
  welcome = news.welcome;
  clock.set_tick_rate_hz(welcome.manual_ticks ? 0 : welcome.tick_rate_hz);
  if (welcome.resumed) {
    if (!welcome.view_reset) return;
    forget_views();
    events.push(ViewResetEvent{false});
    return;
  }
  forget_views();
  clock.clear();
  clock.set_tick_rate_hz(welcome.manual_ticks ? 0 : welcome.tick_rate_hz);
  if (++session_number > 1) events.push(ViewResetEvent{true});
  if (options.on_new_session) options.on_new_session(owner, welcome);
}

void Client::Impl::forget_views() {
  replica.clear();
  interpolator.clear();
}

void Client::Impl::take(const TickFrame& frame) {
  replica.apply(frame);
  interpolator.apply(frame);
  ++tick_count;
  clock.add_tick(frame.tick, static_cast<std::int64_t>(frame.server_time_us));
  if (clock.is_known())
    update_age_us = clock.server_time_us(client::local_time_us()) -
                    static_cast<std::int64_t>(frame.server_time_us);
  tell(frame);
  if (options.on_tick) options.on_tick(owner, frame);
}

/// In the order in which frames are applied.
void Client::Impl::tell(const TickFrame& frame) {
  if (options.events_max == 0) return;
  for (const auto& leave : frame.leaves) events.push(LeaveEvent{leave});
  for (const auto& enter : frame.enters) events.push(EnterEvent{enter});
  for (const auto& changed : frame.changed) events.push(ChangeEvent{changed});
  for (const auto& end : frame.contact_ends) events.push(end);
  for (const auto& begin : frame.contact_begins) events.push(begin);
  for (const auto& detail : frame.begin_details) events.push(detail);
  for (const auto& passed : frame.contact_passed) events.push(passed);
  for (const auto& stay : frame.contact_stays) events.push(stay);
  for (const auto& lost : frame.lost) events.push(lost);
  if (frame.events_only) return;
  const bool same = frame.health == health.health && frame.shedding == health.shedding &&
                    (frame.enters_waiting == 0) == (health.enters_waiting == 0);
  health = {frame.health, frame.shedding, frame.enters_waiting};
  if (!same) events.push(health);
}

void Client::Impl::take(const CommandOutcome& outcome) {
  const auto found = command_callbacks.find(outcome.sequence);
  if (found == command_callbacks.end()) {
    if (!outcome.ok()) events.push(RefusalEvent{outcome});
    return;
  }
  const CommandCallback callback = std::move(found->second);
  command_callbacks.erase(found);
  callback(outcome);
}

void Client::Impl::take(const StepOutcome& outcome) {
  const auto node = step_callbacks.extract(outcome.sequence);
  if (!node.empty() && node.mapped()) node.mapped()(outcome);
}

void Client::Impl::take(const QueryOutcome& outcome) {
  const auto node = query_callbacks.extract(outcome.request);
  if (!node.empty() && node.mapped()) node.mapped()(outcome);
}

void Client::Impl::take(const PongNews& news) {
  round_trip_us = news.received_us - news.sent_us;
  clock.add_sample(news.sent_us, news.received_us, news.server_time_us);
}

void Client::Impl::take(const DropNews& news) {
  replica.drop_observer(news.observer);
  interpolator.drop_observer(news.observer);
}

std::uint64_t Client::Impl::send(std::vector<CommandBody> commands, CommandCallback callback,
                                 std::optional<std::promise<CommandOutcome>> promise) {
  const std::uint64_t first_sequence = next_sequence;
  next_sequence += commands.size();
  if (callback)
    for (std::size_t i = 0; i < commands.size(); ++i)
      command_callbacks.emplace(first_sequence + i, callback);
  if (counters.commands_unanswered + commands.size() > options.commands_unanswered_max) {
    const Error error{ErrorCode::QueueFull, "more than " +
                                                std::to_string(options.commands_unanswered_max) +
                                                " commands wait for their answers"};
    refuse(first_sequence, commands.size(), error, std::move(promise));
    return first_sequence;
  }
  counters.commands_unanswered += commands.size();
  post([this, first_sequence, sent = std::move(commands), answer = std::move(promise)]() mutable {
    link.send(first_sequence, std::move(sent), std::move(answer));
  });
  return first_sequence;
}

/// What is refused here is told like what the server refuses.
void Client::Impl::refuse(std::uint64_t first_sequence, std::size_t count, const Error& error,
                          std::optional<std::promise<CommandOutcome>> promise) {
  for (std::size_t i = 0; i < count; ++i) {
    CommandOutcome outcome;
    outcome.sequence = first_sequence + i;
    outcome.error = error;
    if (promise) return promise->set_value(std::move(outcome));
    inbox.push(std::move(outcome));
  }
}

void Client::Impl::send_area(const AreaHandle& handle, CommandBody command,
                             CommandCallback callback) {
  if (handle.session_number == session_number) {
    std::vector<CommandBody> commands;
    commands.push_back(std::move(command));
    send(std::move(commands), std::move(callback), std::nullopt);
    return;
  }
  const std::uint64_t sequence = next_sequence++;
  if (callback) command_callbacks.emplace(sequence, std::move(callback));
  refuse(sequence, 1, {ErrorCode::UnknownArea, "the session of this area has ended"}, {});
}

Client::Client(ClientOptions options) noexcept
    : impl_(std::make_unique<Impl>(*this, std::move(options))) {}
Client::~Client() = default;

void Client::connect() noexcept {
  impl_->post([impl = impl_.get()] { impl->link.start(); });
}

void Client::close() noexcept {
  impl_->post([impl = impl_.get()] { impl->link.close(); });
}

void Client::poll() noexcept { impl_->poll(); }

bool Client::poll_until(const std::function<bool()>& done, std::uint32_t timeout_ms) noexcept {
  const auto until = std::chrono::steady_clock::now() + std::chrono::milliseconds(timeout_ms);
  for (;;) {
    poll();
    if (done()) return true;
    if (std::chrono::steady_clock::now() >= until) return false;
    const auto pause = std::chrono::milliseconds(1);
    if (impl_->options.own_thread) {
      std::this_thread::sleep_for(pause);
    } else {
      impl_->io.run_one_for(pause);
    }
  }
}

ConnectionState Client::state() const noexcept { return impl_->state; }
const Error& Client::last_error() const noexcept { return impl_->last_error; }
const Welcome& Client::welcome() const noexcept { return impl_->welcome; }

std::uint64_t Client::send(std::vector<CommandBody> commands) noexcept {
  return impl_->send(std::move(commands), {}, std::nullopt);
}

std::uint64_t Client::send(std::vector<CommandBody> commands, CommandCallback callback) noexcept {
  return impl_->send(std::move(commands), std::move(callback), std::nullopt);
}

std::future<CommandOutcome> Client::request(CommandBody command) noexcept {
  std::promise<CommandOutcome> promise;
  auto future = promise.get_future();
  std::vector<CommandBody> commands;
  commands.push_back(std::move(command));
  impl_->send(std::move(commands), {}, std::move(promise));
  return future;
}

std::uint64_t Client::next_sequence() const noexcept { return impl_->next_sequence; }

AreaHandle Client::add_area(AreaSpec spec, ObserverId observer, CommandCallback callback) noexcept {
  const AreaHandle handle{{impl_->next_area++}, observer, impl_->session_number};
  impl_->send_area(handle, AddAreaCommand{observer, handle.area, std::move(spec)},
                   std::move(callback));
  return handle;
}

void Client::change_area(const AreaHandle& handle, AreaSpec spec,
                         CommandCallback callback) noexcept {
  impl_->send_area(handle, ChangeAreaCommand{handle.area, std::move(spec)}, std::move(callback));
}

void Client::remove_area(const AreaHandle& handle, CommandCallback callback) noexcept {
  impl_->send_area(handle, RemoveAreaCommand{handle.area}, std::move(callback));
}

void Client::query(const Query& query, QueryCallback callback) noexcept {
  const std::uint64_t number = impl_->next_number++;
  impl_->query_callbacks.emplace(number, std::move(callback));
  impl_->post([impl = impl_.get(), number, query] { impl->link.query(number, query, {}); });
}

std::future<QueryOutcome> Client::query(const Query& query) noexcept {
  std::promise<QueryOutcome> promise;
  auto future = promise.get_future();
  impl_->post([impl = impl_.get(), query, promise = std::move(promise)]() mutable {
    impl->link.query(0, query, std::move(promise));
  });
  return future;
}

void Client::step(std::uint32_t count, StepCallback callback) noexcept {
  const std::uint64_t number = impl_->next_number++;
  impl_->step_callbacks.emplace(number, std::move(callback));
  impl_->post([impl = impl_.get(), number, count] { impl->link.step(number, count, {}); });
}

std::future<StepOutcome> Client::step(std::uint32_t count) noexcept {
  std::promise<StepOutcome> promise;
  auto future = promise.get_future();
  impl_->post([impl = impl_.get(), count, promise = std::move(promise)]() mutable {
    impl->link.step(0, count, std::move(promise));
  });
  return future;
}

std::optional<ClientEvent> Client::next_event() noexcept { return impl_->events.pop(); }

const Replica& Client::replica() const noexcept { return impl_->replica; }

std::optional<EntityView> Client::find(EntityId id, ObserverId observer) const noexcept {
  return impl_->replica.find(id, observer);
}

void Client::forget_suspended(EntityId id, ObserverId observer) noexcept {
  impl_->replica.forget_suspended(observer, id);
}

std::optional<Pose> Client::pose(EntityId id, ObserverId observer) const noexcept {
  return pose_at(id, local_time_us(), observer);
}

std::optional<Pose> Client::pose_at(EntityId id, std::int64_t local_us,
                                    ObserverId observer) const noexcept {
  return impl_->interpolator.pose(id, server_time_us(local_us), observer);
}

std::int64_t Client::local_time_us() noexcept { return client::local_time_us(); }

std::int64_t Client::server_time_us(std::int64_t local_us) const noexcept {
  return impl_->clock.server_time_us(local_us);
}

double Client::tick_at(std::int64_t local_us) const noexcept {
  return impl_->clock.tick_at(local_us);
}

ClientStats Client::stats() const noexcept {
  const LinkCounters& counters = impl_->counters;
  ClientStats stats;
  stats.round_trip_us = impl_->round_trip_us;
  stats.round_trip_min_us = impl_->clock.round_trip_us();
  stats.update_age_us = impl_->update_age_us;
  stats.bytes_in = counters.bytes_in;
  stats.bytes_out = counters.bytes_out;
  stats.frames_in = counters.frames_in;
  stats.connects = counters.connects;
  stats.resumes = counters.resumes;
  stats.ticks = impl_->tick_count;
  stats.events_dropped = impl_->events.dropped_count();
  stats.violations = impl_->replica.violation_count();
  stats.commands_unanswered = counters.commands_unanswered;
  return stats;
}

}  // namespace vicinity::client
