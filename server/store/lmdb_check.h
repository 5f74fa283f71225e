// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#pragma once

// Looks through an LMDB file (format 1, LMDB 0.9) before LMDB does. LMDB maps the file and follows
// what it reads without asking: a file that was cut short, or a page that was overwritten, ends the
// process or sends the next write to a page that is in use. Start-up only; any thread.

#include <filesystem>
#include <string>

namespace vicinity::store {

/// Empty when every page that can be reached is where it belongs, in the file and in order, and no
/// free page is among them; else the first thing that is wrong. Says nothing about the values,
/// which have checksums of their own. Reads the pages of the trees, not the values.
std::string find_lmdb_damage(const std::filesystem::path& file);

}  // namespace vicinity::store
