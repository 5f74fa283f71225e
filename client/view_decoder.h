// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#pragma once

// What the entities in view are called and how they last moved. Frames name what moves by short
// aliases and tell only the parts that changed, quantised; this makes whole values of them. Private
// to the client library. One per session: it outlives a connection when the session is resumed.
//
//   alias -> Block of 64 aliases -> slot -> Known: id, observer and motion as last told
//
// A broken or hostile server gets an Error (BadFrame). Memory: at most about three times the bytes
// of the enters that are in view.

#include <array>
#include <cstdint>
#include <map>
#include <memory>
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
  /// Of positions in moves, metres; from the welcome. 0: positions near and wide are refused.
  void set_resolution_m(double resolution_m) { resolution_m_ = resolution_m; }
  /// While a removal of an area may be on its way: the last one of an observer ends its view
  /// without leaves, so that its aliases may come anew.
  void expect_drops(bool expected) { drops_expected_ = expected; }

  /// Notes the leaves, enters and changes of one part of a tick, then appends what its moves say to
  /// out.moved. `out` holds the converted leaves, enters and changed of the same part. After an
  /// error the decoder must not be used.
  std::optional<Error> read(const proto::Frame& in, TickFrame& out);

  void drop_observer(ObserverId observer);
  /// Forgets every view.
  void clear();
  /// Back to the end of the last tick that was read whole.
  void roll_back();

  std::size_t entity_count() const { return state_.by_name.size(); }

 private:
  static constexpr std::uint32_t no_slot = 0xFFFF'FFFFu;
  static constexpr std::uint32_t block_bits = 6;
  using Block = std::array<std::uint32_t, 1u << block_bits>;
  using Name = std::pair<ObserverId, EntityId>;
  struct Known {
    EntityMove move;
    std::uint32_t alias = 0;
    std::uint32_t touched = 0;  ///< number of the Moves that told of it last
    std::uint8_t told = 0;      ///< what that one told already, a bit each
  };
  struct State {
    std::vector<Known> known;
    std::vector<std::uint32_t> free_slots;
    std::map<Name, std::uint32_t> by_name;  ///< slots
    std::map<std::uint32_t, Block> blocks;  ///< slots, by alias >> block_bits
  };
  /// Looks for aliases of one page; quick where one is close to the one before.
  struct Cursor;
  enum Told : std::uint8_t { Position = 1, Turn = 2, Velocity = 4, Spin = 8, Jump = 16 };

  void begin_part(std::uint32_t part, bool last);
  std::uint32_t slot_of(std::uint32_t alias) const;
  std::optional<Error> enter(const EntityView& view, std::uint32_t alias);
  std::optional<Error> change(const EntityView& view, std::uint32_t alias);
  void forget(std::map<Name, std::uint32_t>::iterator entry);
  std::optional<Error> read_moves(const proto::Moves& in, TickFrame& out);
  template <class List, class Update>
  bool update_each(const List* list, Told what, Cursor& cursor, Update update);
  bool read_positions(const proto::Moves& in, Cursor& cursor);
  bool read_turns_and_velocities(const proto::Moves& in, Cursor& cursor);

  double resolution_m_ = 0;
  bool drops_expected_ = false;
  State state_;
  std::unique_ptr<State> before_tick_;  ///< while a tick of several parts is under way
  std::uint32_t moves_number_ = 0;
  std::vector<std::uint32_t> touched_slots_;  ///< of the present Moves
  std::uint64_t tick_move_count_ = 0;         ///< told of in the present tick
};

}  // namespace vicinity::client
