// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#pragma once

// Parts of ticks (Frame in proto/server.fbs) -> one TickFrame. Private to the client library. A
// broken or hostile server gets an Error (BadFrame). One per connection.
//
// The parts are decoded straight into the frame that the application sees, and its memory is used
// again for the next tick, so that a tick of a quiet view costs no allocation.

#include <cstddef>
#include <cstdint>
#include <optional>

#include "base/error.h"
#include "base/result.h"
#include "client/frame.h"
#include "client/view_decoder.h"

namespace vicinity::proto {
struct Frame;
}

namespace vicinity::client {

class FrameJoiner {
 public:
  /// `bytes_max` bounds the frame bodies of one tick together.
  explicit FrameJoiner(std::size_t bytes_max) : bytes_max_(bytes_max) {}

  /// The whole tick once its last part is here, else null; valid until the next call. Parts of a
  /// tick come in order, from 0 to the last one, and not mixed with other ticks. BadFrame when they
  /// do not, when the tick grows beyond the bound or when its content is wrong: `views` is then as
  /// at the end of the last whole tick, and the joiner must not be used any more.
  Result<const TickFrame*, Error> add(const proto::Frame& in, std::size_t body_bytes,
                                      ViewDecoder& views);

 private:
  std::optional<Error> read(const proto::Frame& in, std::size_t body_bytes, ViewDecoder& views);
  void begin_tick(const proto::Frame& in);

  std::size_t bytes_max_;
  std::size_t bytes_ = 0;    ///< of the present tick
  std::uint32_t parts_ = 0;  ///< received of the present tick; 0 = between two ticks
  TickFrame frame_;
};

}  // namespace vicinity::client
