// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#include "store/journal_folder.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include "store/lmdb_store.h"

namespace vicinity::store {
namespace {

constexpr std::size_t changes_at_once = 1024;

Error failed(const std::filesystem::path& path, const std::string& what) {
  return {ErrorCode::Internal, path.string() + ": " + what + ": " + std::strerror(errno)};
}

/// Names in it are durable only then.
void sync_folder(const std::filesystem::path& path) {
  const int folder = ::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (folder < 0) return;
  ::fsync(folder);
  ::close(folder);
}

/// A new file with owner rights, closed in the end.
class NewFile {
 public:
  explicit NewFile(const std::filesystem::path& path)
      : descriptor_(::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600)) {}
  ~NewFile() {
    if (descriptor_ >= 0) ::close(descriptor_);
  }
  NewFile(const NewFile&) = delete;
  NewFile& operator=(const NewFile&) = delete;
  bool is_open() const { return descriptor_ >= 0; }
  bool append(std::span<const std::uint8_t> bytes) {
    while (!bytes.empty()) {
      const ssize_t written = ::write(descriptor_, bytes.data(), bytes.size());
      if (written < 0 && errno == EINTR) continue;
      if (written <= 0) return false;
      bytes = bytes.subspan(static_cast<std::size_t>(written));
    }
    return true;
  }
  bool sync() { return ::fsync(descriptor_) == 0; }

 private:
  int descriptor_;
};

}  // namespace

Result<std::unique_ptr<JournalFolder>, Error> JournalFolder::open(const FolderSettings& settings) {
  std::unique_ptr<JournalFolder> folder(new JournalFolder(settings));
  Error error = folder->take_lock();
  if (error.code == ErrorCode::None) error = folder->open_store();
  if (error.code != ErrorCode::None) return error;
  return folder;
}

JournalFolder::~JournalFolder() {
  store_.reset();
  if (lock_ >= 0) ::close(lock_);
}

Error JournalFolder::take_lock() {
  std::error_code error;
  if (!settings_.read_only && std::filesystem::create_directories(settings_.path, error))
    std::filesystem::permissions(settings_.path, std::filesystem::perms::owner_all, error);
  if (!std::filesystem::is_directory(settings_.path, error)) {
    errno = error ? error.value() : ENOTDIR;
    return failed(settings_.path, "is no folder for a journal");
  }
  const std::filesystem::path file = settings_.path / "lock";
  const int flags = settings_.read_only ? O_RDWR : O_RDWR | O_CREAT;
  lock_ = ::open(file.c_str(), flags | O_CLOEXEC, 0600);
  if (lock_ < 0) return failed(file, settings_.read_only ? "no journal here" : "cannot be made");
  if (::flock(lock_, LOCK_EX | LOCK_NB) == 0) return {};
  if (errno != EWOULDBLOCK) return failed(file, "cannot be locked");
  return {ErrorCode::Internal, settings_.path.string() +
                                   ": the journal is in use by another process; a folder belongs "
                                   "to one server at a time"};
}

Error JournalFolder::open_store() {
  const std::filesystem::path file = settings_.path / "journal.mdb";
  std::error_code missing;
  const std::uint64_t size = std::filesystem::file_size(file, missing);
  char mark = 0;
  if ((missing || size == 0) && ::pread(lock_, &mark, 1, 0) == 1) {
    return {ErrorCode::Internal, file.string() +
                                     " is missing or empty, and there was a journal in it; bring "
                                     "it back, or empty the folder to begin a new one"};
  }
  if (settings_.read_only && (missing || size == 0))
    return {ErrorCode::Internal, settings_.path.string() + ": no journal here"};
  auto store = LmdbStore::open(file, {settings_.bytes_max, settings_.read_only});
  if (!store.ok()) return store.error();
  store_ = std::move(store.value());
  return {};
}

Error JournalFolder::mark_begun() {
  sync_folder(settings_.path);
  if (::pwrite(lock_, "1\n", 2, 0) != 2 || ::fsync(lock_) != 0)
    return failed(settings_.path / "lock", "cannot be written");
  return {};
}

Result<std::filesystem::path, Error> JournalFolder::cut(Tick last_good,
                                                        std::span<const EntryKey> keys) {
  std::filesystem::path path;
  const std::string name = "cut-after-tick-" + std::to_string(last_good);
  for (int number = 0; path.empty() || std::filesystem::exists(path); ++number) {
    const std::string again = number == 0 ? "" : "." + std::to_string(number);
    path = settings_.path / (name + again + ".entries");
  }
  NewFile file(path);
  if (!file.is_open()) return failed(path, "cannot be made");
  std::vector<StoreChange> changes;
  for (const EntryKey& key : keys) {
    const auto found = read_entry(*store_, key);
    if (!found.ok()) return found.error();
    if (found.value() && !file.append(*found.value())) return failed(path, "cannot be written");
    changes.push_back({key, std::nullopt});
  }
  if (!file.sync()) return failed(path, "cannot be written");
  sync_folder(settings_.path);
  // From behind: a cut that is cut short itself leaves no hole.
  std::reverse(changes.begin(), changes.end());
  for (std::size_t at = 0; at < changes.size(); at += changes_at_once) {
    const auto some = std::span<const StoreChange>(changes).subspan(
        at, std::min(changes_at_once, changes.size() - at));
    Error error = store_->apply(some, true);
    if (error.code != ErrorCode::None) return error;
  }
  return path;
}

}  // namespace vicinity::store
