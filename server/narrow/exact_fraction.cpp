// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#include "narrow/exact_fraction.h"

#include <array>
#include <cmath>
#include <cstddef>

#include "base/check.h"

namespace vicinity {
namespace {

/// A sum of doubles without rounding, as an expansion: terms that do not overlap, of rising size,
/// whose last one has the sign of the whole (Shewchuk 1997, "grow expansion").
class ExactSum {
 public:
  void add(double value) {
    std::size_t kept = 0;
    for (std::size_t i = 0; i < count_; ++i) {
      const double sum = value + terms_[i];
      const double of_value = sum - terms_[i];
      const double error = (value - of_value) + (terms_[i] - (sum - of_value));
      value = sum;
      if (error != 0) terms_[kept++] = error;
    }
    if (value != 0) terms_[kept++] = value;
    CHECK(kept < terms_.size());
    count_ = kept;
  }
  void add_product(double a, double b) {
    const double product = a * b;
    add(product);
    add(std::fma(a, b, -product));
  }
  bool positive() const { return count_ > 0 && terms_[count_ - 1] > 0; }

 private:
  std::array<double, 40> terms_{};  // 16 products of two terms each, and room for one more
  std::size_t count_ = 0;
};

}  // namespace

bool opens_before(const Gap& opening, const Gap& closing) {
  // Each rounded root is good to a few units of its last place; beyond that they decide.
  constexpr double uncertain = 0x1p-49;
  const double open = opening.root();
  const double close = closing.root();
  if (std::abs(open - close) > uncertain * (std::abs(open) + std::abs(close))) return open < close;
  // p / (p - q) < r / (r - s), with p <= 0 < q and s <= 0 < r, so p - q < 0 < r - s:
  //     p (r - s) > r (p - q)   and so   r q - p s > 0
  ExactSum sum;
  const double p[] = {opening.near_start, -opening.far_start};
  const double q[] = {opening.near_end, -opening.far_end};
  const double r[] = {closing.near_start, -closing.far_start};
  const double s[] = {closing.near_end, -closing.far_end};
  for (int i = 0; i < 2; ++i) {
    for (int k = 0; k < 2; ++k) {
      sum.add_product(r[i], q[k]);
      sum.add_product(-p[i], s[k]);
    }
  }
  return sum.positive();
}

}  // namespace vicinity
