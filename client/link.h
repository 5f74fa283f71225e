// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#pragma once

// The network half of a Client: keeps a session alive over one connection after the other and hands
// on what comes. Private to the client library. Everything but Inbox belongs to the thread that
// runs the io_context.
//
//   Idle --start--> Connecting --welcome--> Open
//                     ^    |                  |
//                     |    +--- it ended -----+--- for good, or close() ---> Closed
//                     |    v
//                   Waiting (backoff, the server's advice)

#include <atomic>
#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <future>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <variant>
#include <vector>

#include "client/client_event.h"
#include "client/command_journal.h"
#include "client/connection.h"
#include "client/reconnect.h"

namespace vicinity::client {

/// The local monotonic clock, microseconds.
std::int64_t local_time_us();

struct WelcomeNews {
  Welcome welcome;
};
struct PongNews {
  std::int64_t sent_us = 0;
  std::int64_t received_us = 0;
  std::int64_t server_time_us = 0;
};
struct DropNews {
  ObserverId observer;
};
using News = std::variant<StateEvent, WelcomeNews, TickFrame, CommandOutcome, StepOutcome,
                          QueryOutcome, PongNews, DropNews>;

/// From the network to the application. Any thread.
class Inbox {
 public:
  /// Beyond so many waiting ticks the connection is left unread.
  static constexpr std::size_t frame_count_max = 128;

  /// Whether there is room for more ticks afterwards.
  bool push(News news);
  std::deque<News> take();

 private:
  std::mutex mutex_;
  std::deque<News> news_;
  std::size_t frame_count_ = 0;
};

/// Totals over all connections. Any thread.
struct LinkCounters {
  std::atomic<std::uint64_t> bytes_in{0};
  std::atomic<std::uint64_t> bytes_out{0};
  std::atomic<std::uint64_t> frames_in{0};
  std::atomic<std::uint64_t> connects{0};  ///< welcomes
  std::atomic<std::uint64_t> resumes{0};   ///< of these: of the session of before
  std::atomic<std::size_t> commands_unanswered{0};
};

class Link {
 public:
  /// References must outlive the link.
  Link(boost::asio::io_context& io, const ConnectOptions& options,
       const ReconnectOptions& reconnect, Inbox& inbox, LinkCounters& counters);

  void start();
  void close();
  void send(std::uint64_t first_sequence, std::vector<CommandBody> commands,
            std::optional<std::promise<CommandOutcome>> promise);
  void query(std::uint64_t request, const Query& query,
             std::optional<std::promise<QueryOutcome>> promise);
  void step(std::uint64_t sequence, std::uint32_t count,
            std::optional<std::promise<StepOutcome>> promise);
  /// The application has taken what the inbox held.
  void on_inbox_taken();

 private:
  template <class Outcome>
  struct Asked {
    std::uint64_t number = 0;  ///< of the application
    std::optional<std::promise<Outcome>> promise;
  };

  void connect();
  Handlers make_handlers();
  void on_welcome(const Welcome& welcome);
  void on_command(const CommandOutcome& outcome);
  void on_closed(const Error& reason);
  void wait(const Error& reason, std::uint32_t delay_ms);
  void end(const Error& reason);
  void tell(News news);
  void tell_state(ConnectionState state, const Error& reason = {}, std::uint32_t retry_in_ms = 0);
  void settle(const CommandOutcome& outcome);
  void lose_commands(const std::vector<std::uint64_t>& sequences, const Error& reason);
  void lose_answers_of_before();
  template <class Outcome>
  void answer(std::map<std::uint64_t, Asked<Outcome>>& asked, Outcome outcome,
              std::uint64_t Outcome::*number);
  template <class Outcome>
  void deliver(Outcome outcome, std::optional<std::promise<Outcome>>& promise);
  template <class Outcome>
  void lose_asked(std::map<std::uint64_t, Asked<Outcome>>& asked, const Error& reason,
                  std::uint64_t Outcome::*number);
  void count_traffic();

  boost::asio::io_context& io_;
  ConnectOptions options_;
  Backoff backoff_;
  bool may_retry_;
  Inbox& inbox_;
  LinkCounters& counters_;
  boost::asio::steady_timer retry_timer_;
  boost::asio::steady_timer lost_answers_timer_;

  ConnectionState state_ = ConnectionState::Idle;
  bool closing_ = false;
  std::unique_ptr<Connection> connection_;
  std::shared_ptr<SessionState> session_;  ///< of the last connection, to be resumed
  TrafficStats counted_;                   ///< of the present connection

  CommandJournal journal_;
  std::map<std::uint64_t, std::promise<CommandOutcome>> promises_;  ///< by sequence
  /// Commands up to here were received on a connection that broke; 0 = none.
  std::uint64_t received_before_ = 0;
  std::map<std::uint64_t, Asked<QueryOutcome>> queries_;  ///< by request of the connection
  std::map<std::uint64_t, Asked<StepOutcome>> steps_;
};

}  // namespace vicinity::client
