// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#include "store/lmdb_store.h"

#include <lmdb.h>

#include <algorithm>
#include <string>
#include <utility>

#include "base/check.h"
#include "store/lmdb_check.h"

namespace vicinity::store {
namespace {

/// Owner only: the sessions in it have their tokens.
constexpr mdb_mode_t file_mode = 0600;

MDB_val value_of(std::span<const std::uint8_t> bytes) {
  return {bytes.size(), const_cast<std::uint8_t*>(bytes.data())};  // LMDB only reads them
}
std::span<const std::uint8_t> bytes_of(const MDB_val& value) {
  return {static_cast<const std::uint8_t*>(value.mv_data), value.mv_size};
}

/// A transaction that ends with the object unless it was committed.
class Transaction {
 public:
  Transaction(MDB_env* environment, unsigned int flags)
      : code_(mdb_txn_begin(environment, nullptr, flags, &handle_)) {}
  ~Transaction() {
    if (handle_ != nullptr) mdb_txn_abort(handle_);
  }
  Transaction(const Transaction&) = delete;
  Transaction& operator=(const Transaction&) = delete;

  int code() const { return code_; }
  MDB_txn* handle() const { return handle_; }
  int commit() { return mdb_txn_commit(std::exchange(handle_, nullptr)); }

 private:
  MDB_txn* handle_ = nullptr;
  int code_;
};

int put(MDB_txn* transaction, unsigned int database, const StoreChange& change) {
  const KeyBytes key_bytes = encode_key(change.key);
  MDB_val key = value_of(key_bytes);
  if (!change.value) {
    const int code = mdb_del(transaction, database, &key, nullptr);
    return code == MDB_NOTFOUND ? 0 : code;
  }
  MDB_val value = value_of(*change.value);
  // Ticks come one behind the other, at the end: full pages instead of halves.
  const unsigned int append = change.key.kind == EntryKind::Tick ? MDB_APPEND : 0;
  const int code = mdb_put(transaction, database, &key, &value, append);
  return code == MDB_KEYEXIST ? mdb_put(transaction, database, &key, &value, 0) : code;
}

}  // namespace

LmdbStore::LmdbStore(std::filesystem::path file, const LmdbSettings& settings)
    : file_(std::move(file)), settings_(settings) {}

LmdbStore::~LmdbStore() { close_environment(); }

Result<std::unique_ptr<LmdbStore>, Error> LmdbStore::open(const std::filesystem::path& file,
                                                          const LmdbSettings& settings) {
  std::unique_ptr<LmdbStore> store(new LmdbStore(file, settings));
  Error error = store->open_environment();
  if (error.code != ErrorCode::None) return error;
  return store;
}

Error LmdbStore::failure(int code, const char* what) const {
  if (code == 0) return {};
  std::string text = file_.string() + " cannot be " + what + ": " + mdb_strerror(code);
  if (code != MDB_MAP_FULL) return {ErrorCode::Internal, std::move(text)};
  return {ErrorCode::LimitExceeded, file_.string() + " has reached journal_bytes_max (" +
                                        std::to_string(settings_.bytes_max) +
                                        " bytes); raise that setting"};
}

Error LmdbStore::open_environment() {
  std::error_code missing;
  const std::uint64_t size = std::filesystem::file_size(file_, missing);
  if (!missing && size > 0) {
    const std::string damage = find_lmdb_damage(file_);
    if (!damage.empty()) return {ErrorCode::Internal, file_.string() + " is damaged: " + damage};
  }
  int code = mdb_env_create(&environment_);
  if (code != 0) return failure(code, "opened");
  const std::uint64_t map_bytes =
      missing ? settings_.bytes_max : std::max(settings_.bytes_max, size);
  code = mdb_env_set_mapsize(environment_, map_bytes);
  // One thread at a time, and the lock of the folder keeps others away.
  unsigned int flags = MDB_NOSUBDIR | MDB_NOLOCK | MDB_NOTLS;
  if (settings_.read_only) flags |= MDB_RDONLY;
  if (code == 0) code = mdb_env_open(environment_, file_.c_str(), flags, file_mode);
  if (code == 0) {
    Transaction transaction(environment_, settings_.read_only ? MDB_RDONLY : 0);
    code = transaction.code();
    if (code == 0) code = mdb_dbi_open(transaction.handle(), nullptr, 0, &database_);
    if (code == 0) code = transaction.commit();
  }
  if (code != 0) close_environment();
  return failure(code, "opened");
}

void LmdbStore::close_environment() {
  if (environment_ != nullptr) mdb_env_close(environment_);
  environment_ = nullptr;
}

int LmdbStore::write(std::span<const StoreChange> changes, bool& is_committing) {
  Transaction transaction(environment_, 0);
  int code = transaction.code();
  for (const StoreChange& change : changes) {
    if (code != 0) break;
    code = put(transaction.handle(), database_, change);
  }
  if (code != 0) return code;
  is_committing = true;
  code = transaction.commit();
  is_committing = code != 0;
  return code;
}

/// What one transaction frees, LMDB gives to the one after the next: this is the one between, which
/// writes an entry as it is.
int LmdbStore::make_freed_usable(bool& is_committing) {
  StoreChange same;
  const Error error = for_each(header_key, {EntryKind::Tick, ~Tick{0}, hash_part},
                               [&](const EntryKey& key, std::span<const std::uint8_t> bytes) {
                                 same = {key, Bytes(bytes.begin(), bytes.end())};
                                 return false;
                               });
  if (error.code != ErrorCode::None || !same.value) return MDB_MAP_FULL;
  return write({&same, 1}, is_committing);
}

/// After a failure LMDB may refuse everything until it has been opened anew.
Error LmdbStore::apply(std::span<const StoreChange> changes, bool sync) {
  CHECK(!settings_.read_only);
  if (environment_ == nullptr) {
    Error error = open_environment();
    if (error.code != ErrorCode::None) return error;
  }
  int code = mdb_env_set_flags(environment_, MDB_NOSYNC, sync ? 0 : 1);
  bool is_committing = false;
  if (code == 0) code = write(changes, is_committing);
  if (code == MDB_MAP_FULL) {
    code = make_freed_usable(is_committing);
    if (code == 0) code = write(changes, is_committing);
  }
  Error error = failure(code, "written");
  if (code != 0 && (is_committing || code == MDB_PANIC)) close_environment();
  return error;
}

Error LmdbStore::for_each(const EntryKey& first, const EntryKey& last, const Visit& visit) {
  if (environment_ == nullptr) {
    Error error = open_environment();
    if (error.code != ErrorCode::None) return error;
  }
  Transaction transaction(environment_, MDB_RDONLY);
  if (transaction.code() != 0) return failure(transaction.code(), "read");
  MDB_cursor* cursor = nullptr;
  int code = mdb_cursor_open(transaction.handle(), database_, &cursor);
  if (code != 0) return failure(code, "read");
  const KeyBytes first_bytes = encode_key(first);
  MDB_val key = value_of(first_bytes);
  MDB_val value{};
  code = mdb_cursor_get(cursor, &key, &value, MDB_SET_RANGE);
  while (code == 0) {
    EntryKey found;
    if (decode_key(bytes_of(key), found) && found > last) break;
    if (!visit(found, bytes_of(value))) break;
    code = mdb_cursor_get(cursor, &key, &value, MDB_NEXT);
  }
  mdb_cursor_close(cursor);
  return code == MDB_NOTFOUND ? Error{} : failure(code, "read");
}

std::uint64_t LmdbStore::size_bytes() const {
  std::error_code error;
  const std::uint64_t size = std::filesystem::file_size(file_, error);
  return error ? 0 : size;
}

}  // namespace vicinity::store
