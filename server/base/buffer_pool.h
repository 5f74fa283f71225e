// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#pragma once

// Large values that one thread writes, many may read for as long as they like, and that are used
// again once the last reader has let go. In a steady state nothing is allocated, the control blocks
// of the shared pointers included.
//
//      take() ──► fill ──► publish as shared_ptr<const T> ──► last reader lets go ──► take() again
//
// The pool may die before its values; whatever is still read then lives until it is let go.

#include <cstddef>
#include <memory>
#include <mutex>
#include <new>
#include <utility>
#include <vector>

#include "base/check.h"

namespace vicinity {

template <class T>
class BufferPool {
 public:
  /// Any thread. A value that nobody else sees, in the state in which it was let go; a new one,
  /// T(), when all are in use.
  std::shared_ptr<T> take() {
    T* value = state_->pop();
    if (value == nullptr) value = new T();
    return std::shared_ptr<T>(value, GiveBack{state_}, BlockAllocator<T>(state_));
  }
  /// Any thread. Frees all but `count` of the values that nobody uses.
  void shrink(std::size_t count) { state_->shrink(count); }

 private:
  struct State {
    ~State() {
      for (T* value : values) delete value;
      for (void* block : blocks) ::operator delete(block);
    }
    T* pop() {
      const std::lock_guard lock(mutex);
      if (values.empty()) return nullptr;
      T* value = values.back();
      values.pop_back();
      return value;
    }
    void push(T* value) {
      const std::lock_guard lock(mutex);
      values.push_back(value);
    }
    void shrink(std::size_t count) {
      const std::lock_guard lock(mutex);
      while (values.size() > count) {
        delete values.back();
        values.pop_back();
      }
    }
    void* pop_block(std::size_t size) {
      const std::lock_guard lock(mutex);
      CHECK(block_size == 0 || block_size == size);  // there is one kind of control block
      block_size = size;
      if (blocks.empty()) return ::operator new(size);
      void* block = blocks.back();
      blocks.pop_back();
      return block;
    }
    void push_block(void* block) {
      const std::lock_guard lock(mutex);
      blocks.push_back(block);
    }

    std::mutex mutex;
    std::vector<T*> values;
    std::vector<void*> blocks;
    std::size_t block_size = 0;
  };

  struct GiveBack {
    std::shared_ptr<State> state;
    void operator()(T* value) const { state->push(value); }
  };

  /// Allocates control blocks, one at a time.
  template <class U>
  struct BlockAllocator {
    using value_type = U;
    explicit BlockAllocator(std::shared_ptr<State> s) : state(std::move(s)) {}
    template <class V>
    BlockAllocator(const BlockAllocator<V>& other) : state(other.state) {}
    U* allocate(std::size_t count) {
      CHECK(count == 1);
      return static_cast<U*>(state->pop_block(sizeof(U)));
    }
    void deallocate(U* block, std::size_t) { state->push_block(block); }
    template <class V>
    bool operator==(const BlockAllocator<V>& other) const {
      return state == other.state;
    }
    std::shared_ptr<State> state;
  };

  std::shared_ptr<State> state_ = std::make_shared<State>();
};

}  // namespace vicinity
