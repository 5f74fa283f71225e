// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors

// What a client may send, as one frame body: what is accepted is good, what is refused says why,
// and the address in memory makes no difference.
#include <cstdint>
#include <cstring>
#include <variant>
#include <vector>

#include "base/check.h"
#include "base/limits.h"
#include "wire/decode.h"

namespace vicinity::wire {
namespace {

constexpr DecodeLimits world{4096};

void check_refusal(const Error& error) {
  CHECK(error.code != ErrorCode::None);
  CHECK(!error.text.empty() && error.text.size() < 256);
}

template <class Value>
void check_outcome(const std::variant<Value, Error>& outcome) {
  if (const auto* error = std::get_if<Error>(&outcome)) return check_refusal(*error);
  CHECK(validate(std::get<Value>(outcome), world).code == ErrorCode::None);
}

void check(const HelloMessage& hello) {
  CHECK(hello.client_name.size() <= limits::client_name_bytes_max);
  CHECK(hello.token.size() <= limits::token_bytes_max);
  CHECK(hello.role <= Role::Authority);
  CHECK(hello.contacts <= ContactScope::All);
  CHECK(hello.subject.size() <= subject_bytes_max);
  CHECK(hello.resume_token.size() <= resume_token_bytes_max);
  CHECK(hello.position_resolution_m == 0 ||
        (hello.position_resolution_m >= position_resolution_min_m &&
         hello.position_resolution_m <= position_resolution_max_m));
}
void check(const CommandsMessage& batch) {
  CHECK(batch.first_sequence > 0);
  CHECK(batch.commands.size() <= limits::commands_per_frame_max);
  for (std::size_t i = 0; i < batch.commands.size(); ++i) {
    CHECK(batch.commands[i].sequence == batch.first_sequence + i);
    CHECK(batch.commands[i].sequence != 0);  // no overflow
    check_outcome(batch.commands[i].outcome);
  }
}
void check(const QueryMessage& query) { check_outcome(query.outcome); }
void check(const StepMessage&) {}
void check(const PingMessage&) {}
void check(const GoodbyeMessage&) {}

}  // namespace
}  // namespace vicinity::wire

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace vicinity;
  std::vector<std::uint8_t> memory(size + 1);  // aligned at its start, and not one behind it
  if (size > 0) std::memcpy(memory.data(), data, size);
  const auto aligned = wire::decode_client_message({memory.data(), size}, wire::world);
  if (size > 0) std::memcpy(memory.data() + 1, data, size);
  const auto misaligned = wire::decode_client_message({memory.data() + 1, size}, wire::world);

  CHECK(aligned.ok() == misaligned.ok());
  if (!aligned.ok()) {
    wire::check_refusal(aligned.error());
    CHECK(aligned.error().code == misaligned.error().code);
    return 0;
  }
  CHECK(aligned.value().index() == misaligned.value().index());
  std::visit([](const auto& message) { wire::check(message); }, aligned.value());
  return 0;
}
