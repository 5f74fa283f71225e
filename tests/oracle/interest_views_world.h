// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#pragma once

// A small random world and random commands about it, told to the server's interest and to the model
// alike. Lengths are whole multiples of 1/8 m.

#include <map>
#include <memory>
#include <vector>

#include "base/prng.h"
#include "interest/interest.h"
#include "oracle/interest_views_model.h"
#include "support/test_world.h"

namespace vicinity::oracle {

class ViewsWorld {
 public:
  explicit ViewsWorld(std::uint64_t seed);

  /// Random changes and commands, then a tick. False when the two disagreed about a command.
  bool step();

  const Snapshot& snapshot() const { return snapshot_; }
  const std::vector<ObserverEvents>& events() const { return events_; }
  ViewsModel& model() { return model_; }
  const Interest& interest() const { return interest_; }
  const std::set<ViewsModel::Name>& dropped() const { return dropped_; }
  bool uses_all_rules() const { return uses_all_rules_; }

 private:
  double length(std::uint64_t eighths);
  Vec3 offset(std::uint64_t eighths);
  Vec3 position();
  Quat rotation();
  EntityId any_entity();
  void spawn();
  void change_entities();
  void change_followers();
  void finish_snapshot();
  AreaSpec area_spec();
  void give_sizes(AreaSpec& spec);
  bool area_command();
  bool add_or_change(SessionId session, ObserverId observer, AreaId area);
  bool remove(SessionId session, AreaId area);
  bool visibility_command();
  void reopen_session();

  Prng prng_;
  bool uses_all_rules_;  ///< else only what most observers have: spheres, boxes and their filters
  bool turns_;
  std::uint64_t reach_eighths_;  ///< of positions around the origin
  Vec3 origin_;
  test::TestWorld world_;
  Interest interest_;
  Workers workers_;
  ViewsModel model_;
  std::vector<EntityId> entities_;
  std::map<EntityId, Relevance> relevance_;
  std::map<EntityId, Relevance> relevance_before_;
  std::map<EntityId, EntityId> parents_;
  std::set<ViewsModel::Name> dropped_;
  Snapshot snapshot_;
  std::vector<ObserverEvents> events_;
};

}  // namespace vicinity::oracle
