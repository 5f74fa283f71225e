// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#pragma once

// Cases about a world that is saved, edited, cut off and restored: the simulation in this process
// and the bytes that it is saved as. A restored world has lost the ticks since, and begins with a
// restart.
//
//   save           after the tick of what was asked before it
//   edit_save      other numbers in the record of an entity
//   truncate_save  the next restart is tried with every 1/16 of the bytes, and must be refused
//   restart        restore, and the same process goes on: what was told before is of another one

#include "cases/special_case.h"
#include "index/index.h"

namespace vicinity::cases {

SpecialRunner saved_cases(IndexKind kind);

}  // namespace vicinity::cases
