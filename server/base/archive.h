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

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
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
    std::memcpy(extend(sizeof value), &value, sizeof value);
  }
  void operator()(const bool& value) { (*this)(static_cast<std::uint8_t>(value)); }
  void operator()(const std::string& text) {
    (*this)(static_cast<std::uint64_t>(text.size()));
    append({reinterpret_cast<const std::uint8_t*>(text.data()), text.size()});
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

  /// Bytes as they are, without their count.
  void append(std::span<const std::uint8_t> bytes) {
    if (!bytes.empty()) std::memcpy(extend(bytes.size()), bytes.data(), bytes.size());
  }
  /// Room at the end for so many bytes, which the caller fills. Valid until the next call.
  std::uint8_t* extend(std::size_t size) {
    if (size > capacity_ - size_) grow(size);
    std::uint8_t* const place = bytes_.get() + size_;
    size_ += size;
    return place;
  }
  /// Room for so many bytes in all, so that they are not moved while they become more.
  void reserve(std::size_t size) {
    if (size > capacity_) move_to(size);
  }
  /// Keeps the memory.
  void clear() { size_ = 0; }

  std::size_t size() const { return size_; }
  std::span<const std::uint8_t> bytes() const { return {bytes_.get(), size_}; }
  /// A copy; the writer is empty then. What is large is better handed on with its writer.
  std::vector<std::uint8_t> take() {
    std::vector<std::uint8_t> out(bytes_.get(), bytes_.get() + size_);
    *this = ArchiveWriter();
    return out;
  }

 private:
  void grow(std::size_t more) {
    constexpr std::size_t least = 256;
    move_to(std::max({least, size_ + more, 2 * capacity_}));
  }
  /// Not to zeros first: a saved world has hundreds of megabytes.
  void move_to(std::size_t capacity) {
    auto bytes = std::make_unique_for_overwrite<std::uint8_t[]>(capacity);
    if (size_ > 0) std::memcpy(bytes.get(), bytes_.get(), size_);
    bytes_ = std::move(bytes);
    capacity_ = capacity;
  }

  std::unique_ptr<std::uint8_t[]> bytes_;
  std::size_t size_ = 0;
  std::size_t capacity_ = 0;
};

class ArchiveReader {
 public:
  static constexpr bool is_reader = true;

  /// `bytes` outlives the reader.
  explicit ArchiveReader(std::span<const std::uint8_t> bytes) : bytes_(bytes) {}

  /// Of an enumeration any number is taken, see archive_enum().
  template <class T>
    requires(std::is_arithmetic_v<T> || std::is_enum_v<T>)
  void operator()(T& value) {
    if (!ok_ || sizeof value > bytes_.size()) return fail();
    std::memcpy(&value, bytes_.data(), sizeof value);
    bytes_ = bytes_.subspan(sizeof value);
  }
  void operator()(bool& value) {
    std::uint8_t byte = value ? 1 : 0;
    (*this)(byte);
    if (byte > 1) return fail();
    value = byte == 1;
  }
  void operator()(std::string& text) {
    const std::uint64_t size = count(1);
    if (!ok_) return;
    text.assign(reinterpret_cast<const char*>(bytes_.data()), size);
    bytes_ = bytes_.subspan(size);
  }
  template <class T>
  void operator()(std::vector<T>& values) {
    const std::uint64_t size = count(1);  // every value takes a byte at least
    if (!ok_) return;
    values.clear();
    for (std::uint64_t i = 0; i < size && ok_; ++i) {
      T value{};
      (*this)(value);
      if (ok_) values.push_back(std::move(value));
    }
  }
  template <class T>
  void operator()(std::optional<T>& value) {
    bool present = value.has_value();
    (*this)(present);
    if (!ok_) return;
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

  /// A count of values that take `size_min` bytes each at least: 0, and failed, when there are not
  /// that many bytes left.
  std::uint64_t count(std::size_t size_min) {
    std::uint64_t size = 0;
    (*this)(size);
    if (ok_ && size > left() / size_min) fail();
    return ok_ ? size : 0;
  }
  /// For checks of what was read: a value that cannot be.
  void fail() { ok_ = false; }
  void require(bool holds) { ok_ = ok_ && holds; }
  bool ok() const { return ok_; }
  /// All bytes were read, and all of them could be.
  bool done() const { return ok_ && bytes_.empty(); }
  std::size_t left() const { return bytes_.size(); }

 private:
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

/// An enumeration that counts from 0 to `last` without gaps; the reader fails at any other number.
template <class Archive, class Enum>
void archive_enum(Archive& a, Enum& value, std::type_identity_t<std::remove_const_t<Enum>> last) {
  if constexpr (Archive::is_reader) {
    Enum read = value;
    a(read);
    if (read > last) return a.fail();
    value = read;
  } else {
    a(value);
  }
}

}  // namespace vicinity
