// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#pragma once

// All sessions, and the connections that carry them. Net threads open, resume and lose them; the
// tick driver looks up whom to send a tick to and ends those that waited too long.
//
// The registry itself tells the tick room of every beginning and end, under its lock, so that the
// order in door 1 is the order in which it decided. Ids only grow, and door 1 is drained by
// ascending session, so the end of a session is applied before the beginning of the one that takes
// its place: a subject never has two bodies in a tick.

#include <array>
#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "app/session.h"
#include "app/session_log.h"
#include "base/ids.h"
#include "base/limits.h"
#include "base/result.h"
#include "net/server_socket.h"
#include "store/record.h"
#include "world/command_queue.h"

namespace vicinity::app {

/// What becomes of a player's entities when its connection is lost.
enum class OnDisconnect : std::uint8_t {
  Grace = 0,    ///< they live as long as the session
  Despawn = 1,  ///< they end at once; the session can be resumed without them
  Keep = 2,     ///< they outlive the session, without an owner
};

struct SessionSettings {
  std::chrono::milliseconds grace{30'000};  ///< how long a session is parked; 0 = it ends at once
  OnDisconnect on_disconnect = OnDisconnect::Grace;
  /// Parked ones included: they make room for newcomers, the longest parked first.
  std::size_t session_count_max = limits::sessions_default;
};

/// Counts since the start, and what there is now.
struct SessionStats {
  std::uint64_t live = 0;        ///< now
  std::uint64_t parked_now = 0;  ///< now
  std::uint64_t opened = 0;
  std::uint64_t parked = 0;
  std::uint64_t resumed = 0;
  std::uint64_t taken_over = 0;  ///< ended by a newcomer of the same subject
  std::uint64_t expired = 0;     ///< ended while parked: by the time, or for their place
  std::uint64_t resume_refused = 0;
  /// Ended, by ErrorCode; of those that expired the code with which their connection was lost.
  std::array<std::uint64_t, 64> ended{};
};

/// The wish to go on with a session.
struct ResumeRequest {
  std::string token;
  Tick tick = 0;
  std::uint64_t event_seq = 0;
  Tick newest = 0;  ///< the last tick that was published; a client that has more is mistaken
};

class SessionRegistry {
 public:
  using Clock = std::chrono::steady_clock;

  /// How a session came to its connection.
  struct Admission {
    bool resumed = false;
    bool view_reset = false;
    std::uint64_t last_sequence = 0;
  };
  /// Makes the frames that greet the client. They are sent before the session has the connection,
  /// so that no tick comes first. Called under locks: must not call the registry or the session.
  using Greeting = std::function<std::vector<std::uint8_t>(const Session&, const Admission&)>;
  using Admitted = Result<std::shared_ptr<Session>, Error>;

  /// `commands` and `log` (null: no lines) outlive the registry.
  SessionRegistry(const SessionSettings& settings, CommandQueue& commands,
                  SessionLog* log = nullptr);

  /// Net threads; the connection has no session yet. A session of the same subject, live or parked,
  /// ends with TakenOver, a player's entities with it whatever on_disconnect says. ServerFull when
  /// all places are taken by live sessions.
  Admitted open(SessionTraits traits, const std::shared_ptr<net::Connection>& connection,
                const Greeting& greeting);
  /// Net threads; the connection has no session yet. Goes on with a session, live or parked; what
  /// carried it before is closed with TakenOver. ResumeRefused: no such session (any more), or
  /// `traits` differ in role, contacts, details, caps or subject (which may be left empty). The
  /// other traits stay as they were. A view that cannot go on is reset.
  Admitted resume(const ResumeRequest& request, const SessionTraits& traits,
                  const std::shared_ptr<net::Connection>& connection, const Greeting& greeting,
                  Clock::time_point now);

  /// What the end of a connection did to its session.
  enum class Loss : std::uint8_t {
    NoSession = 0,  ///< the connection never had one
    Elsewhere = 1,  ///< nothing: another connection goes on with it
    Parked = 2,
    Ended = 3,
  };
  struct Lost {
    Loss loss = Loss::NoSession;
    std::shared_ptr<Session> session;  ///< null without session
  };
  /// Net threads, once for each connection when it is closed. Parks the session when the
  /// connection broke, was closed without goodbye or fell silent; ends it for every other cause.
  Lost lose(const net::Connection& connection, const net::CloseCause& cause, Clock::time_point now);

  /// Any thread. Ends the session that the connection carries, for a reason after which it cannot
  /// be resumed; nothing when it carries none (any more). The caller closes the connection.
  void end(const net::Connection& carrier, ErrorCode code);

  /// Any thread: the tick driver before every drain, and whenever connections come and go, for
  /// without ticks nobody else looks at the time. Ends the sessions whose grace is over. O(1) when
  /// there are none.
  void sweep(Clock::time_point now);

  /// Any thread. The same for a session by its id, live or parked. What carried it, for the caller
  /// to close; null when it was parked; nothing when there is no such session.
  std::optional<std::shared_ptr<net::Connection>> end(SessionId session, ErrorCode code);
  /// Before anything else: sessions of an earlier run of the same world, parked for their grace
  /// period. Who resumes one begins its view anew. Those without a token end. `last_id`: no id up
  /// to this one is given again. `areas_of` (may be empty): the areas that a session has in the
  /// world, which count against its caps.
  using AreasOf = std::function<std::set<AreaId>(SessionId)>;
  void restore(const std::vector<store::SessionRecord>& sessions, std::uint64_t last_id,
               Clock::time_point now, const AreasOf& areas_of = {});
  /// From now on take_welcomed() is called once per tick.
  void keep_welcomed();
  /// Tick thread, with what was drained from door 1 for a tick. Who begins in this tick and has not
  /// ended since: never one whose beginning door 1 has taken back.
  std::vector<store::SessionRecord> take_welcomed(const std::vector<Command>& drained);

  /// Null when the session has ended; parked ones are found.
  std::shared_ptr<Session> find(SessionId id) const;
  /// The session that the connection carries or once carried; null before its hello.
  std::shared_ptr<Session> of_connection(const net::Connection& connection) const;
  struct Listed {
    std::shared_ptr<Session> session;
    bool is_parked = false;
  };
  /// Any thread. The first `count_max` sessions behind `after`, ascending. Everybody who looks up a
  /// session waits meanwhile, so ask for a few at a time.
  std::vector<Listed> page(SessionId after, std::size_t count_max) const;
  /// Every session, live or parked, by ascending id.
  std::vector<std::shared_ptr<Session>> all() const;
  SessionStats stats() const;

 private:
  using Deadline = std::pair<Clock::time_point, SessionId>;
  struct Entry {
    std::shared_ptr<Session> session;
    bool is_parked = false;
    Clock::time_point grace_ends;           ///< while parked
    ErrorCode lost_with = ErrorCode::None;  ///< while parked
  };
  using Entries = std::map<SessionId, Entry>;

  void sweep_locked(Clock::time_point now);
  static void keep_rates(Session& old, SessionTraits& traits, Clock::time_point now);
  bool make_room();
  Entries::iterator find_token(const ResumeToken& token);
  void park(Entry& entry, const net::CloseCause& cause, Clock::time_point now);
  void unpark(Entry& entry);
  void expire(Entries::iterator entry, std::string_view why);
  void end_locked(Entries::iterator entry, ErrorCode code, bool keep_entities);
  void push(SessionId session, std::uint64_t sequence, CommandBody body);
  Error refuse_resume(std::string text);

  const SessionSettings settings_;
  CommandQueue& commands_;
  SessionLog* const log_;
  const std::uint64_t token_key_;

  mutable std::mutex mutex_;  ///< guards the members below
  Entries entries_;
  std::map<std::uint64_t, std::shared_ptr<Session>> by_connection_;  ///< until it is closed
  std::map<std::string, SessionId> by_subject_;                      ///< none for the empty one
  std::multimap<std::uint64_t, SessionId> by_token_;                 ///< key: ResumeToken::place
  std::set<Deadline> parked_;
  bool keeps_welcomed_ = false;
  std::map<SessionId, store::SessionRecord> welcomed_;
  std::uint64_t last_id_ = 0;
  SessionStats stats_;
};

}  // namespace vicinity::app
