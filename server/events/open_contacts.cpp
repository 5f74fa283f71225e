// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#include "events/open_contacts.h"

#include <algorithm>

#include "base/check.h"

namespace vicinity {
namespace {

constexpr std::uint64_t mixed(std::uint64_t value) {
  value ^= value >> 31;
  value *= 0xD6E8'FEB8'6659'FD93u;
  value ^= value >> 29;
  value *= 0xA076'1D64'78BD'642Fu;
  return value ^ value >> 32;
}

bool before(const OpenContact& x, const OpenContact& y) { return slots_of(x) < slots_of(y); }

}  // namespace

std::uint64_t digest_of(const OpenContact& contact) {
  std::uint64_t digest = mixed(contact.a.raw() + 1);
  digest = mixed(digest ^ contact.b.raw());
  digest = mixed(digest ^ contact.begin_tick);
  return mixed(digest ^ (contact.sensor ? 1 : 0));
}

OpenContacts::OpenContacts(const std::vector<OpenContact>& contacts) {
  CHECK(std::is_sorted(contacts.begin(), contacts.end(), before));
  auto active = std::make_shared<RawBuffer<OpenContact>>();
  active->reset(contacts.size());
  std::copy(contacts.begin(), contacts.end(), active->begin());
  active_ = std::move(active);
  for (const OpenContact& contact : contacts) digest_ += digest_of(contact);
}

bool OpenContacts::contains(EntityId a, EntityId b) const {
  if (active_) {
    const SlotPair pair{a.index(), b.index()};
    const OpenContact* const place = std::lower_bound(
        active_->begin(), active_->end(), pair,
        [](const OpenContact& contact, SlotPair key) { return slots_of(contact) < key; });
    if (place != active_->end() && place->a == a && place->b == b) return true;
  }
  return resting_.contains(a, b);
}

std::vector<OpenContact> OpenContacts::to_vector() const {
  std::vector<OpenContact> all;
  append_to(all);
  // Runs become shorter from one to the next, so the last ones are merged first.
  std::vector<std::vector<OpenContact>::iterator> runs = {all.begin()};
  while (runs.back() != all.end())
    runs.push_back(std::is_sorted_until(runs.back(), all.end(), before));
  for (; runs.size() > 2; runs.erase(runs.end() - 2))
    std::inplace_merge(runs[runs.size() - 3], runs[runs.size() - 2], all.end(), before);
  return all;
}

void OpenContacts::append_to(std::vector<OpenContact>& out) const {
  out.reserve(out.size() + size());
  if (active_) out.insert(out.end(), active_->begin(), active_->end());
  resting_.append_to(out);
}

}  // namespace vicinity
