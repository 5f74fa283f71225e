// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors

#include "cases/mutations.h"

#include <limits>

#include "base/framing.h"
#include "base/limits.h"
#include "client/encode.h"

namespace vicinity::cases {

namespace {

using Bytes = std::vector<std::uint8_t>;

/// Far apart, so that thousands of entities do not become millions of pairs.
Vec3 random_place(Prng& random) {
  const auto axis = [&] { return static_cast<double>(random.below(200'000)) - 100'000; };
  return {axis(), axis(), axis()};
}

EntityRef random_entity(Prng& random) {
  return {EntityId(static_cast<std::uint32_t>(random.below(1024)),
                   static_cast<std::uint32_t>(1 + random.below(2))),
          0};
}

CommandBody random_command(Prng& random) {
  const EntityRef entity = random_entity(random);
  AreaSpec spec;
  spec.centre = random_place(random);
  spec.enter_radius_m = 100;
  spec.leave_radius_m = 120;
  const AreaId area{static_cast<std::uint32_t>(1 + random.below(8))};
  switch (random.below(11)) {
    case 0: {
      SpawnCommand spawn;
      spawn.position = random_place(random);
      spawn.velocity = {1, 2, 3};
      spawn.shape = Shape::capsule(1, 2);
      return spawn;
    }
    case 1: return DespawnCommand{entity};
    case 2: return SetVelocityCommand{entity, {3, 2, 1}};
    case 3: return MoveToCommand{entity, random_place(random), true};
    case 4: return TeleportCommand{entity, random_place(random)};
    case 5: return SetShapeCommand{entity, Shape::sphere(2)};
    case 6: {
      FilterPatch patch;
      patch.category = 2;
      patch.mask = 3;
      patch.enabled = true;
      return SetFilterCommand{entity, patch};
    }
    case 7: return SetUserDataCommand{entity, random.next()};
    case 8: return AddAreaCommand{ObserverId{1}, area, spec};
    case 9: return ChangeAreaCommand{area, spec};
    default: return RemoveAreaCommand{area};
  }
}

Query random_query(Prng& random) {
  const Vec3 place = random_place(random);
  Query query;
  switch (random.below(5)) {
    case 0: query.body = BoxQuery{{place, place + Vec3{50, 50, 50}}}; break;
    case 1: query.body = SphereQuery{place, 50}; break;
    case 2: query.body = CastQuery{{place, place}, {100, 0, 0}, 1}; break;
    case 3: query.body = NearestQuery{place, 4, 1000}; break;
    default: query.body = ContactsQuery{random_entity(random).id}; break;
  }
  return query;
}

void append_commands(Prng& random, std::uint64_t& next_sequence, Bytes& out) {
  std::vector<CommandBody> commands;
  for (std::uint64_t count = 1 + random.below(3); count > 0; --count)
    commands.push_back(random_command(random));
  client::encode_commands(next_sequence, commands,
                          {limits::client_frame_bytes_max, limits::commands_per_frame_max}, out);
  next_sequence += commands.size();
}

/// Overwrites some bytes, or cuts the end off, or appends.
void mutate(Prng& random, Bytes& body) {
  const auto any_byte = [&] { return static_cast<std::uint8_t>(random.below(256)); };
  const std::uint64_t way = random.below(16);
  if (way == 0) body.resize(1 + random.below(body.size() - 1));
  if (way == 1)
    for (std::uint64_t count = 1 + random.below(64); count > 0; --count) body.push_back(any_byte());
  for (std::uint64_t count = 1 + random.below(4); count > 0; --count) {
    std::uint8_t& byte = body[random.below(body.size())];
    const std::uint64_t kind = random.below(4);
    byte = kind == 0   ? static_cast<std::uint8_t>(byte ^ (1u << random.below(8)))
           : kind == 1 ? std::uint8_t{0}
           : kind == 2 ? std::uint8_t{0xFF}
                       : any_byte();
  }
}

}  // namespace

Mutation make_mutation(Prng& random, std::uint64_t& next_sequence) {
  Mutation mutation;
  Bytes valid;
  const std::uint64_t kind = random.below(32);
  if (kind == 0) {
    client::ConnectOptions options;
    options.role = Role::Authority;
    client::encode_hello(options, valid);
    mutation.is_hello = true;
  } else if (kind == 1) {
    client::encode_goodbye(valid);
  } else if (kind == 2) {
    client::encode_step(1 + random.below(1000), 1, valid);
  } else if (kind < 6) {
    client::encode_ping(random.below(1000), 0, valid);
  } else if (kind < 14) {
    client::encode_query(random.below(1000), random_query(random), valid);
  } else {
    append_commands(random, next_sequence, valid);
  }
  Bytes body(valid.begin() + limits::frame_prefix_bytes, valid.end());
  mutate(random, body);
  append_frame(body, mutation.frame);
  return mutation;
}

}  // namespace vicinity::cases
