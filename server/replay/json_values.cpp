// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#include "replay/json_values.h"

#include <array>
#include <string>
#include <string_view>
#include <utility>

#include "world/archive_command.h"

namespace vicinity::replay {

/// An archive that makes arrays of what it is given.
class JsonWriter {
 public:
  static constexpr bool is_reader = false;

  template <class T>
    requires(std::is_arithmetic_v<T> || std::is_enum_v<T>)
  void operator()(const T& value) {
    if constexpr (std::is_enum_v<T>) {
      out_.push_back(static_cast<std::underlying_type_t<T>>(value));
    } else {
      out_.push_back(value);
    }
  }
  template <class T>
  void operator()(const std::vector<T>& values) {
    nest([&](JsonWriter& inner) {
      for (const T& value : values) inner(value);
    });
  }
  template <class T>
  void operator()(const std::optional<T>& value) {
    value ? (*this)(*value) : out_.push_back(nullptr);
  }
  template <class T>
    requires std::is_class_v<T>
  void operator()(const T& value) {
    nest([&](JsonWriter& inner) { archive(inner, value); });
  }

  nlohmann::json take() { return std::exchange(out_, nlohmann::json::array()); }

 private:
  template <class Fill>
  void nest(const Fill& fill) {
    JsonWriter inner;
    fill(inner);
    out_.push_back(inner.take());
  }
  nlohmann::json out_ = nlohmann::json::array();
};

}  // namespace vicinity::replay

namespace vicinity {

// What has an archive for bytes of its own: the corners say it all.
inline void archive(replay::JsonWriter& a, const ConvexHull& hull) {
  a(std::vector<Vec3>(hull.vertices().begin(), hull.vertices().end()));
}
inline void archive(replay::JsonWriter& a, const TriangleMesh& mesh) {
  a(mesh.two_sided());
  a(std::vector<Vec3>(mesh.vertices().begin(), mesh.vertices().end()));
  std::vector<std::uint32_t> corners;
  for (const TriangleMesh::Indices& triangle : mesh.triangles())
    corners.insert(corners.end(), triangle.begin(), triangle.end());
  a(corners);
}

}  // namespace vicinity

namespace vicinity::replay {
namespace {

constexpr std::array<std::string_view, 23> kinds = {
    "spawn",          "despawn",       "set_velocity",  "move_to",     "teleport",
    "set_shape",      "set_filter",    "set_user_data", "add_area",    "change_area",
    "remove_area",    "open_session",  "close_session", "attach",      "detach",
    "exclude_pair",   "set_policy",    "subscribe",     "unsubscribe", "set_relevance",
    "set_visibility", "despawn_owned", "restart"};
static_assert(kinds.size() == std::variant_size_v<CommandBody>);

}  // namespace

nlohmann::json to_json(const Command& command) {
  JsonWriter writer;
  std::visit([&](const auto& body) { archive(writer, body); }, command.body);
  return {{"session", command.session.value},
          {"sequence", command.sequence},
          {"kind", kinds[command.body.index()]},
          {"values", writer.take()}};
}

}  // namespace vicinity::replay
