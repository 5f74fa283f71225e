// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#include "bench/stream_command.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>

#include "base/check.h"
#include "base/framing.h"
#include "base/hash.h"
#include "base/limits.h"
#include "base/prng.h"
#include "client/decode.h"
#include "client/replica.h"
#include "client/view_decoder.h"
#include "stream/streams.h"
#include "wire/encode.h"

namespace vicinity::bench {
namespace {

using Clock = std::chrono::steady_clock;

constexpr SessionId owner{1};
constexpr ObserverId observer{1};  ///< of every session
constexpr double radius_m = 50;
/// So that about sixty are within the radius.
constexpr double square_metres_per_entity = 3.14159 * radius_m * radius_m / 60;
constexpr double resolution_m = 1.0 / 256;
constexpr std::uint32_t warm_up_ticks = 5;

struct StreamResult {
  std::uint32_t entities = 0;
  std::uint32_t observers = 0;
  std::uint64_t updates = 0;
  double table_us_per_tick = 0;  ///< quantising, once for all
  // Nanoseconds per observer, entity and update; medians over the ticks.
  double select_ns = 0;
  double encode_ns = 0;
  double decode_ns = 0;
  double bytes_per_update = 0;    ///< whole frames
  std::uint64_t wrong = 0;        ///< positions that are not within half a step of the truth
  std::uint64_t frames_hash = 0;  ///< the same whatever chooses and encodes them
};

double median(std::vector<double> values) {
  if (values.empty()) return 0;
  std::nth_element(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2),
                   values.end());
  return values[values.size() / 2];
}

double ns_since(Clock::time_point begin) {
  return std::chrono::duration<double, std::nano>(Clock::now() - begin).count();
}

/// What the client library keeps of one session.
struct StreamClient {
  client::ViewDecoder views;
  client::FrameJoiner joiner{limits::outbox_bytes_max};
  client::Replica replica;
};

/// Walkers that go straight on, and a client for every observer.
class StreamBench {
 public:
  StreamBench(const StreamCommand& command, std::uint32_t observers)
      : prng_(command.seed),
        observers_(observers),
        half_m_(std::sqrt(command.entities * square_metres_per_entity) / 2),
        simulation_(settings(command)),
        streams_(StreamSettings{}) {
    std::uint64_t sequence = 0;
    commands_.push_back({owner, 0, OpenSessionCommand{Role::Authority, ContactScope::None}});
    for (std::uint32_t i = 0; i < command.entities; ++i) {
      SpawnCommand spawn;
      spawn.position = anywhere();
      spawn.velocity = {prng_.between(-1.8, 1.8), 0, prng_.between(-1.8, 1.8)};
      spawn.shape = Shape::sphere(0.3);
      spawn.filter.mask = 0;
      commands_.push_back({owner, ++sequence, spawn});
    }
    for (std::uint32_t i = 0; i < observers; ++i) {
      AreaSpec spec;
      spec.centre = anywhere();
      spec.enter_radius_m = radius_m;
      spec.leave_radius_m = 1.1 * radius_m;
      const SessionId session{2 + i};
      commands_.push_back({session, 0, OpenSessionCommand{Role::Authority, ContactScope::None}});
      commands_.push_back({session, 1, AddAreaCommand{observer, AreaId{1}, spec}});
      clients_.emplace_back().views.set_resolution_m(resolution_m);
    }
  }

  StreamResult run(std::uint32_t ticks) {
    for (std::uint32_t i = 0; i < warm_up_ticks; ++i) step(false);
    for (std::uint32_t i = 0; i < ticks; ++i) step(true);
    result_.observers = observers_;
    result_.table_us_per_tick = median(table_ns_) / 1000;
    result_.select_ns = median(select_ns_);
    result_.encode_ns = median(encode_ns_);
    result_.decode_ns = median(decode_ns_);
    result_.frames_hash = frames_hash_.digest();
    result_.bytes_per_update = static_cast<double>(bytes_) /
                               static_cast<double>(std::max<std::uint64_t>(1, result_.updates));
    return result_;
  }

 private:
  static SimulationSettings settings(const StreamCommand& command) {
    SimulationSettings settings;
    settings.worker_count = 1;
    settings.entity_count_max = command.entities;
    return settings;
  }
  Vec3 anywhere() {
    return {prng_.between(-half_m_, half_m_), 0, prng_.between(-half_m_, half_m_)};
  }

  void step(bool is_measured) {
    TickOutput output = simulation_.run_tick(std::exchange(commands_, {}));
    const std::shared_ptr<const PublishedFrame> frame = output.frame;
    const Snapshot& snapshot = *frame->snapshot;
    const Clock::time_point begin = Clock::now();
    streams_.absorb(output, simulation_.changed(), 0, workers_,
                    [](SessionStream& stream) { stream.configure(Role::Authority, 0, 0); });
    if (is_measured) table_ns_.push_back(ns_since(begin));
    double select_ns = 0, encode_ns = 0, decode_ns = 0;
    std::uint64_t updates = 0;
    const std::span<SessionStream* const> all = streams_.all();
    const auto stream_at = [&](std::size_t i) -> const SessionStream& { return *all[i]; };
    for (std::size_t i = 0; i < all.size(); ++i) {
      SessionStream* const stream = all[i];
      if (stream->session() == owner) continue;
      const Clock::time_point selecting = Clock::now();
      fetch_ahead(i, all.size(), streams_.motions(), stream_at);
      stream->select(snapshot, streams_.motions(), simulation_.interest(),
                     {stream->frame_bytes(), 1}, scratch_, selection_);
      const Clock::time_point encoding = Clock::now();
      select_ns += std::chrono::duration<double, std::nano>(encoding - selecting).count();
      wire::FrameContent content;
      content.tick = output.report.tick;
      content.selection = &selection_;
      content.snapshot = &snapshot;
      encoded_.clear();
      CHECK(wire::encode_frame(content, limits::outbox_bytes_max, encoded_));
      encode_ns += ns_since(encoding);
      stream->sent(output.report.tick, selection_, snapshot, encoded_.size());
      std::uint64_t told = 0;
      for (const MoveLists& moves : std::span(selection_.moves).first(selection_.move_count))
        told += moves.near.size() + moves.wide.size();
      updates += told;
      if (is_measured) bytes_ += encoded_.size();
      for (const std::uint8_t byte : encoded_) frames_hash_.add(byte);
      decode_ns += decode(stream->session(), snapshot);
    }
    if (!is_measured || updates == 0) return;
    const auto count = static_cast<double>(updates);
    select_ns_.push_back(select_ns / count);
    encode_ns_.push_back(encode_ns / count);
    decode_ns_.push_back(decode_ns / count);
    result_.updates += updates;
  }

  /// Time from the bytes to a replica that has them; what it shows is compared with the truth.
  double decode(SessionId session, const Snapshot& snapshot) {
    StreamClient& client = clients_[session.value - 2];
    std::span<const std::uint8_t> input(encoded_);
    FrameReader reader(limits::server_frame_bytes_max);
    double ns = 0;
    while (const auto body = reader.next(input)) {
      const Clock::time_point begin = Clock::now();
      const auto decoded = client::decode_server_message(*body, client.views, client.joiner);
      CHECK(decoded.ok());
      const auto* part = std::get_if<client::FramePart>(&decoded.value());
      const client::TickFrame* const tick = part == nullptr ? nullptr : part->whole;
      if (tick != nullptr) CHECK(client.replica.apply(*tick).empty());
      ns += ns_since(begin);
      if (tick == nullptr) continue;
      result_.wrong += client.replica.view(observer).size() != client.views.entity_count();
      for (const client::EntityMove& move : tick->moved) {
        const Vec3 off = client.replica.position(move.slot) - snapshot.position[move.id.index()];
        const double worst = std::max({std::abs(off.x), std::abs(off.y), std::abs(off.z)});
        result_.wrong += !(worst <= resolution_m / 2 + 1e-9) || !snapshot.contains(move.id);
      }
    }
    return ns;
  }

  Prng prng_;
  std::uint32_t observers_;
  double half_m_;
  Simulation simulation_;
  Streams streams_;
  Workers workers_{1};
  std::vector<Command> commands_;
  std::vector<StreamClient> clients_;
  SelectScratch scratch_;
  FrameSelection selection_;
  std::vector<std::uint8_t> encoded_;
  std::vector<double> table_ns_, select_ns_, encode_ns_, decode_ns_;
  std::uint64_t bytes_ = 0;
  ContentHash frames_hash_;
  StreamResult result_;
};

std::string hex(std::uint64_t value) {
  char text[17];
  std::snprintf(text, sizeof(text), "%016llx", static_cast<unsigned long long>(value));
  return text;
}

void print(const StreamResult& result, bool as_json) {
  if (as_json) {
    const nlohmann::ordered_json line = {{"bench", "stream"},
                                         {"entities", result.entities},
                                         {"observers", result.observers},
                                         {"updates", result.updates},
                                         {"absorb_us_per_tick", result.table_us_per_tick},
                                         {"select_ns", result.select_ns},
                                         {"encode_ns", result.encode_ns},
                                         {"decode_ns", result.decode_ns},
                                         {"bytes_per_update", result.bytes_per_update},
                                         {"wrong", result.wrong},
                                         {"frames_hash", hex(result.frames_hash)}};
    std::printf("%s\n", line.dump().c_str());
  } else {
    std::printf(
        "%7u entities %6u observers  absorb %8.0f us/tick  select %5.1f  encode %5.1f  decode "
        "%5.1f "
        "ns per update  %5.1f bytes per update  %llu updates, %llu wrong, frames %s\n",
        result.entities, result.observers, result.table_us_per_tick, result.select_ns,
        result.encode_ns, result.decode_ns, result.bytes_per_update,
        static_cast<unsigned long long>(result.updates),
        static_cast<unsigned long long>(result.wrong), hex(result.frames_hash).c_str());
  }
  std::fflush(stdout);
}

}  // namespace

void add_stream_options(CLI::App& app, StreamCommand& command) {
  app.add_option("--entities", command.entities, "Walking entities")
      ->check(CLI::Range(1, 1'000'000))
      ->capture_default_str();
  app.add_option("--observers", command.observers, "Numbers of observers, a run for each")
      ->check(CLI::Range(1, 100'000))
      ->delimiter(',')
      ->capture_default_str();
  app.add_option("--ticks", command.ticks, "Measured ticks")
      ->check(CLI::Range(1, 100'000))
      ->capture_default_str();
  app.add_option("--seed", command.seed, "Seed of the world")->capture_default_str();
  app.add_flag("--json", command.json, "One JSON object per line");
  app.add_flag("--smoke", command.smoke, "A small run: whether clients see what is there");
}

int run_stream(const StreamCommand& given) {
  StreamCommand command = given;
  if (command.smoke) {
    command.entities = 2'000;
    command.observers = {50};
    command.ticks = 5;
  }
  std::uint64_t wrong = 0;
  for (const std::uint32_t observers : command.observers) {
    StreamResult result = StreamBench(command, observers).run(command.ticks);
    result.entities = command.entities;
    print(result, command.json);
    if (result.updates == 0) return 1;
    wrong += result.wrong;
  }
  return wrong == 0 ? 0 : 1;
}

}  // namespace vicinity::bench
