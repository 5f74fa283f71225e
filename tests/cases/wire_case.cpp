// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors

#include "cases/wire_case.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <map>
#include <thread>

#include "base/limits.h"
#include "cases/raw_client.h"
#include "cases/values.h"
#include "client/encode.h"
#include "support/server_process.h"

namespace vicinity::cases {

namespace {

using Bytes = std::vector<std::uint8_t>;

// The words of case files.
const std::string byte_by_byte = "one byte per write, 1 ms apart";
const std::string every_cut =
    "length prefix cut after byte 1, 2 and 3; body cut at every offset in turn";
const std::string ping_then_query =
    "ping with a filler of n bytes, then a query holding a vector of doubles, in one write; "
    "n = 0..15";
const std::string alignment_reports = "UBSan alignment reports";

#ifdef VICINITY_UBSAN
constexpr bool built_with_ubsan = true;
#else
constexpr bool built_with_ubsan = false;
#endif
constexpr auto between_writes = std::chrono::milliseconds(1);

bool is_known(const Operation& operation) {
  if (operation.name == "send_msgs") {
    const std::string type = operation.fields.value("type", "");
    const std::string split = operation.fields.value("split", "");
    return (type == "ping" || type == "query_box" || type == ping_then_query) &&
           (split.empty() || split == byte_by_byte || split == every_cut);
  }
  return operation.name == "connect" || operation.name == "wait_ms" ||
         operation.name == "send_rest";
}

bool is_known(const Expectation& expectation) {
  if (expectation.kind == "deliver") {
    const std::string type = expectation.value.value("type", "");
    return type == "pong" || type == "answer";
  }
  if (expectation.kind != "assert") return false;
  const std::string metric = expectation.value.value("metric", "");
  return metric == "connection still open" || metric == alignment_reports;
}

/// What one client got in one step.
struct Delivered {
  std::vector<std::uint64_t> pongs;    ///< nonces, in order
  std::vector<std::uint64_t> answers;  ///< request numbers, in order
};

class WireRun {
 public:
  explicit WireRun(std::uint16_t port) : port_(port) {}

  void run_step(const Step& step, CaseOutcome& outcome) {
    cuts_ = 1;
    for (const Operation& operation : step.operations) run(operation);
    collect();
    for (const Expectation& expectation : step.expectations) {
      const std::string difference = check(expectation);
      if (!difference.empty()) outcome.differences.push_back(difference);
      const std::string metric = expectation.value.value("metric", "");
      if (metric == alignment_reports && !built_with_ubsan) outcome.unmeasured.push_back(metric);
    }
  }

 private:
  void run(const Operation& operation) {
    const Json& fields = operation.fields;
    if (operation.name == "connect") {
      connect();
    } else if (operation.name == "wait_ms") {
      std::this_thread::sleep_for(std::chrono::milliseconds(fields.at("ms").get<int>()));
    } else if (operation.name == "send_rest") {
      write(std::exchange(rest_, {}));
    } else {
      send_messages(fields);
    }
  }

  void connect() {
    if (std::exchange(connected_, true)) throw ScriptError("more than one client");
    const std::string fault = client_.connect(port_);
    if (!fault.empty()) throw ScriptError(fault);
  }

  void send_messages(const Json& fields) {
    const std::string type = fields.at("type").get<std::string>();
    const std::string split = fields.value("split", "");
    const double count = number(fields.at("count"));
    if (type == ping_then_query) return send_at_odd_addresses(static_cast<int>(count));
    if (split == every_cut) return send_cut_everywhere(type);
    Bytes bytes;
    for (double sent = 0; sent < count; ++sent) {
      const std::size_t before = bytes.size();
      append_message(type, bytes);
      // "2.5 messages": the second half of the last one waits for send_rest.
      if (count - sent >= 1) continue;
      const auto cut =
          static_cast<std::size_t>(static_cast<double>(bytes.size() - before) * (count - sent));
      rest_.assign(bytes.begin() + static_cast<std::ptrdiff_t>(before + cut), bytes.end());
      bytes.resize(before + cut);
    }
    if (split == byte_by_byte) {
      for (std::size_t i = 0; i < bytes.size(); ++i) write_apart(std::span(bytes).subspan(i, 1));
    } else {
      write(bytes);
    }
  }

  /// One message for every place it can be cut at.
  void send_cut_everywhere(const std::string& type) {
    Bytes bytes;
    append_message(type, bytes);
    cuts_ = bytes.size() - 1;
    for (std::size_t cut = 1; cut < bytes.size(); ++cut) {
      if (cut > 1) {
        bytes.clear();
        append_message(type, bytes);
      }
      write_apart(std::span(bytes).first(cut));
      write_apart(std::span(bytes).subspan(cut));
    }
  }

  /// A query has f64 values in structs. Bytes behind the end of the ping's buffer move it by n.
  void send_at_odd_addresses(int count) {
    for (int filler = 0; filler < count; ++filler) {
      Bytes ping;
      append_message("ping", ping);
      Bytes body(ping.begin() + limits::frame_prefix_bytes, ping.end());
      body.resize(body.size() + static_cast<std::size_t>(filler), 0);
      Bytes bytes;
      append_frame(body, bytes);
      append_message("query_box", bytes);
      write(bytes);
    }
  }

  void append_message(const std::string& type, Bytes& out) {
    if (type == "ping") return client::encode_ping(++nonce_, 0, out);
    Query query;
    query.body = BoxQuery{{{-1, -1, -1}, {1, 1, 1}}};
    client::encode_query(++request_, query, out);
  }

  void write(std::span<const std::uint8_t> bytes) {
    if (!client_.write(bytes)) throw ScriptError("the server closed the connection");
  }
  void write_apart(std::span<const std::uint8_t> bytes) {
    write(bytes);
    std::this_thread::sleep_for(between_writes);
  }

  /// Reads until the pong of a last ping: whatever was to come has come by then.
  void collect() {
    delivered_ = {};
    Bytes last;
    client::encode_ping(barrier_nonce, 0, last);
    write(last);
    std::size_t answers_missing = request_ - answered_;
    bool passed = false;
    while (!passed || answers_missing > 0) {
      const auto message = client_.read();
      if (!message) throw ScriptError(message.error().text);
      if (const auto* pong = std::get_if<client::PongMessage>(&message.value())) {
        if (pong->nonce == barrier_nonce)
          passed = true;
        else
          delivered_.pongs.push_back(pong->nonce);
      } else if (const auto* answer = std::get_if<client::QueryOutcome>(&message.value())) {
        if (answer->error.code != ErrorCode::None) throw ScriptError(answer->error.text);
        delivered_.answers.push_back(answer->request);
        if (answers_missing > 0) --answers_missing;
      } else {
        throw ScriptError("an unexpected message of the server");
      }
    }
    answered_ = request_;
  }

  std::string check(const Expectation& expectation) {
    const Json& value = expectation.value;
    if (expectation.kind == "assert") {
      // The connection has answered the last ping, and a sanitizer report would have ended the
      // server: it is open, and there is none.
      const bool open = value.at("metric") == "connection still open";
      const bool holds =
          value.at("cmp") == "==" && value.at("value") == (open ? Json(true) : Json(0));
      return holds ? "" : "assert: expected " + value.dump() + ", got an open connection";
    }
    const bool pongs = value.at("type") == "pong";
    const auto& got = pongs ? delivered_.pongs : delivered_.answers;
    const std::uint64_t wanted =
        value.at("count").get<std::uint64_t>() * (value.value("per_cut", false) ? cuts_ : 1);
    if (got.size() != wanted)
      return "deliver " + std::string(pongs ? "pong" : "answer") + ": expected " +
             std::to_string(wanted) + ", got " + std::to_string(got.size());
    // Pongs come in the order of the pings; every number comes once in any case.
    std::vector<std::uint64_t> sorted = got;
    std::sort(sorted.begin(), sorted.end());
    if (std::adjacent_find(sorted.begin(), sorted.end()) != sorted.end())
      return "a message was answered twice";
    return value.value("in_order", false) && sorted != got ? "answers are out of order" : "";
  }

  static constexpr std::uint64_t barrier_nonce = ~0ull;

  const std::uint16_t port_;
  RawClient client_;
  bool connected_ = false;
  Bytes rest_;
  std::uint64_t nonce_ = 0;
  std::uint64_t request_ = 0;
  std::uint64_t answered_ = 0;
  std::uint64_t cuts_ = 1;
  Delivered delivered_;
};

}  // namespace

SpecialRunner wire_cases(IndexKind kind, std::string server_path) {
  SpecialRunner runner;
  runner.takes = [](const Case& script) {
    return has_operation(script, "connect") &&
           all_known(
               script, [](const Operation& operation) { return is_known(operation); },
               [](const Expectation& expectation) { return is_known(expectation); });
  };
  runner.run = [kind, server_path = std::move(server_path)](const Case& script) {
    test::ServerProcess server({"--tick-mode", "manual", "--index", std::string(to_string(kind))},
                               {}, server_path);
    if (server.port() == 0)
      return CaseOutcome{{"the server did not start: " + server.standard_error()}, {}};
    WireRun run(server.port());
    CaseOutcome outcome =
        run_steps(script, [&](const Step& step, CaseOutcome& added) { run.run_step(step, added); });
    if (std::string fault = server.stop(); !fault.empty()) outcome.differences.push_back(fault);
    return outcome;
  };
  return runner;
}

}  // namespace vicinity::cases
