// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#include "app/config.h"

#include <fmt/format.h>
#include <toml++/toml.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <boost/asio/ip/address.hpp>
#include <optional>
#include <sstream>
#include <string_view>

#include "app/settings_table.h"
#include "app/version.h"

namespace vicinity::app {
namespace {

constexpr std::string_view variable_prefix = "VICINITY_";

using Fault = std::optional<ConfigError>;

Fault refuse(std::string_view source, const Setting& setting, std::string_view given) {
  return ConfigError{fmt::format("{}: {} must be {}, not {}", source, setting.key,
                                 allowed_values(setting), given)};
}

Fault assign_text(std::string_view source, const Setting& setting, const std::string& text,
                  Config& config) {
  const auto value = parse_value(setting, text);
  if (value && assign(setting, *value, config)) return std::nullopt;
  return refuse(source, setting, "'" + text + "'");
}

// --- File ------------------------------------------------------------------------------------

std::optional<SettingValue> value_of(const toml::node& node) {
  if (const auto* text = node.as_string()) return text->get();
  if (const auto* whole = node.as_integer()) return whole->get();
  if (const auto* real = node.as_floating_point()) return real->get();
  if (const auto* flag = node.as_boolean()) return flag->get();
  return std::nullopt;
}

Fault apply_node(const std::string& source, std::string_view key, const toml::node& node,
                 Config& config) {
  const Setting* setting = find_setting(key);
  if (setting == nullptr) {
    return ConfigError{
        fmt::format("{}: unknown key '{}'; --print-config lists the known ones", source, key)};
  }
  const auto value = value_of(node);
  if (value && assign(*setting, *value, config)) return std::nullopt;
  std::ostringstream given;
  given << toml::node_view<const toml::node>(node);
  return refuse(source, *setting, given.str());
}

Fault apply_file(const std::string& path, Config& config) {
  try {
    const toml::table table = toml::parse_file(path);
    // In the order of the file, so that the first fault is the one that is named.
    std::map<std::uint32_t, Fault> faults;
    for (const auto& [key, node] : table) {
      const auto line = key.source().begin.line;
      Fault fault = apply_node(fmt::format("{}:{}", path, line), key.str(), node, config);
      if (fault) faults.emplace(line, std::move(fault));
    }
    return faults.empty() ? std::nullopt : faults.begin()->second;
  } catch (const toml::parse_error& error) {
    const auto line = error.source().begin.line;
    if (line == 0) return ConfigError{fmt::format("{}: {}", path, error.description())};
    return ConfigError{fmt::format("{}:{}: {}", path, line, error.description())};
  }
}

// --- Environment and flags -------------------------------------------------------------------

Fault apply_environment(const Environment& environment, Config& config) {
  for (const auto& [name, text] : environment) {
    if (!name.starts_with(variable_prefix)) continue;
    const auto table = settings_table();
    const auto setting = std::find_if(table.begin(), table.end(), [&](const Setting& candidate) {
      return variable_name(candidate) == name;
    });
    if (setting == table.end()) {
      return ConfigError{fmt::format("{}: unknown variable; --help lists the known ones", name)};
    }
    if (Fault fault = assign_text(name, *setting, text, config)) return fault;
  }
  return std::nullopt;
}

/// The command line as it was given, before any value is looked at.
struct CommandLine {
  std::string config_file;
  bool print_config = false;
  std::map<std::string, std::string> texts;  ///< key of the setting -> text of its flag
  std::string print_and_exit;
};

std::string describe(const Setting& setting) {
  return fmt::format("{} {}; default {}. Variable {}.", setting.meaning, allowed_values(setting),
                     toml_value(setting, Config{}), variable_name(setting));
}

Result<CommandLine, ConfigError> parse_command_line(int argc, const char* const* argv) {
  CommandLine line;
  CLI::App app("Tells a multiplayer game, every tick, what is near whom and what touches what.",
               "vicinity-server");
  app.set_version_flag("--version", "vicinity-server " + std::string(version()));
  app.add_option("--config", line.config_file, "Settings file (TOML).")->type_name("FILE");
  app.add_flag("--print-config", line.print_config,
               "Print the effective settings with unit, range and meaning, and end.");
  for (const Setting& setting : settings_table()) {
    auto& text = line.texts[std::string(setting.key)];
    auto* option = app.add_option(flag_name(setting), text, describe(setting))->type_name("");
    if (std::holds_alternative<bool Config::*>(setting.field)) option->expected(0, 1);
  }
  app.footer(
      "A flag wins over its variable, a variable over the file, the file over the default.\n"
      "Exit code: 0 ended as asked, 1 failed while running, 2 wrong settings.");
  try {
    app.parse(argc, argv);
  } catch (const CLI::CallForHelp&) {
    line.print_and_exit = app.help();
  } catch (const CLI::CallForVersion&) {
    line.print_and_exit = app.version() + "\n";
  } catch (const CLI::ParseError& error) {
    return ConfigError{fmt::format("{}; --help lists the flags", error.what())};
  }
  for (const Setting& setting : settings_table()) {
    const auto text = line.texts.find(std::string(setting.key));
    const bool is_switch = std::holds_alternative<bool Config::*>(setting.field);
    if (app.count(flag_name(setting)) == 0) {
      line.texts.erase(text);
    } else if (is_switch && text->second.empty()) {
      text->second = "true";  // --insecure alone
    }
  }
  return line;
}

// --- Relations between settings --------------------------------------------------------------

Fault check_address(const Config& config) {
  boost::system::error_code error;
  boost::asio::ip::make_address(config.listen_address, error);
  if (error) {
    return ConfigError{
        fmt::format("listen_address must be an IP address such as 127.0.0.1 or ::1, "
                    "not '{}'",
                    config.listen_address)};
  }
  if (is_loopback(config.listen_address) || config.insecure) return std::nullopt;
  return ConfigError{
      fmt::format("listen_address {} can be reached from other machines, and this version has "
                  "neither authentication nor encryption; set insecure (--insecure) to listen "
                  "there all the same",
                  config.listen_address)};
}

}  // namespace

bool is_loopback(const std::string& address) {
  boost::system::error_code error;
  const auto parsed = boost::asio::ip::make_address(address, error);
  return !error && parsed.is_loopback();
}

Environment process_environment() {
  Environment environment;
  for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry) {
    const std::string_view text = *entry;
    const auto equals = text.find('=');
    if (equals == std::string_view::npos || !text.starts_with(variable_prefix)) continue;
    environment.emplace(text.substr(0, equals), text.substr(equals + 1));
  }
  return environment;
}

Result<Invocation, ConfigError> configure(int argc, const char* const* argv,
                                          const Environment& environment) {
  auto parsed = parse_command_line(argc, argv);
  if (!parsed.ok()) return parsed.error();
  const CommandLine& line = parsed.value();
  Invocation invocation;
  invocation.print_and_exit = line.print_and_exit;
  if (!invocation.print_and_exit.empty()) return invocation;

  Config& config = invocation.config;
  if (!line.config_file.empty())
    if (Fault fault = apply_file(line.config_file, config)) return *fault;
  if (Fault fault = apply_environment(environment, config)) return *fault;
  for (const auto& [key, text] : line.texts) {
    const Setting& setting = *find_setting(key);
    if (Fault fault = assign_text(flag_name(setting), setting, text, config)) return *fault;
  }
  if (Fault fault = check_address(config)) return *fault;
  if (line.print_config) invocation.print_and_exit = print_config(config);
  return invocation;
}

std::string print_config(const Config& config) {
  std::string text = "# Settings of vicinity-server, as --config reads them.\n";
  for (const Setting& setting : settings_table()) {
    text +=
        fmt::format("\n# {}\n# {}; default {}. Flag {}, variable {}.\n{} = {}\n", setting.meaning,
                    allowed_values(setting), toml_value(setting, Config{}), flag_name(setting),
                    variable_name(setting), setting.key, toml_value(setting, config));
  }
  return text;
}

}  // namespace vicinity::app
