// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#pragma once

// Small pieces that all decoders of server messages share. Private to the client library.

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/vec.h"
#include "geometry/pose.h"
#include "server_generated.h"

namespace vicinity::client {

inline Error bad_frame(std::string what) { return {ErrorCode::BadFrame, std::move(what)}; }

inline Vec3 to_vec3(const proto::Vec3& v) { return {v.x(), v.y(), v.z()}; }
inline Quat to_quat(const proto::Quat& q) { return {q.x(), q.y(), q.z(), q.w()}; }

/// Whether an enumerator is one of the schema's, which count from 0 without gaps.
template <class E>
bool is_known(E value) {
  return value <= E::MAX;
}

/// Appends every element of a vector, which may be absent. False when one of them is refused, or
/// when the vector lies at an address that its elements may not have (the verifier does not look).
template <class In, class Out, class Convert>
bool append(const flatbuffers::Vector<const In*>* in, std::vector<Out>& out, Convert convert) {
  if (in == nullptr || in->size() == 0) return true;  // an empty one may lie anywhere
  if (reinterpret_cast<std::uintptr_t>(in->Data()) % alignof(In) != 0) return false;
  // An exact reserve for each of many small parts would copy all that is there every time.
  if (out.empty()) out.reserve(in->size());
  for (const In* element : *in) {
    Out& value = out.emplace_back();
    if (!convert(*element, value)) return false;
  }
  return true;
}

}  // namespace vicinity::client
