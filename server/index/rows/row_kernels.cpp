// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#include "index/rows/row_kernels.h"

#include "base/check.h"

namespace vicinity {

bool is_supported(IndexKernel kernel) {
#if defined(__x86_64__)
  switch (kernel) {
    case IndexKernel::Auto:
    case IndexKernel::Scalar: return true;
    case IndexKernel::Avx2: return __builtin_cpu_supports("avx2") != 0;
    case IndexKernel::Avx512: return __builtin_cpu_supports("avx512f") != 0;
  }
  return false;
#else
  return kernel == IndexKernel::Auto || kernel == IndexKernel::Scalar;
#endif
}

const RowKernels& row_kernels(IndexKernel kernel) {
  CHECK(is_supported(kernel));
#if defined(__x86_64__)
  if (kernel == IndexKernel::Auto) {
    if (is_supported(IndexKernel::Avx512)) return avx512_row_kernels;
    if (is_supported(IndexKernel::Avx2)) return avx2_row_kernels;
  }
  if (kernel == IndexKernel::Avx512) return avx512_row_kernels;
  if (kernel == IndexKernel::Avx2) return avx2_row_kernels;
#endif
  return scalar_row_kernels;
}

}  // namespace vicinity
