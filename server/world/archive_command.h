// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#pragma once

// Commands as bytes (base/archive.h), for who keeps a journal of them: all kinds of CommandBody,
// those that the server makes included. Any thread. The same rules as in world/archive_values.h.

#include "base/archive.h"
#include "world/archive_values.h"
#include "world/command.h"

namespace vicinity {

template <class Archive>
void archive(Archive& a, FieldsOf<Archive, SpawnCommand>& c) {
  a(c.position), a(c.velocity), a(c.shape), a(c.filter), a(c.user_data);
  a(c.rotation), a(c.angular_velocity), a(c.relevance);
}
template <class Archive>
void archive(Archive& a, FieldsOf<Archive, DespawnCommand>& c) {
  a(c.entity);
}
template <class Archive>
void archive(Archive& a, FieldsOf<Archive, SetVelocityCommand>& c) {
  a(c.entity), a(c.velocity), a(c.angular_velocity);
}
template <class Archive>
void archive(Archive& a, FieldsOf<Archive, MoveToCommand>& c) {
  a(c.entity), a(c.position), a(c.continuous), a(c.rotation);
}
template <class Archive>
void archive(Archive& a, FieldsOf<Archive, TeleportCommand>& c) {
  a(c.entity), a(c.position), a(c.rotation);
}
template <class Archive>
void archive(Archive& a, FieldsOf<Archive, SetShapeCommand>& c) {
  a(c.entity), a(c.shape);
}
template <class Archive>
void archive(Archive& a, FieldsOf<Archive, SetFilterCommand>& c) {
  a(c.entity), a(c.patch);
}
template <class Archive>
void archive(Archive& a, FieldsOf<Archive, SetUserDataCommand>& c) {
  a(c.entity), a(c.user_data);
}
template <class Archive>
void archive(Archive& a, FieldsOf<Archive, AddAreaCommand>& c) {
  a(c.observer), a(c.area), a(c.spec);
}
template <class Archive>
void archive(Archive& a, FieldsOf<Archive, ChangeAreaCommand>& c) {
  a(c.area), a(c.spec);
}
template <class Archive>
void archive(Archive& a, FieldsOf<Archive, RemoveAreaCommand>& c) {
  a(c.area);
}
template <class Archive>
void archive(Archive& a, FieldsOf<Archive, OpenSessionCommand>& c) {
  archive_enum(a, c.role, Role::Authority);
  archive_enum(a, c.contacts, ContactScope::All);
  a(c.contact_details), a(c.view_number);
}
template <class Archive>
void archive(Archive& a, FieldsOf<Archive, CloseSessionCommand>& c) {
  a(c.keep_entities);
}
template <class Archive>
void archive(Archive& a, FieldsOf<Archive, AttachCommand>& c) {
  a(c.entity), a(c.parent), a(c.relative);
  archive_enum(a, c.on_parent_end, OnParentEnd::Despawn);
  a(c.follow_visibility);
}
template <class Archive>
void archive(Archive& a, FieldsOf<Archive, DetachCommand>& c) {
  a(c.entity);
}
template <class Archive>
void archive(Archive& a, FieldsOf<Archive, ExcludePairCommand>& c) {
  a(c.a), a(c.b), a(c.excluded);
}
template <class Archive>
void archive(Archive& a, FieldsOf<Archive, SetPolicyCommand>& c) {
  a(c.rules);
}
template <class Archive>
void archive(Archive& a, FieldsOf<Archive, UnsubscribeCommand>& c) {
  a(c.subscription);
}
template <class Archive>
void archive(Archive& a, FieldsOf<Archive, SetRelevanceCommand>& c) {
  a(c.entity), a(c.relevance);
}
template <class Archive>
void archive(Archive& a, FieldsOf<Archive, SetVisibilityCommand>& c) {
  a(c.observer), a(c.entity);
  archive_enum(a, c.visibility, Visibility::Never);
}
template <class Archive>
void archive(Archive&, FieldsOf<Archive, DespawnOwnedCommand>&) {}
template <class Archive>
void archive(Archive&, FieldsOf<Archive, RestartCommand>&) {}

template <class Archive>
void archive(Archive& a, FieldsOf<Archive, Command>& command) {
  a(command.session), a(command.sequence), a(command.body);
}

}  // namespace vicinity
