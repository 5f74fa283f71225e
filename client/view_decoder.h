// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#pragma once

// What the entities in view are called. Frames name what moves by short aliases and tell only the
// parts that changed, quantised; this makes names, slots and metres of them. It holds no motion:
// that is for whoever applies the ticks (Replica). Private to the client library. One per session:
// it outlives a connection when the session is resumed.
//
//   alias -> slot -> Known: id and observer
//
// Slots are dense. A slot that becomes free is given again only when its tick is over, so that in a
// tick it means one entity. Aliases are dense as well with any sensible server, which gives those
// of what left again: they index an array. What lies far beyond goes into a map, so that the memory
// is at most a small multiple of the enters that are in view.
//
// A broken or hostile server gets an Error (BadFrame). What a tick does to names is logged until
// its end, so that one that breaks off or is wrong is undone at a cost of its enters and leaves.

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/ids.h"
#include "client/frame.h"

namespace vicinity::proto {
struct Frame;
struct Moves;
}  // namespace vicinity::proto

namespace vicinity::client {

class ViewDecoder {
 public:
  /// Where the records of a part begin in the frame of its tick.
  struct Part {
    std::size_t first_leave = 0;
    std::size_t first_enter = 0;
    std::size_t first_changed = 0;
  };

  /// Of positions in moves, metres; from the welcome. 0: positions near and wide are refused.
  void set_resolution_m(double resolution_m) { resolution_m_ = resolution_m; }
  /// While a removal of an area may be on its way: the last one of an observer ends its view
  /// without leaves, so that its aliases may come anew.
  void expect_drops(bool expected) { drops_expected_ = expected; }

  /// Takes the leaves, enters and changes of one part, which `out` holds from `part` on, gives
  /// these their slots, and appends what its moves say. After an error only roll_back() makes
  /// sense.
  std::optional<Error> read(const proto::Frame& in, const Part& part, TickFrame& out);
  /// All parts of the tick were read.
  void end_tick();
  /// Back to the end of the last tick that was read whole, but for observers dropped since.
  void roll_back();

  void drop_observer(ObserverId observer);
  /// Forgets every view.
  void clear();

  std::size_t entity_count() const { return by_name_.size(); }

 private:
  static constexpr std::uint32_t no_slot = 0xFFFF'FFFFu;
  using Name = std::pair<ObserverId, EntityId>;
  struct Known {
    EntityId id;
    ObserverId observer;
    std::uint32_t list = 0;  ///< number of the last list that named it
  };
  struct Change {
    Name name;
    std::uint32_t slot = 0;
    std::uint32_t alias = 0;
    bool entered = false;  ///< else left
  };

  std::uint32_t slot_of(std::uint32_t alias) const {
    return alias < slots_.size() ? slots_[alias] : far_slot_of(alias);
  }
  std::uint32_t far_slot_of(std::uint32_t alias) const;
  void set_slot(std::uint32_t alias, std::uint32_t slot);
  std::optional<Error> enter(EntityView& view, std::uint32_t alias);
  std::optional<Error> change(EntityView& view, std::uint32_t alias) const;
  void leave(std::map<Name, std::uint32_t>::iterator entry);
  void add(const Name& name, std::uint32_t slot, std::uint32_t alias);
  std::optional<Error> read_moves(const proto::Frame& in, TickFrame& out);
  bool read_positions(const proto::Moves& in, std::vector<EntityMove>& out);
  std::uint32_t next_list();
  template <class List, class Out, class Convert>
  bool append_each(const proto::Moves& in, const List* list, std::vector<Out>& out,
                   Convert convert);

  double resolution_m_ = 0;
  bool drops_expected_ = false;
  std::vector<Known> known_;                          ///< by slot
  std::vector<std::uint32_t> aliases_;                ///< by slot
  std::vector<std::uint32_t> free_;                   ///< slots
  std::map<Name, std::uint32_t> by_name_;             ///< slots
  std::vector<std::uint32_t> slots_;                  ///< by alias, of small aliases
  std::map<std::uint32_t, std::uint32_t> far_slots_;  ///< by alias, of all others
  bool in_tick_ = false;
  std::vector<Change> changes_;         ///< of the present tick, in order
  std::vector<std::uint32_t> dropped_;  ///< slots that drop_observer() freed within the tick
  std::uint32_t list_number_ = 0;
  std::uint64_t told_count_ = 0;  ///< entries in lists of moves of the present tick
};

}  // namespace vicinity::client
