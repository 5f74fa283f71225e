// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#include "wire/encode_results.h"

#include <string_view>

#include "base/limits.h"
#include "wire/encode.h"
#include "wire/finish_frame.h"

namespace vicinity::wire {
namespace {

using flatbuffers::Offset;

constexpr std::size_t space_bytes = limits::server_frame_bytes_max - frame_overhead_bytes;
/// A refusal without its text: table (20), its place in the vector (4), the text's length and
/// terminator (5), and at most 7 bytes of alignment for each of table and text; rounded up. Equal
/// texts are stored once, so this counts too much, never too little.
constexpr std::size_t refusal_bytes = 64;

/// Collects results of one tick and writes a message whenever one is full.
class ResultsWriter {
 public:
  ResultsWriter(Tick tick, std::vector<std::uint8_t>& out) : tick_(tick), out_(out) {}

  void ack(std::uint64_t sequence, EntityId entity) {
    make_room(sizeof(proto::CommandAck));
    acks_.emplace_back(sequence, entity.raw());
  }

  void refuse(std::uint64_t sequence, ErrorCode code, std::string_view text) {
    const std::string_view cut = bounded(text);
    make_room(refusal_bytes + cut.size());
    const auto shared = builder_.CreateSharedString(cut.data(), cut.size());
    errors_.push_back(
        proto::CreateCommandError(builder_, sequence, static_cast<proto::ErrorCode>(code), shared));
  }

  void flush() {
    if (acks_.empty() && errors_.empty()) return;
    const auto acks = acks_.empty() ? 0 : builder_.CreateVectorOfStructs(acks_);
    const auto errors = errors_.empty() ? 0 : builder_.CreateVector(errors_);
    const auto body = proto::CreateCommandResults(builder_, tick_, acks, errors);
    finish_frame(builder_, proto::ServerBody::CommandResults, body.Union(), out_);
    builder_.Clear();
    acks_.clear();
    errors_.clear();
    used_bytes_ = 0;
  }

 private:
  void make_room(std::size_t bytes) {
    if (used_bytes_ + bytes > space_bytes) flush();
    used_bytes_ += bytes;
  }

  Tick tick_;
  std::vector<std::uint8_t>& out_;
  flatbuffers::FlatBufferBuilder builder_;
  std::vector<proto::CommandAck> acks_;
  std::vector<Offset<proto::CommandError>> errors_;
  std::size_t used_bytes_ = 0;
};

}  // namespace

bool encode_results(Tick tick, std::span<const CommandResult> results, std::size_t out_bytes_max,
                    std::vector<std::uint8_t>& out) {
  if (results.empty()) return true;  // most sessions, most ticks: no builder is made
  ResultsWriter writer(tick, out);
  for (const CommandResult& result : results) {
    if (result.code == ErrorCode::None) {
      writer.ack(result.sequence, result.entity);
    } else {
      writer.refuse(result.sequence, result.code, describe(result.code));
    }
    if (out.size() > out_bytes_max) return false;
  }
  writer.flush();
  return out.size() <= out_bytes_max;
}

void encode_refusals(std::span<const RefusedCommand> refused, std::vector<std::uint8_t>& out) {
  ResultsWriter writer(0, out);
  for (const RefusedCommand& command : refused)
    writer.refuse(command.sequence, command.error.code, command.error.text);
  writer.flush();
}

}  // namespace vicinity::wire
