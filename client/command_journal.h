// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#pragma once

// The commands of a session that have no answer yet, so that those that a broken connection
// swallowed can be sent again. Private to the client library. Not thread-safe.

#include <cstddef>
#include <cstdint>
#include <deque>
#include <vector>

#include "world/command.h"

namespace vicinity::client {

class CommandJournal {
 public:
  struct Batch {
    std::uint64_t first_sequence = 0;
    std::vector<CommandBody> commands;
  };

  /// Sequences must be above all that were added before.
  void add(std::uint64_t first_sequence, std::vector<CommandBody> commands);
  /// True when the command was waiting for its answer.
  bool answer(std::uint64_t sequence);
  /// What comes after this sequence, in the batches in which it was added.
  std::vector<Batch> after(std::uint64_t sequence) const;
  /// Takes out what has no answer up to this sequence, inclusive.
  std::vector<std::uint64_t> take_up_to(std::uint64_t sequence);
  std::vector<std::uint64_t> take_all() { return take_up_to(~std::uint64_t{0}); }
  std::size_t unanswered_count() const { return unanswered_count_; }

 private:
  struct Entry {
    Batch batch;
    std::vector<bool> answered;
    std::size_t unanswered = 0;
  };
  void drop_answered();

  std::deque<Entry> entries_;  ///< by ascending sequence
  std::size_t unanswered_count_ = 0;
};

}  // namespace vicinity::client
