// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#include "store/replay.h"

#include <cstdio>
#include <utility>

#include "world/restored_entities.h"

namespace vicinity::store {
namespace {

std::string describe(const QuarantinedEntity& entity) {
  char place[96];
  std::snprintf(place, sizeof place, "(%.3f, %.3f, %.3f)", entity.position.x, entity.position.y,
                entity.position.z);
  return "id " + std::to_string(entity.id.raw()) + " at " + place + ": " + entity.reason;
}

/// The entities are hashed anew, unless some of them were left out.
bool is_as_told(const Simulation& world, const SnapshotEnd& end, bool is_whole) {
  return world.frame()->tick == end.tick && world.last_hash() == end.world_hash &&
         (!is_whole || !end.entity_hash || world.entity_hash() == *end.entity_hash);
}

Error cannot_be_read(Tick tick, const Error& error) {
  return {error.code, "tick " + std::to_string(tick) + " cannot be read: " + error.text};
}

}  // namespace

bool ReplayedTick::differs() const {
  if (!journaled) return false;
  if (!is_beyond_budget) return journaled->hash != output.report.hash;
  return journaled->has_entity_hash && journaled->entity_hash != output.report.entity_hash;
}

bool ReplayedTick::keeps_other_pairs() const {
  return journaled && journaled->hash != output.report.hash && !differs();
}

Result<Base, Error> restore_base(RecordStore& store, const Contents& contents,
                                 const SimulationSettings& settings) {
  Base base;
  const SimulationSettings as_journaled = with_world(settings, contents.settings);
  if (!contents.snapshot) {
    base.simulation = std::make_unique<Simulation>(as_journaled);
    return base;
  }
  const auto bytes = read_snapshot(store, *contents.snapshot);
  if (!bytes.ok()) return bytes.error();
  const auto content = decode_snapshot(bytes.value(), contents.snapshot->format);
  if (!content.ok()) return content.error();
  ArchiveReader reader(content.value().world);
  auto restored = Simulation::restore(as_journaled, reader);
  const std::string name = "the snapshot of tick " + std::to_string(contents.snapshot->tick);
  if (!restored.ok()) {
    return Error{restored.error().code, name + " cannot be restored: " + restored.error().text};
  }
  base.simulation = std::move(restored.value().simulation);
  base.sessions = SessionLedger(content.value().sessions, content.value().last_session_id);
  for (const QuarantinedEntity& entity : restored.value().quarantined)
    base.quarantined.push_back(describe(entity));
  if (!is_as_told(*base.simulation, *contents.snapshot, base.quarantined.empty()))
    return Error{ErrorCode::Internal, name + " holds another world than it says"};
  return base;
}

Error replay(RecordStore& store, Tick first, Tick last, Base& base,
             const std::function<bool(const ReplayedTick&)>& on_tick) {
  std::optional<TickRecord> record;  // whose hash, if there is one, comes next
  std::optional<TickHash> hash;
  Error fault;
  bool goes_on = true;
  const auto run = [&] {
    if (!record || !goes_on) return;
    base.sessions.apply(record->sessions, record->commands);
    const TickOutput output = base.simulation->run_tick(record->commands);
    base.is_beyond_budget = base.is_beyond_budget || TickHash::of(output.report).is_truncated ||
                            (hash && hash->is_truncated);
    goes_on = on_tick({*record, output, hash, base.is_beyond_budget});
    record.reset();
    hash.reset();
  };
  const Error error =
      store.for_each({EntryKind::Tick, first, commands_part}, {EntryKind::Tick, last, hash_part},
                     [&](const EntryKey& key, std::span<const std::uint8_t> bytes) {
                       const auto entry = unseal(bytes);
                       if (key.part == commands_part) {
                         run();
                         auto decoded = entry.ok() ? decode_tick(entry.value())
                                                   : Result<TickRecord, Error>(entry.error());
                         if (!decoded.ok()) {
                           if (goes_on) fault = cannot_be_read(key.tick, decoded.error());
                           return false;
                         }
                         record = std::move(decoded.value());
                       } else if (entry.ok()) {
                         const auto decoded = decode_hash(entry.value());
                         if (decoded.ok()) hash = decoded.value();
                       }
                       return goes_on;
                     });
  if (error.code != ErrorCode::None) return error;
  run();
  return fault;
}

}  // namespace vicinity::store
