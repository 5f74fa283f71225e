// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#pragma once

// A value or an error, for everything that depends on the outside world. Inspect before use.

#include <utility>
#include <variant>

#include "base/check.h"

namespace vicinity {

template <class T, class E>
class [[nodiscard]] Result {
 public:
  Result(T value)
      : state_(std::in_place_index<0>, std::move(value)) {}  // NOLINT: implicit on purpose
  Result(E error)
      : state_(std::in_place_index<1>, std::move(error)) {}  // NOLINT: implicit on purpose

  bool ok() const { return state_.index() == 0; }
  explicit operator bool() const { return ok(); }

  /// Only when ok().
  T& value() {
    CHECK(ok());
    return std::get<0>(state_);
  }
  const T& value() const {
    CHECK(ok());
    return std::get<0>(state_);
  }
  /// Only when !ok().
  const E& error() const {
    CHECK(!ok());
    return std::get<1>(state_);
  }

 private:
  std::variant<T, E> state_;
};

}  // namespace vicinity
