// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#pragma once

// Every limit of the server, with its unit and its reason. What an operator may lower is a setting
// whose upper end is the constant here (app/config). At a limit the server keeps a documented
// subset or refuses with LimitExceeded; it never grows without bound and never drops silently.

#include <cstddef>
#include <cstdint>

namespace vicinity::limits {

// --- World -----------------------------------------------------------------------------------

/// Largest |coordinate| in metres. At 2^43 m an f64 still resolves 2 mm, and every bound stays far
/// inside the f32 range of the index.
inline constexpr double world_half_size_m = 8796093022208.0;
/// Largest extent of a shape from its origin, metres. A shape may cover the world.
inline constexpr double shape_extent_m = world_half_size_m;
/// The same for players, default of the setting, metres: a shape that covers a crowd makes a
/// contact with each of it, and a player needs none.
inline constexpr double player_shape_extent_default_m = 1000;
/// Largest speed, metres per second. One tick at 1 Hz must not leave the f64 range of the world.
inline constexpr double speed_m_per_s = 1e9;
/// Largest size of an area, metres: twice the world, so that one area can see all of it.
inline constexpr double area_size_m = 2 * world_half_size_m;
/// Parts of one shape: an entity is told as one, so it may be a vehicle, not a fleet.
inline constexpr std::size_t shape_parts_max = 16;
/// Links from an attached entity up to the root of what it hangs on.
inline constexpr std::uint32_t attachment_depth_max = 8;
/// Entities that hang on one other, directly: all move whenever it does.
inline constexpr std::uint32_t attached_per_entity_max = 1024;
/// Largest angular velocity, radians per second: 1000 turns. Bounds of what spins faster are no
/// larger, but the advancement of the impact would use up its steps.
inline constexpr double angular_speed_rad_per_s = 6283.2;
/// The same for players: ten turns per second. What spins fast makes every neighbour cost all the
/// steps that the search for an impact has.
inline constexpr double player_angular_speed_rad_per_s = 62.832;
/// Pairs that ignore one another, of one entity and of all together (about 40 bytes each).
inline constexpr std::uint32_t exclusions_per_entity_max = 64;
inline constexpr std::size_t exclusions_max = 1u << 20;
/// Rules of the contact policy: each contact that begins looks at them in turn.
inline constexpr std::size_t policy_rules_max = 64;
/// Longest stay interval and cooldown, ticks: an hour at the highest rate.
inline constexpr std::uint32_t policy_ticks_max = 864'000;
/// Pairs that cool down at the same time (about 130 bytes each). Beyond it a pair may begin again
/// at once, and the tick report says so.
inline constexpr std::size_t cooldowns_max = 1u << 22;
/// Subscriptions of one session: each contact event is held against all of them.
inline constexpr std::uint32_t subscriptions_per_session_max = 256;
/// Slots in the entity table; slot indexes stay below 2^24 so that later stages may pack flags.
inline constexpr std::uint32_t entity_count_max = 1u << 24;
/// Entities that one player session may own: a player is a handful of things, never a crowd.
inline constexpr std::uint32_t entities_per_player_max = 64;
/// Ticks before a slot is used again, default and upper end of the setting. Clients may hold ids
/// for that long without confusion; the slots of all who ended in that time are out of use.
inline constexpr std::uint32_t reuse_delay_ticks_default = 64;
inline constexpr std::uint32_t reuse_delay_ticks_max = 65'536;
/// Slots beyond the living entities, at least: a tiny table must survive some churn as well.
inline constexpr std::uint32_t spare_slots_min = 1u << 16;
/// One slot in so many is kept for authorities: players that spawn and despawn as fast as they may
/// can use up the others.
inline constexpr std::uint32_t authority_slots_share = 8;
/// What a restart that lost ticks leaves out, so that nothing is told twice: generations of every
/// slot, as many as a slot could use up in hours of lost ticks, of the 2^32 there are; and numbers
/// of contact events, as many as an hour at the highest rate with a million of them in each tick.
inline constexpr std::uint32_t restart_generations = 65'536;
inline constexpr std::uint64_t restart_events = 1ull << 40;
/// Ticks whose changes the entity table remembers, so that a snapshot that is used again is brought
/// up to date by what changed since. Two suffice while nobody reads; a reader that holds a frame
/// for longer costs one full copy.
inline constexpr std::size_t changes_kept_ticks = 16;
/// Remembered changes per slot at most, all ticks together (4 bytes each): where more changes, a
/// full copy costs no more.
inline constexpr std::size_t changes_kept_per_slot = 4;
/// Areas, and so observers, of one session: a game server may look for a thousand players.
inline constexpr std::uint32_t areas_per_session_max = 1024;
/// Areas of one observer: each of them may have to be asked about each entity in view.
inline constexpr std::uint32_t areas_per_observer_max = 64;
/// Entities in view, all observers of one session together (about 16 bytes each). Every observer
/// may hold an equal share; newcomers beyond it wait.
inline constexpr std::uint64_t visible_per_session_max = 1ull << 20;
/// Entities that one session's areas may look at in one tick, each counted once for every area:
/// some tens of milliseconds. Areas beyond it let nobody in until their turn comes.
inline constexpr std::uint64_t area_candidates_per_session_max = 1ull << 22;
/// Rings of one area, and points of the outline of a prism.
inline constexpr std::size_t rings_per_area_max = 4;
inline constexpr std::size_t outline_points_max = 16;
/// Longest interval of a ring, ticks: a minute at the usual rate.
inline constexpr std::uint32_t ring_interval_ticks_max = 1'200;
/// Entities that one observer sees or does not see against its areas.
inline constexpr std::uint32_t visibilities_per_observer_max = 1024;
/// Relevance::boost that a player may give its entities: at 16 the priority is twice the usual one.
inline constexpr std::uint8_t player_boost_max = 16;
/// Ticks that an area may hold an entity in view regardless of distance (min_dwell_ticks).
inline constexpr std::uint32_t min_dwell_ticks_max = 1u << 20;

// --- Tick ------------------------------------------------------------------------------------

/// Ticks per second, timer mode.
inline constexpr std::uint32_t tick_rate_hz_min = 1;
inline constexpr std::uint32_t tick_rate_hz_max = 240;
/// Ticks run back to back to catch up after a delay; the rest is skipped and counted.
inline constexpr std::uint32_t catch_up_ticks_max = 2;
/// Ticks that one step request may ask for (manual mode).
inline constexpr std::uint32_t step_count_max = 10'000;
/// Step requests that may wait, all sessions together. One per authority is usual.
inline constexpr std::size_t waiting_steps_max = 1024;
/// Manual mode: how long sessions that do not read may hold up the next tick, milliseconds.
inline constexpr std::uint32_t reader_patience_ms = 1'000;
/// Commands waiting at door 1, all sessions together.
inline constexpr std::size_t queued_commands_max = 1u << 20;
/// Commands waiting at door 1, one session: one session must not fill the door for all.
inline constexpr std::size_t queued_commands_per_session_max = 1u << 18;
/// Bytes of a command that owns nothing more: 336, and some to grow.
inline constexpr std::size_t plain_command_bytes = 384;
/// Bytes of the commands that wait at door 1 and of what they own, all sessions together and one
/// session: 384 and 96 MiB. Plain commands reach their number first; a shape of 16 boxes takes the
/// room of 7 of them, one of 16 hulls that of hundreds. Lists that grow hold up to twice as many.
inline constexpr std::uint64_t queued_bytes_max = queued_commands_max * plain_command_bytes;
inline constexpr std::uint64_t queued_bytes_per_session_max =
    queued_commands_per_session_max * plain_command_bytes;
/// Candidate pairs that exist, those at rest included; default and upper end of the setting. Beyond
/// it a deterministic subset is kept and flagged. Half of it may be at rest: the other half is for
/// pairs of which one moves. A pair that touches costs about 300 bytes in the tick room (candidate,
/// contact, open contact in three copies, event; measured over whole ticks with all entities in
/// one point) and 72 more for each session of scope All: 2.5 GB at the default, 40 GB at the end.
inline constexpr std::uint64_t candidate_pairs_default = 1ull << 23;
inline constexpr std::uint64_t candidate_pairs_max = 1ull << 27;
/// Ticks that the index may be told to wait before it moves what is at rest or has shrunk: an hour
/// at the highest rate.
inline constexpr std::uint32_t index_delay_ticks_max = 864'000;
/// Worker threads of the tick room.
inline constexpr int workers_max = 256;

// --- Wire ------------------------------------------------------------------------------------

/// Bytes of the length prefix of every frame: u32, little endian, length of the body.
inline constexpr std::size_t frame_prefix_bytes = 4;
/// Largest frame body before the hello was accepted.
inline constexpr std::size_t frame_bytes_before_hello_max = 2 * 1024;
/// Largest frame body from a client after the hello.
inline constexpr std::size_t client_frame_bytes_max = 64 * 1024;
/// Largest frame body from the server. Longer ticks are cut into parts.
inline constexpr std::size_t server_frame_bytes_max = 1024 * 1024;
/// Commands in one frame. A 64 KiB frame holds fewer of most kinds; this bounds the tables.
inline constexpr std::size_t commands_per_frame_max = 1024;
/// Shapes of one client frame: parts of compounds, hulls and their points, and points and triangles
/// of hulls and meshes, all commands together. A frame cannot hold more of the last two without
/// naming the same bytes twice. A hull of 64 points costs about 1.3 ms, one of 16 less than 0.1 ms
/// (2026-12-01, 2-core virtual machine); 1024 points are the largest shape of all.
inline constexpr std::size_t shape_parts_per_frame_max = 1024;
inline constexpr std::size_t hulls_per_frame_max = 64;
inline constexpr std::size_t hull_points_per_frame_max = 1024;
inline constexpr std::size_t shape_points_per_frame_max = client_frame_bytes_max / 24;
inline constexpr std::size_t mesh_triangles_per_frame_max = client_frame_bytes_max / 12;
/// Points of outlines and rings of the areas of one client frame, 16 bytes each: a frame cannot
/// hold more without naming the same bytes twice.
inline constexpr std::size_t area_points_per_frame_max = client_frame_bytes_max / 16;
/// Longest min_dwell_ticks where the token bounds the size of areas: a few seconds.
inline constexpr std::uint32_t capped_dwell_ticks_max = 128;
/// Bytes that may lie unread in the outbox of who asks and is no authority, and one answer more.
inline constexpr std::size_t unread_answers_bytes_max = 1u << 20;
/// FlatBuffers verifier: nesting depth and tables per client frame.
inline constexpr int verifier_depth_max = 8;
inline constexpr int verifier_tables_max = 8 * 1024;
/// Characters of a client name and of a token: an ES256 token with every claim has about 500, and
/// the hello must stay below frame_bytes_before_hello_max.
inline constexpr std::size_t client_name_bytes_max = 64;
inline constexpr std::size_t token_bytes_max = 1024;
/// Bytes of a subject (a uuid has 36) and of a resume token (22 are used).
inline constexpr std::size_t subject_bytes_max = 64;
inline constexpr std::size_t resume_token_bytes_max = 64;
/// Resolutions of positions that a client may ask for, metres: finer than 0.25 mm a move no longer
/// fits its few bytes, coarser than a metre it is none.
inline constexpr double position_resolution_min_m = 1.0 / 4096;
inline constexpr double position_resolution_max_m = 1;
/// Queries that all sessions together may ask in one tick while the server is overloaded.
inline constexpr std::uint32_t queries_per_tick_under_overload = 64;
/// Hits in one query answer; more are cut off and `complete` is false.
inline constexpr std::uint32_t query_hits_max = 8 * 1024;
/// Parts of shapes that one exact query looks at; beyond it `complete` is false. About 0.1 s at a
/// microsecond or two each: nothing stops a query that runs.
inline constexpr std::uint32_t exact_parts_per_query_max = 64 * 1024;

/// Questions about views (ExplainView) that may wait, of all sessions and of one connection: an
/// operator asks one at a time.
inline constexpr std::size_t view_questions_max = 256;
inline constexpr std::size_t view_questions_per_connection_max = 8;
/// Of these places, those that are for authorities alone: nobody else must keep them out.
inline constexpr std::size_t view_questions_kept_for_authorities = view_questions_max / 4;
/// Answers to them per tick, and areas that these may look at, the last one of them maybe more: the
/// tick thread gives them, about a millisecond in all.
inline constexpr std::size_t view_answers_per_tick_max = 16;
inline constexpr std::size_t view_answer_areas_per_tick_max = 128;
/// Entities in view that are compared with the one that is asked about, all areas with a
/// nearest_max together; of more, those with the smallest ids. Some hundred nanoseconds each.
inline constexpr std::size_t explain_nearest_looks_max = 16'384;
/// Of the time for queries that such a question takes at once, for its place in the queue,
/// microseconds. What the answer takes comes on top.
inline constexpr std::uint32_t view_question_price_us = 500;

// --- Sessions --------------------------------------------------------------------------------

/// Bytes waiting for one session (door 2), default and upper end of the setting. A session above
/// its limit is closed with SlowConsumer. One tick must fit: the default holds the sight of some
/// 170 000 entities (192 bytes each) that appear at once.
inline constexpr std::size_t outbox_bytes_default = 32u * 1024 * 1024;
inline constexpr std::size_t outbox_bytes_max = 256u * 1024 * 1024;
/// A connection with less than this in its outbox takes the next frame, bytes: an answer to a ping
/// or a query that waits for its write must not cost a frame.
inline constexpr std::size_t frame_mark_bytes = 16u * 1024;
/// Time for the hello to arrive, milliseconds: an idle socket must not hold a place.
inline constexpr std::uint32_t handshake_deadline_ms_default = 5'000;
/// Silence after which a session is closed, milliseconds. Clients ping about once a second.
inline constexpr std::uint32_t idle_timeout_ms_default = 30'000;
/// Bytes of one frame of a player or observer, and of an authority: more to tell than this takes
/// several ticks, and leaves room for others. A stalled session holds one frame at most.
inline constexpr std::size_t stream_frame_bytes_default = 256u * 1024;
inline constexpr std::size_t authority_frame_bytes_max = 16u * 1024 * 1024;
/// Enters and leaves of one session that are kept until the client acknowledges them (56 bytes
/// each): a minute of a crowd. Beyond, a resume starts the view anew.
inline constexpr std::size_t told_log_entries_max = 16'384;
/// Authenticated sessions, default and upper end of the setting.
inline constexpr std::uint32_t sessions_default = 4096;
inline constexpr std::uint32_t sessions_max = 65'536;
/// Connections that gave way to newer ones before their hello and may be told so at the same time;
/// the rest is cut at once, so that a flood of connections holds a bounded number of descriptors.
inline constexpr std::size_t refusals_max = 64;
/// Time to flush goodbyes on stop, milliseconds; the process ends within two seconds of SIGTERM.
inline constexpr std::uint32_t drain_deadline_ms = 1'000;
/// Keys for tokens, one file each: two of each issuer while they are rotated. And the bytes of such
/// a file; a public key has 178.
inline constexpr std::size_t token_keys_max = 64;
inline constexpr std::size_t token_key_file_bytes_max = 16 * 1024;
/// Shortest secret for HS256, bytes: as long as the hash, below which it could be guessed.
inline constexpr std::size_t token_secret_bytes_min = 32;
/// A rate may be used up this long in advance, seconds: clients send in bursts.
inline constexpr double rate_burst_s = 2;
/// What passes its rate is refused; a session that had this many seconds of it refused is closed.
inline constexpr double rate_tolerance_s = 10;
/// Part of the time for the queries of all sessions that is kept for authorities: a game server
/// must get its answers although players ask for more than there is.
inline constexpr double query_reserve_share = 0.25;
/// How long what a client has used up of its rates is remembered after its session, seconds: as
/// long as it takes for a third of the tolerance to come back. And of how many clients (about 400
/// bytes each); who left first is forgotten first.
inline constexpr std::uint32_t rates_remembered_s = 30;
inline constexpr std::size_t remembered_rates_max = 16'384;
/// Addresses without a connection that are remembered for their rate (about 150 bytes each); the
/// one that was silent longest is forgotten first.
inline constexpr std::size_t silent_addresses_max = 16'384;
/// Areas of one session that operators are shown (/debug/sessions), with their observers: a page of
/// a thousand sessions stays below some 2 MB.
inline constexpr std::size_t listed_areas_max = 64;
/// Log lines that wait for a reader of standard error that stalls; beyond it the oldest are
/// dropped.
inline constexpr std::size_t log_lines_waiting_max = 4096;
/// Time for the last log lines to be read when the process ends, milliseconds.
inline constexpr int log_flush_ms = 200;

// --- Operators -------------------------------------------------------------------------------

/// Connections to the listener for operators: a scraper, probes and a few people.
inline constexpr std::size_t http_connections_max = 16;
/// Bytes of the head of a request, which may hold the cookies of a browser, and of its body: the
/// longest word that is sent is a log level.
inline constexpr std::uint32_t http_header_bytes_max = 8 * 1024;
inline constexpr std::uint32_t http_body_bytes_max = 4 * 1024;
/// Time for a request to arrive, for its answer to be taken, and for one that is not there at once
/// (a trace) to be made, milliseconds.
inline constexpr std::uint32_t http_request_ms = 5'000;
inline constexpr std::uint32_t http_response_ms = 10'000;
inline constexpr std::uint32_t http_poll_ms = 60'000;
/// Characters of the token of operators: below the one it could be guessed, above the other it is a
/// wrong file.
inline constexpr std::size_t admin_token_chars_min = 16;
inline constexpr std::size_t admin_token_chars_max = 1024;

// --- Memory of the process -------------------------------------------------------------------

/// Smallest max_memory: an empty server with many threads and the tables of a small world fit in.
inline constexpr std::uint64_t memory_cap_bytes_min = 64u * 1024 * 1024;
/// Parts of max_memory at which nothing new is taken any more, and below which it is again. What is
/// above the first is for what goes on: contacts, frames and views of what is there, commands that
/// were accepted, the copy that a snapshot of the journal is. The distance between the two keeps
/// the server from changing its mind with every session that comes or goes.
inline constexpr double memory_closing_part = 0.90;
inline constexpr double memory_opening_part = 0.85;
/// How often memory is looked at, milliseconds: as often as the usual tick, whose work it is that
/// changes it. What may be taken in between is bounded (app/memory_guard).
inline constexpr std::uint32_t memory_look_ms = 50;
/// The allocator is asked for the memory that is free in it when nothing new is taken, and then at
/// most once in this time, milliseconds: it locks out who allocates, for milliseconds.
inline constexpr std::uint32_t memory_trim_ms = 5'000;

static_assert(memory_opening_part < memory_closing_part && memory_closing_part < 1);
static_assert(frame_bytes_before_hello_max <= client_frame_bytes_max);
static_assert(token_bytes_max + 512 <= frame_bytes_before_hello_max);
static_assert(queued_commands_per_session_max <= queued_commands_max);
static_assert(client_frame_bytes_max <= server_frame_bytes_max);
static_assert(server_frame_bytes_max < outbox_bytes_default);

}  // namespace vicinity::limits
