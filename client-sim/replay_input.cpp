// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#include "client-sim/replay_input.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <fstream>
#include <iterator>
#include <limits>
#include <optional>
#include <string_view>

namespace vicinity::sim {
namespace {

/// More steps than any recording has: a wrong time unit must not keep a server busy for days.
constexpr std::uint64_t steps_max = 10'000'000;

Error usage(std::string text) { return {ErrorCode::None, std::move(text)}; }

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  while (true) {
    const std::size_t end = text.find(separator);
    parts.push_back(text.substr(0, end));
    if (end == std::string_view::npos) return parts;
    text.remove_prefix(end + 1);
  }
}

template <class T>
std::optional<T> parse_number(std::string_view text) {
  T value{};
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (code != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

/// A CSV file with a header, read line by line.
class CsvReader {
 public:
  explicit CsvReader(const std::string& name) : name_(name), file_(name) {
    if (next_line()) header_.assign(cells_.begin(), cells_.end());
  }
  /// Not opened, or broken off: what was read may not be all.
  bool failed() const { return !file_.is_open() || file_.bad(); }

  bool next_line() {
    do {
      if (!std::getline(file_, line_)) return false;
      ++line_number_;
      if (!line_.empty() && line_.back() == '\r') line_.pop_back();
    } while (line_.empty());
    cells_ = split(line_, ',');
    return true;
  }
  std::optional<std::size_t> find_column(std::string_view name) const {
    const auto found = std::find(header_.begin(), header_.end(), name);
    if (found == header_.end()) return std::nullopt;
    return static_cast<std::size_t>(found - header_.begin());
  }
  template <class T>
  std::optional<T> cell(std::size_t column) const {
    return column < cells_.size() ? parse_number<T>(cells_[column]) : std::nullopt;
  }
  Error error_here(std::string_view what) const {
    return usage(fmt::format("{}:{}: {}", name_, line_number_, what));
  }
  std::string header_text() const { return fmt::format("{}", fmt::join(header_, ",")); }

 private:
  std::string name_;
  std::ifstream file_;
  std::string line_;
  std::size_t line_number_ = 0;
  std::vector<std::string_view> cells_;
  std::vector<std::string> header_;
};

Result<std::vector<std::size_t>, Error> find_columns(const CsvReader& csv, const std::string& file,
                                                     const std::vector<std::string_view>& names) {
  if (csv.failed()) return usage(fmt::format("cannot read {}", file));
  std::vector<std::size_t> columns;
  for (const std::string_view name : names) {
    const auto column = csv.find_column(name);
    if (!column) {
      return usage(
          fmt::format("{} has no column '{}'; its columns are {}", file, name, csv.header_text()));
    }
    columns.push_back(*column);
  }
  return columns;
}

/// Coordinates from consecutive entries of `columns`, beginning with `first`.
std::optional<Vec3> read_position(const CsvReader& csv, const std::vector<std::size_t>& columns,
                                  std::size_t first, std::size_t axes) {
  Vec3 position;
  for (std::size_t axis = 0; axis < axes; ++axis) {
    const auto value = csv.cell<double>(columns[first + axis]);
    if (!value || !std::isfinite(*value)) return std::nullopt;
    position[static_cast<int>(axis)] = *value;
  }
  return position;
}

Vec3 half_extent(double half_size_m, std::size_t axes) {
  return {half_size_m, half_size_m, axes == 3 ? half_size_m : missing_axis_half_size_m};
}

Result<Movement, Error> read_movement(const ReplayOptions& options) {
  const auto names = split(options.columns, ',');
  if (names.size() != 4 && names.size() != 5) {
    return usage(
        fmt::format("--columns is '{}'; it names time, id, x, y and perhaps z", options.columns));
  }
  CsvReader csv(options.movement_file);
  const auto columns = find_columns(csv, options.movement_file, names);
  if (!columns) return columns.error();
  const std::size_t axes = names.size() - 2;
  Movement movement;
  movement.half_extent_m = half_extent(options.half_size_m, axes);
  while (csv.next_line()) {
    const auto time = csv.cell<std::int64_t>(columns.value()[0]);
    const auto id = csv.cell<std::int64_t>(columns.value()[1]);
    const auto position = read_position(csv, columns.value(), 2, axes);
    if (!time || !id) return csv.error_here("time and id must be integers");
    if (!position) return csv.error_here("a coordinate is no finite number");
    if (!movement.rows[*time].emplace(*id, *position).second)
      return csv.error_here(fmt::format("a second row of id {} at time {}", *id, *time));
  }
  if (csv.failed()) return csv.error_here("cannot read further");
  if (movement.rows.empty()) return usage(fmt::format("{} has no rows", options.movement_file));
  return movement;
}

Result<std::vector<StaticBox>, Error> read_statics(const std::string& file) {
  CsvReader csv(file);
  const bool has_z = csv.find_column("z").has_value();
  const std::size_t axes = has_z ? 3 : 2;
  std::vector<std::string_view> names{"id", "half", "x", "y"};
  if (has_z) names.emplace_back("z");
  const auto columns = find_columns(csv, file, names);
  if (!columns) return columns.error();
  std::vector<StaticBox> boxes;
  while (csv.next_line()) {
    const auto id = csv.cell<std::int64_t>(columns.value()[0]);
    const auto half = csv.cell<double>(columns.value()[1]);
    const auto position = read_position(csv, columns.value(), 2, axes);
    if (!id) return csv.error_here("the id must be an integer");
    if (!half || !(*half >= 0)) return csv.error_here("half must be a number >= 0");
    if (!position) return csv.error_here("a coordinate is no finite number");
    boxes.push_back({*id, *position, half_extent(*half, axes)});
  }
  if (csv.failed()) return csv.error_here("cannot read further");
  return boxes;
}

/// One id for one thing: a static box that is listed twice, or that also moves, is a mistake.
std::optional<Error> check_ids(const std::vector<StaticBox>& statics, const Movement& movement) {
  std::set<std::int64_t> ids;
  for (const StaticBox& box : statics) {
    if (!ids.insert(box.id).second)
      return usage(fmt::format("the static id {} is listed twice", box.id));
  }
  for (const auto& [time, positions] : movement.rows) {
    for (const auto& [id, position] : positions) {
      if (ids.count(id) != 0) return usage(fmt::format("id {} is both static and moving", id));
    }
  }
  return std::nullopt;
}

/// Every multiple of the smallest gap, and one more behind the last time.
Result<std::vector<std::int64_t>, Error> steps_by_gap(const Movement& movement) {
  const auto& rows = movement.rows;
  // Differences as unsigned numbers: they may exceed the signed range.
  const auto distance = [](std::int64_t from, std::int64_t to) {
    return static_cast<std::uint64_t>(to) - static_cast<std::uint64_t>(from);
  };
  std::uint64_t gap = rows.size() == 1 ? 1 : std::numeric_limits<std::uint64_t>::max();
  for (auto row = rows.begin(); std::next(row) != rows.end(); ++row)
    gap = std::min(gap, distance(row->first, std::next(row)->first));
  const std::int64_t first = rows.begin()->first;
  const std::uint64_t span = distance(first, rows.rbegin()->first);
  if (span / gap + 2 > steps_max) {
    return usage(fmt::format("the times of the file make {} steps of {}; allowed: {}",
                             span / gap + 2, gap, steps_max));
  }
  for (const auto& [time, positions] : rows) {
    if (distance(first, time) % gap != 0) {
      return usage(
          fmt::format("time {} is no multiple of the smallest gap {} after {}; use "
                      "--steps distinct",
                      time, gap, first));
    }
  }
  std::vector<std::int64_t> times;
  for (std::uint64_t step = 0; step <= span / gap + 1; ++step)
    times.push_back(static_cast<std::int64_t>(static_cast<std::uint64_t>(first) + step * gap));
  return times;
}

Result<std::vector<std::int64_t>, Error> step_times(const std::string& rule,
                                                    const Movement& movement) {
  if (rule == "gap") return steps_by_gap(movement);
  if (rule != "distinct")
    return usage(fmt::format("--steps is '{}'; allowed: gap, distinct", rule));
  std::vector<std::int64_t> times;
  for (const auto& [time, positions] : movement.rows) times.push_back(time);
  return times;
}

}  // namespace

Result<Observers, Error> Observers::parse(const std::string& text) {
  Observers out;
  if (text == "none") return out;
  if (text == "all") {
    out.every_ = 1;
    return out;
  }
  if (text.starts_with("every:")) {
    const auto every = parse_number<std::int64_t>(std::string_view(text).substr(6));
    if (every && *every > 0) {
      out.every_ = *every;
      return out;
    }
  }
  if (text.starts_with("ids:")) {
    bool all_read = true;
    for (const std::string_view part : split(std::string_view(text).substr(4), ',')) {
      const auto id = parse_number<std::int64_t>(part);
      all_read = all_read && id.has_value();
      if (id) out.ids_.insert(*id);
    }
    if (all_read) return out;
  }
  return usage(
      fmt::format("--observe is '{}'; allowed: every:N (N > 0), all, ids:A,B,... or none", text));
}

bool Observers::contains(std::int64_t id) const {
  return every_ != 0 ? id % every_ == 0 : ids_.count(id) != 0;
}

Result<ReplayInput, Error> read_replay_input(const ReplayOptions& options) {
  if (!std::isfinite(options.half_size_m) || options.half_size_m < 0)
    return usage("--half-size must be a number >= 0");
  if (!(options.enter_m >= 0) || !(options.leave_m >= options.enter_m) ||
      !std::isfinite(options.leave_m))
    return usage("--enter and --leave must be numbers with 0 <= enter <= leave");
  if (options.events_file.empty()) return usage("--events names no file");
  ReplayInput input;
  auto observers = Observers::parse(options.observe);
  if (!observers) return observers.error();
  input.observers = observers.value();
  auto movement = read_movement(options);
  if (!movement) return movement.error();
  input.movement = std::move(movement.value());
  auto times = step_times(options.steps, input.movement);
  if (!times) return times.error();
  input.step_times = std::move(times.value());
  if (options.statics_file.empty()) return input;
  auto statics = read_statics(options.statics_file);
  if (!statics) return statics.error();
  input.statics = std::move(statics.value());
  if (const auto error = check_ids(input.statics, input.movement)) return *error;
  return input;
}

}  // namespace vicinity::sim
