// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#pragma once

// Frame bodies from JSON text and back, through the schemas alone: FlatBuffers' own parser, none of
// the encoders or decoders of the project. Tests write with it what their subject must read.

#include <flatbuffers/idl.h>

#include <cstdint>
#include <cstdio>
#include <span>
#include <string>
#include <vector>

#include "base/check.h"

namespace vicinity::test {

class Schema {
 public:
  /// `file` is a file of proto/, for example "client.fbs".
  explicit Schema(const std::string& file) : parser_(options()) {
    const std::string folder = std::string(VICINITY_SOURCE_DIR) + "/proto";
    const char* include_paths[] = {folder.c_str(), nullptr};
    std::string text;
    CHECK(flatbuffers::LoadFile((folder + "/" + file).c_str(), false, &text));
    CHECK(parser_.Parse(text.c_str(), include_paths, file.c_str()));
  }

  /// The body that the JSON describes. Enumerators by name or number; nan, inf and -inf are
  /// numbers.
  std::vector<std::uint8_t> body(const std::string& json) {
    const bool parsed = parser_.ParseJson(json.c_str());
    if (!parsed) std::fprintf(stderr, "%s\n", parser_.error_.c_str());
    CHECK(parsed);
    const auto& builder = parser_.builder_;
    return {builder.GetBufferPointer(), builder.GetBufferPointer() + builder.GetSize()};
  }

  /// The content of a body that is known to be valid, defaults included.
  std::string text(std::span<const std::uint8_t> body) {
    std::string out;
    CHECK(flatbuffers::GenerateText(parser_, body.data(), &out));
    return out;
  }

 private:
  static flatbuffers::IDLOptions options() {
    flatbuffers::IDLOptions options;
    options.output_default_scalars_in_json = true;
    return options;
  }

  flatbuffers::Parser parser_;
};

inline Schema& client_schema() {
  static Schema schema("client.fbs");
  return schema;
}
inline Schema& server_schema() {
  static Schema schema("server.fbs");
  return schema;
}

/// A frame of proto/client.fbs around one body, for example client_frame("Step", "{count: 3}").
inline std::vector<std::uint8_t> client_frame(const std::string& type, const std::string& body) {
  return client_schema().body("{body_type: \"" + type + "\", body: " + body + "}");
}

}  // namespace vicinity::test
