// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors

// vicinity-query: one-shot queries, and the same query again and again, from the shell.

#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <charconv>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

#include "base/limits.h"
#include "base/result.h"
#include "client/access_options.h"
#include "client/arguments.h"
#include "client/blocking.h"
#include "client/query_explain.h"

namespace {

using namespace vicinity;

constexpr int exit_ok = 0;
constexpr int exit_failed = 1;
constexpr int exit_usage = 2;
constexpr std::int64_t watch_count_max = 1'000'000'000;

constexpr const char* examples = R"(Examples:
  vicinity-query --connect 127.0.0.1:7420 sphere 0,0,0 50
  vicinity-query --connect 127.0.0.1:7420 box -10,-10,-10 10,10,10 --json
  vicinity-query --connect 127.0.0.1:7420 ray 0,1,0 0,0,1 --max-t 100 --exact
  vicinity-query --connect 127.0.0.1:7420 overlap capsule 0,1,0 --radius 0.5 --half-height 1
  vicinity-query --connect 127.0.0.1:7420 cast-shape sphere 0,1,0 20,0,0 --radius 0.5 --exact
  vicinity-query --connect 127.0.0.1:7420 nearest 0,0,0 5 --watch --interval 500ms
  vicinity-query --connect 127.0.0.1:7420 contacts 17:1
  vicinity-query --connect 127.0.0.1:7420 explain 17:1 34:1
  vicinity-query --connect 127.0.0.1:7420 explain-view 2 1 34:1

Points and sizes are metres, written X,Y,Z. explain-view asks as an authority, so a server with
token_keys needs the token of one (--token, --token-file), of a subject of its own: a second session
of a subject ends the first. GET /debug/sessions of the server's listener for operators lists
sessions and their observers. A watch ends with its session, as when the server stops, and says why:
it does not connect again. Exit code: 0 answered, or a watch was interrupted; 1 connection or server
error, or no such observer; 2 wrong usage.)";

volatile std::sig_atomic_t interrupted = 0;
void on_interrupt(int) { interrupted = 1; }

/// The first signal ends a watch after the answer it waits for; a second one, at once. A single
/// question leaves signals alone: there is nothing to end in good order.
void end_watch_on_signals() {
  struct sigaction action {};
  action.sa_handler = on_interrupt;
  action.sa_flags = SA_RESETHAND;
  sigaction(SIGINT, &action, nullptr);
  sigaction(SIGTERM, &action, nullptr);
}

struct Options {
  client::Endpoint server{"127.0.0.1", 7420};
  client::AccessOptions access;
  SearchFilter filter;
  std::uint32_t limit = 1024;
  bool exact = false;
  bool json = false;
  bool watch = false;
  std::uint32_t interval_ms = 1'000;
  std::optional<std::uint64_t> count;  ///< answers to print with --watch; none: until interrupted
  std::uint32_t timeout_ms = 10'000;
};

/// All of `text` as a number, or nothing.
template <class T>
std::optional<T> parse_number(std::string_view text) {
  T value{};
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (code != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

/// So many numbers with commas between, or nothing.
template <std::size_t count>
std::optional<std::array<double, count>> parse_numbers(std::string_view text) {
  std::array<double, count> out;
  for (std::size_t i = 0; i < count; ++i) {
    const bool is_last = i + 1 == count;
    const std::size_t end = is_last ? text.size() : text.find(',');
    const auto value = parse_number<double>(text.substr(0, end));
    if (!value || end == std::string_view::npos) return std::nullopt;
    out[i] = *value;
    text.remove_prefix(is_last ? end : end + 1);
  }
  return out;
}

/// "1,2.5,-3"
Result<Vec3, std::string> parse_vec3(std::string_view text) {
  const auto numbers = parse_numbers<3>(text);
  if (!numbers) return fmt::format("'{}' is not X,Y,Z in metres", text);
  return Vec3{(*numbers)[0], (*numbers)[1], (*numbers)[2]};
}

/// "0,0,0.6,0.8"
Result<Quat, std::string> parse_quat(std::string_view text) {
  const auto numbers = parse_numbers<4>(text);
  if (!numbers) return fmt::format("'{}' is not a quaternion X,Y,Z,W", text);
  return Quat{(*numbers)[0], (*numbers)[1], (*numbers)[2], (*numbers)[3]};
}

/// "17:1" (slot index and generation) or the raw number of the id.
Result<EntityId, std::string> parse_entity(std::string_view text) {
  const std::size_t colon = text.find(':');
  if (colon == std::string_view::npos) {
    if (const auto raw = parse_number<std::uint64_t>(text)) return EntityId::from_raw(*raw);
  } else {
    const auto index = parse_number<std::uint32_t>(text.substr(0, colon));
    const auto generation = parse_number<std::uint32_t>(text.substr(colon + 1));
    if (index && generation) return EntityId(*index, *generation);
  }
  return fmt::format("'{}' is not an entity id: INDEX:GENERATION or its raw number", text);
}

/// A duration of at least a millisecond: nothing here can wait for no time.
Result<std::uint32_t, std::string> parse_wait_ms(std::string_view text) {
  auto duration_ms = client::parse_duration_ms(text);
  if (duration_ms && duration_ms.value() == 0)
    return fmt::format("'{}' is too short; at least 1ms", text);
  return duration_ms;
}

/// Adds an argument that is read by `parse`; what does not parse is a usage error.
template <class T>
CLI::Option* add_parsed(CLI::App& app, const std::string& name, T& target,
                        Result<T, std::string> (*parse)(std::string_view),
                        const std::string& description) {
  const auto read = [&target, parse, name](const std::string& text) {
    const auto value = parse(text);
    if (!value) throw CLI::ValidationError(name, value.error());
    target = value.value();
  };
  return app.add_option_function<std::string>(name, read, description)->type_name("");
}

/// A shape that is asked with, as written: kind, sizes and place.
struct SolidArguments {
  std::string kind;
  double radius_m = 0;
  double half_height_m = 0;
  Vec3 half_extent_m;
  Pose pose;

  void add_to(CLI::App& command) {
    command.add_option("SHAPE", kind, "sphere, capsule or box")
        ->required()
        ->check(CLI::IsMember({"sphere", "capsule", "box"}));
    add_parsed(command, "POINT", pose.position, parse_vec3, "Its centre, X,Y,Z")->required();
    command.add_option("--radius", radius_m, "Of a sphere or capsule, metres");
    command.add_option("--half-height", half_height_m,
                       "Of a capsule: half the distance of its two centres, metres");
    add_parsed(command, "--half-extent", half_extent_m, parse_vec3, "Of a box, X,Y,Z");
    add_parsed(command, "--rotation", pose.rotation, parse_quat,
               "Quaternion X,Y,Z,W; default none");
  }
  Primitive shape() const {
    if (kind == "capsule") return capsule_primitive(radius_m, half_height_m);
    return kind == "box" ? box_primitive(half_extent_m) : sphere_primitive(radius_m);
  }
};

/// The query that the subcommands fill in.
struct QueryArguments {
  BoxQuery box;
  SphereQuery sphere;
  CastQuery ray;
  CastQuery cast;
  NearestQuery nearest{{}, 1, -1};
  ContactsQuery contacts;
  SolidArguments overlap;
  SolidArguments moved;
  ShapeCastQuery shape_cast;
  ExplainPairQuery explain;
  ExplainViewQuery explain_view;

  void add_to(CLI::App& app) {
    const auto add_point = [](CLI::App& command, const char* name, Vec3& target, const char* text) {
      add_parsed(command, name, target, parse_vec3, text)->required();
    };
    CLI::App& of_box = *app.add_subcommand("box", "Entities that overlap a box, by id");
    add_point(of_box, "MIN", box.box.min, "Lower corner, X,Y,Z");
    add_point(of_box, "MAX", box.box.max, "Upper corner, X,Y,Z");
    CLI::App& of_sphere = *app.add_subcommand("sphere", "Entities closer than a radius, by id");
    add_point(of_sphere, "CENTRE", sphere.centre, "X,Y,Z");
    of_sphere.add_option("RADIUS", sphere.radius_m, "Metres")->required();
    CLI::App& of_ray = *app.add_subcommand("ray", "Entities hit by a ray, by distance");
    add_point(of_ray, "ORIGIN", ray.box.min, "X,Y,Z");
    add_point(of_ray, "DIRECTION", ray.delta, "X,Y,Z; its length is t = 1");
    of_ray.add_option("--max-t", ray.max_t, "How far, in lengths of DIRECTION; default 1");
    CLI::App& of_cast = *app.add_subcommand("cast", "Entities hit by a moving box, by distance");
    add_point(of_cast, "MIN", cast.box.min, "Lower corner at the start, X,Y,Z");
    add_point(of_cast, "MAX", cast.box.max, "Upper corner at the start, X,Y,Z");
    add_point(of_cast, "DELTA", cast.delta, "Path, X,Y,Z; its length is t = 1");
    of_cast.add_option("--max-t", cast.max_t, "How far, in lengths of DELTA; default 1");
    CLI::App& of_nearest = *app.add_subcommand("nearest", "The K closest entities, by distance");
    add_point(of_nearest, "POINT", nearest.point, "X,Y,Z");
    of_nearest.add_option("K", nearest.k, "How many")->required();
    of_nearest
        .add_option("--max-distance", nearest.max_distance_m, "Metres, inclusive; default no limit")
        ->check(CLI::NonNegativeNumber);
    CLI::App& of_contacts =
        *app.add_subcommand("contacts", "Entities that an entity is in contact with, by id");
    add_parsed(of_contacts, "ENTITY", contacts.entity, parse_entity, "INDEX:GENERATION, or raw")
        ->required();
    add_explain_to(app);
    overlap.add_to(*app.add_subcommand("overlap", "Entities that overlap a shape, by id"));
    CLI::App& of_shape =
        *app.add_subcommand("cast-shape", "Entities hit by a moving shape, by distance");
    moved.add_to(of_shape);
    add_point(of_shape, "DELTA", shape_cast.delta, "Path, X,Y,Z; its length is t = 1");
    of_shape.add_option("--max-t", shape_cast.max_t, "How far, in lengths of DELTA; default 1");
  }

  void add_explain_to(CLI::App& app) {
    CLI::App& of_pair =
        *app.add_subcommand("explain", "Why two entities are in contact, or what keeps them apart");
    add_parsed(of_pair, "A", explain.a, parse_entity, "INDEX:GENERATION, or raw")->required();
    add_parsed(of_pair, "B", explain.b, parse_entity, "The other one")->required();
    CLI::App& of_view = *app.add_subcommand(
        "explain-view", "Why a session's observer sees an entity, or what keeps it away");
    of_view.add_option("SESSION", explain_view.session.value, "Number of the session")->required();
    of_view
        .add_option("OBSERVER", explain_view.observer.value,
                    "Number that the areas of the session name (AddArea.observer); bots use 1. "
                    "GET /debug/sessions lists both")
        ->required();
    add_parsed(of_view, "ENTITY", explain_view.entity, parse_entity, "INDEX:GENERATION, or raw")
        ->required();
  }

  Query build(const CLI::App& app, const Options& options) const {
    Query query;
    query.filter = options.filter;
    query.limit = options.limit;
    query.exact = options.exact;
    if (app.got_subcommand("box")) query.body = box;
    if (app.got_subcommand("sphere")) query.body = sphere;
    if (app.got_subcommand("ray"))
      query.body = CastQuery{{ray.box.min, ray.box.min}, ray.delta, ray.max_t};
    if (app.got_subcommand("cast")) query.body = cast;
    if (app.got_subcommand("nearest")) query.body = nearest;
    if (app.got_subcommand("contacts")) query.body = contacts;
    if (app.got_subcommand("explain")) query.body = explain;
    if (app.got_subcommand("explain-view")) query.body = explain_view;
    if (app.got_subcommand("overlap")) query.body = OverlapQuery{overlap.shape(), overlap.pose};
    if (app.got_subcommand("cast-shape")) {
      query.body = ShapeCastQuery{moved.shape(), moved.pose, shape_cast.delta, shape_cast.max_t};
    }
    return query;
  }
};

void add_options(CLI::App& app, Options& options) {
  add_parsed(app, "--connect", options.server, client::parse_endpoint,
             "HOST:PORT of the server; default 127.0.0.1:7420");
  options.access.add_to(app);
  app.add_option("--category-mask", options.filter.category_mask,
                 "Only entities with any of these category bits; default all");
  app.add_option("--instance", options.filter.instance, "Only this instance; default 0");
  app.add_option("--limit", options.limit, "Hits at most; default 1024")
      ->check(CLI::Range(1u, limits::query_hits_max));
  app.add_flag("--exact", options.exact, "By the shapes themselves instead of their boxes");
  app.add_flag("--json", options.json, "One JSON object per answer");
  CLI::Option* watch = app.add_flag("--watch", options.watch,
                                    "Ask again and again until interrupted, or the session ends");
  add_parsed(app, "--interval", options.interval_ms, parse_wait_ms,
             "Time between two questions of --watch; default 1s")
      ->needs(watch);
  app.add_option("--count", options.count, "Stop --watch after this many answers, 1 or more")
      ->check(CLI::Range(std::int64_t{1}, watch_count_max))
      ->needs(watch);
  add_parsed(app, "--timeout", options.timeout_ms, parse_wait_ms,
             "Longest wait for the server; default 10s");
}

/// Exact rays, casts and nearest say where.
bool has_surface(const QueryHit& hit) { return hit.normal != Vec3{}; }

bool is_explanation(const QueryAnswer& answer) { return answer.pair || answer.view; }

void print_json(const QueryAnswer& answer) {
  if (is_explanation(answer)) return client::print_explanation_json(answer);
  nlohmann::ordered_json out;
  out["tick"] = answer.tick;
  out["index_version"] = answer.index_version;
  out["complete"] = answer.complete;
  out["hits"] = nlohmann::ordered_json::array();
  for (const QueryHit& hit : answer.hits) {
    nlohmann::ordered_json entry;
    entry["id"] = hit.id.raw();
    entry["position"] = {hit.position.x, hit.position.y, hit.position.z};
    entry["value"] = hit.value;
    entry["user_data"] = hit.user_data;
    if (has_surface(hit)) {
      entry["point"] = {hit.point.x, hit.point.y, hit.point.z};
      entry["normal"] = {hit.normal.x, hit.normal.y, hit.normal.z};
    }
    out["hits"].push_back(std::move(entry));
  }
  fmt::print("{}\n", out.dump());
}

void print_text(const QueryAnswer& answer) {
  if (is_explanation(answer)) return client::print_explanation_text(answer);
  fmt::print("tick {}, index version {}: {} {}, {}\n", answer.tick, answer.index_version,
             answer.hits.size(), answer.hits.size() == 1 ? "hit" : "hits",
             answer.complete ? "complete" : "not complete (a limit cut off the rest)");
  for (const QueryHit& hit : answer.hits) {
    fmt::print("  {}:{} (raw {})  position {},{},{}  value {}  user data {}\n", hit.id.index(),
               hit.id.generation(), hit.id.raw(), hit.position.x, hit.position.y, hit.position.z,
               hit.value, hit.user_data);
    if (!has_surface(hit)) continue;
    fmt::print("    at {},{},{}  normal {},{},{}\n", hit.point.x, hit.point.y, hit.point.z,
               hit.normal.x, hit.normal.y, hit.normal.z);
  }
}

int fail(const Error& error) {
  if (error.code == ErrorCode::None) {
    fmt::print(stderr, "vicinity-query: {}\n", error.text);
  } else {
    fmt::print(stderr, "vicinity-query: {}: {}\n", to_string(error.code), error.text);
  }
  return exit_failed;
}

/// Waits in short turns, so that an interrupt is noticed soon. Frames of the ticks are not wanted.
void wait_interval(client::BlockingClient& session, std::uint32_t interval_ms) {
  constexpr std::uint32_t turn_ms = 50;
  for (std::uint32_t waited = 0; waited < interval_ms && session.is_open() && interrupted == 0;
       waited += turn_ms) {
    session.run_for(std::min(turn_ms, interval_ms - waited));
    session.take_frames();
  }
}

/// What else to say of an error, for who explains a view: it takes more than other questions.
Error with_hint(Error error, const Query& query) {
  const bool is_refusal = error.code == ErrorCode::Unauthorized ||
                          error.code == ErrorCode::WrongRole ||
                          error.code == ErrorCode::TokenExpired;
  if (is_refusal && std::holds_alternative<ExplainViewQuery>(query.body))
    error.text += "; explain-view needs the token of an authority (--token, --token-file)";
  return error;
}

/// Nothing unless the answer is that there is no such observer.
std::optional<Error> unknown_observer(const QueryAnswer& answer) {
  if (!answer.view || answer.view->stage != ViewStage::NoObserver) return std::nullopt;
  return Error{ErrorCode::None,
               fmt::format("session {} has no observer {}, or there is no such session; GET "
                           "/debug/sessions of the server's listener for operators lists both",
                           answer.view->session.value, answer.view->observer.value)};
}

/// Asks and prints until there is enough. None, or why it ended.
std::optional<Error> ask(client::BlockingClient& session, const Query& query,
                         const Options& options) {
  const std::optional<std::uint64_t> count = options.watch ? options.count : 1;
  std::uint64_t answered = 0;
  const auto ended = [&](Error error) {
    // A watch goes on until it is interrupted: that it does not is worth a word.
    if (options.watch) {
      error.text += fmt::format("; the watch ends after {} {}", answered,
                                answered == 1 ? "answer" : "answers");
    }
    return error;
  };
  while (interrupted == 0) {
    const auto answer = session.query(query);
    if (!answer) return ended(with_hint(answer.error(), query));
    options.json ? print_json(answer.value()) : print_text(answer.value());
    if (std::fflush(stdout) != 0) return Error{ErrorCode::None, "the answer cannot be written"};
    if (auto unknown = unknown_observer(answer.value())) return unknown;
    if (++answered == count) break;
    wait_interval(session, options.interval_ms);
    if (!session.is_open() && session.closed()) return ended(*session.closed());
  }
  return std::nullopt;
}

int run(const Query& query, const Options& options) {
  client::ConnectOptions connect;
  connect.host = options.server.host;
  connect.port = options.server.port;
  connect.client_name = "vicinity-query";
  options.access.apply(connect);
  connect.connect_timeout_ms = options.timeout_ms;
  // What other sessions see is for an authority to ask.
  if (std::holds_alternative<ExplainViewQuery>(query.body)) connect.role = Role::Authority;
  client::BlockingClient session;
  session.set_timeout_ms(options.timeout_ms);
  if (const auto welcome = session.connect(connect); !welcome)
    return fail(with_hint(welcome.error(), query));
  if (options.watch) end_watch_on_signals();
  const auto error = ask(session, query, options);
  // Also after an error: without a goodbye the server would keep the session for who comes back.
  if (session.is_open()) session.close();
  return error ? fail(*error) : exit_ok;
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app("Asks a Vicinity server what is where, without waiting for its tick.");
  app.footer(examples);
  app.set_version_flag("--version", "vicinity-query " VICINITY_FULL_VERSION);
  app.require_subcommand(1);
  app.fallthrough();
  Options options;
  QueryArguments arguments;
  add_options(app, options);
  arguments.add_to(app);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? exit_ok : exit_usage;
  }
  if (const auto fault = options.access.read()) {
    fmt::print(stderr, "vicinity-query: {}\n", *fault);
    return exit_usage;
  }
  return run(arguments.build(app, options), options);
}
