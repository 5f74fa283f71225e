// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors

// The layout of every struct on the wire, held at compile time: a field appended to a struct shifts
// all later elements of a vector, and `flatc --conform` does not notice.
#include "client_generated.h"
#include "server_generated.h"

namespace vicinity::proto {

static_assert(sizeof(Vec3) == 24 && alignof(Vec3) == 8);
static_assert(sizeof(Quat) == 32 && alignof(Quat) == 8);
static_assert(sizeof(Plane) == 32 && alignof(Plane) == 8);
static_assert(sizeof(CommandAck) == 16 && alignof(CommandAck) == 8);
static_assert(sizeof(EntityState) == 200 && alignof(EntityState) == 8);
static_assert(sizeof(NearMove) == 8 && alignof(NearMove) == 2);
static_assert(sizeof(WideMove) == 10 && alignof(WideMove) == 2);
static_assert(sizeof(FarMove) == 32 && alignof(FarMove) == 8);
static_assert(sizeof(TurnUpdate) == 6 && alignof(TurnUpdate) == 2);
static_assert(sizeof(VelocityUpdate) == 8 && alignof(VelocityUpdate) == 2);
static_assert(sizeof(Ring) == 16 && alignof(Ring) == 8);
static_assert(sizeof(OutlinePoint) == 16 && alignof(OutlinePoint) == 8);
static_assert(sizeof(Leave) == 24 && alignof(Leave) == 8);
static_assert(sizeof(ContactBegin) == 64 && alignof(ContactBegin) == 8);
static_assert(sizeof(ContactDetail) == 192 && alignof(ContactDetail) == 8);
static_assert(sizeof(ContactEnd) == 56 && alignof(ContactEnd) == 8);
static_assert(sizeof(ContactStay) == 56 && alignof(ContactStay) == 8);
static_assert(sizeof(Lost) == 24 && alignof(Lost) == 8);
static_assert(sizeof(QueryHit) == 96 && alignof(QueryHit) == 8);

}  // namespace vicinity::proto
