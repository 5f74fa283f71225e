// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#include "client/view_decoder.h"

#include <algorithm>
#include <string>

#include "client/decode_values.h"
#include "client/quantised.h"

namespace vicinity::client {
namespace {

/// An entity is named by at most five lists of a tick: position, rotation, both velocities and
/// jump. Some more, because what a tick told of may have left since.
constexpr std::uint64_t told_per_entity_max = 8;
/// Beyond it neighbouring positions could not be told apart in a double.
constexpr std::int64_t origin_max = std::int64_t{1} << 52;
/// Aliases below so many, and so many for each entity in view, index the array.
constexpr std::uint64_t near_aliases_min = 1024;
constexpr std::uint64_t near_aliases_per_entity = 4;

// The structs are read in place; a field appended to one would shift all that follow.
static_assert(sizeof(proto::NearMove) == 8);
static_assert(sizeof(proto::WideMove) == 10);
static_assert(sizeof(proto::FarMove) == 32);
static_assert(sizeof(proto::TurnUpdate) == 6);
static_assert(sizeof(proto::VelocityUpdate) == 8);

std::uint16_t low_alias(std::uint16_t alias) { return alias; }
template <class T>
std::uint16_t low_alias(const T* element) {
  return element->alias();
}

/// Whether elements lie where they may be read (the verifier does not look).
template <class List>
bool is_aligned(const List* list, std::size_t alignment) {
  return list == nullptr || list->size() == 0 ||
         reinterpret_cast<std::uintptr_t>(list->Data()) % alignment == 0;
}

bool is_aligned(const proto::Moves& in) {
  return is_aligned(in.near(), 2) && is_aligned(in.wide(), 2) && is_aligned(in.far(), 8) &&
         is_aligned(in.turns(), 2) && is_aligned(in.velocities(), 2) && is_aligned(in.spins(), 2) &&
         is_aligned(in.jumps(), 2);
}

template <class List>
std::uint64_t size_of(const List* list) {
  return list == nullptr ? 0 : list->size();
}

std::uint64_t told_count(const proto::Moves& in) {
  return size_of(in.near()) + size_of(in.wide()) + size_of(in.far()) + size_of(in.turns()) +
         size_of(in.velocities()) + size_of(in.spins()) + size_of(in.jumps());
}

bool to_rotation(const proto::TurnUpdate* in, EntityTurn& out) {
  const auto rotation =
      from_smallest_three(static_cast<std::uint32_t>(in->high()) << 16 | in->low());
  if (rotation) out.rotation = *rotation;
  return rotation.has_value();
}

bool to_velocity(const proto::VelocityUpdate* in, EntityVelocity& out) {
  out.value = {from_binary16(in->x()), from_binary16(in->y()), from_binary16(in->z())};
  return is_finite(out.value);
}

}  // namespace

std::optional<Error> ViewDecoder::read(const proto::Frame& in, const Part& part, TickFrame& out) {
  in_tick_ = true;
  for (std::size_t i = part.first_leave; i < out.leaves.size(); ++i) {
    const auto entry = by_name_.find({out.leaves[i].observer, out.leaves[i].id});
    if (entry != by_name_.end()) leave(entry);  // else for the Replica to judge
  }
  for (std::size_t i = part.first_enter; i < out.enters.size(); ++i) {
    const auto at = static_cast<flatbuffers::uoffset_t>(i - part.first_enter);
    if (auto error = enter(out.enters[i], in.enters()->Get(at)->alias())) return error;
  }
  for (std::size_t i = part.first_changed; i < out.changed.size(); ++i) {
    const auto at = static_cast<flatbuffers::uoffset_t>(i - part.first_changed);
    if (auto error = change(out.changed[i], in.changed()->Get(at)->alias())) return error;
  }
  return in.moves() == nullptr ? std::nullopt : read_moves(in, out);
}

// --- Names ---------------------------------------------------------------------------------------

std::uint32_t ViewDecoder::far_slot_of(std::uint32_t alias) const {
  const auto found = far_slots_.find(alias);
  return found == far_slots_.end() ? no_slot : found->second;
}

void ViewDecoder::set_slot(std::uint32_t alias, std::uint32_t slot) {
  const std::uint64_t near_max = near_aliases_min + near_aliases_per_entity * by_name_.size();
  if (alias >= slots_.size() && alias < near_max && slot != no_slot) {
    const std::uint64_t wanted = std::max<std::uint64_t>(alias + 1, 2 * slots_.size());
    slots_.resize(std::min(wanted, near_max), no_slot);
    while (!far_slots_.empty() && far_slots_.begin()->first < slots_.size()) {
      slots_[far_slots_.begin()->first] = far_slots_.begin()->second;
      far_slots_.erase(far_slots_.begin());
    }
  }
  if (alias < slots_.size()) {
    slots_[alias] = slot;
  } else if (slot == no_slot) {
    far_slots_.erase(alias);
  } else {
    far_slots_[alias] = slot;
  }
}

void ViewDecoder::add(const Name& name, std::uint32_t slot, std::uint32_t alias) {
  known_[slot] = {name.second, name.first, 0};
  aliases_[slot] = alias;
  by_name_.emplace(name, slot);
  set_slot(alias, slot);
}

std::optional<Error> ViewDecoder::enter(EntityView& view, std::uint32_t alias) {
  const Name name{view.observer, view.id};
  // A second enter of the same entity is for the Replica to judge; the last one counts.
  if (const auto again = by_name_.find(name); again != by_name_.end()) leave(again);
  if (const std::uint32_t holder = slot_of(alias); holder != no_slot) {
    if (!drops_expected_)
      return bad_frame("alias " + std::to_string(alias) + " was given to two entities");
    leave(by_name_.find({known_[holder].observer, known_[holder].id}));
  }
  if (free_.empty()) {
    view.slot = static_cast<std::uint32_t>(known_.size());
    known_.emplace_back();
    aliases_.emplace_back();
  } else {
    view.slot = free_.back();
    free_.pop_back();
  }
  add(name, view.slot, alias);
  changes_.push_back({name, view.slot, alias, true});
  return std::nullopt;
}

std::optional<Error> ViewDecoder::change(EntityView& view, std::uint32_t alias) const {
  const auto entry = by_name_.find({view.observer, view.id});
  if (entry == by_name_.end()) {  // for the Replica to judge
    view.slot = no_slot;
    return std::nullopt;
  }
  view.slot = entry->second;
  if (aliases_[view.slot] != alias)
    return bad_frame("a changed entity came with the alias of another");
  return std::nullopt;
}

/// The slot becomes free at the end of the tick.
void ViewDecoder::leave(std::map<Name, std::uint32_t>::iterator entry) {
  const auto [name, slot] = *entry;
  changes_.push_back({name, slot, aliases_[slot], false});
  set_slot(aliases_[slot], no_slot);
  by_name_.erase(entry);
}

void ViewDecoder::end_tick() {
  for (const Change& change : changes_)
    if (!change.entered) free_.push_back(change.slot);
  free_.insert(free_.end(), dropped_.begin(), dropped_.end());
  changes_.clear();
  dropped_.clear();
  told_count_ = 0;
  in_tick_ = false;
}

void ViewDecoder::roll_back() {
  for (auto change = changes_.rbegin(); change != changes_.rend(); ++change) {
    if (!change->entered) {
      add(change->name, change->slot, change->alias);
      continue;
    }
    set_slot(change->alias, no_slot);
    by_name_.erase(change->name);
    free_.push_back(change->slot);
  }
  changes_.clear();
  end_tick();
}

void ViewDecoder::drop_observer(ObserverId observer) {
  const auto first = by_name_.lower_bound({observer, EntityId()});
  for (auto entry = first; entry != by_name_.end() && entry->first.first == observer;)
    leave(entry++);
  // A drop is for good: nothing of the observer is to come back when the tick is undone.
  std::erase_if(changes_, [&](const Change& change) {
    if (change.name.first != observer) return false;
    if (!change.entered) dropped_.push_back(change.slot);
    return true;
  });
  if (!in_tick_) end_tick();
}

void ViewDecoder::clear() {
  known_.clear();
  aliases_.clear();
  free_.clear();
  by_name_.clear();
  slots_.clear();
  far_slots_.clear();
  changes_.clear();
  dropped_.clear();
  end_tick();
}

// --- Moves ---------------------------------------------------------------------------------------

/// One list after the other of all Moves, so that one number per entity shows what a list names
/// twice.
std::optional<Error> ViewDecoder::read_moves(const proto::Frame& in, TickFrame& out) {
  for (const proto::Moves* moves : *in.moves()) {
    if (moves->page() > 0xFFFFu)
      return bad_frame("page " + std::to_string(moves->page()) + " of aliases");
    if (!is_aligned(*moves)) return bad_frame("misaligned moves");
    told_count_ += told_count(*moves);
  }
  if (told_count_ > told_per_entity_max * by_name_.size())
    return bad_frame("a tick tells of the same entities again and again");
  const auto to_jump = [](std::uint16_t, EntityJump&) { return true; };
  bool good = true;
  const auto read_each = [&](auto read) {
    next_list();
    for (const proto::Moves* moves : *in.moves()) good = good && read(*moves);
  };
  read_each([&](const auto& moves) { return read_positions(moves, out.moved); });
  read_each([&](const auto& moves) {
    return append_each(moves, moves.turns(), out.turned, to_rotation);
  });
  read_each([&](const auto& moves) {
    return append_each(moves, moves.velocities(), out.velocities, to_velocity);
  });
  read_each(
      [&](const auto& moves) { return append_each(moves, moves.spins(), out.spins, to_velocity); });
  read_each(
      [&](const auto& moves) { return append_each(moves, moves.jumps(), out.jumped, to_jump); });
  if (good) return std::nullopt;
  return bad_frame(
      "moves with an alias unknown to their observer, one given twice, or a number that is none");
}

/// Known::list of nothing.
std::uint32_t ViewDecoder::next_list() {
  if (++list_number_ == 0) {
    for (Known& known : known_) known.list = 0;
    list_number_ = 1;
  }
  return list_number_;
}

/// Appends convert(element, value) for every element of a list, which may be absent and comes in no
/// order. False when an alias is not one of the observer, the list named it before, or `convert`
/// says so.
template <class List, class Out, class Convert>
bool ViewDecoder::append_each(const proto::Moves& in, const List* list, std::vector<Out>& out,
                              Convert convert) {
  if (list == nullptr) return true;
  const ObserverId observer{in.observer()};
  const std::uint32_t page = in.page() << 16;
  const std::uint32_t number = list_number_;
  const std::size_t first = out.size();
  out.resize(first + list->size());
  Out* value = out.data() + first;
  // Two passes, so that a process of many sessions waits for its memory once, not entity by entity.
  for (const auto element : *list) {
    value->slot = slot_of(page | low_alias(element));
    if (value->slot == no_slot) return false;
    __builtin_prefetch(&known_[value->slot], 1);
    ++value;
  }
  value = out.data() + first;
  bool good = true;
  for (const auto element : *list) {
    Known& known = known_[value->slot];
    good &= known.observer == observer;
    good &= known.list != number;
    known.list = number;
    value->id = known.id;
    value->observer = observer;
    good &= convert(element, *value);
    ++value;
  }
  return good;
}

bool ViewDecoder::read_positions(const proto::Moves& in, std::vector<EntityMove>& out) {
  const bool has_grid = in.near() != nullptr || in.wide() != nullptr;
  const auto in_range = [](std::int64_t v) { return v >= -origin_max && v <= origin_max; };
  const std::int64_t x = in.origin_x(), y = in.origin_y(), z = in.origin_z();
  if (has_grid && !(in_range(x) && in_range(y) && in_range(z) && resolution_m_ > 0)) return false;
  const double resolution_m = resolution_m_;
  const auto near_move = [=](const proto::NearMove* move, EntityMove& to) {
    to.position = {static_cast<double>(x + move->x()) * resolution_m,
                   static_cast<double>(y + move->y()) * resolution_m,
                   static_cast<double>(z + move->z()) * resolution_m};
    return true;
  };
  const auto wide_move = [=](const proto::WideMove* move, EntityMove& to) {
    const auto bits = static_cast<std::uint64_t>(move->d()) << 48 |
                      static_cast<std::uint64_t>(move->c()) << 32 |
                      static_cast<std::uint64_t>(move->b()) << 16 | move->a();
    const auto offset = from_packed21(bits);
    to.position = {static_cast<double>(x + offset[0]) * resolution_m,
                   static_cast<double>(y + offset[1]) * resolution_m,
                   static_cast<double>(z + offset[2]) * resolution_m};
    return true;
  };
  const auto far_move = [](const proto::FarMove* move, EntityMove& to) {
    to.position = to_vec3(move->position());
    return is_finite(to.position);
  };
  return append_each(in, in.near(), out, near_move) && append_each(in, in.wide(), out, wide_move) &&
         append_each(in, in.far(), out, far_move);
}

}  // namespace vicinity::client
