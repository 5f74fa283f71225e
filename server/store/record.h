// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#pragma once

// What the entries of a journal say, as values, and the way to their bytes and back. Pure
// functions; any thread. Bytes may be anything: what cannot be comes back as an error.

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "access/caps.h"
#include "base/archive.h"
#include "base/error.h"
#include "base/ids.h"
#include "base/result.h"
#include "store/entry.h"
#include "tick/simulation.h"
#include "world/command.h"

namespace vicinity::store {

/// What there is to know of a session beyond the world, so that its client can go on with it.
struct SessionRecord {
  SessionId id;
  std::string token;  ///< the resume token, as text; stands in no log
  Role role = Role::Observer;
  ContactScope contacts = ContactScope::None;
  bool contact_details = false;
  std::string client_name;
  std::string subject;
  double position_resolution_m = 0;
  std::uint32_t budget_bytes_per_s = 0;
  std::uint32_t view_number = 0;
  std::uint64_t last_sequence = 0;  ///< of the last command in the journal
  bool is_open = false;             ///< its opening has been in a tick
  access::Caps caps;
  friend bool operator==(const SessionRecord&, const SessionRecord&) = default;
};

/// What goes into one tick.
struct TickRecord {
  Tick tick = 0;
  std::vector<Command> commands;        ///< as drained from door 1
  std::vector<SessionRecord> sessions;  ///< welcomed since the record before
};

/// The settings that decide results. What does not (workers, index, kernel) may differ from run to
/// run.
struct WorldSettings {
  double dt_s = 0;
  double world_half_size_m = 0;
  std::uint32_t entity_count_max = 0;
  std::uint32_t entities_per_player_max = 0;
  double player_shape_extent_max_m = 0;
  std::uint32_t reuse_delay_ticks = 0;
  std::uint64_t candidate_pairs_max = 0;
  std::vector<PolicyRule> policy;

  friend bool operator==(const WorldSettings&, const WorldSettings&) = default;
};
WorldSettings world_settings(const SimulationSettings& settings);
/// The settings of a journal with what may differ from `settings`.
SimulationSettings with_world(SimulationSettings settings, const WorldSettings& world);
/// Nothing when they are the same; else the first that differs, as "tick_rate_hz: 20 in the
/// journal, 30 now".
std::optional<std::string> difference(const WorldSettings& journal, const WorldSettings& now);

/// How the last run ended, and what the present one tries.
struct RunState {
  bool is_clean = false;  ///< it ended as asked, with everything in the journal
  Tick tick = 0;          ///< then: its last tick; else the one that it went on from
  /// Tick whose commands are being tried that have no hash, and how often it has been.
  Tick tried_tick = 0;
  std::uint32_t tries = 0;
  /// Its sessions have higher ids; after a clean end those of the next run.
  std::uint64_t last_session_id = 0;
  /// RestartCommands that there must have been behind its first tick, in all runs together. A world
  /// that had fewer, because the ticks with them are not there, owes the difference.
  std::uint32_t restarts = 0;
  /// Something of it is not known: what an earlier format left out, or all of it.
  bool is_lost = false;
  friend bool operator==(const RunState&, const RunState&) = default;
};

/// The end of a snapshot: without it the parts do not count.
struct SnapshotEnd {
  Tick tick = 0;
  std::uint64_t world_hash = 0;  ///< TickReport::hash of that tick
  std::uint32_t part_count = 0;
  std::uint64_t size_bytes = 0;  ///< of all parts
  std::uint64_t checksum = 0;    ///< XXH3 of all parts, one behind the other
  /// TickReport::entity_hash of that tick; absent up to format 2.
  std::optional<std::uint64_t> entity_hash;
  std::uint16_t format = format_version;  ///< of the parts; in the envelope
  friend bool operator==(const SnapshotEnd&, const SnapshotEnd&) = default;
};

/// What a tick came to.
struct TickHash {
  std::uint64_t hash = 0;         ///< TickReport::hash
  std::uint64_t entity_hash = 0;  ///< TickReport::entity_hash
  /// There were more pairs than the budget, or a search of areas ran out of looks: index, rest and
  /// lanes decided what is kept, and `hash` depends on that. `entity_hash` never does.
  bool is_truncated = false;
  bool has_entity_hash = true;  ///< not in format 1

  static TickHash of(const TickReport& report) {
    return {report.hash, report.entity_hash, report.pairs_truncated || report.looks_truncated,
            true};
  }
};

/// Sealed entries, ready for the store. That of a tick is empty when it would be larger than
/// entry_bytes_max.
Bytes encode_tick(Tick tick, const std::vector<Command>& commands,
                  const std::vector<SessionRecord>& sessions);
Bytes encode(const WorldSettings& settings);
Bytes encode(const RunState& state);
Bytes encode(const SnapshotEnd& end);
Bytes encode_hash(Tick tick, const TickHash& hash);

Result<TickRecord, Error> decode_tick(const Entry& entry);
Result<WorldSettings, Error> decode_settings(const Entry& entry);
Result<RunState, Error> decode_state(const Entry& entry);
Result<SnapshotEnd, Error> decode_snapshot_end(const Entry& entry);
Result<TickHash, Error> decode_hash(const Entry& entry);

/// All of a snapshot, as its parts hold it one behind the other.
struct SnapshotContent {
  std::uint64_t last_session_id = 0;  ///< the highest that was ever given
  std::vector<SessionRecord> sessions;
  std::span<const std::uint8_t> world;  ///< as Simulation::save() wrote it; in the bytes given
};
/// The beginning of a snapshot; the world goes behind it.
ArchiveWriter begin_snapshot(std::uint64_t last_session_id,
                             const std::vector<SessionRecord>& sessions);
/// `format`: that of its end.
Result<SnapshotContent, Error> decode_snapshot(std::span<const std::uint8_t> bytes,
                                               std::uint16_t format = format_version);

}  // namespace vicinity::store
