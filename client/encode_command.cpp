// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#include <variant>

#include "base/check.h"
#include "client/encode_values.h"

namespace vicinity::client {
namespace {

using flatbuffers::FlatBufferBuilder;
using flatbuffers::Offset;

Offset<proto::FilterPatch> encode(const FilterPatch& patch, FlatBufferBuilder& builder) {
  proto::FilterPatchBuilder table(builder);
  if (patch.category) table.add_category(*patch.category);
  if (patch.mask) table.add_mask(*patch.mask);
  if (patch.group) table.add_group(*patch.group);
  if (patch.instance) table.add_instance(*patch.instance);
  if (patch.sensor) table.add_sensor(*patch.sensor);
  if (patch.is_static) table.add_is_static(*patch.is_static);
  if (patch.continuous) table.add_continuous(*patch.continuous);
  if (patch.enabled) table.add_enabled(*patch.enabled);
  return table.Finish();
}

/// What makes the default filter into this one; a spawn with the default carries no table.
FilterPatch patch_from_default(const Filter& filter) {
  const Filter standard;
  FilterPatch patch;
  if (filter.category != standard.category) patch.category = filter.category;
  if (filter.mask != standard.mask) patch.mask = filter.mask;
  if (filter.group != standard.group) patch.group = filter.group;
  if (filter.instance != standard.instance) patch.instance = filter.instance;
  if (filter.sensor != standard.sensor) patch.sensor = filter.sensor;
  if (filter.is_static != standard.is_static) patch.is_static = filter.is_static;
  if (filter.continuous != standard.continuous) patch.continuous = filter.continuous;
  if (filter.enabled != standard.enabled) patch.enabled = filter.enabled;
  return patch;
}

/// Turns one command into its table. A visitor, so that a new command cannot be forgotten.
struct CommandEncoder {
  FlatBufferBuilder& builder;

  Offset<proto::Command> operator()(const SpawnCommand& command) const {
    const proto::Vec3 position = to_proto(command.position);
    const proto::Vec3 velocity = to_proto(command.velocity);
    const proto::Quat rotation = to_proto(command.rotation);
    const proto::Vec3 angular_velocity = to_proto(command.angular_velocity);
    const auto shape = encode_shape(command.shape, builder);
    Offset<proto::FilterPatch> filter;
    if (command.filter != Filter{}) filter = encode(patch_from_default(command.filter), builder);
    Offset<proto::Relevance> relevance;
    if (command.relevance != Relevance{}) relevance = encode_relevance(command.relevance, builder);
    proto::CommandBuilder table(builder);
    table.add_kind(proto::CommandKind::Spawn);
    table.add_position(&position);
    if (command.velocity != Vec3{}) table.add_velocity(&velocity);
    if (command.rotation != Quat{}) table.add_rotation(&rotation);
    if (command.angular_velocity != Vec3{}) table.add_angular_velocity(&angular_velocity);
    table.add_shape(shape);
    if (!filter.IsNull()) table.add_filter(filter);
    table.add_user_data(command.user_data);
    if (!relevance.IsNull()) table.add_relevance(relevance);
    return table.Finish();
  }
  Offset<proto::Command> operator()(const DespawnCommand& command) const {
    proto::CommandBuilder table(builder);
    begin(table, proto::CommandKind::Despawn, command.entity);
    return table.Finish();
  }
  Offset<proto::Command> operator()(const SetVelocityCommand& command) const {
    const proto::Vec3 velocity = to_proto(command.velocity);
    proto::CommandBuilder table(builder);
    begin(table, proto::CommandKind::SetVelocity, command.entity);
    table.add_velocity(&velocity);
    if (command.angular_velocity) add_angular_velocity(table, *command.angular_velocity);
    return table.Finish();
  }
  Offset<proto::Command> operator()(const MoveToCommand& command) const {
    const proto::Vec3 position = to_proto(command.position);
    proto::CommandBuilder table(builder);
    begin(table, proto::CommandKind::MoveTo, command.entity);
    table.add_position(&position);
    table.add_continuous(command.continuous);
    if (command.rotation) add_rotation(table, *command.rotation);
    return table.Finish();
  }
  Offset<proto::Command> operator()(const TeleportCommand& command) const {
    const proto::Vec3 position = to_proto(command.position);
    proto::CommandBuilder table(builder);
    begin(table, proto::CommandKind::Teleport, command.entity);
    table.add_position(&position);
    if (command.rotation) add_rotation(table, *command.rotation);
    return table.Finish();
  }
  Offset<proto::Command> operator()(const SetShapeCommand& command) const {
    const auto shape = encode_shape(command.shape, builder);
    proto::CommandBuilder table(builder);
    begin(table, proto::CommandKind::SetShape, command.entity);
    table.add_shape(shape);
    return table.Finish();
  }
  Offset<proto::Command> operator()(const SetFilterCommand& command) const {
    const auto filter = encode(command.patch, builder);
    proto::CommandBuilder table(builder);
    begin(table, proto::CommandKind::SetFilter, command.entity);
    table.add_filter(filter);
    return table.Finish();
  }
  Offset<proto::Command> operator()(const SetUserDataCommand& command) const {
    proto::CommandBuilder table(builder);
    begin(table, proto::CommandKind::SetUserData, command.entity);
    table.add_user_data(command.user_data);
    return table.Finish();
  }
  Offset<proto::Command> operator()(const AddAreaCommand& command) const {
    const auto spec = encode_area(command.spec, builder);
    proto::CommandBuilder table(builder);
    table.add_kind(proto::CommandKind::AddArea);
    table.add_observer(command.observer.value);
    table.add_area(command.area.value);
    table.add_spec(spec);
    return table.Finish();
  }
  Offset<proto::Command> operator()(const ChangeAreaCommand& command) const {
    const auto spec = encode_area(command.spec, builder);
    proto::CommandBuilder table(builder);
    table.add_kind(proto::CommandKind::ChangeArea);
    table.add_area(command.area.value);
    table.add_spec(spec);
    return table.Finish();
  }
  Offset<proto::Command> operator()(const RemoveAreaCommand& command) const {
    proto::CommandBuilder table(builder);
    table.add_kind(proto::CommandKind::RemoveArea);
    table.add_area(command.area.value);
    return table.Finish();
  }
  Offset<proto::Command> operator()(const AttachCommand& command) const {
    proto::CommandBuilder table(builder);
    begin(table, proto::CommandKind::Attach, command.entity);
    table.add_parent(command.parent.id.raw());
    table.add_parent_spawned_by(command.parent.spawned_by);
    if (command.relative) {
      const proto::Vec3 position = to_proto(command.relative->position);
      const proto::Quat rotation = to_proto(command.relative->rotation);
      table.add_relative_position(&position);
      table.add_relative_rotation(&rotation);
    }
    table.add_on_parent_end(static_cast<proto::OnParentEnd>(command.on_parent_end));
    table.add_follow_visibility(command.follow_visibility);
    return table.Finish();
  }
  Offset<proto::Command> operator()(const DetachCommand& command) const {
    proto::CommandBuilder table(builder);
    begin(table, proto::CommandKind::Detach, command.entity);
    return table.Finish();
  }
  Offset<proto::Command> operator()(const ExcludePairCommand& command) const {
    proto::CommandBuilder table(builder);
    begin(table, proto::CommandKind::ExcludePair, command.a);
    table.add_b(command.b.id.raw());
    table.add_b_spawned_by(command.b.spawned_by);
    table.add_excluded(command.excluded);
    return table.Finish();
  }
  Offset<proto::Command> operator()(const SetPolicyCommand& command) const {
    std::vector<Offset<proto::PolicyRule>> rules;
    for (const PolicyRule& rule : command.rules) {
      rules.push_back(proto::CreatePolicyRule(builder, rule.categories_a, rule.categories_b,
                                              static_cast<proto::PolicyAction>(rule.action),
                                              rule.stay_interval_ticks, rule.cooldown_ticks));
    }
    const auto vector = builder.CreateVector(rules);
    proto::CommandBuilder table(builder);
    table.add_kind(proto::CommandKind::SetPolicy);
    table.add_rules(vector);
    return table.Finish();
  }
  Offset<proto::Command> operator()(const SubscribeCommand& command) const {
    const proto::Vec3 min = to_proto(command.box.min);
    const proto::Vec3 max = to_proto(command.box.max);
    proto::CommandBuilder table(builder);
    begin(table, proto::CommandKind::Subscribe, command.entity);
    table.add_subscription(command.subscription);
    table.add_subscription_kind(static_cast<proto::SubscriptionKind>(command.kind));
    table.add_categories_a(command.categories_a);
    table.add_categories_b(command.categories_b);
    if (command.kind == SubscriptionKind::Area) {
      table.add_box_min(&min);
      table.add_box_max(&max);
    }
    return table.Finish();
  }
  Offset<proto::Command> operator()(const UnsubscribeCommand& command) const {
    proto::CommandBuilder table(builder);
    table.add_kind(proto::CommandKind::Unsubscribe);
    table.add_subscription(command.subscription);
    return table.Finish();
  }
  Offset<proto::Command> operator()(const SetRelevanceCommand& command) const {
    const auto relevance = encode_relevance(command.relevance, builder);
    proto::CommandBuilder table(builder);
    begin(table, proto::CommandKind::SetRelevance, command.entity);
    table.add_relevance(relevance);
    return table.Finish();
  }
  Offset<proto::Command> operator()(const SetVisibilityCommand& command) const {
    proto::CommandBuilder table(builder);
    begin(table, proto::CommandKind::SetVisibility, command.entity);
    table.add_observer(command.observer.value);
    table.add_visibility(static_cast<proto::Visibility>(command.visibility));
    return table.Finish();
  }
  Offset<proto::Command> operator()(const OpenSessionCommand&) const { return not_for_clients(); }
  Offset<proto::Command> operator()(const CloseSessionCommand&) const { return not_for_clients(); }
  Offset<proto::Command> operator()(const DespawnOwnedCommand&) const { return not_for_clients(); }
  Offset<proto::Command> operator()(const RestartCommand&) const { return not_for_clients(); }

 private:
  static Offset<proto::Command> not_for_clients() {
    const bool is_client_command = false;
    CHECK(is_client_command);
    return {};
  }
  static void add_rotation(proto::CommandBuilder& table, const Quat& rotation) {
    const proto::Quat value = to_proto(rotation);
    table.add_rotation(&value);
  }
  static void add_angular_velocity(proto::CommandBuilder& table, const Vec3& angular_velocity) {
    const proto::Vec3 value = to_proto(angular_velocity);
    table.add_angular_velocity(&value);
  }
  static void begin(proto::CommandBuilder& table, proto::CommandKind kind, EntityRef entity) {
    table.add_kind(kind);
    table.add_entity(entity.id.raw());
    table.add_spawned_by(entity.spawned_by);
  }
};

}  // namespace

Offset<proto::Command> encode_command(const CommandBody& command, FlatBufferBuilder& builder) {
  return std::visit(CommandEncoder{builder}, command);
}

}  // namespace vicinity::client
