// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors

// The settings file: any bytes give settings or a fault in words, and accepted settings come back
// the same from what --print-config writes.
#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>
#include <string>
#include <string_view>

#include "app/config.h"
#include "base/check.h"

namespace {

using namespace vicinity;

/// A file in memory with a path to open it by.
class MemoryFile {
 public:
  explicit MemoryFile(std::string_view content) : descriptor_(memfd_create("config.toml", 0)) {
    CHECK(descriptor_ >= 0);
    while (!content.empty()) {
      const auto written = write(descriptor_, content.data(), content.size());
      CHECK(written > 0);
      content.remove_prefix(static_cast<std::size_t>(written));
    }
  }
  ~MemoryFile() { close(descriptor_); }
  MemoryFile(const MemoryFile&) = delete;
  MemoryFile& operator=(const MemoryFile&) = delete;

  std::string path() const { return "/proc/self/fd/" + std::to_string(descriptor_); }

 private:
  int descriptor_;
};

Result<app::Invocation, app::ConfigError> read_config(std::string_view text) {
  const MemoryFile file(text);
  const std::string path = file.path();
  const char* arguments[] = {"vicinity-server", "--config", path.c_str()};
  return app::configure(3, arguments, {});
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto result = read_config({reinterpret_cast<const char*>(data), size});
  if (!result.ok()) {
    CHECK(!result.error().text.empty());
    return 0;
  }
  const auto again = read_config(app::print_config(result.value().config));
  CHECK(again.ok());
  CHECK(again.value().config == result.value().config);
  return 0;
}
