// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#include "store/lmdb_check.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <cstring>
#include <span>
#include <vector>

#include "store/entry.h"

namespace vicinity::store {
namespace {

// The layout, as far as it is looked at. All numbers little-endian.
//
//      page    number u64, pad u16, flags u16, then lower u16, upper u16 or (overflow) pages u32
//              then lower/2 - 8 offsets of nodes u16
//      node    low u16, high u16, flags u16, key size u16, key, then the value or its page u64
//              a leaf: low and high are the size of the value; a branch: with the flags its page
//      meta    page, then magic u32, version u32, address u64, map size u64, 2 trees, last page
//              u64, transaction u64
//      tree    pad u32, flags u16, depth u16, pages of branches, leaves, overflow u64, entries u64,
//              root u64
constexpr std::size_t page_head_bytes = 16;
constexpr std::size_t node_head_bytes = 8;
constexpr std::size_t tree_bytes = 48;
constexpr std::uint32_t meta_magic = 0xBEEFC0DE;
constexpr std::uint32_t meta_version = 1;
constexpr std::uint16_t branch_flag = 0x01;
constexpr std::uint16_t leaf_flag = 0x02;
constexpr std::uint16_t overflow_flag = 0x04;
constexpr std::uint16_t big_node_flag = 0x01;
constexpr std::uint16_t integer_key_flag = 0x08;
constexpr std::uint64_t no_page = ~std::uint64_t{0};
constexpr int depth_max = 24;

using Page = std::vector<std::uint8_t>;

template <class T>
T read(std::span<const std::uint8_t> bytes, std::size_t at) {
  T value{};
  if (at + sizeof value <= bytes.size()) std::memcpy(&value, bytes.data() + at, sizeof value);
  return value;
}

struct Tree {
  std::uint16_t flags = 0;
  std::uint16_t depth = 0;
  std::uint64_t root = no_page;
};

struct Meta {
  std::uint32_t page_bytes = 0;
  Tree free;
  Tree main;
  std::uint64_t last_page = 0;
  std::uint64_t transaction = 0;
};

Tree tree_at(std::span<const std::uint8_t> bytes, std::size_t at) {
  return {read<std::uint16_t>(bytes, at + 4), read<std::uint16_t>(bytes, at + 6),
          read<std::uint64_t>(bytes, at + 40)};
}

bool read_meta(std::span<const std::uint8_t> page, Meta& out) {
  const auto body = page.subspan(page_head_bytes);
  if (read<std::uint32_t>(body, 0) != meta_magic || read<std::uint32_t>(body, 4) != meta_version)
    return false;
  constexpr std::size_t trees_at = 24;
  out.page_bytes = read<std::uint32_t>(body, trees_at);
  out.free = tree_at(body, trees_at);
  out.main = tree_at(body, trees_at + tree_bytes);
  out.last_page = read<std::uint64_t>(body, trees_at + 2 * tree_bytes);
  out.transaction = read<std::uint64_t>(body, trees_at + 2 * tree_bytes + 8);
  return true;
}

class Check {
 public:
  Check(int descriptor, std::uint64_t size_bytes) : file_(descriptor), size_bytes_(size_bytes) {}

  std::string run() {
    if (!choose_meta()) return fault_;
    page_count_ = size_bytes_ / meta_.page_bytes;
    // A last page that was never written is no damage, one far beyond the file is none of ours.
    if (meta_.last_page > page_count_ + 1024) return "it is cut off";
    used_.assign(meta_.last_page + 1, false);
    if ((meta_.main.flags & 0xFF) != 0 || (meta_.free.flags & 0xFF) != integer_key_flag)
      return "its trees are of another kind";
    for (const Tree* tree : {&meta_.free, &meta_.main}) {
      is_free_tree_ = tree == &meta_.free;
      if (tree->root == no_page) continue;
      if (tree->depth > depth_max) return "its trees are too deep";
      if (!walk(tree->root, tree->depth)) return fault_;
    }
    for (const std::uint64_t page : free_pages_) {
      if (used_[page]) return "page " + std::to_string(page) + " is free, and used or free again";
      used_[page] = true;
    }
    return "";
  }

 private:
  bool fail(std::uint64_t page, const char* what) {
    fault_ = "page " + std::to_string(page) + " " + what;
    return false;
  }

  bool read_bytes(std::uint64_t at, std::span<std::uint8_t> out) const {
    return at + out.size() <= size_bytes_ &&
           ::pread(file_, out.data(), out.size(), static_cast<off_t>(at)) ==
               static_cast<ssize_t>(out.size());
  }

  /// The newer of the two that can be read, as LMDB does.
  bool choose_meta() {
    Page head(4096);
    Meta first;
    Meta second;
    if (!read_bytes(0, head) || !read_meta(head, first)) {
      fault_ = "its first page is not that of a journal";
      return false;
    }
    const std::uint32_t bytes = first.page_bytes;
    if (bytes < 512 || bytes > 65536 || (bytes & (bytes - 1)) != 0) return fail(0, "is damaged");
    if (!read_bytes(bytes, head) || !read_meta(head, second) || second.page_bytes != bytes)
      return fail(1, "is damaged or cut off");
    meta_ = second.transaction > first.transaction ? second : first;
    return true;
  }

  bool take(std::uint64_t page) {
    if (page < 2 || page > meta_.last_page) return fail(page, "cannot be");
    if (used_[page]) return fail(page, "is used twice");
    used_[page] = true;
    return true;
  }

  bool walk(std::uint64_t number, int depth) {
    if (depth <= 0) return fail(number, "lies too deep");
    if (!take(number)) return false;
    Page page(meta_.page_bytes);
    if (!read_bytes(number * page.size(), page)) return fail(number, "is cut off");
    const std::uint16_t flags = read<std::uint16_t>(page, 10);
    if (read<std::uint64_t>(page, 0) != number || flags != (depth == 1 ? leaf_flag : branch_flag))
      return fail(number, "is not what it should be");
    const std::size_t lower = read<std::uint16_t>(page, 12);
    const std::size_t upper = read<std::uint16_t>(page, 14);
    if (lower < page_head_bytes + 2 || lower % 2 != 0 || upper < lower || upper > page.size())
      return fail(number, "has no room for its nodes");
    // LMDB ends the process for it; in the tree of free pages it may be.
    if (depth > 1 && !is_free_tree_ && lower < page_head_bytes + 4)
      return fail(number, "has one child alone");
    std::vector<std::uint8_t> last_key;
    for (std::size_t at = page_head_bytes; at < lower; at += 2) {
      const std::size_t node = read<std::uint16_t>(page, at);
      if (node < upper || node % 2 != 0 || node + node_head_bytes > page.size())
        return fail(number, "has a node outside of itself");
      const bool is_first = at == page_head_bytes;
      if (!(flags == leaf_flag ? leaf(number, page, node, is_first, last_key)
                               : branch(number, page, node, is_first, depth, last_key)))
        return false;
    }
    return true;
  }

  bool key_in_order(std::uint64_t number, std::span<const std::uint8_t> key, bool is_first,
                    std::vector<std::uint8_t>& last_key) {
    std::vector<std::uint8_t> comparable(key.begin(), key.end());
    if (is_free_tree_) comparable.assign(key.rbegin(), key.rend());  // a number, little-endian
    const std::size_t size = is_free_tree_ ? 8 : KeyBytes{}.size();
    if (key.size() != size || (!is_first && comparable <= last_key))
      return fail(number, "has keys out of order");
    last_key = std::move(comparable);
    return true;
  }

  bool branch(std::uint64_t number, const Page& page, std::size_t node, bool is_first, int depth,
              std::vector<std::uint8_t>& last_key) {
    const std::size_t key_size = read<std::uint16_t>(page, node + 6);
    if (node + node_head_bytes + key_size > page.size())
      return fail(number, "has a node outside of itself");
    // The first key of a branch is not looked at.
    const auto key = std::span(page).subspan(node + node_head_bytes, key_size);
    if (!is_first && !key_in_order(number, key, last_key.empty(), last_key)) return false;
    const std::uint64_t child =
        read<std::uint32_t>(page, node) | std::uint64_t{read<std::uint16_t>(page, node + 4)} << 32;
    return walk(child, depth - 1);
  }

  bool leaf(std::uint64_t number, const Page& page, std::size_t node, bool is_first,
            std::vector<std::uint8_t>& last_key) {
    const std::uint64_t size = read<std::uint32_t>(page, node);
    const std::uint16_t flags = read<std::uint16_t>(page, node + 4);
    const std::size_t key_size = read<std::uint16_t>(page, node + 6);
    const std::size_t value = node + node_head_bytes + key_size;
    const bool is_big = flags == big_node_flag;
    if ((flags != 0 && !is_big) || value + (is_big ? 8 : size) > page.size())
      return fail(number, "has a node outside of itself");
    const auto key = std::span(page).subspan(node + node_head_bytes, key_size);
    if (!key_in_order(number, key, is_first, last_key)) return false;
    const std::uint64_t first = is_big ? read<std::uint64_t>(page, value) : 0;
    if (is_big && !overflow(first, size)) return false;
    if (!is_free_tree_) return true;
    Page bytes(size);
    if (!is_big) {
      std::memcpy(bytes.data(), page.data() + value, size);
    } else if (!read_bytes(first * page.size() + page_head_bytes, bytes)) {
      return fail(first, "is cut off");
    }
    return free_list(number, bytes);
  }

  bool overflow(std::uint64_t first, std::uint64_t size) {
    const std::uint64_t pages = (size + page_head_bytes + meta_.page_bytes - 1) / meta_.page_bytes;
    if (first > meta_.last_page || pages > meta_.last_page + 1 - first)
      return fail(first, "cannot be");
    Page head(page_head_bytes);
    if (!read_bytes(first * meta_.page_bytes, head) || first + pages > page_count_)
      return fail(first, "is cut off");
    if (read<std::uint64_t>(head, 0) != first || read<std::uint16_t>(head, 10) != overflow_flag ||
        read<std::uint32_t>(head, 12) != pages)
      return fail(first, "is not what it should be");
    for (std::uint64_t page = first; page < first + pages; ++page)
      if (!take(page)) return false;
    return true;
  }

  /// A count, then so many pages in descending order.
  bool free_list(std::uint64_t number, const Page& bytes) {
    const auto count = read<std::uint64_t>(bytes, 0);
    if (bytes.size() < 8 || count > bytes.size() / 8 - 1)
      return fail(number, "has a bad list of free pages");
    std::uint64_t last = no_page;
    for (std::uint64_t i = 0; i < count; ++i) {
      const auto page = read<std::uint64_t>(bytes, 8 + 8 * i);
      if (page < 2 || page > meta_.last_page || page >= last)
        return fail(number, "has a bad list of free pages");
      free_pages_.push_back(last = page);
    }
    return true;
  }

  int file_;
  std::uint64_t size_bytes_;
  Meta meta_;
  std::uint64_t page_count_ = 0;  ///< that the file holds
  bool is_free_tree_ = false;
  std::vector<bool> used_;
  std::vector<std::uint64_t> free_pages_;
  std::string fault_;
};

}  // namespace

std::string find_lmdb_damage(const std::filesystem::path& file) {
  const int descriptor = ::open(file.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) return std::strerror(errno);
  struct stat status {};
  std::string damage = "its size is not known";
  if (::fstat(descriptor, &status) == 0)
    damage = Check(descriptor, static_cast<std::uint64_t>(status.st_size)).run();
  ::close(descriptor);
  return damage;
}

}  // namespace vicinity::store
