// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#include <utility>

#include "base/check.h"
#include "query/query.h"

namespace vicinity {

void FramePublisher::publish(std::shared_ptr<const PublishedFrame> frame) {
  CHECK(frame != nullptr);
  const std::lock_guard lock(mutex_);
  frame_.swap(frame);
}  // the lock goes first, then `frame` with the last hold on an old world, outside of it

std::shared_ptr<const PublishedFrame> FramePublisher::pin() const {
  const std::lock_guard lock(mutex_);
  return frame_;
}

}  // namespace vicinity
