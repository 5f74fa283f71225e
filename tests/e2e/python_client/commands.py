# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: 2026 The Vicinity authors
"""Commands of the conformance test, each as a function of the builder that writes its table."""

import vicinity.proto.Area as area_table
import vicinity.proto.AreaKind as area_kind
import vicinity.proto.Command as command
import vicinity.proto.CommandKind as command_kind
import vicinity.proto.Shape as shape_table
import vicinity.proto.ShapeKind as shape_kind
from vicinity.proto.Quat import CreateQuat
from vicinity.proto.Vec3 import CreateVec3

KIND = command_kind.CommandKind


def spawn_box(position, half_m=0.5, velocity=None, rotation=None, spin=None, user_data=0):
    """A cube around its position."""

    def make(builder):
        shape_table.Start(builder)
        shape_table.AddKind(builder, shape_kind.ShapeKind.Box)
        shape_table.AddBoxMin(builder, CreateVec3(builder, -half_m, -half_m, -half_m))
        shape_table.AddBoxMax(builder, CreateVec3(builder, half_m, half_m, half_m))
        shape = shape_table.End(builder)
        command.Start(builder)
        command.AddKind(builder, KIND.Spawn)
        command.AddPosition(builder, CreateVec3(builder, *position))
        command.AddShape(builder, shape)
        if velocity is not None:
            command.AddVelocity(builder, CreateVec3(builder, *velocity))
        if rotation is not None:
            command.AddRotation(builder, CreateQuat(builder, *rotation))
        if spin is not None:
            command.AddAngularVelocity(builder, CreateVec3(builder, *spin))
        command.AddUserData(builder, user_data)
        return command.End(builder)

    return make


def despawn(entity):
    def make(builder):
        command.Start(builder)
        command.AddKind(builder, KIND.Despawn)
        command.AddEntity(builder, entity)
        return command.End(builder)

    return make


def move_to(entity, position, teleport=False, rotation=None):
    def make(builder):
        command.Start(builder)
        command.AddKind(builder, KIND.Teleport if teleport else KIND.MoveTo)
        command.AddEntity(builder, entity)
        command.AddPosition(builder, CreateVec3(builder, *position))
        if rotation is not None:
            command.AddRotation(builder, CreateQuat(builder, *rotation))
        return command.End(builder)

    return make


def set_velocity(entity, velocity, spin=None):
    def make(builder):
        command.Start(builder)
        command.AddKind(builder, KIND.SetVelocity)
        command.AddEntity(builder, entity)
        command.AddVelocity(builder, CreateVec3(builder, *velocity))
        if spin is not None:
            command.AddAngularVelocity(builder, CreateVec3(builder, *spin))
        return command.End(builder)

    return make


def set_user_data(entity, user_data):
    def make(builder):
        command.Start(builder)
        command.AddKind(builder, KIND.SetUserData)
        command.AddEntity(builder, entity)
        command.AddUserData(builder, user_data)
        return command.End(builder)

    return make


def add_sphere(observer, area, centre, enter_m, leave_m, suspend=False):
    """A fixed area."""

    def make(builder):
        area_table.Start(builder)
        area_table.AddKind(builder, area_kind.AreaKind.Sphere)
        area_table.AddCentre(builder, CreateVec3(builder, *centre))
        area_table.AddEnterRadiusM(builder, enter_m)
        area_table.AddLeaveRadiusM(builder, leave_m)
        area_table.AddSuspend(builder, suspend)
        spec = area_table.End(builder)
        command.Start(builder)
        command.AddKind(builder, KIND.AddArea)
        command.AddObserver(builder, observer)
        command.AddArea(builder, area)
        command.AddSpec(builder, spec)
        return command.End(builder)

    return make


def remove_area(area):
    def make(builder):
        command.Start(builder)
        command.AddKind(builder, KIND.RemoveArea)
        command.AddArea(builder, area)
        return command.End(builder)

    return make
