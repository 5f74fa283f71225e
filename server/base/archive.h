// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#pragma once

// Values as bytes, for what is kept on a disk: the same on every machine (little-endian, fixed
// width, doubles by their bits) and read with every bound checked. One template per type writes and
// reads it, so that the two cannot differ:
//
//      template <class Archive> void archive(Archive& a, FieldsOf<Archive, Ring>& ring) {
//        a(ring.distance_m);
//        a(ring.interval_ticks);
//      }
//
// found by argument-dependent lookup. The reader never throws for what it reads and allocates no
// more than in proportion to the bytes that it was given: after a value that cannot be, it has
// failed, and everything read from then on is as it was before. Whoever reads looks at ok() and
// done() in the end. Checksums and versions are the business of who keeps the bytes.

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

namespace vicinity {

static_assert(std::endian::native == std::endian::little, "archives are little-endian");

class ArchiveWriter {
 public:
  static constexpr bool is_reader = false;

  template <class T>
    requires(std::is_arithmetic_v<T> || std::is_enum_v<T>)
  void operator()(const T& value) {
    put(&value, sizeof value);
  }
  void operator()(const bool& value) { (*this)(static_cast<std::uint8_t>(value)); }
  void operator()(const std::string& text) {
    (*this)(static_cast<std::uint64_t>(text.size()));
    put(text.data(), text.size());
  }
  template <class T>
  void operator()(const std::vector<T>& values) {
    (*this)(static_cast<std::uint64_t>(values.size()));
    for (const T& value : values) (*this)(value);
  }
  template <class T>
  void operator()(const std::optional<T>& value) {
    (*this)(value.has_value());
    if (value) (*this)(*value);
  }
  template <class... Ts>
  void operator()(const std::variant<Ts...>& value) {
    (*this)(static_cast<std::uint32_t>(value.index()));
    std::visit([this](const auto& held) { (*this)(held); }, value);
  }
  template <class T>
    requires std::is_class_v<T>
  void operator()(const T& value) {
    archive(*this, value);
  }

  std::span<const std::uint8_t> bytes() const { return bytes_; }
  std::vector<std::uint8_t> take() { return std::exchange(bytes_, {}); }

 private:
  void put(const void* data, std::size_t size) {
    const auto* first = static_cast<const std::uint8_t*>(data);
    bytes_.insert(bytes_.end(), first, first + size);
  }
  std::vector<std::uint8_t> bytes_;
};

class ArchiveReader {
 public:
  static constexpr bool is_reader = true;

  /// `bytes` outlives the reader.
  explicit ArchiveReader(std::span<const std::uint8_t> bytes) : bytes_(bytes) {}

  template <class T>
    requires(std::is_arithmetic_v<T> || std::is_enum_v<T>)
  void operator()(T& value) {
    get(&value, sizeof value);
  }
  void operator()(bool& value) {
    std::uint8_t byte = value ? 1 : 0;
    (*this)(byte);
    if (byte > 1) return fail();
    value = byte == 1;
  }
  void operator()(std::string& text) {
    const std::uint64_t size = count();
    if (size > left()) return fail();
    text.assign(reinterpret_cast<const char*>(bytes_.data()), size);
    bytes_ = bytes_.subspan(size);
  }
  template <class T>
  void operator()(std::vector<T>& values) {
    const std::uint64_t size = count();
    if (size > left()) return fail();  // every value takes a byte at least
    values.clear();
    for (std::uint64_t i = 0; i < size && ok_; ++i) {
      T value{};
      (*this)(value);
      values.push_back(std::move(value));
    }
  }
  template <class T>
  void operator()(std::optional<T>& value) {
    bool present = false;
    (*this)(present);
    value.reset();
    if (present) (*this)(value.emplace());
  }
  template <class... Ts>
  void operator()(std::variant<Ts...>& value) {
    std::uint32_t index = 0;
    (*this)(index);
    if (!ok_ || index >= sizeof...(Ts)) return fail();
    pick(index, value, std::index_sequence_for<Ts...>());
    std::visit([this](auto& held) { (*this)(held); }, value);
  }
  template <class T>
    requires std::is_class_v<T>
  void operator()(T& value) {
    archive(*this, value);
  }

  /// For checks of what was read: a value that cannot be.
  void fail() { ok_ = false; }
  bool ok() const { return ok_; }
  /// All bytes were read, and all of them could be.
  bool done() const { return ok_ && bytes_.empty(); }
  std::size_t left() const { return bytes_.size(); }

 private:
  std::uint64_t count() {
    std::uint64_t size = 0;
    (*this)(size);
    return ok_ ? size : 0;
  }
  void get(void* data, std::size_t size) {
    if (!ok_ || size > bytes_.size()) return fail();
    std::memcpy(data, bytes_.data(), size);
    bytes_ = bytes_.subspan(size);
  }
  template <class Variant, std::size_t... I>
  static void pick(std::uint32_t index, Variant& value, std::index_sequence<I...>) {
    ((I == index ? static_cast<void>(value.template emplace<I>()) : void()), ...);
  }

  std::span<const std::uint8_t> bytes_;
  bool ok_ = true;
};

/// What an archive() template takes: const for writers.
template <class Archive, class T>
using FieldsOf = std::conditional_t<Archive::is_reader, T, const T>;

}  // namespace vicinity
