// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#include "bench/implementation.h"

namespace vicinity::bench {

std::vector<ImplementationInfo> peers() {
  std::vector<ImplementationInfo> all;
  const auto append = [&](std::vector<ImplementationInfo> some) {
    for (ImplementationInfo& info : some) all.push_back(std::move(info));
  };
#ifdef VICINITY_BENCH_EMBREE
  append(embree_peers());
#endif
#ifdef VICINITY_BENCH_BULLET
  append(bullet_peers());
#endif
#ifdef VICINITY_BENCH_FCL
  append(fcl_peers());
#endif
  append(boost_peers());
  return all;
}

}  // namespace vicinity::bench
