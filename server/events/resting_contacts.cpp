// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#include "events/resting_contacts.h"

#include <algorithm>
#include <utility>

#include "base/check.h"
#include "base/end_marks.h"

namespace vicinity {
namespace {

constexpr std::size_t run_growth = 4;
/// Shorter runs are not worth a search of their own.
constexpr std::size_t short_run = 512;

}  // namespace

struct RestingContacts::Run {
  explicit Run(std::vector<OpenContact> sorted)
      : contacts(std::move(sorted)), ends(contacts.size()) {}

  /// The first contact at or after `from` that is not before `pair`, by doubling steps.
  std::size_t search(std::size_t from, SlotPair pair) const {
    std::size_t step = 1;
    while (from + step <= contacts.size() && slots_of(contacts[from + step - 1]) < pair) {
      from += step;
      step *= 2;
    }
    const std::size_t end = std::min(contacts.size(), from + step);
    const auto place = std::lower_bound(
        contacts.begin() + static_cast<std::ptrdiff_t>(from),
        contacts.begin() + static_cast<std::ptrdiff_t>(end), pair,
        [](const OpenContact& contact, SlotPair key) { return slots_of(contact) < key; });
    return static_cast<std::size_t>(place - contacts.begin());
  }

  std::vector<OpenContact> contacts;
  mutable EndMarks ends;  ///< ticks in which contacts were taken out
};

std::optional<OpenContact> RestingContacts::View::find(EntityId a, EntityId b) const {
  if (!runs_) return std::nullopt;
  const SlotPair pair{a.index(), b.index()};
  for (const auto& run : *runs_) {
    const std::size_t place = run->search(0, pair);
    if (place == run->contacts.size()) continue;
    const OpenContact& contact = run->contacts[place];
    if (contact.a == a && contact.b == b && run->ends.exists_in(place, tick_)) return contact;
  }
  return std::nullopt;
}

void RestingContacts::View::append_to(std::vector<OpenContact>& out) const {
  if (!runs_) return;
  for (const auto& run : *runs_) {
    for (std::size_t i = 0; i < run->contacts.size(); ++i)
      if (run->ends.exists_in(i, tick_)) out.push_back(run->contacts[i]);
  }
}

RestingContacts::RestingContacts() : runs_(std::make_shared<Runs>()) {}

void RestingContacts::wake(std::span<const SlotPair> pairs, Tick tick,
                           std::vector<OpenContact>& out) {
  CHECK(tick > 0);
  if (size_ == 0 || pairs.empty()) return;
  const std::size_t size_before = size_;
  places_.assign(held_.size(), 0);
  for (const SlotPair pair : pairs) {
    for (std::size_t i = 0; i < held_.size(); ++i) {
      const Run& run = *held_[i].run;
      const std::size_t place = places_[i] = run.search(places_[i], pair);
      if (place == run.contacts.size() || slots_of(run.contacts[place]) != pair) continue;
      if (run.ends.has_ended(place)) continue;
      run.ends.end(place, tick);
      out.push_back(run.contacts[place]);
      --held_[i].resting_count;
      --size_;
      break;
    }
  }
  if (size_ == size_before) return;
  bool written = false;
  for (Held& held : held_) {
    if (2 * held.resting_count > held.run->contacts.size()) continue;
    write_anew(held);
    written = true;
  }
  if (written) publish_runs();
}

void RestingContacts::rest(std::span<const OpenContact> contacts) {
  if (contacts.empty()) return;
  std::vector<OpenContact> fresh(contacts.begin(), contacts.end());
  while (!held_.empty()) {
    Held& last = held_.back();
    if (last.resting_count > std::max(short_run, run_growth * fresh.size())) break;
    write_anew(last);
    std::vector<OpenContact> merged;
    merged.reserve(last.resting_count + fresh.size());
    std::merge(last.run->contacts.begin(), last.run->contacts.end(), fresh.begin(), fresh.end(),
               std::back_inserter(merged), [](const OpenContact& x, const OpenContact& y) {
                 return slots_of(x) < slots_of(y);
               });
    fresh = std::move(merged);
    held_.pop_back();
  }
  const auto twice = std::adjacent_find(
      fresh.begin(), fresh.end(),
      [](const OpenContact& x, const OpenContact& y) { return slots_of(x) >= slots_of(y); });
  CHECK(twice == fresh.end());
  size_ += contacts.size();
  held_.push_back({std::make_shared<const Run>(fresh), fresh.size()});
  publish_runs();
}

/// Leaves out what no longer rests. Views keep the old run.
void RestingContacts::write_anew(Held& held) {
  const Run& run = *held.run;
  if (held.resting_count == run.contacts.size()) return;
  std::vector<OpenContact> resting;
  resting.reserve(held.resting_count);
  for (std::size_t i = 0; i < run.contacts.size(); ++i)
    if (!run.ends.has_ended(i)) resting.push_back(run.contacts[i]);
  CHECK(resting.size() == held.resting_count);
  held.run = std::make_shared<const Run>(std::move(resting));
}

void RestingContacts::publish_runs() {
  std::erase_if(held_, [](const Held& held) { return held.resting_count == 0; });
  auto runs = std::make_shared<Runs>();
  for (const Held& held : held_) runs->push_back(held.run);
  runs_ = std::move(runs);
}

RestingContacts::View RestingContacts::view(Tick tick) const {
  View view;
  view.runs_ = runs_;
  view.tick_ = tick;
  view.size_ = size_;
  return view;
}

}  // namespace vicinity
