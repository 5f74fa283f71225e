// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#include "app/config.h"

#include <fmt/format.h>
#include <toml++/toml.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <boost/asio/ip/address.hpp>
#include <cerrno>
#include <filesystem>
#include <fstream>
#include <optional>
#include <regex>
#include <sstream>
#include <string_view>

#include "app/index_settings.h"
#include "app/nearest_setting.h"
#include "app/policy_settings.h"
#include "app/settings_of_admin.h"
#include "app/settings_table.h"
#include "app/version.h"
#include "net/web_socket_origins.h"

namespace vicinity::app {
namespace {

constexpr std::string_view variable_prefix = "VICINITY_";
/// The one key of the file that is no setting of the table.
constexpr std::string_view policy_key = "policy";

using Fault = std::optional<ConfigError>;

/// Settings as far as the sources have been read.
struct Draft {
  Config config;
  std::string address_source;  ///< what set listen_address
  std::string kernel_source;   ///< what set index_kernel
};

/// False when type or range do not fit.
bool take(std::string_view source, const Setting& setting, const SettingValue& value,
          Draft& draft) {
  if (!assign(setting, value, draft.config)) return false;
  if (setting.key == "listen_address") draft.address_source = source;
  if (setting.key == "index_kernel") draft.kernel_source = source;
  return true;
}

Fault refuse(std::string_view source, const Setting& setting, std::string_view given) {
  return ConfigError{fmt::format("{}: {} must be {}, not {}", source, setting.key,
                                 allowed_values(setting), given)};
}

Fault assign_text(std::string_view source, const Setting& setting, const std::string& text,
                  Draft& draft) {
  const auto value = parse_value(setting, text);
  if (value && take(source, setting, *value, draft)) return std::nullopt;
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
                 Draft& draft) {
  const Setting* setting = find_setting(key);
  if (setting == nullptr) {
    const Setting* meant = nearest_setting(key);
    return ConfigError{
        fmt::format("{}: unknown key '{}'; {}--print-config lists the known ones", source, key,
                    meant == nullptr ? "" : fmt::format("did you mean {}? ", meant->key))};
  }
  const auto value = value_of(node);
  if (value && take(source, *setting, *value, draft)) return std::nullopt;
  std::ostringstream given;
  given << toml::node_view<const toml::node>(node);
  return refuse(source, *setting, given.str());
}

/// The TOML library takes what cannot be read, a directory for example, for an empty file.
Result<std::string, ConfigError> read_file(const std::string& path) {
  std::error_code error;
  const auto status = std::filesystem::status(path, error);
  if (error) return ConfigError{fmt::format("{}: {}", path, error.message())};
  if (status.type() != std::filesystem::file_type::regular)
    return ConfigError{fmt::format("{}: not a regular file", path)};
  errno = 0;
  std::ifstream file(path, std::ios::binary);
  std::string text{std::istreambuf_iterator<char>(file), {}};
  if (!file.is_open() || file.bad()) {
    const std::error_code reason(errno, std::generic_category());
    return ConfigError{fmt::format("{}: cannot be read: {}", path, reason.message())};
  }
  return text;
}

Fault apply_file(const std::string& path, Draft& draft) {
  const auto text = read_file(path);
  if (!text.ok()) return text.error();
  try {
    const toml::table table = toml::parse(text.value(), path);
    // In the order of the file, so that the first fault is the one that is named.
    std::map<std::uint32_t, Fault> faults;
    for (const auto& [key, node] : table) {
      const auto line = key.source().begin.line;
      Fault fault = key.str() == policy_key
                        ? read_policy(path, node, draft.config.policy)
                        : apply_node(fmt::format("{}:{}", path, line), key.str(), node, draft);
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

/// Kubernetes gives every container variables for each service of its namespace. Those of a service
/// named vicinity, or vicinity-..., begin like ours:
///     VICINITY_SERVICE_HOST, VICINITY_SERVICE_PORT[_NAME], VICINITY_PORT=tcp://10.0.0.1:7420,
///     VICINITY_PORT_7420_TCP[_PROTO|_PORT|_ADDR]
bool is_service_link(const std::string& name, const std::string& text) {
  static const std::regex by_name(
      "VICINITY_(.+_)?(SERVICE_(HOST|PORT|PORT_.+)|PORT_[0-9]+_(TCP|UDP|SCTP)(_(PROTO|PORT|ADDR))?"
      ")");
  static const std::regex port("VICINITY_(.+_)?PORT");
  static const std::regex url("(tcp|udp|sctp)://.*");
  return std::regex_match(name, by_name) ||
         (std::regex_match(name, port) && std::regex_match(text, url));
}

Fault apply_environment(const Environment& environment, Draft& draft,
                        std::vector<std::string>& ignored) {
  for (const auto& [name, text] : environment) {
    if (!name.starts_with(variable_prefix)) continue;
    if (is_service_link(name, text)) {
      ignored.push_back(name);
      continue;
    }
    const auto table = settings_table();
    const auto setting = std::find_if(table.begin(), table.end(), [&](const Setting& candidate) {
      return variable_name(candidate) == name;
    });
    if (setting == table.end()) {
      const Setting* meant = nearest_setting(name);
      return ConfigError{fmt::format(
          "{}: unknown variable; {}--help lists the known ones", name,
          meant == nullptr ? "" : fmt::format("did you mean {}? ", variable_name(*meant)))};
    }
    if (Fault fault = assign_text(name, *setting, text, draft)) return fault;
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

/// For the first word that is no flag of ours: the flag that was meant.
std::string meant_flag(const CLI::App& app) {
  for (const std::string& word : app.remaining()) {
    if (!word.starts_with("--")) continue;
    const Setting* meant = nearest_setting(word.substr(0, word.find('=')));
    return meant == nullptr ? "" : fmt::format("did you mean {}? ", flag_name(*meant));
  }
  return {};
}

Result<CommandLine, ConfigError> parse_command_line(int argc, const char* const* argv) {
  CommandLine line;
  CLI::App app("Tells a multiplayer game, every tick, what is near whom and what touches what.",
               "vicinity-server");
  app.set_version_flag("--version", "vicinity-server " + full_version());
  app.add_option("--config", line.config_file, "Settings file (TOML).")->type_name("FILE");
  app.add_flag("--print-config", line.print_config,
               "Print the effective settings with unit, range and meaning, and end.");
  for (const Setting& setting : settings_table()) {
    auto& text = line.texts[std::string(setting.key)];
    std::string names = flag_name(setting);
    if (!setting.short_flag.empty()) names += "," + std::string(setting.short_flag);
    auto* option = app.add_option(names, text, describe(setting))->type_name("");
    if (std::holds_alternative<bool Config::*>(setting.field)) option->expected(0, 1);
  }
  app.footer(
      fmt::format("{}\n\n", fmt::join(describe_policy(), "\n")) +
      "A flag wins over its variable, a variable over the file, the file over the default.\n"
      "Exit code: 0 ended as asked, 1 failed while running, 2 wrong settings, 128 + signal when a "
      "second SIGTERM or SIGINT cut the stop short.");
  try {
    app.parse(argc, argv);
  } catch (const CLI::CallForHelp&) {
    line.print_and_exit = app.help();
  } catch (const CLI::CallForVersion&) {
    line.print_and_exit = app.version() + "\n";
  } catch (const CLI::ParseError& error) {
    return ConfigError{fmt::format("{}; {}--help lists the flags", error.what(), meant_flag(app))};
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

Fault check_address(const Draft& draft) {
  const Config& config = draft.config;
  if (is_loopback(config.listen_address) || config.insecure) return std::nullopt;
  const std::string missing = missing_protection(config);
  if (missing.empty()) return std::nullopt;
  return ConfigError{
      fmt::format("{}: listen_address {} can be reached from other machines; missing: {}; set it, "
                  "or insecure (--insecure) to listen there all the same",
                  draft.address_source, config.listen_address, missing)};
}

Fault check_memory(const Config& config) {
  if (config.max_memory == 0 || config.max_memory >= limits::memory_cap_bytes_min)
    return std::nullopt;
  return ConfigError{fmt::format(
      "max_memory {} is less than a server needs: it must be 0 (no cap) or {} (64 MiB) and more",
      config.max_memory, limits::memory_cap_bytes_min)};
}

Fault check_tls(const Config& config) {
  if (config.tls_certificate.empty() != config.tls_private_key.empty())
    return ConfigError{"tls_certificate and tls_private_key go together; one of them is missing"};
  if (config.tls_certificate.empty() || config.socket_engine != "io_uring") return std::nullopt;
  return ConfigError{"socket_engine io_uring has no TLS; take auto or epoll with tls_certificate"};
}

Fault check_origins(const Config& config) {
  const std::string unusable = net::WebSocketOrigins(config.websocket_origins).unusable();
  if (unusable.empty()) return std::nullopt;
  return ConfigError{fmt::format(
      "websocket_origins: no browser sends '{}'; an origin is scheme://host or scheme://host:port, "
      "without a path, or null, or * for all",
      unusable)};
}

/// Flags about what is off, a listener for example: who gives one wants it. Files and variables
/// name them also where it is off, as what --print-config prints does.
Fault check_flags_without_effect(const CommandLine& line, const Config& config) {
  struct Group {
    bool is_on;
    std::string_view flag;  ///< turns it on
    std::string_view without;
    std::vector<std::string_view> keys;
  };
  constexpr std::string_view silent = "the server does not listen there";
  const Group groups[] = {
      {config.websocket, "--websocket", silent, {"websocket_port", "websocket_origins"}},
      {config.admin, "--admin", silent, {"admin_address", "admin_port", "admin_token_file"}},
      {!config.journal_dir.empty(),
       "--journal",
       "there is no journal",
       {"sync", "sync_interval_ms", "snapshot_interval_s", "on_journal_error",
        "journal_accept_loss", "journal_bytes_max", "journal_queue_bytes_max"}},
      {!config.token_keys.empty(),
       "--token-keys",
       "no token is looked at",
       {"token_audience", "token_skew_s"}}};
  for (const Group& group : groups) {
    for (const std::string_view key : group.keys) {
      if (group.is_on || !line.texts.contains(std::string(key))) continue;
      return ConfigError{fmt::format("{} needs {}: without it {}", flag_name(*find_setting(key)),
                                     group.flag, group.without)};
    }
  }
  return std::nullopt;
}

Fault check_kernel(const Draft& draft) {
  const std::string& name = draft.config.index_kernel;
  if (is_supported(index_kernel_of(name).value())) return std::nullopt;
  return ConfigError{fmt::format(
      "{}: index_kernel must not be {}: this processor does not have it; auto takes the "
      "widest that it has",
      draft.kernel_source, name)};
}

}  // namespace

std::string missing_protection(const Config& config) {
  std::vector<std::string> missing;
  if (config.token_keys.empty()) missing.push_back("token_keys (who may connect)");
  if (config.tls_certificate.empty()) missing.push_back("tls_certificate (encryption)");
  return fmt::format("{}", fmt::join(missing, " and "));
}

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

  Draft draft;
  if (!line.config_file.empty())
    if (Fault fault = apply_file(line.config_file, draft)) return *fault;
  if (Fault fault = apply_environment(environment, draft, invocation.ignored_variables))
    return *fault;
  for (const auto& [key, text] : line.texts) {
    const Setting& setting = *find_setting(key);
    if (Fault fault = assign_text(flag_name(setting), setting, text, draft)) return *fault;
  }
  if (Fault fault = check_address(draft)) return *fault;
  if (Fault fault = check_tls(draft.config)) return *fault;
  if (Fault fault = check_memory(draft.config)) return *fault;
  if (Fault fault = check_origins(draft.config)) return *fault;
  if (Fault fault = check_kernel(draft)) return *fault;
  if (auto fault = admin_fault(draft.config)) return ConfigError{*fault};
  if (!line.print_config) {
    if (Fault fault = check_flags_without_effect(line, draft.config)) return *fault;
  }
  invocation.config = draft.config;
  if (line.print_config) invocation.print_and_exit = print_config(invocation.config);
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
  text += fmt::format("\n# {}\n", fmt::join(describe_policy(), "\n# "));
  return text + print_policy(config.policy);
}

}  // namespace vicinity::app
