// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#include "store/recovery.h"

#include <algorithm>
#include <limits>
#include <utility>
#include <vector>

#include "base/limits.h"

namespace vicinity::store {
namespace {

/// How often a tick without a hash may end the process before it is left out.
constexpr std::uint32_t tries_max = 3;
constexpr std::size_t changes_at_once = 1024;

bool failed(const Error& error) { return error.code != ErrorCode::None; }

std::string number(std::uint64_t value) { return std::to_string(value); }

/// More than a run welcomes without any of it being in the journal.
constexpr std::uint64_t sessions_skipped = std::uint64_t{1} << 32;
/// Runs of which nobody knows, when the words about the last one are lost.
constexpr std::uint64_t runs_unknown = 16;
/// Contact events in a tick, for hours on end.
constexpr std::uint64_t events_per_tick_max = std::uint64_t{1} << 20;

class Recovery {
 public:
  Recovery(JournalFolder& folder, const RecoverySettings& settings)
      : folder_(folder), settings_(settings) {}

  Result<Recovered, Error> run();

 private:
  RecordStore& store() { return folder_.store(); }
  void warn(const std::string& text) const {
    if (settings_.on_warning) settings_.on_warning(text);
  }
  Error begin_new();
  Error check_settings() const;
  Error cut_damage();
  Error cut_from(Tick tick, const std::string& why);
  Error drop_old_snapshots();
  Error replay_known();
  Error replay_last();
  Error compare(const ReplayedTick& tick);
  Error note_run(Tick tried_tick, std::uint32_t tries);
  Error note_lost(Tick last, Tick tick);
  Error cut(std::span<const EntryKey> keys, const std::string& why);
  Error note_missing();
  RunState next_run();
  Error apply(std::vector<StoreChange> changes);

  JournalFolder& folder_;
  const RecoverySettings& settings_;
  Contents contents_;
  Recovered out_;
  bool is_other_warned_ = false;
  TickHash last_hash_;  ///< of the tick that ran last
};

Error Recovery::apply(std::vector<StoreChange> changes) {
  for (std::size_t at = 0; at < changes.size(); at += changes_at_once) {
    const std::size_t count = std::min(changes_at_once, changes.size() - at);
    Error error = store().apply(std::span<const StoreChange>(changes).subspan(at, count), true);
    if (failed(error)) return error;
  }
  return {};
}

Error Recovery::note_run(Tick tried_tick, std::uint32_t tries) {
  RunState& state = contents_.state;
  state.is_clean = false;
  state.tried_tick = tried_tick;
  state.tries = tries;
  return apply({{state_key, encode(state)}});
}

/// Ticks up to `last` are not there any more, or will not be. `tick`: up to where the next start is
/// to expect some.
Error Recovery::note_lost(Tick last, Tick tick) {
  RunState& state = contents_.state;
  const Tick lost = last - std::min(last, contents_.last_tick);
  const Tick per_restart = ticks_per_restart(settings_.simulation);
  state.restarts += static_cast<std::uint32_t>((lost + per_restart - 1) / per_restart);
  state.tick = tick;
  return note_run(state.tried_tick, state.tries);
}

/// A start that ends amid it leaves word of what there was.
Error Recovery::cut(std::span<const EntryKey> keys, const std::string& why) {
  const Tick last = std::max({contents_.state.tick, contents_.last_tick, keys.back().tick});
  // Where nothing will be left there is nothing to expect either.
  const Tick expected = contents_.last_tick == 0 ? 0 : last;
  if (Error error = note_lost(last, expected); failed(error)) return error;
  const auto file = folder_.cut(contents_.last_tick, keys);
  if (!file.ok()) return file.error();
  contents_.state.tick = contents_.last_tick;
  Error error = note_run(contents_.state.tried_tick, contents_.state.tries);
  if (failed(error)) return error;
  warn("the journal is cut off after tick " + number(contents_.last_tick) + ": " + why + "; " +
       number(keys.size()) + " entries are kept in " + file.value().string());
  return {};
}

/// Ticks that are not there though nothing is damaged.
Error Recovery::note_missing() {
  const Tick tick = contents_.state.tick;
  if (tick <= contents_.last_tick) return {};
  warn("the journal ends with tick " + number(contents_.last_tick) + ", and a run was at tick " +
       number(tick) + ": what came between is lost");
  return note_lost(tick, contents_.last_tick);
}

/// What this run is told, and has to be known to the next one, however little of it will be in the
/// journal.
RunState Recovery::next_run() {
  RunState state = contents_.state;
  out_.was_clean = state.is_clean && state.tick == contents_.last_tick;
  const std::uint32_t had = out_.base.simulation->restart_count();
  const std::uint64_t unknown = state.is_lost ? runs_unknown : 1;
  if (!out_.is_new) {
    out_.restarts = state.restarts - std::min(state.restarts, had);
    if (!out_.was_clean) out_.restarts += static_cast<std::uint32_t>(unknown);
    out_.last_session_id =
        std::max(out_.base.sessions.last_id(), state.last_session_id) + unknown * sessions_skipped;
  }
  state.is_clean = false;
  state.tick = contents_.last_tick;
  state.tried_tick = 0;
  state.tries = 0;
  state.restarts = had + out_.restarts;
  state.last_session_id = out_.last_session_id;
  state.is_lost = false;
  return state;
}

Error Recovery::begin_new() {
  out_.is_new = true;
  contents_.settings = world_settings(settings_.simulation);
  contents_.state.is_clean = true;
  return apply({{header_key, encode(contents_.settings)}, {state_key, encode(contents_.state)}});
}

Error Recovery::check_settings() const {
  const auto text = difference(contents_.settings, world_settings(settings_.simulation));
  if (!text) return {};
  return {ErrorCode::Internal, folder_.path().string() + ": the journal was made under other " +
                                   "settings: " + *text +
                                   "; start with those of the journal, or with an empty folder"};
}

/// What cannot be used of the store goes into a file. A journal without it goes on.
Error Recovery::cut_damage() {
  if (!contents_.damage) return {};
  const Damage& damage = *contents_.damage;
  const std::string where = "tick " + number(damage.tick) + " is damaged (" + damage.text + ")";
  if (!damage.is_tail && !settings_.accept_loss) {
    return {ErrorCode::Internal,
            folder_.path().string() + ": the journal cannot be replayed: " + where +
                ", and good ticks follow it. Bring the folder back from a copy, or start with "
                "--journal-accept-loss: the world then goes on from tick " +
                number(contents_.last_tick) + ", and what is behind it is kept in a file"};
  }
  return cut(contents_.beyond, where);
}

Error Recovery::cut_from(Tick tick, const std::string& why) {
  std::vector<EntryKey> keys;
  for (Tick at = tick; at <= contents_.last_tick; ++at)
    for (const std::uint32_t part : {commands_part, hash_part})
      keys.push_back({EntryKind::Tick, at, part});
  contents_.last_tick = tick - 1;
  return cut(keys, why);
}

/// Those that a newer one has replaced, and parts without an end.
Error Recovery::drop_old_snapshots() {
  for (const std::string& text : contents_.bad_snapshots)
    warn("a snapshot cannot be used: " + text + "; the start goes on from " +
         (contents_.snapshot ? "that of tick " + number(contents_.snapshot->tick)
                             : "the first tick"));
  std::vector<StoreChange> changes;
  const auto drop = [&](const EntryKey& key, std::span<const std::uint8_t>) {
    if (!contents_.snapshot || key.tick != contents_.snapshot->tick)
      changes.push_back({key, std::nullopt});
    return true;
  };
  const Error error = store().for_each(
      {EntryKind::SnapshotEnd, 0, 0},
      {EntryKind::SnapshotPart, std::numeric_limits<Tick>::max(), ~std::uint32_t{0}}, drop);
  return failed(error) ? error : apply(std::move(changes));
}

Error Recovery::compare(const ReplayedTick& tick) {
  out_.tick = tick.record.tick;
  out_.hash = tick.output.report.hash;
  last_hash_ = TickHash::of(tick.output.report);
  ++out_.replayed;
  if (settings_.on_progress)
    settings_.on_progress(out_.replayed, contents_.last_tick - contents_.base_tick());
  if (!out_.base.quarantined.empty()) return {};
  if (tick.keeps_other_pairs()) {
    if (!std::exchange(is_other_warned_, true)) {
      warn("tick " + number(out_.tick) +
           " comes to other contacts or views than when it ran: there were more candidate pairs "
           "than candidate_pairs_max, or far more passed through the areas of a session than it "
           "may look at, and what is kept then depends on what was at rest. The world goes on with "
           "those of now; were it the pairs, raise candidate_pairs_max with a new journal");
    }
  }
  if (!tick.differs()) return {};
  return {ErrorCode::Internal,
          folder_.path().string() + ": the journal cannot be replayed: tick " + number(out_.tick) +
              " comes to another result than when it ran; vicinity-replay says more. Start with "
              "the program that made the journal, or with --journal-accept-loss: the world then "
              "goes on from tick " +
              number(out_.tick - 1) + ", and what is behind it is kept in a file"};
}

/// All ticks whose hash is known. With accept_loss the first that differs is cut off, and the world
/// is built once more up to there.
Error Recovery::replay_known() {
  for (;;) {
    auto base = restore_base(store(), contents_, settings_.simulation);
    if (!base.ok()) return base.error();
    out_.base = std::move(base.value());
    out_.tick = contents_.base_tick();
    out_.hash = contents_.snapshot ? contents_.snapshot->world_hash : 0;
    out_.replayed = 0;
    const Tick last = contents_.last_tick - (contents_.last_hash ? 0 : 1);
    if (contents_.last_tick == contents_.base_tick() || last == contents_.base_tick()) return {};
    Error fault;
    const Error error =
        replay(store(), contents_.base_tick() + 1, last, out_.base, [&](const ReplayedTick& tick) {
          fault = compare(tick);
          return !failed(fault);
        });
    if (failed(error)) fault = error;
    if (!failed(fault)) return {};
    if (!settings_.accept_loss || out_.tick > last) return fault;
    const Tick first_bad = failed(error) ? out_.tick + 1 : out_.tick;
    contents_.last_hash = 0;  // those before have been run with the hash that they had
    if (Error cut = cut_from(first_bad, "it comes to another result, or cannot be read");
        failed(cut))
      return cut;
  }
}

Error Recovery::replay_last() {
  const Tick tick = contents_.last_tick;
  if (contents_.last_hash || tick == contents_.base_tick()) return {};
  const bool is_known = contents_.state.tried_tick == tick;
  const std::uint32_t tries = is_known ? contents_.state.tries : 0;
  if (tries >= tries_max) {
    return cut_from(tick, "it has no result, and the process ended " + number(tries) +
                              " times while it was computed");
  }
  if (Error error = note_run(tick, tries + 1); failed(error)) return error;
  Error error = replay(store(), tick, tick, out_.base,
                       [&](const ReplayedTick& last) { return !failed(compare(last)); });
  if (failed(error)) return error;
  return apply({{{EntryKind::Tick, tick, hash_part}, encode_hash(tick, last_hash_)}});
}

Result<Recovered, Error> Recovery::run() {
  auto contents = read_contents(store());
  if (!contents.ok()) {
    return Error{contents.error().code, folder_.path().string() + ": " + contents.error().text};
  }
  contents_ = std::move(contents.value());
  Error error = contents_.is_new ? begin_new() : check_settings();
  if (!failed(error)) error = folder_.mark_begun();
  if (!failed(error)) error = cut_damage();
  if (!failed(error)) error = note_missing();
  if (!failed(error)) error = replay_known();
  if (!failed(error)) error = replay_last();
  if (!failed(error)) error = drop_old_snapshots();
  if (failed(error)) return error;
  out_.start.state = next_run();
  for (const std::string& text : out_.base.quarantined)
    warn("an entity of the snapshot was left out: " + text);
  out_.start.tick = out_.tick;
  out_.start.first_tick = contents_.first_tick;
  if (contents_.snapshot) {
    out_.start.snapshot_tick = contents_.snapshot->tick;
    out_.start.snapshot_parts = contents_.snapshot->part_count;
  }
  out_.start.sessions = out_.base.sessions;
  return std::move(out_);
}

}  // namespace

Tick ticks_per_restart(const SimulationSettings& settings) {
  // A slot that ends is used again after so many ticks.
  const Tick reuse_ticks = std::max<Tick>(settings.reuse_delay_ticks, 1);
  return std::min<Tick>(limits::restart_generations * reuse_ticks,
                        limits::restart_events / events_per_tick_max);
}

Result<Recovered, Error> recover(JournalFolder& folder, const RecoverySettings& settings) {
  return Recovery(folder, settings).run();
}

}  // namespace vicinity::store
