// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors

// vicinity-token: keys and tokens for development. In production the game's own back end makes
// them.

#include <fcntl.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>

#include "access/gatekeeper.h"
#include "access/token.h"
#include "access/token_keys.h"
#include "access/token_mint.h"
#include "base/limits.h"

namespace {

using namespace vicinity;
using access::Algorithm;
using access::Fault;

constexpr int exit_ok = 0;
constexpr int exit_failed = 1;
constexpr int exit_usage = 2;

constexpr const char* examples = R"(Examples:
  vicinity-token generate-key --alg ES256 --key issuer.pem --public keys/game-1.pem
  vicinity-token mint --key issuer.pem --kid game-1 --subject ada --role player --expires 8h
  vicinity-token generate-key --alg HS256 --key keys/dev.hs256
  vicinity-token mint --key keys/dev.hs256 --kid dev --subject bot --count 100 --role authority
  vicinity-token inspect --keys keys eyJhbGciOi...

The server then runs with --token-keys keys. Exit code: 0 done, 1 failed or the token is refused,
2 wrong usage.)";

int fail(const std::string& text) {
  std::fprintf(stderr, "vicinity-token: %s\n", text.c_str());
  return exit_failed;
}

int print(const std::string& text) {
  const bool written = std::fwrite(text.data(), 1, text.size(), stdout) == text.size();
  return written && std::fflush(stdout) == 0 ? exit_ok : fail("the output cannot be written");
}

/// "90s", "15m", "8h", "30d" in seconds.
std::optional<std::int64_t> parse_duration_s(std::string_view text) {
  std::uint32_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  const std::string_view unit = text.substr(static_cast<std::size_t>(end - text.data()));
  if (error != std::errc{}) return std::nullopt;
  if (unit == "s") return number;
  if (unit == "m") return std::int64_t{number} * 60;
  if (unit == "h") return std::int64_t{number} * 3'600;
  if (unit == "d") return std::int64_t{number} * 86'400;
  return std::nullopt;
}

const std::string is_duration = "a number and s, m, h or d, such as 8h";

std::string check_duration(const std::string& text) {
  return parse_duration_s(text) ? std::string() : "'" + text + "' is not " + is_duration;
}

// --- mint ------------------------------------------------------------------------------------

struct MintOptions {
  std::string key_file;
  std::string key_id;
  std::string algorithm;
  std::string subject;
  std::string role = "player";
  std::string expires = "1h";
  std::string not_before;
  std::string audience;
  std::uint32_t count = 1;
  std::optional<std::uint32_t> areas_max;
  std::optional<double> area_radius_max_m;
  std::optional<std::uint32_t> bytes_per_s;
  std::optional<std::uint32_t> categories;
  std::optional<std::int32_t> group;
};

CLI::App* add_mint(CLI::App& app, MintOptions& options) {
  CLI::App* mint = app.add_subcommand("mint", "Print a token");
  mint->add_option("--key", options.key_file, "File with the secret or the private PEM")
      ->required();
  mint->add_option("--kid", options.key_id, "Key id: name of the server's key file")->required();
  mint->add_option("--alg", options.algorithm, "HS256 or ES256 [by what is in the file]")
      ->check(CLI::IsMember({"HS256", "ES256"}));
  mint->add_option("--subject", options.subject, "Who it is for, 1 to 64 bytes of UTF-8")
      ->required();
  mint->add_option("--role", options.role, "observer, player or authority")
      ->check(CLI::IsMember({"observer", "player", "authority"}))
      ->capture_default_str();
  mint->add_option("--expires", options.expires, "Time until it ends, 1s or more: " + is_duration)
      ->check(CLI::Validator(check_duration, ""))
      ->capture_default_str();
  mint->add_option("--not-before", options.not_before,
                   "Time until it begins, less than --expires: " + is_duration)
      ->check(CLI::Validator(check_duration, ""));
  mint->add_option("--audience", options.audience, "Server setting token_audience that it is for");
  mint->add_option("--count", options.count,
                   "So many tokens, one per line, for SUBJECT-1, SUBJECT-2, ...")
      ->check(CLI::Range(1, 100'000));
  mint->add_option("--areas-max", options.areas_max, "Areas at the same time")
      ->check(CLI::Range(std::size_t{0}, std::size_t{limits::areas_per_session_max}));
  mint->add_option("--area-radius-max", options.area_radius_max_m, "How far they reach, m")
      ->check(CLI::Range(0.0, double{limits::area_size_m}));
  mint->add_option("--bytes-per-s", options.bytes_per_s, "Bytes of frames per second, 1 or more")
      ->check(CLI::PositiveNumber);
  mint->add_option("--categories", options.categories, "Categories it may use and see, bits");
  mint->add_option("--group", options.group, "Collision group of its entities");
  return mint;
}

/// Of token 1, 2, ...
std::string subject_of(const MintOptions& options, std::uint32_t number) {
  return options.count == 1 ? options.subject : options.subject + "-" + std::to_string(number);
}

bool is_utf8(const std::string& text) {
  using Json = nlohmann::json;
  const std::string valid = Json(text).dump(-1, ' ', false, Json::error_handler_t::ignore);
  return Json::parse(valid) == text;  // else bytes were left out
}

/// Those of ASCII and, in UTF-8, U+0080 to U+009F: a terminal that shows a log obeys both.
bool has_control_characters(const std::string& text) {
  unsigned char before = 0;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x20 || byte == 0x7F || (before == 0xC2 && byte < 0xA0)) return true;
    before = byte;
  }
  return false;
}

/// Empty: nothing is wrong with a text that goes into a claim.
std::string text_fault(const std::string& field, const std::string& text) {
  if (!is_utf8(text)) return field + " must be UTF-8";
  if (has_control_characters(text)) return field + " must not have control characters";
  return {};
}

/// Why no server would take the tokens, or should; empty: nothing is wrong with what was asked for.
std::string mint_fault(const MintOptions& options) {
  if (options.subject.empty()) return "--subject is empty; it must have 1 to 64 bytes";
  const std::size_t longest = subject_of(options, options.count).size();
  if (longest > limits::subject_bytes_max) {
    return "--subject must have 1 to 64 bytes, not " + std::to_string(longest) +
           (options.count == 1 ? "" : " with the number that --count adds");
  }
  if (std::string fault = text_fault("--subject", options.subject); !fault.empty()) return fault;
  if (std::string fault = text_fault("--audience", options.audience); !fault.empty()) return fault;
  if (options.area_radius_max_m && !std::isfinite(*options.area_radius_max_m))
    return "--area-radius-max must be a finite number of metres";
  const std::int64_t expires_s = parse_duration_s(options.expires).value();
  if (expires_s == 0) return "--expires must be 1s or more: the token would end as it begins";
  if (access::Gatekeeper::now_s() + expires_s > access::token_time_max_s)
    return "--expires must lie before the end of the year 9999";
  if (!options.not_before.empty() && parse_duration_s(options.not_before).value() >= expires_s)
    return "--not-before must be less than --expires: the token would never be valid";
  return {};
}

std::string claims_of(const MintOptions& options, const std::string& subject) {
  const std::int64_t now_s = access::Gatekeeper::now_s();
  nlohmann::json claims = {{"sub", subject},
                           {"role", options.role},
                           {"iat", now_s},
                           {"exp", now_s + parse_duration_s(options.expires).value()}};
  if (!options.not_before.empty())
    claims["nbf"] = now_s + parse_duration_s(options.not_before).value();
  if (!options.audience.empty()) claims["aud"] = options.audience;
  if (options.areas_max) claims["areas_max"] = *options.areas_max;
  if (options.area_radius_max_m) claims["area_radius_max_m"] = *options.area_radius_max_m;
  if (options.bytes_per_s) claims["bytes_per_s"] = *options.bytes_per_s;
  if (options.categories) claims["categories"] = *options.categories;
  if (options.group) claims["group"] = *options.group;
  return claims.dump();
}

int run_mint(const MintOptions& options) {
  if (const std::string fault = mint_fault(options); !fault.empty()) return fail(fault), exit_usage;
  const auto text = access::read_key_file(options.key_file);
  if (!text.ok()) return fail(text.error().text);
  const bool is_pem = text.value().starts_with("-----BEGIN");
  const Algorithm algorithm =
      options.algorithm.empty()
          ? (is_pem ? Algorithm::Es256 : Algorithm::Hs256)
          : (options.algorithm == "ES256" ? Algorithm::Es256 : Algorithm::Hs256);
  if (is_pem != (algorithm == Algorithm::Es256))
    return fail(options.key_file + ": HS256 needs a secret, ES256 a private key in PEM");
  access::SigningKey key{algorithm, options.key_id, text.value()};
  if (!access::is_key_id(key.id)) return fail("--kid: 1 to 64 of A-Z a-z 0-9 . _ -");
  if (!is_pem) {
    const auto secret = access::secret_of(text.value());
    if (!secret.ok()) return fail(options.key_file + ": " + secret.error().text);
    key.material = secret.value();
  }
  std::string tokens;
  for (std::uint32_t i = 1; i <= options.count; ++i) {
    const auto token = access::sign_token(claims_of(options, subject_of(options, i)), key);
    if (!token.ok()) return fail(options.key_file + ": " + token.error().text);
    tokens += token.value() + "\n";
  }
  return print(tokens);
}

// --- generate-key ----------------------------------------------------------------------------

struct GenerateOptions {
  std::string algorithm;
  std::string key_file;
  std::string public_file;
};

CLI::App* add_generate(CLI::App& app, GenerateOptions& options) {
  CLI::App* generate = app.add_subcommand("generate-key", "Write a new key to files");
  generate->add_option("--alg", options.algorithm, "HS256 or ES256")
      ->check(CLI::IsMember({"HS256", "ES256"}))
      ->required();
  generate->add_option("--key", options.key_file, "File for the secret or private PEM")->required();
  generate->add_option("--public", options.public_file,
                       "ES256: file for the public PEM, the server's KEY-ID.pem");
  return generate;
}

/// A file that did not exist, so that no key is lost. Not empty: why not.
std::string write_new_file(const std::string& path, const std::string& text, mode_t mode) {
  const int file = ::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode);
  if (file < 0) return path + ": " + std::generic_category().message(errno);
  const bool written = ::write(file, text.data(), text.size()) == static_cast<ssize_t>(text.size());
  return ::close(file) == 0 && written ? std::string() : path + ": cannot be written";
}

int run_generate(const GenerateOptions& options) {
  std::string secret = access::random_secret() + "\n";
  std::string fault;
  if (options.algorithm == "ES256") {
    if (options.public_file.empty()) return fail("ES256 needs --public FILE"), exit_usage;
    const auto pair = access::random_pair();
    if (!pair.ok()) return fail(pair.error().text);
    secret = pair.value().private_pem;
    fault = write_new_file(options.public_file, pair.value().public_pem, 0644);
  } else if (!options.public_file.empty()) {
    return fail("HS256 has no public key"), exit_usage;
  }
  if (fault.empty()) fault = write_new_file(options.key_file, secret, 0600);
  return fault.empty() ? exit_ok : fail(fault);
}

// --- inspect ---------------------------------------------------------------------------------

struct InspectOptions {
  std::string token;
  std::string keys;
  std::string audience;
};

CLI::App* add_inspect(CLI::App& app, InspectOptions& options) {
  CLI::App* inspect = app.add_subcommand("inspect", "Print what is in a token");
  inspect->add_option("TOKEN", options.token, "The token")->required();
  inspect->add_option("--keys", options.keys,
                      "Folder or files, as of the setting token_keys: check it, too");
  inspect->add_option("--audience", options.audience, "As of the setting token_audience");
  return inspect;
}

int run_inspect(const InspectOptions& options) {
  const auto parts = access::read_unchecked(options.token);
  if (!parts) return fail("this is no token: three parts of base64url, two of them JSON");
  const std::string text = "header  " + parts->header + "\npayload " + parts->payload + "\n";
  if (const int code = print(text); code != exit_ok || options.keys.empty()) return code;
  const auto keys = access::TokenKeys::load(options.keys);
  if (!keys.ok()) return fail(keys.error().text);
  const access::TokenRules rules{options.audience};
  const auto grant =
      access::check_token(options.token, keys.value(), rules, access::Gatekeeper::now_s());
  return grant.ok() ? print("valid\n") : fail("refused: " + grant.error().reason);
}

int run(int argc, char** argv) {
  CLI::App app("Makes keys and tokens for a Vicinity server, for development.", "vicinity-token");
  app.footer(examples);
  app.set_version_flag("--version", "vicinity-token " VICINITY_FULL_VERSION);
  app.require_subcommand(1);
  MintOptions mint;
  GenerateOptions generate;
  InspectOptions inspect;
  const CLI::App* mints = add_mint(app, mint);
  const CLI::App* generates = add_generate(app, generate);
  add_inspect(app, inspect);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? exit_ok : exit_usage;
  }
  if (mints->parsed()) return run_mint(mint);
  return generates->parsed() ? run_generate(generate) : run_inspect(inspect);
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return run(argc, argv);
  } catch (const std::exception& error) {
    return fail(error.what());
  }
}
