// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#pragma once

// An array of plain values whose old contents do not matter when its size is set: scratch memory of
// the tick room that is filled anew every tick. Starts on a cache line.

#include <cstddef>
#include <cstdlib>
#include <memory>
#include <new>
#include <type_traits>

#include "base/check.h"

namespace vicinity {

template <class T>
class RawBuffer {
  static_assert(std::is_trivially_copyable_v<T>);

 public:
  /// Sets the size; what was in it is lost. Grows with some room to spare, and gives memory back
  /// when less than a quarter of it is needed: a peak must not stay for ever.
  void reset(std::size_t size) {
    constexpr std::size_t kept_items = 1024;  // too few to matter
    if (size > capacity_ || (capacity_ > kept_items && size < capacity_ / 4)) {
      allocate(size + size / 4 + kept_items / 4);
    }
    size_ = size;
  }

  /// Keeps the first `size` items.
  void truncate(std::size_t size) {
    DCHECK(size <= size_);
    size_ = size;
  }

  T* data() { return items_.get(); }
  const T* data() const { return items_.get(); }
  std::size_t size() const { return size_; }
  std::size_t size_bytes() const { return capacity_ * sizeof(T); }
  T& operator[](std::size_t i) { return items_.get()[i]; }
  const T& operator[](std::size_t i) const { return items_.get()[i]; }
  T* begin() { return data(); }
  T* end() { return data() + size_; }
  const T* begin() const { return data(); }
  const T* end() const { return data() + size_; }

 private:
  static constexpr std::size_t line_bytes = 64;
  struct Free {
    void operator()(T* items) const {
      ::operator delete(static_cast<void*>(items), std::align_val_t{line_bytes});
    }
  };

  void allocate(std::size_t capacity) {
    items_.reset();
    items_.reset(
        static_cast<T*>(::operator new(capacity * sizeof(T), std::align_val_t{line_bytes})));
    capacity_ = capacity;
  }

  std::unique_ptr<T, Free> items_;
  std::size_t size_ = 0;
  std::size_t capacity_ = 0;
};

}  // namespace vicinity
