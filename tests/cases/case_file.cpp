// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors

#include "cases/case_file.h"

#include <charconv>
#include <fstream>
#include <set>
#include <sstream>

#include "base/error.h"

namespace vicinity::cases {

namespace {

Result<std::string, Error> read_text(const std::string& path) {
  std::ifstream file(path);
  std::ostringstream text;
  if (!file || !(text << file.rdbuf())) return Error{ErrorCode::None, "cannot read " + path};
  return text.str();
}

Result<Json, std::string> parse_document(const std::string& text, const std::string& name) {
  Json document = Json::parse(text, nullptr, /*allow_exceptions=*/false);
  if (document.is_discarded()) return name + " is not JSON";
  if (!document.is_object() || document.value("format", Json()) != 1)
    return name + ": \"format\" must be 1";
  return document;
}

std::string label_text(const Json& label) {
  return label.is_string() ? label.get<std::string>() : label.dump();
}

Step parse_step(const Json& json) {
  Step step;
  step.label = label_text(json.at("tick"));
  ticks_of_label(step.label);
  for (const Json& operation : json.at("ops"))
    step.operations.push_back(parse_operation(operation));
  for (const Json& pair : json.at("expect")) {
    if (!pair.is_array() || pair.size() != 2) throw ScriptError("an expectation is [kind, value]");
    step.expectations.push_back({pair[0].get<std::string>(), pair[1]});
  }
  return step;
}

/// A mistyped key must not take what it holds out of the case.
void note_unknown_keys(const Json& object, const std::set<std::string>& known,
                       const std::string& where, Case& parsed) {
  for (const auto& [key, value] : object.items())
    if (!known.contains(key)) parsed.unknown_keys.push_back(where + key);
}

Case parse_case(const Json& json) {
  Case parsed;
  parsed.id = json.at("id").get<std::string>();
  parsed.title = json.at("title").get<std::string>();
  parsed.subsystem = json.at("subsystem").get<std::string>();
  parsed.because = json.value("because", "");
  const Json params = json.value("params", Json::object());
  parsed.cell_m = params.value("cell", 0.0);
  note_unknown_keys(params, {"cell", "levels"}, "params.", parsed);
  note_unknown_keys(json,
                    {"id", "title", "subsystem", "kind_of_fault", "severity", "fault", "rule",
                     "params", "script", "alternative", "notes", "oracle", "because"},
                    "", parsed);
  for (const Json& step : json.at("script")) {
    parsed.script.push_back(parse_step(step));
    note_unknown_keys(step, {"tick", "ops", "expect"}, "tick " + parsed.script.back().label + ": ",
                      parsed);
  }
  return parsed;
}

std::optional<std::uint32_t> parse_count(std::string_view text) {
  std::uint32_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

}  // namespace

Operation parse_operation(const Json& pair) {
  if (!pair.is_array() || pair.size() != 2 || !pair[0].is_string() || !pair[1].is_object())
    throw ScriptError("an operation is [name, {fields}], not " + pair.dump());
  return {pair[0].get<std::string>(), pair[1]};
}

std::uint32_t ticks_of_label(const std::string& label) {
  const std::size_t dash = label.find('-');
  const auto first = parse_count(std::string_view(label).substr(0, dash));
  const auto last =
      dash == std::string::npos ? first : parse_count(std::string_view(label).substr(dash + 1));
  if (!first || !last || *last < *first)
    throw ScriptError("tick label \"" + label + "\" is neither N nor N-M");
  return *last - *first + 1;
}

Result<std::vector<Case>, std::string> read_case_file(const std::string& path) {
  const auto text = read_text(path);
  if (!text) return text.error().text;
  return parse_case_file(text.value(), path);
}

Result<std::vector<Skip>, std::string> read_skip_list(const std::string& path) {
  const auto text = read_text(path);
  if (!text) return text.error().text;
  return parse_skip_list(text.value(), path);
}

Result<std::vector<Case>, std::string> parse_case_file(const std::string& text,
                                                       const std::string& name) {
  const Result<Json, std::string> document = parse_document(text, name);
  if (!document) return document.error();
  std::vector<Case> cases;
  std::set<std::string> ids;
  try {
    for (const Json& json : document.value().at("cases")) {
      cases.push_back(parse_case(json));
      if (!ids.insert(cases.back().id).second) return name + ": two cases " + cases.back().id;
    }
  } catch (const std::exception& error) {
    const std::string after = cases.empty() ? "the start" : cases.back().id;
    return name + ", after " + after + ": " + error.what();
  }
  if (cases.empty()) return name + " holds no case";
  return cases;
}

Result<std::vector<Skip>, std::string> parse_skip_list(const std::string& text,
                                                       const std::string& name) {
  const Result<Json, std::string> document = parse_document(text, name);
  if (!document) return document.error();
  std::vector<Skip> skips;
  try {
    for (const Json& json : document.value().at("skip")) {
      Skip skip{json.at("id").get<std::string>(), json.at("reason").get<std::string>()};
      if (skip.reason.empty()) return name + ": " + skip.id + " has no reason";
      const std::string where = json.value("where", "everywhere");
      if (where == "over_tcp")
        skip.where = SkipWhere::OverTcp;
      else if (where == "in_process")
        skip.where = SkipWhere::InProcess;
      else if (where != "everywhere")
        return name + ": \"where\" is everywhere, in_process or over_tcp, not " + where;
      skips.push_back(std::move(skip));
    }
  } catch (const std::exception& error) {
    return name + ": " + error.what();
  }
  return skips;
}

}  // namespace vicinity::cases
