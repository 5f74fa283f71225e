// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors

#include "cases/hostile_case.h"

#include <algorithm>
#include <chrono>
#include <memory>
#include <utility>

#include "cases/mutations.h"
#include "cases/values.h"
#include "client/blocking.h"
#include "e2e/wire_client.h"
#include "support/server_process.h"

namespace vicinity::cases {

namespace {

using test::WireClient;

// The words of case files.
const std::string move_without_box = "move with the box field absent";
const std::string wrong_tags =
    "command whose union tag is unknown / NONE / does not match its table";
const std::string zero_frame = "frame of 80 zero bytes with a correct length prefix";
const std::string every_message = "every valid message";
const std::string missing_field = "error missing_field";
const std::string unknown_command = "error unknown_command";
const std::string crashes = "crashes, sanitizer reports";
const std::string broken_invariants = "world invariants broken";

constexpr std::size_t zero_bytes = 80;
/// What does not fit into this time is reported as not measured.
constexpr auto time_budget = std::chrono::seconds(120);
constexpr std::size_t lane_count = 16;
/// Mutations between two ticks, so that what waits at the door stays little.
constexpr std::uint64_t mutations_per_tick = 512;

bool is_known(const Operation& operation) {
  const Json& fields = operation.fields;
  if (operation.name == "connect") return has_just(fields, {"client"});
  if (operation.name == "send_raw")
    return has_just(fields, {"client", "pattern"}) && fields["pattern"] == zero_frame;
  if (operation.name == "fuzz")
    return has_just(fields, {"client", "base", "mutations", "seed"}) &&
           fields["base"] == every_message;
  return operation.name == "send_msgs" && has_just(fields, {"client", "type", "count"}) &&
         ((fields["type"] == move_without_box && fields["count"] == 1) ||
          (fields["type"] == wrong_tags && fields["count"] == 3));
}

bool is_known(const Expectation& expectation) {
  const Json& value = expectation.value;
  if (expectation.kind == "note") return true;
  if (expectation.kind == "deliver")
    return has_just(value, {"client", "type", "count"}) &&
           (value["type"] == missing_field || value["type"] == unknown_command);
  return expectation.kind == "assert" && has_just(value, {"metric", "cmp", "value"}) &&
         (value["metric"] == crashes || value["metric"] == broken_invariants) &&
         value["cmp"] == "==" && value["value"] == 0;
}

test::MakeCommand command_of_kind(int kind) {
  return [kind](test::Builder& builder) {
    proto::CommandBuilder command(builder);
    command.add_kind(static_cast<proto::CommandKind>(kind));
    command.add_entity(1);
    return command.Finish();
  };
}

/// A message whose union says `type` and holds a Ping.
test::Bytes ping_called(int type) {
  return test::client_frame<proto::Ping>(
      static_cast<proto::ClientBody>(type),
      [](test::Builder& builder) { return proto::CreatePing(builder, 1, 2); });
}

class HostileRun {
 public:
  explicit HostileRun(test::ServerProcess& server) : server_(server) {}

  void run_step(const Step& step, CaseOutcome& outcome) {
    errors_.clear();
    broken_.clear();
    for (const Operation& operation : step.operations) run(operation, outcome);
    for (const Expectation& expectation : step.expectations) {
      if (expectation.kind != "deliver") continue;
      const Json& value = expectation.value;
      const ErrorCode wanted =
          value["type"] == missing_field ? ErrorCode::MissingField : ErrorCode::UnknownCommand;
      const std::vector<ErrorCode> all(value["count"].get<std::size_t>(), wanted);
      if (errors_ != all)
        outcome.differences.push_back("deliver: other errors than " + value.dump());
    }
    // A crash ends the server: whatever the step asserts, it must serve.
    for (const std::string& broken : broken_) outcome.differences.push_back(broken);
    if (!server_.process().running()) throw ScriptError("the server is gone");
    if (!join()->is_served()) throw ScriptError("the server does not serve a good client");
  }

 private:
  void run(const Operation& operation, CaseOutcome& outcome) {
    if (operation.name == "connect") client_ = join();
    if (operation.name == "send_raw") send_zeros();
    if (operation.name == "fuzz")
      fuzz(operation.fields["mutations"].get<std::uint64_t>(),
           operation.fields["seed"].get<std::uint64_t>(), outcome);
    if (operation.name != "send_msgs") return;
    if (operation.fields["type"] == move_without_box) {
      send_wrong({command_of_kind(static_cast<int>(proto::CommandKind::MoveTo))});
    } else {
      // The kind is the tag of a command; what is past the last one has the table of another.
      const int past = static_cast<int>(proto::CommandKind::MAX) + 1;
      send_wrong({command_of_kind(0), command_of_kind(past), command_of_kind(255)});
      send_wrong_unions();
    }
  }

  std::unique_ptr<WireClient> join(const test::HelloOptions& options = {}) {
    auto client = std::make_unique<WireClient>(server_.port());
    if (!client->join(options)) throw ScriptError("no welcome");
    return client;
  }

  /// Every command is refused on its own, before any tick, and the session goes on.
  void send_wrong(const std::vector<test::MakeCommand>& commands) {
    if (!client_->send(test::commands_frame(sequence_, commands)))
      throw ScriptError("the session was closed");
    sequence_ += commands.size();
    const auto* results = client_->next_of<proto::CommandResults>();
    if (results == nullptr || results->errors() == nullptr) return;
    for (const auto* error : *results->errors()) errors_.push_back(WireClient::code(error->code()));
  }

  /// The frame of all zeros, on a session and as a hello.
  void send_zeros() {
    const std::vector<std::uint8_t> body(zero_bytes, 0);
    expect_bad_frame(test::framed(body), "a frame of zeros");
    WireClient stranger(server_.port());
    if (!stranger.send(test::framed(body)) || !stranger.farewell())
      broken_.push_back("a frame of zeros as a hello was not refused");
  }

  /// Without a trusted union there is no message: the session ends. A known type around another
  /// table is a message with absent fields, or none; the server has to live with both.
  void send_wrong_unions() {
    expect_bad_frame(ping_called(0), "a union of type NONE");
    expect_bad_frame(ping_called(static_cast<int>(proto::ClientBody::MAX) + 1),
                     "a union of an unknown type");
    for (int type = 1; type <= static_cast<int>(proto::ClientBody::MAX); ++type) {
      const auto client = join();
      (void)client->send(ping_called(type));
      client->socket().shutdown_write();
      if (!client->socket().wait_for_end()) broken_.push_back("a wrong union hangs the session");
    }
  }

  void expect_bad_frame(const test::Bytes& frame, const std::string& what) {
    const auto client = join();
    if (!client->send(frame) || client->farewell() != ErrorCode::BadFrame)
      broken_.push_back(what + " was not answered by BadFrame");
  }

  // --- Mutations -------------------------------------------------------------------------------

  struct Lane {
    std::unique_ptr<WireClient> client;
    std::uint64_t sequence = 1;
    std::uint64_t barrier = 0;  ///< nonce of the ping behind the mutation; 0 = nothing was sent
  };

  void fuzz(std::uint64_t mutations, std::uint64_t seed, CaseOutcome& outcome) {
    const auto end = std::chrono::steady_clock::now() + time_budget;
    Prng random(seed);
    std::vector<Lane> lanes(lane_count);
    std::uint64_t done = 0;
    while (done < mutations && std::chrono::steady_clock::now() < end) {
      for (std::size_t i = 0; i < lanes.size() && done < mutations; ++i, ++done)
        send_mutation(random, lanes[i], i);
      for (Lane& lane : lanes) settle(lane);
      if (done % mutations_per_tick < lanes.size()) run_tick();
    }
    if (done < mutations)
      outcome.unmeasured.push_back("mutations after the first " + std::to_string(done));
    if (const std::string fault = check_world(); !fault.empty())
      broken_.push_back(broken_invariants + ": " + fault);
  }

  /// Few authorities: what the others spawn goes with them.
  void send_mutation(Prng& random, Lane& lane, std::size_t number) {
    if (lane.client == nullptr) {
      lane.client = join({number < 2 ? proto::Role::Authority : proto::Role::Player});
      lane.sequence = 1;
    }
    const Mutation mutation = make_mutation(random, lane.sequence);
    if (mutation.is_hello) {
      WireClient stranger(server_.port());
      (void)stranger.send(mutation.frame);
      stranger.socket().shutdown_write();
      if (!stranger.socket().wait_for_end()) broken_.push_back("a mutated hello hangs");
      return;
    }
    lane.barrier = ++barriers_;
    test::Bytes bytes = mutation.frame;
    const test::Bytes ping = test::ping_frame(lane.barrier);
    bytes.insert(bytes.end(), ping.begin(), ping.end());
    (void)lane.client->send(bytes);
  }

  /// Until the pong has come, or the server has ended the session.
  void settle(Lane& lane) {
    const std::uint64_t barrier = std::exchange(lane.barrier, 0);
    if (barrier == 0) return;
    while (const auto* pong = lane.client->next_of<proto::Pong>())
      if (pong->nonce() == barrier) return;
    lane.client.reset();
  }

  void run_tick() {
    if (keeper_ == nullptr) keeper_ = join();
    if (!keeper_->send(test::step_frame(1, 1)) || !keeper_->next_of<proto::StepDone>())
      keeper_.reset();
  }

  // --- The world afterwards --------------------------------------------------------------------

  /// Two entities far from all others touch, are seen and found, and nothing else is.
  std::string check_world() {
    client::BlockingClient client;
    client::ConnectOptions options;
    options.port = server_.port();
    options.role = Role::Authority;
    options.contacts = ContactScope::All;
    if (!client.connect(options).ok()) return "no welcome";
    const Vec3 place{5e6, 5e6, 5e6};
    SpawnCommand spawn;
    spawn.shape = Shape::sphere(1);
    spawn.position = place;
    AddAreaCommand area{ObserverId{1}, AreaId{1}, {}};
    area.spec.centre = place;
    area.spec.enter_radius_m = area.spec.leave_radius_m = 10;
    client.send({spawn, spawn, area});
    if (!client.step().ok()) return "no tick runs";
    const auto outcomes = client.take_outcomes();
    const auto frames = client.take_frames();
    if (outcomes.size() != 3 || frames.size() != 1) return "a tick was not answered";
    const EntityId a = std::min(outcomes[0].entity, outcomes[1].entity);
    const EntityId b = std::max(outcomes[0].entity, outcomes[1].entity);
    if (!a || a == b) return "a spawn was refused";
    const auto is_ours = [&](const auto& contact) { return contact.a == a && contact.b == b; };
    const auto& begins = frames.front().contact_begins;
    if (std::count_if(begins.begin(), begins.end(), is_ours) != 1) return "a contact is missing";
    if (frames.front().enters.size() != 2) return "not two entities came into view";
    Query query;
    query.body = SphereQuery{place, 10};
    const auto found = client.query(query);
    if (!found.ok() || found.value().hits.size() != 2) return "a query does not find the two";
    return {};
  }

  test::ServerProcess& server_;
  std::unique_ptr<WireClient> client_;
  std::unique_ptr<WireClient> keeper_;  ///< runs the ticks
  std::uint64_t sequence_ = 1;
  std::uint64_t barriers_ = 1ull << 40;  ///< above the nonces of mutated pings
  std::vector<ErrorCode> errors_;        ///< of the step
  std::vector<std::string> broken_;      ///< of the step
};

}  // namespace

SpecialRunner hostile_cases(IndexKind kind, std::string server_path) {
  SpecialRunner runner;
  runner.takes = [](const Case& script) {
    return has_operation(script, "fuzz") &&
           all_known(
               script, [](const Operation& operation) { return is_known(operation); },
               [](const Expectation& expectation) { return is_known(expectation); });
  };
  runner.run = [kind, server_path = std::move(server_path)](const Case& script) {
    // Refusals are the whole point: they need no lines in the log.
    test::ServerProcess server(
        {"--tick-mode", "manual", "--index", std::string(to_string(kind)), "--log-level", "error"},
        {}, server_path);
    if (server.port() == 0)
      return CaseOutcome{{"the server did not start: " + server.standard_error()}, {}};
    HostileRun run(server);
    CaseOutcome outcome =
        run_steps(script, [&](const Step& step, CaseOutcome& added) { run.run_step(step, added); });
    if (std::string fault = server.stop(); !fault.empty()) outcome.differences.push_back(fault);
    return outcome;
  };
  return runner;
}

}  // namespace vicinity::cases
