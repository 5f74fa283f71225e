// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#pragma once

// The contacts that are open after a tick, frozen: a small value that a frame keeps. What moves is
// a list of its own, made anew every tick; what rests is shared by successive frames (see
// events/resting_contacts.h). Any thread may read.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "base/ids.h"
#include "base/raw_buffer.h"
#include "events/resting_contacts.h"

namespace vicinity {

/// Hash of one contact; digests of sets are sums of these.
std::uint64_t digest_of(const OpenContact& contact);

class OpenContacts {
 public:
  /// None.
  OpenContacts() = default;
  /// Of a list sorted by (a, b), for readers to be tried with.
  explicit OpenContacts(const std::vector<OpenContact>& contacts);

  std::size_t size() const { return (active_ ? active_->size() : 0) + resting_.size(); }
  /// Whether this very pair is in contact. `a` has the smaller slot. O(log² size).
  bool contains(EntityId a, EntityId b) const;
  /// All of them, sorted by (a, b). O(size), since what moves and the few runs of what rests are
  /// sorted already.
  std::vector<OpenContact> to_vector() const;
  /// Appends all of them, in no useful order. O(size).
  void append_to(std::vector<OpenContact>& out) const;
  /// A sum over all contacts, so that it costs nothing to keep up to date: equal sets have equal
  /// digests however they are split, and different ones hardly ever. O(1).
  std::uint64_t digest() const { return digest_; }

 private:
  friend class ContactTracker;

  std::shared_ptr<const RawBuffer<OpenContact>> active_;  ///< sorted by (a, b); null = none
  RestingContacts::View resting_;
  std::uint64_t digest_ = 0;
};

}  // namespace vicinity
