// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#pragma once

// One client's stay at the server. It begins with a hello that is accepted and outlives the
// connections that carry it, one at a time:
//
//      live ──connection lost──► parked ──grace over, place needed──► ended
//        ▲                         │
//        └──────── resume ─────────┘        live: goodbye, fault, take-over ──► ended
//
// What is set at the start is constant and may be read by any thread; the rest says who may.
// SessionRegistry alone creates sessions and changes their state.

#include <atomic>
#include <cstdint>
#include <limits>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "access/session_guard.h"
#include "app/resume_token.h"
#include "app/session_gauges.h"
#include "base/error.h"
#include "base/ids.h"
#include "net/server_socket.h"
#include "world/command.h"
#include "world/command_queue.h"

namespace vicinity::app {

/// What a hello asks for, as far as it is granted. Fixed for the life of the session.
struct SessionTraits {
  Role role = Role::Observer;
  ContactScope contacts = ContactScope::None;
  bool contact_details = false;
  std::string client_name;
  std::string subject;  ///< who the client is; empty: nobody in particular
  double position_resolution_m = 0;
  std::uint32_t budget_bytes_per_s = 0;  ///< 0: as many as the link takes
  /// What the session is held to; never null.
  std::shared_ptr<access::SessionGuard> guard =
      std::make_shared<access::SessionGuard>(access::SessionRates{});
};

/// Where the stream of a session goes on over its new connection.
struct ResumePoint {
  Tick tick = 0;                  ///< the last tick of which the client has a whole frame; 0 = none
  std::uint64_t event_seq = 0;    ///< the highest contact event the client has; 0 = none
  bool reset = false;             ///< the client forgets its view: everything is told anew
  std::uint32_t view_number = 0;  ///< how often that has happened
};

/// What became of the commands of one frame.
enum class Intake : std::uint8_t {
  Taken = 0,
  NotGrowing = 1,  ///< their sequences do not grow: a fault of the client
  Full = 2,        ///< received, but door 1 has no room: refused with QueueFull
  Gone = 3,        ///< the session has ended, or goes on over another connection
};

class Session : public SessionTraits {
 public:
  Session(SessionId session_id, SessionTraits traits, const ResumeToken& resume_token);
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  const SessionId id;
  const ResumeToken token;

  /// Any thread. What carries the session now; null while it is parked and when it has ended. What
  /// was sent last over a connection that is lost may never have arrived.
  std::shared_ptr<net::Connection> connection() const;

  /// Net threads. Puts the good commands of one frame, whose sequences are from `first` to `last`,
  /// through door 1. The sequences count as received also when nothing is good or the door is full.
  [[nodiscard]] Intake take_commands(const net::Connection& from, std::uint64_t first,
                                     std::uint64_t last, std::vector<Command> good,
                                     CommandQueue& queue);
  /// Sequence of the last command that was received; 0 = none.
  std::uint64_t last_sequence() const;

  /// Net threads. The client has all frames up to this tick. Ticks that lie behind what it said
  /// before change nothing, nor does what comes from a connection that carries the session no more.
  /// `newest` is the last tick that was published: nobody has more.
  void acknowledge(const net::Connection& from, Tick tick, Tick newest);

  /// Written by the tick thread.
  SessionGauges gauges;

  /// See acknowledge(); after a resume what the hello said, and 0 after one that begins anew.
  std::atomic<Tick> acked_tick{0};

  /// Written by the tick thread: the oldest tick after which the view can still go on without a
  /// reset; never = it cannot. The order keeps a promise that a welcome makes at the same time:
  /// store here, then take_resume() (which may name an older tick that a welcome has just agreed
  /// to), and only then forget what is older.
  std::atomic<Tick> resumable_from{0};
  static constexpr Tick never = std::numeric_limits<Tick>::max();

  /// Tick thread, before it sends anything of a tick. A value once after each time that a
  /// connection took up this session again; of several the last one. The first frame afterwards
  /// goes on behind ResumePoint::tick, or begins anew.
  std::optional<ResumePoint> take_resume();

 private:
  friend class SessionRegistry;

  mutable std::mutex mutex_;  ///< guards the members below; locked after the registry's
  std::shared_ptr<net::Connection> connection_;
  std::uint64_t last_sequence_ = 0;
  std::optional<ResumePoint> resume_;
  Tick reset_after_ = 0;  ///< the view began anew behind this tick, or with the session
  std::uint32_t view_number_ = 0;
  bool is_ended_ = false;
  bool is_restored_ = false;  ///< of an earlier run: what its client has of that counts no more
};

}  // namespace vicinity::app
