// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#pragma once

// Where in a frame the moves of one view go: one list per page, which is the upper half of the
// alias. One object per view and frame; keep it for its memory. Tick thread or one of its workers.

#include <algorithm>
#include <cstdint>
#include <vector>

#include "base/ids.h"
#include "stream/frame_selection.h"
#include "stream/quantised.h"

namespace vicinity {

class ViewLists {
 public:
  void reset(ObserverId observer, const QuantisedPosition& origin) {
    observer_ = observer;
    origin_ = origin;
    places_.clear();
    looked_at_ = 0;
  }

  /// The list of a page, which is made when it is asked for first. Valid until the next call.
  /// O(log pages).
  MoveLists& of(std::uint32_t page, FrameSelection& out) {
    const auto place =
        std::lower_bound(places_.begin(), places_.end(), page, [this](const Place& p, auto key) {
          ++looked_at_;
          return p.page < key;
        });
    if (place != places_.end() && place->page == page) return out.moves[place->list];
    places_.insert(place, {page, out.move_count});
    return out.add_moves(observer_, page, origin_);
  }
  const QuantisedPosition& origin() const { return origin_; }
  /// Places compared since the reset: what finding the lists cost.
  std::uint64_t looked_at() const { return looked_at_; }

 private:
  struct Place {
    std::uint32_t page = 0;
    std::size_t list = 0;
  };
  ObserverId observer_;
  QuantisedPosition origin_;
  std::vector<Place> places_;  ///< ascending by page
  std::uint64_t looked_at_ = 0;
};

/// Near moves on their way into their lists, in order: written one behind the other, without a look
/// at how much room there is. Flush it before something else adds moves, so that lists come in the
/// order of their first moves, and at the end.
class NearRun {
 public:
  /// At most `count_max` moves between two flushes; `buffer` is kept for its memory.
  NearRun(ViewLists& lists, FrameSelection& out, std::size_t count_max,
          std::vector<NearMove>& buffer)
      : lists_(lists), out_(out) {
    if (buffer.size() <= count_max) buffer.resize(count_max + 1);
    first_ = next_ = buffer.data();
  }

  void put(std::uint32_t alias, std::int64_t x, std::int64_t y, std::int64_t z) {
    *begin(alias >> 16) = {static_cast<std::uint16_t>(alias), static_cast<std::int16_t>(x),
                           static_cast<std::int16_t>(y), static_cast<std::int16_t>(z)};
    ++next_;
  }
  /// Where moves of the page may be written without put(); end() says how far that went.
  NearMove* begin(std::uint32_t page) {
    if (page != page_) flush();
    page_ = page;
    return next_;
  }
  void end(NearMove* next) { next_ = next; }
  void flush() {
    if (next_ == first_) return;
    std::vector<NearMove>& near = lists_.of(page_, out_).near;
    near.insert(near.end(), first_, next_);
    next_ = first_;
  }

 private:
  ViewLists& lists_;
  FrameSelection& out_;
  NearMove* first_ = nullptr;
  NearMove* next_ = nullptr;
  std::uint32_t page_ = 0;
};

}  // namespace vicinity
