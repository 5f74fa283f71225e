// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#pragma once

// A hint to the scheduler, for threads that wake up often and do little each time, such as those
// that move bytes: on a machine whose cores all compute, they otherwise wait for the others' slices
// of some milliseconds to end.

namespace vicinity {

/// Asks that the calling thread run in the shortest slices there are. It gets no larger part of the
/// processor, but gets it sooner after it wakes. Needs no privilege and Linux 6.12; false where the
/// kernel does not know it, which does no harm.
bool ask_for_short_slices();

}  // namespace vicinity
