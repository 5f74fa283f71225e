// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#include "client/view_decoder.h"

#include <algorithm>
#include <iterator>
#include <string>

#include "client/quantised.h"
#include "server_generated.h"

namespace vicinity::client {
namespace {

/// Every entity is told of by at most this many Moves of one tick: its position, its rotation, both
/// velocities and its jump may be in parts of their own.
constexpr std::uint64_t moves_per_entity_max = 8;
/// Beyond it neighbouring positions could not be told apart in a double.
constexpr std::int64_t origin_max = std::int64_t{1} << 52;

// The structs are read in place; a field appended to one would shift all that follow.
static_assert(sizeof(proto::NearMove) == 8);
static_assert(sizeof(proto::WideMove) == 10);
static_assert(sizeof(proto::FarMove) == 32);
static_assert(sizeof(proto::TurnUpdate) == 6);
static_assert(sizeof(proto::VelocityUpdate) == 8);

Error bad_frame(std::string what) { return {ErrorCode::BadFrame, std::move(what)}; }

std::uint16_t low_alias(std::uint16_t alias) { return alias; }
template <class T>
std::uint16_t low_alias(const T* element) {
  return element->alias();
}

/// Whether elements lie where they may be read (the verifier does not look).
template <class List>
bool is_aligned(const List* list, std::size_t alignment) {
  return list == nullptr || reinterpret_cast<std::uintptr_t>(list->Data()) % alignment == 0;
}

bool is_aligned(const proto::Moves& in) {
  return is_aligned(in.near(), 2) && is_aligned(in.wide(), 2) && is_aligned(in.far(), 8) &&
         is_aligned(in.turns(), 2) && is_aligned(in.velocities(), 2) && is_aligned(in.spins(), 2) &&
         is_aligned(in.jumps(), 2);
}

/// The same page of an observer in two Moves could tell of an entity twice.
bool repeats_a_page(const proto::Frame& in) {
  std::vector<std::uint64_t> pages;
  pages.reserve(in.moves()->size());
  for (const proto::Moves* moves : *in.moves())
    pages.push_back((static_cast<std::uint64_t>(moves->observer()) << 32) | moves->page());
  std::sort(pages.begin(), pages.end());
  return std::adjacent_find(pages.begin(), pages.end()) != pages.end();
}

EntityMove motion_of(const EntityView& view) {
  return {view.id,        view.observer, view.position,         view.velocity,
          view.user_data, view.rotation, view.angular_velocity, false};
}

}  // namespace

struct ViewDecoder::Cursor {
  const State* state = nullptr;
  std::uint32_t page = 0;
  std::uint32_t key = no_slot;  ///< of `block`
  const Block* block = nullptr;

  std::uint32_t find(std::uint16_t low) {
    const std::uint32_t alias = (page << 16) | low;
    if (alias >> block_bits != key) {
      key = alias >> block_bits;
      const auto found = state->blocks.find(key);
      block = found == state->blocks.end() ? nullptr : &found->second;
    }
    return block == nullptr ? no_slot : (*block)[alias % block->size()];
  }
};

std::optional<Error> ViewDecoder::read(const proto::Frame& in, TickFrame& out) {
  begin_part(in.part(), in.last());
  for (const EntityLeave& leave : out.leaves) {
    const auto entry = state_.by_name.find({leave.observer, leave.id});
    if (entry != state_.by_name.end()) forget(entry);
  }
  for (std::uint32_t i = 0; i < out.enters.size(); ++i)
    if (auto error = enter(out.enters[i], in.enters()->Get(i)->alias())) return error;
  for (std::uint32_t i = 0; i < out.changed.size(); ++i)
    if (auto error = change(out.changed[i], in.changed()->Get(i)->alias())) return error;
  if (in.moves() != nullptr) {
    if (repeats_a_page(in)) return bad_frame("two lists of moves for one page of an observer");
    for (const proto::Moves* moves : *in.moves())
      if (auto error = read_moves(*moves, out)) return error;
  }
  if (in.last()) before_tick_.reset();
  return std::nullopt;
}

void ViewDecoder::begin_part(std::uint32_t part, bool last) {
  if (part != 0) return;
  tick_move_count_ = 0;
  before_tick_.reset();
  if (!last) before_tick_ = std::make_unique<State>(state_);
}

std::uint32_t ViewDecoder::slot_of(std::uint32_t alias) const {
  return Cursor{&state_, alias >> 16}.find(static_cast<std::uint16_t>(alias));
}

std::optional<Error> ViewDecoder::enter(const EntityView& view, std::uint32_t alias) {
  const Name name{view.observer, view.id};
  // A second enter of the same entity is for the Replica to judge; the last one counts.
  if (const auto again = state_.by_name.find(name); again != state_.by_name.end()) forget(again);
  if (const std::uint32_t holder = slot_of(alias); holder != no_slot) {
    if (!drops_expected_)
      return bad_frame("alias " + std::to_string(alias) + " was given to two entities");
    const EntityMove& held = state_.known[holder].move;
    forget(state_.by_name.find({held.observer, held.id}));
  }
  std::uint32_t slot = static_cast<std::uint32_t>(state_.known.size());
  if (state_.free_slots.empty()) {
    state_.known.emplace_back();
  } else {
    slot = state_.free_slots.back();
    state_.free_slots.pop_back();
  }
  state_.known[slot] = {motion_of(view), alias, 0, 0};
  state_.by_name.emplace(name, slot);
  const auto [block, is_new] = state_.blocks.try_emplace(alias >> block_bits);
  if (is_new) block->second.fill(no_slot);
  block->second[alias % block->second.size()] = slot;
  return std::nullopt;
}

std::optional<Error> ViewDecoder::change(const EntityView& view, std::uint32_t alias) {
  const auto entry = state_.by_name.find({view.observer, view.id});
  if (entry == state_.by_name.end()) return std::nullopt;  // for the Replica to judge
  Known& known = state_.known[entry->second];
  if (known.alias != alias) return bad_frame("a changed entity came with the alias of another");
  known.move = motion_of(view);
  return std::nullopt;
}

void ViewDecoder::forget(std::map<Name, std::uint32_t>::iterator entry) {
  if (entry == state_.by_name.end()) return;
  const std::uint32_t slot = entry->second;
  const std::uint32_t alias = state_.known[slot].alias;
  const auto block = state_.blocks.find(alias >> block_bits);
  std::uint32_t& held = block->second[alias % block->second.size()];
  if (held == slot) held = no_slot;
  const auto empty = [](std::uint32_t value) { return value == no_slot; };
  if (std::all_of(block->second.begin(), block->second.end(), empty)) state_.blocks.erase(block);
  state_.free_slots.push_back(slot);
  state_.by_name.erase(entry);
}

void ViewDecoder::drop_observer(ObserverId observer) {
  const auto first = state_.by_name.lower_bound({observer, EntityId()});
  for (auto entry = first; entry != state_.by_name.end() && entry->first.first == observer;)
    forget(entry++);
}

void ViewDecoder::clear() {
  state_ = {};
  before_tick_.reset();
}

void ViewDecoder::roll_back() {
  if (before_tick_) state_ = std::move(*before_tick_);
  before_tick_.reset();
}

std::optional<Error> ViewDecoder::read_moves(const proto::Moves& in, TickFrame& out) {
  if (in.page() > 0xFFFFu) return bad_frame("page " + std::to_string(in.page()) + " of aliases");
  if (!is_aligned(in)) return bad_frame("misaligned moves");
  ++moves_number_;
  touched_slots_.clear();
  Cursor cursor{&state_, in.page()};
  const auto jump = [](Known& known, std::uint16_t) {
    known.move.jumped = true;
    return true;
  };
  const bool good = read_positions(in, cursor) && read_turns_and_velocities(in, cursor) &&
                    update_each(in.jumps(), Told::Jump, cursor, jump);
  if (!good)
    return bad_frame("moves with an unknown alias, one given twice, or a number that is none");
  tick_move_count_ += touched_slots_.size();
  if (tick_move_count_ > moves_per_entity_max * state_.by_name.size())
    return bad_frame("a tick tells of the same entities again and again");
  const ObserverId observer{in.observer()};
  out.moved.reserve(out.moved.size() + touched_slots_.size());
  for (const std::uint32_t slot : touched_slots_) {
    const EntityMove& move = state_.known[slot].move;
    if (move.observer != observer) return bad_frame("moves with an alias of another observer");
    out.moved.push_back(move);
  }
  return std::nullopt;
}

/// Calls update(known, element) for every element of a list, which may be absent and comes in no
/// order. False when an alias is unknown or was told `what` already, or `update` says so.
template <class List, class Update>
bool ViewDecoder::update_each(const List* list, Told what, Cursor& cursor, Update update) {
  if (list == nullptr) return true;
  for (const auto element : *list) {
    const std::uint32_t slot = cursor.find(low_alias(element));
    if (slot == no_slot) return false;
    Known& known = state_.known[slot];
    if (known.touched != moves_number_) {
      known.touched = moves_number_;
      known.told = 0;
      known.move.jumped = false;
      touched_slots_.push_back(slot);
    }
    if ((known.told & what) != 0) return false;
    known.told |= what;
    if (!update(known, element)) return false;
  }
  return true;
}

bool ViewDecoder::read_positions(const proto::Moves& in, Cursor& cursor) {
  const bool has_grid = in.near() != nullptr || in.wide() != nullptr;
  const auto in_range = [](std::int64_t v) { return v >= -origin_max && v <= origin_max; };
  const std::int64_t x = in.origin_x(), y = in.origin_y(), z = in.origin_z();
  if (has_grid && !(in_range(x) && in_range(y) && in_range(z) && resolution_m_ > 0)) return false;
  const double resolution_m = resolution_m_;
  const auto place = [](Known& known, const Vec3& position) {
    known.move.position = position;
    return true;
  };
  const auto near_move = [&](Known& known, const proto::NearMove* move) {
    return place(known, {static_cast<double>(x + move->x()) * resolution_m,
                         static_cast<double>(y + move->y()) * resolution_m,
                         static_cast<double>(z + move->z()) * resolution_m});
  };
  const auto wide_move = [&](Known& known, const proto::WideMove* move) {
    const auto bits = static_cast<std::uint64_t>(move->d()) << 48 |
                      static_cast<std::uint64_t>(move->c()) << 32 |
                      static_cast<std::uint64_t>(move->b()) << 16 | move->a();
    const auto offset = from_packed21(bits);
    return place(known, {static_cast<double>(x + offset[0]) * resolution_m,
                         static_cast<double>(y + offset[1]) * resolution_m,
                         static_cast<double>(z + offset[2]) * resolution_m});
  };
  const auto far_move = [&](Known& known, const proto::FarMove* move) {
    const Vec3 position{move->position().x(), move->position().y(), move->position().z()};
    return is_finite(position) && place(known, position);
  };
  return update_each(in.near(), Told::Position, cursor, near_move) &&
         update_each(in.wide(), Told::Position, cursor, wide_move) &&
         update_each(in.far(), Told::Position, cursor, far_move);
}

bool ViewDecoder::read_turns_and_velocities(const proto::Moves& in, Cursor& cursor) {
  const auto turn = [](Known& known, const proto::TurnUpdate* update) {
    const auto rotation =
        from_smallest_three(static_cast<std::uint32_t>(update->high()) << 16 | update->low());
    if (rotation) known.move.rotation = *rotation;
    return rotation.has_value();
  };
  const auto vector_of = [](const proto::VelocityUpdate* update) {
    return Vec3{from_binary16(update->x()), from_binary16(update->y()), from_binary16(update->z())};
  };
  const auto velocity = [&](Known& known, const proto::VelocityUpdate* update) {
    known.move.velocity = vector_of(update);
    return is_finite(known.move.velocity);
  };
  const auto spin = [&](Known& known, const proto::VelocityUpdate* update) {
    known.move.angular_velocity = vector_of(update);
    return is_finite(known.move.angular_velocity);
  };
  return update_each(in.turns(), Told::Turn, cursor, turn) &&
         update_each(in.velocities(), Told::Velocity, cursor, velocity) &&
         update_each(in.spins(), Told::Spin, cursor, spin);
}

}  // namespace vicinity::client
