// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors

#include <csignal>
#include <thread>

#include "settings_observed.h"
#include "settings_rows.h"
#include "store/lmdb_store.h"

namespace vicinity::test {
namespace {

constexpr const char* journal_variable = "VICINITY_JOURNAL_DIR";

Variables with_journal(Variables settings, const TemporaryFolder& folder) {
  settings.emplace(journal_variable, (folder.path() / "journal").string());
  return settings;
}

std::string journal_made(const Variables& settings) {
  const TemporaryFolder folder;
  Variables here = settings;
  std::string& name = here[journal_variable];
  if (!name.empty()) name = folder.path() / name;
  ObservedServer server(here);
  server.step();
  return std::filesystem::exists(folder.path() / "there" / "journal.mdb") ? "journal" : "none";
}

/// Ticks that are left of five when the server is killed a while after.
std::string left_after_kill(const Variables& settings) {
  const TemporaryFolder folder;
  {
    ObservedServer server(with_journal(settings, folder));
    server.step(5);
    std::this_thread::sleep_for(Milliseconds(500));
    server.process().process().signal(SIGKILL);
    server.process().process().wait();
  }
  ChildProcess replay("vicinity-replay", {(folder.path() / "journal").string()});
  replay.wait();
  const std::string said = replay.standard_output();
  return said.starts_with("ticks 1 to 5:")  ? "all"
         : said.starts_with("ticks 0 to 0") ? "none"
                                            : said;
}

std::string snapshots_written(const Variables& settings) {
  const TemporaryFolder folder;
  ObservedServer server(with_journal(settings, folder));
  server.step(61);
  for (int i = 0; i < 40; ++i) {
    if (server.logs("snapshot written", Milliseconds(20))) return "written";
    server.step();
  }
  return "none";
}

/// More commands than a small journal holds.
void fill(ObservedServer& server) {
  for (int row = 0; row < 25; ++row) {
    std::vector<MakeCommand> some;
    for (int i = 0; i < 400; ++i) some.push_back(spawn(i * 3.0, row * 3.0, 0));
    if (!server.authority().send(commands_frame(1 + 400ull * row, some))) return;
    if (!server.authority().send(step_frame(static_cast<std::uint64_t>(row) + 1, 1))) return;
    if (!server.authority().next_of<proto::StepDone>()) return;
  }
}

std::string fate_of_a_full_journal(const Variables& settings) {
  const TemporaryFolder folder;
  ObservedServer server(with_journal(settings, folder));
  server.authority();
  fill(server);
  if (!server.logs("the journal cannot be written")) return "not full";
  const auto code = server.process().process().wait(Milliseconds(3'000));
  return code ? "ends with " + std::to_string(*code) : "goes on";
}

std::string room_in_the_journal(const Variables& settings) {
  const TemporaryFolder folder;
  ObservedServer server(with_journal(settings, folder));
  server.authority();
  fill(server);
  return server.logs("the journal cannot be written", Milliseconds(1'000)) ? "full" : "fits";
}

std::string start_with_damage(const Variables& settings) {
  const TemporaryFolder folder;
  const Variables here = with_journal(settings, folder);
  {
    ObservedServer server(here);
    server.step(5);
    server.process().process().signal(SIGTERM);
    server.process().process().wait();
  }
  {
    const auto store = store::LmdbStore::open(folder.path() / "journal" / "journal.mdb", {});
    const store::StoreChange change{{store::EntryKind::Tick, 2, 0}, store::Bytes{1, 2, 3}};
    if (!store.ok() || store.value()->apply({&change, 1}, true).code != ErrorCode::None)
      return "not damaged";
  }
  ChildProcess server("vicinity-server", {"--port", "0"}, here);
  const bool started = server.wait_for_error_text("server started", Milliseconds(3'000));
  return started ? "starts" : "ends with " + std::to_string(server.wait().value_or(-1));
}

std::string keeps_up(const Variables& settings) {
  const TemporaryFolder folder;
  ObservedServer server(with_journal(settings, folder));
  server.step(10'000);
  return server.logs("the journal cannot be written", Milliseconds(500)) ? "left out" : "kept up";
}

}  // namespace

void add_journal_rows(std::map<std::string, SettingRow>& rows) {
  const Variables never = {{"VICINITY_SYNC_INTERVAL_MS", "60000"}};
  const Variables small = {{"VICINITY_JOURNAL_BYTES_MAX", "1048576"},
                           {"VICINITY_SNAPSHOT_INTERVAL_S", "0"}};
  rows["journal_dir"] = {{}, {"", "none"}, {"there", "journal"}, journal_made};
  rows["sync"] = {never, {"tick", "all"}, {"interval", "none"}, left_after_kill};
  rows["sync_interval_ms"] = {{}, {"1", "all"}, {"60000", "none"}, left_after_kill};
  rows["snapshot_interval_s"] = {
      {{"VICINITY_TICK_RATE_HZ", "60"}}, {"1", "written"}, {"0", "none"}, snapshots_written};
  rows["on_journal_error"] = {
      small, {"continue", "goes on"}, {"stop", "ends with 1"}, fate_of_a_full_journal};
  rows["journal_accept_loss"] = {
      {}, {"false", "ends with 1"}, {"true", "starts"}, start_with_damage};
  rows["journal_bytes_max"] = {{{"VICINITY_SNAPSHOT_INTERVAL_S", "0"}},
                               {"1048576", "full"},
                               {"67108864", "fits"},
                               room_in_the_journal};
  rows["journal_queue_bytes_max"] = {{}, {"4096", "left out"}, {"67108864", "kept up"}, keeps_up};
}

}  // namespace vicinity::test
