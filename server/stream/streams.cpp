// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#include "stream/streams.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "base/check.h"

namespace vicinity {
namespace {

constexpr std::size_t sessions_per_block = 16;

}  // namespace

Streams::Streams(const StreamSettings& settings)
    : settings_(settings), motions_(settings.position_resolution_m) {}

std::vector<SessionId> Streams::absorb(TickOutput& output, std::span<const std::uint32_t> changed,
                                       std::uint64_t server_time_us, Workers& workers,
                                       const std::function<void(SessionStream&)>& started) {
  const Snapshot& snapshot = *output.frame->snapshot;
  motions_.update(snapshot, changed, workers);
  all_.clear();
  auto next = streams_.begin();
  for (const SessionOutput& part : output.sessions) {
    while (next != streams_.end() && next->first < part.session) next = streams_.erase(next);
    if (next == streams_.end() || next->first != part.session) {
      next = streams_.emplace_hint(next, part.session,
                                   std::make_unique<SessionStream>(part.session, settings_));
      started(*next->second);
    }
    all_.push_back(next->second.get());
    ++next;
  }
  streams_.erase(next, streams_.end());

  std::vector<char> overfull(all_.size(), 0);
  workers.parallel_blocks(
      all_.size(), sessions_per_block, [&](std::size_t, std::size_t begin, std::size_t end) {
        for (std::size_t i = begin; i < end; ++i) {
          overfull[i] = !all_[i]->absorb(std::move(output.sessions[i]), output.report,
                                         server_time_us, snapshot);
        }
      });
  std::vector<SessionId> out;
  for (std::size_t i = 0; i < all_.size(); ++i)
    if (overfull[i] != 0) out.push_back(all_[i]->session());
  return out;
}

SessionStream* Streams::find(SessionId session) {
  const auto found = streams_.find(session);
  return found == streams_.end() ? nullptr : found->second.get();
}

std::vector<std::size_t> share_fairly(std::uint64_t total, std::span<const std::size_t> wanted) {
  std::vector<std::size_t> shares(wanted.begin(), wanted.end());
  if (total == 0) return shares;
  std::vector<std::uint32_t> order(wanted.size());
  std::iota(order.begin(), order.end(), 0u);
  std::sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
    return std::pair(wanted[a], a) < std::pair(wanted[b], b);
  });
  std::uint64_t left = total;
  for (std::size_t i = 0; i < order.size(); ++i) {
    const std::uint64_t part = left / (order.size() - i);
    shares[order[i]] = std::min<std::size_t>(wanted[order[i]], part);
    left -= shares[order[i]];
  }
  return shares;
}

}  // namespace vicinity
