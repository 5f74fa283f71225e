// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#pragma once

// A set of entities that came to rest together, in rows of their own. Built once and shared by all
// views from then on; only the ends of its registrations change.
//
// Double registration. An entity that moves again is registered among the moving ones of the view
// that is being made, and stays registered here for the views before it:
//
//      version         N-2   N-1    N    N+1
//      run             [===========)                until = N
//      moving                      [===========     from N on
//
// A reader of version v sees a member iff v < until. While N is being made nobody reads N yet, and
// for readers of N-1 and before it makes no difference whether they see the old end or the new one.
// So there is no instant at which an entity is in neither place, nor, for one reader, in both.
//
// When the member list is rebuilt (more came to rest, or many have gone), a new run takes the place
// of the old one in the next view; old views keep the old run.

#include <cstdint>
#include <memory>
#include <vector>

#include "base/end_marks.h"
#include "base/ids.h"
#include "bounds/bounds.h"
#include "index/rows/row_stack.h"

namespace vicinity {

class RestingRun {
 public:
  /// Tick room. `slots` ascending; their bounds are copied.
  RestingRun(std::uint32_t id, bool is_static, std::vector<std::uint32_t> slots,
             const Bounds& bounds);
  /// Tick room, once, before anybody else sees the run.
  void build(const IndexSettings& settings, const RowKernels& kernels, RowStackBuilder& builder,
             Workers& workers);

  std::uint32_t id() const { return id_; }
  bool is_static() const { return is_static_; }
  std::uint32_t member_count() const { return static_cast<std::uint32_t>(slots_.size()); }
  std::uint32_t slot(std::uint32_t member) const { return slots_[member]; }
  const Aabb32& box(std::uint32_t member) const { return bounds_[member].box; }
  const RowStack& stack() const { return stack_; }
  std::size_t size_bytes() const;

  /// Any thread. Whether views of `version` see the member here.
  bool exists_in(std::uint32_t member, IndexVersion version) const {
    return ends_.exists_in(member, version);
  }
  /// Any thread. The first version that no longer sees the member here; 0 = none so far.
  IndexVersion end_of(std::uint32_t member) const { return ends_.end_of(member); }
  /// Any thread. The member in this slot, or member_count(). O(log members).
  std::uint32_t member_of(std::uint32_t slot) const;
  /// Tick room. Whether some version has ended the registration.
  bool has_ended(std::uint32_t member) const { return ends_.has_ended(member); }
  /// Tick thread. Members whose registration has not ended.
  std::uint32_t alive_count() const { return alive_count_; }
  /// Tick thread. `version` is the first that no longer sees the member here.
  void end(std::uint32_t member, IndexVersion version);

 private:
  std::uint32_t id_;
  bool is_static_;
  std::uint32_t alive_count_;
  std::vector<std::uint32_t> slots_;
  Bounds bounds_;
  EndMarks ends_;
  RowStack stack_;
};

}  // namespace vicinity
