// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#include "index/rows/row_kernels_impl.h"

namespace vicinity {
namespace {

struct Plain {
  static constexpr std::uint32_t width = 8;
  using Numbering = PlainNumbering;

  struct Query {
    explicit Query(const Aabb32& b) : box(b) {}
    Aabb32 box;
  };

  static std::uint32_t open(const Query& query, const RowArrays& rows, std::uint32_t j) {
    std::uint32_t mask = 0;
    for (std::uint32_t k = 0; k < width; ++k) {
      bool hit = true;
      for (int axis = 0; axis < 3; ++axis) {
        hit = hit & (rows.min[axis][j + k] < query.box.max[axis]) &
              (query.box.min[axis] < rows.max[axis][j + k]);
      }
      mask |= static_cast<std::uint32_t>(hit) << k;
    }
    return mask;
  }
  static std::uint32_t closed(const Query& query, const RowArrays& rows, std::uint32_t j) {
    std::uint32_t mask = 0;
    for (std::uint32_t k = 0; k < width; ++k) {
      bool hit = true;
      for (int axis = 0; axis < 3; ++axis) {
        hit = hit & (rows.min[axis][j + k] <= query.box.max[axis]) &
              (query.box.min[axis] <= rows.max[axis][j + k]);
      }
      mask |= static_cast<std::uint32_t>(hit) << k;
    }
    return mask;
  }
  static std::uint32_t firsts(std::uint32_t tag, const RowArrays& rows, std::uint32_t j,
                              std::uint32_t mask) {
    std::uint32_t out = 0;
    put_bits(mask, [&](std::size_t, std::uint32_t k) {
      if (((tag | rows.tag[j + k]) & tag_first_both) == tag_first_both) out |= 1u << k;
    });
    return out;
  }
  static std::size_t put_pairs(MemberPair* out, std::uint32_t own, const RowArrays& rows,
                               std::uint32_t j, std::uint32_t mask) {
    return put_bits(mask, [&](std::size_t at, std::uint32_t k) {
      out[at] = {own, rows.tag[j + k] & tag_member};
    });
  }
  static std::size_t put_members(std::uint32_t* out, const RowArrays& rows, std::uint32_t j,
                                 std::uint32_t mask) {
    return put_bits(
        mask, [&](std::size_t at, std::uint32_t k) { out[at] = rows.tag[j + k] & tag_member; });
  }
};

}  // namespace

const RowKernels scalar_row_kernels = {enroll<Plain>, join<Plain>, probe<Plain, false>,
                                       probe<Plain, true>, gather_plain};

}  // namespace vicinity
