// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#include "store/record.h"

#include <cstdio>
#include <utility>

#include "base/archive.h"
#include "world/archive_command.h"

namespace vicinity::access {

template <class Archive>
void archive(Archive& a, FieldsOf<Archive, Caps>& caps) {
  a(caps.areas_max), a(caps.area_radius_max_m), a(caps.bytes_per_s), a(caps.categories),
      a(caps.group);
}

}  // namespace vicinity::access

namespace vicinity::store {

template <class Archive, class Record>
void archive_session(Archive& a, Record& session) {
  a(session.id), a(session.token);
  archive_enum(a, session.role, Role::Authority);
  archive_enum(a, session.contacts, ContactScope::All);
  a(session.contact_details), a(session.client_name), a(session.subject);
  a(session.position_resolution_m), a(session.budget_bytes_per_s);
  a(session.view_number), a(session.last_sequence), a(session.is_open);
}
/// As it was in format 1.
struct SessionRecord1 : SessionRecord {};
template <class Archive>
void archive(Archive& a, FieldsOf<Archive, SessionRecord1>& session) {
  archive_session(a, session);
}
template <class Archive>
void archive(Archive& a, FieldsOf<Archive, SessionRecord>& session) {
  archive_session(a, session);
  a(session.caps);
}
template <class Archive>
void archive(Archive& a, FieldsOf<Archive, TickHash>& hash) {
  a(hash.hash), a(hash.entity_hash), a(hash.is_truncated);
}
template <class Archive>
void archive(Archive& a, FieldsOf<Archive, WorldSettings>& settings) {
  a(settings.dt_s), a(settings.world_half_size_m), a(settings.entity_count_max);
  a(settings.entities_per_player_max), a(settings.player_shape_extent_max_m);
  a(settings.reuse_delay_ticks), a(settings.candidate_pairs_max), a(settings.policy);
}
template <class Archive>
void archive(Archive& a, FieldsOf<Archive, RunState>& state) {
  a(state.is_clean), a(state.tick), a(state.tried_tick), a(state.tries), a(state.last_session_id),
      a(state.restarts), a(state.is_lost);
}
/// As it was in format 1: with the restarts of the run alone.
struct RunState1 : RunState {};
template <class Archive>
void archive(Archive& a, FieldsOf<Archive, RunState1>& state) {
  a(state.is_clean), a(state.tick), a(state.tried_tick), a(state.tries), a(state.restarts),
      a(state.last_session_id);
}
/// As it was in format 2: with those of the run before, and of all runs at the end.
struct RunState2 : RunState {
  std::uint32_t restarts_of_run = 0;
};
template <class Archive>
void archive(Archive& a, FieldsOf<Archive, RunState2>& state) {
  a(state.is_clean), a(state.tick), a(state.tried_tick), a(state.tries), a(state.restarts_of_run),
      a(state.last_session_id), a(state.restarts);
}
template <class Archive, class End>
void archive_end(Archive& a, End& end) {
  a(end.tick), a(end.world_hash), a(end.part_count), a(end.size_bytes), a(end.checksum);
}
/// As it was up to format 2.
struct SnapshotEnd2 : SnapshotEnd {};
template <class Archive>
void archive(Archive& a, FieldsOf<Archive, SnapshotEnd2>& end) {
  archive_end(a, end);
}
template <class Archive>
void archive(Archive& a, FieldsOf<Archive, SnapshotEnd>& end) {
  archive_end(a, end);
  a(end.entity_hash);
}

namespace {

template <class T>
Bytes sealed(const EntryKey& key, const T& value) {
  ArchiveWriter writer;
  writer(value);
  return seal(key, writer.bytes());
}

Error cannot_be(const std::string& what) {
  return {ErrorCode::Internal, what + " hold what cannot be"};
}
Error other_than(const std::string& what) {
  return {ErrorCode::Internal, "there is something else than " + what};
}

template <class T>
Result<T, Error> read(std::span<const std::uint8_t> bytes, const char* what) {
  ArchiveReader reader(bytes);
  T value{};
  reader(value);
  if (reader.done()) return value;
  return cannot_be(what);
}

template <class T>
Result<T, Error> read(const Entry& entry, EntryKind kind, const char* what) {
  if (entry.key.kind != kind) return other_than(what);
  return read<T>(entry.body, what);
}

void read_sessions(ArchiveReader& reader, std::uint16_t format, std::vector<SessionRecord>& out) {
  if (format > 1) return reader(out);
  std::vector<SessionRecord1> sessions;
  reader(sessions);
  out.assign(sessions.begin(), sessions.end());
}

std::string number(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.10g", value);
  return text;
}

std::optional<std::string> compare(const char* name, double journal, double now) {
  if (journal == now) return std::nullopt;
  return std::string(name) + " is " + number(journal) + " in the journal and " + number(now) +
         " now";
}

}  // namespace

WorldSettings world_settings(const SimulationSettings& settings) {
  WorldSettings out;
  out.dt_s = settings.dt_s;
  const double half_size_m = settings.world_half_size_m;
  out.world_half_size_m = half_size_m == 0 ? limits::world_half_size_m : half_size_m;
  out.entity_count_max = settings.entity_count_max;
  out.entities_per_player_max = settings.entities_per_player_max;
  out.player_shape_extent_max_m = settings.player_shape_extent_max_m;
  out.reuse_delay_ticks = settings.reuse_delay_ticks;
  out.candidate_pairs_max = settings.index.candidate_pairs_max;
  out.policy = settings.policy;
  return out;
}

SimulationSettings with_world(SimulationSettings settings, const WorldSettings& world) {
  settings.dt_s = world.dt_s;
  settings.world_half_size_m = world.world_half_size_m;
  settings.entity_count_max = world.entity_count_max;
  settings.entities_per_player_max = world.entities_per_player_max;
  settings.player_shape_extent_max_m = world.player_shape_extent_max_m;
  settings.reuse_delay_ticks = world.reuse_delay_ticks;
  settings.index.candidate_pairs_max = world.candidate_pairs_max;
  settings.policy = world.policy;
  return settings;
}

std::optional<std::string> difference(const WorldSettings& journal, const WorldSettings& now) {
  if (auto text = compare("tick_rate_hz", 1 / journal.dt_s, 1 / now.dt_s)) return text;
  if (auto text = compare("world_half_size_m", journal.world_half_size_m, now.world_half_size_m))
    return text;
  if (auto text = compare("entity_count_max", journal.entity_count_max, now.entity_count_max))
    return text;
  if (auto text = compare("entities_per_player_max", journal.entities_per_player_max,
                          now.entities_per_player_max))
    return text;
  if (auto text = compare("player_shape_extent_max_m", journal.player_shape_extent_max_m,
                          now.player_shape_extent_max_m))
    return text;
  if (auto text = compare("reuse_delay_ticks", journal.reuse_delay_ticks, now.reuse_delay_ticks))
    return text;
  if (auto text = compare("candidate_pairs_max", static_cast<double>(journal.candidate_pairs_max),
                          static_cast<double>(now.candidate_pairs_max)))
    return text;
  if (journal.policy != now.policy) return "policy is another one in the journal";
  return std::nullopt;
}

Bytes encode_tick(Tick tick, const std::vector<Command>& commands,
                  const std::vector<SessionRecord>& sessions) {
  ArchiveWriter writer;
  writer(tick), writer(commands), writer(sessions);  // as decode_tick() reads them
  if (writer.bytes().size() > entry_bytes_max) return {};
  return seal({EntryKind::Tick, tick, commands_part}, writer.bytes());
}
Bytes encode(const WorldSettings& settings) { return sealed(header_key, settings); }
Bytes encode(const RunState& state) { return sealed(state_key, state); }
Bytes encode(const SnapshotEnd& end) { return sealed({EntryKind::SnapshotEnd, end.tick, 0}, end); }
Bytes encode_hash(Tick tick, const TickHash& hash) {
  return sealed({EntryKind::Tick, tick, hash_part}, hash);
}

Result<TickRecord, Error> decode_tick(const Entry& entry) {
  const std::string what = "the commands of a tick";
  if (entry.key.kind != EntryKind::Tick) return other_than(what);
  ArchiveReader reader(entry.body);
  TickRecord record;
  reader(record.tick), reader(record.commands);
  read_sessions(reader, entry.version, record.sessions);
  if (!reader.done()) return cannot_be(what);
  if (record.tick != entry.key.tick)
    return Error{ErrorCode::Internal, "the commands are of another tick"};
  return record;
}
Result<WorldSettings, Error> decode_settings(const Entry& entry) {
  auto settings = read<WorldSettings>(entry, EntryKind::Header, "the settings of a journal");
  // It was for the pairs of which one moves, and as many could be at rest.
  if (settings.ok() && entry.version == 1) settings.value().candidate_pairs_max *= 2;
  return settings;
}
Result<RunState, Error> decode_state(const Entry& entry) {
  constexpr const char* what = "the words about the last run";
  if (entry.version > 2) return read<RunState>(entry, EntryKind::State, what);
  Result<RunState, Error> state = RunState();
  if (entry.version == 2) {
    const auto second = read<RunState2>(entry, EntryKind::State, what);
    state = second.ok() ? Result<RunState, Error>(second.value()) : second.error();
  } else {
    const auto first = read<RunState1>(entry, EntryKind::State, what);
    state = first.ok() ? Result<RunState, Error>(first.value()) : first.error();
  }
  // Whether the restarts of all runs are in it, they do not say.
  if (state.ok()) state.value().is_lost = !state.value().is_clean;
  return state;
}
Result<SnapshotEnd, Error> decode_snapshot_end(const Entry& entry) {
  constexpr const char* what = "the ends of snapshots";
  Result<SnapshotEnd, Error> end = SnapshotEnd();
  if (entry.version > 2) {
    end = read<SnapshotEnd>(entry, EntryKind::SnapshotEnd, what);
  } else {
    const auto second = read<SnapshotEnd2>(entry, EntryKind::SnapshotEnd, what);
    end = second.ok() ? Result<SnapshotEnd, Error>(second.value()) : second.error();
  }
  if (end.ok() && end.value().tick != entry.key.tick)
    return Error{ErrorCode::Internal, "the snapshot is of another tick"};
  if (end.ok()) end.value().format = entry.version;
  return end;
}
Result<TickHash, Error> decode_hash(const Entry& entry) {
  if (entry.version > 1) return read<TickHash>(entry, EntryKind::Tick, "the hash of a tick");
  const auto hash = read<std::uint64_t>(entry, EntryKind::Tick, "the hash of a tick");
  if (!hash.ok()) return hash.error();
  return TickHash{hash.value(), 0, false, false};
}

ArchiveWriter begin_snapshot(std::uint64_t last_session_id,
                             const std::vector<SessionRecord>& sessions) {
  ArchiveWriter writer;
  writer(last_session_id), writer(sessions);
  return writer;
}
Result<SnapshotContent, Error> decode_snapshot(std::span<const std::uint8_t> bytes,
                                               std::uint16_t format) {
  ArchiveReader reader(bytes);
  SnapshotContent content;
  reader(content.last_session_id);
  read_sessions(reader, format, content.sessions);
  if (!reader.ok()) return Error{ErrorCode::Internal, "the sessions of a snapshot cannot be read"};
  content.world = bytes.last(reader.left());
  return content;
}

}  // namespace vicinity::store
