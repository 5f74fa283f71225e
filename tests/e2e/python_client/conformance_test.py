# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: 2026 The Vicinity authors
"""Conformance: a client written from the documents alone against a real server.

    conformance_test.py --server PATH --generated FOLDER

The first half decodes frames that are built here, the second half commands a world in manual ticks
and compares what the server tells with what was commanded.
"""

import argparse
import math
import os
import struct
import subprocess
import sys
import tempfile
import time
import unittest

parser = argparse.ArgumentParser()
parser.add_argument("--server", required=True)
parser.add_argument("--generated", required=True)
arguments = parser.parse_args()
sys.path.insert(0, arguments.generated)

import flatbuffers  # noqa: E402

import commands as command  # noqa: E402
import vicinity.proto.EntityState as entity_state  # noqa: E402
import vicinity.proto.FarMove as far_move  # noqa: E402
import vicinity.proto.Frame as frame_table  # noqa: E402
import vicinity.proto.Moves as moves_table  # noqa: E402
import vicinity.proto.NearMove as near_move  # noqa: E402
import vicinity.proto.TurnUpdate as turn_update  # noqa: E402
import vicinity.proto.VelocityUpdate as velocity_update  # noqa: E402
import vicinity.proto.WideMove as wide_move  # noqa: E402
import vicinity_client as client  # noqa: E402
from vicinity.proto.ContactScope import ContactScope  # noqa: E402
from vicinity.proto.EndReason import EndReason  # noqa: E402
from vicinity.proto.ErrorCode import ErrorCode  # noqa: E402
from vicinity.proto.LeaveReason import LeaveReason  # noqa: E402
from vicinity.proto.Role import Role  # noqa: E402
from vicinity.proto.ServerBody import ServerBody  # noqa: E402

SERVER_RESOLUTION_M = 2.0**-12
RESOLUTION_M = 2.0**-10
ALIAS = 0x0002_0003  # page 2
OBSERVER = 5
ENTITY = (1 << 32) + 7


# --- Frames that are built here ---


def frame_of(tick, enters=None, moves=None):
    """`enters` and `moves` fill their vector and give its offset."""
    builder = flatbuffers.Builder(1024)
    enters_offset = enters(builder) if enters else None
    moves_offset = moves(builder) if moves else None
    frame_table.Start(builder)
    frame_table.AddTick(builder, tick)
    if enters_offset is not None:
        frame_table.AddEnters(builder, enters_offset)
    if moves_offset is not None:
        frame_table.AddMoves(builder, moves_offset)
    builder.Finish(frame_table.End(builder))
    return frame_table.Frame.GetRootAs(bytes(builder.Output()))


def one_enter(builder):
    frame_table.StartEntersVector(builder, 1)
    entity_state.CreateEntityState(
        builder, ENTITY, 9, 1, 2, 3, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0,
        -1, -1, -1, 1, 1, 1, OBSERVER, 1, 1, 0, 0, 2, False, False, ALIAS)  # fmt: skip
    return builder.EndVector()


def one_moves(origin, **lists):
    """Moves of OBSERVER with one element in each of the lists: name = create(builder)."""

    def make(builder):
        offsets = {}
        for name, create in lists.items():
            getattr(moves_table, f"Start{name}Vector")(builder, 1)
            create(builder)
            offsets[name] = builder.EndVector()
        moves_table.Start(builder)
        moves_table.AddObserver(builder, OBSERVER)
        moves_table.AddPage(builder, ALIAS >> 16)
        moves_table.AddOriginX(builder, origin[0])
        moves_table.AddOriginY(builder, origin[1])
        moves_table.AddOriginZ(builder, origin[2])
        for name, offset in offsets.items():
            getattr(moves_table, f"Add{name}")(builder, offset)
        table = moves_table.End(builder)
        frame_table.StartMovesVector(builder, 1)
        builder.PrependUOffsetTRelative(table)
        return builder.EndVector()

    return make


LOW = ALIAS & 0xFFFF


class DecodeMoves(unittest.TestCase):
    def moved(self, **lists):
        view = client.View(0.5)
        view.apply(frame_of(1, enters=one_enter))
        view.apply(frame_of(2, moves=one_moves((1000, -2000, 3000), **lists)))
        return view.of(OBSERVER)[ENTITY]

    def test_near_positions_count_from_the_origin(self):
        entity = self.moved(Near=lambda b: near_move.CreateNearMove(b, LOW, 32767, -32768, 1))
        self.assertEqual(entity.position, (33767 / 2, -34768 / 2, 3001 / 2))

    def test_wide_positions_are_three_numbers_of_21_bits(self):
        x, y, z = 1048575, -1048576, -3
        bits = x | (y & 0x1FFFFF) << 21 | (z & 0x1FFFFF) << 42
        words = struct.unpack("<4H", struct.pack("<Q", bits))
        entity = self.moved(Wide=lambda b: wide_move.CreateWideMove(b, LOW, *words))
        self.assertEqual(entity.position, ((1000 + x) / 2, (-2000 + y) / 2, (3000 + z) / 2))

    def test_far_positions_are_exact(self):
        entity = self.moved(Far=lambda b: far_move.CreateFarMove(b, LOW, 1e12 + 0.125, 0.1, -7))
        self.assertEqual(entity.position, (1e12 + 0.125, 0.1, -7))

    def test_what_is_not_told_stays(self):
        entity = self.moved(
            Velocities=lambda b: velocity_update.CreateVelocityUpdate(
                b, LOW, 0x3C00, 0xC000, 0x7BFF
            )
        )
        self.assertEqual(entity.velocity, (1.0, -2.0, 65504.0))
        self.assertEqual(entity.position, (1, 2, 3))
        self.assertEqual(entity.spin, (0, 0, 0))

    def test_spins_and_jumps(self):
        entity = self.moved(
            Spins=lambda b: velocity_update.CreateVelocityUpdate(b, LOW, 0, 0x3800, 0x8000),
            Jumps=lambda b: b.PrependUint16(LOW),
        )
        self.assertEqual(entity.spin, (0, 0.5, 0))
        self.assertTrue(entity.jumped)

    def test_rotations_come_back_within_their_resolution(self):
        for left_out in range(4):
            exact = [0.1, -0.3, 0.5]
            exact.insert(left_out, math.sqrt(1 - 0.01 - 0.09 - 0.25))
            parts = exact[:left_out] + exact[left_out + 1 :]
            bits = left_out << 30
            for i, part in enumerate(parts):
                bits |= round((part * math.sqrt(2) + 1) / 2 * 1023) << (10 * i)
            entity = self.moved(
                Turns=lambda b: turn_update.CreateTurnUpdate(b, LOW, bits & 0xFFFF, bits >> 16)
            )
            for got, wanted in zip(entity.rotation, exact):
                self.assertAlmostEqual(got, wanted, delta=2e-3)

    def test_a_move_of_nobody_is_seen(self):
        view = client.View(1.0)
        moves = one_moves((0, 0, 0), Near=lambda b: near_move.CreateNearMove(b, 1, 0, 0, 0))
        with self.assertRaises(client.ProtocolError):
            view.apply(frame_of(1, moves=moves))


# --- A real server ---


class Server:
    """The process, on a free port, with manual ticks."""

    def __enter__(self):
        self._folder = tempfile.TemporaryDirectory(prefix="vicinity-test-")
        port_file = os.path.join(self._folder.name, "port")
        environment = {k: v for k, v in os.environ.items() if not k.startswith("VICINITY_")}
        self._log = open(os.path.join(self._folder.name, "log"), "wb")
        self._process = subprocess.Popen(
            [arguments.server, "--port", "0", "--port-file", port_file, "--tick-mode", "manual",
             "--tick-rate-hz", "10", "--position-resolution-m", str(SERVER_RESOLUTION_M)],
            env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=self._log,
        )  # fmt: skip
        deadline = time.monotonic() + 60
        self.port = 0
        while self.port == 0:
            if time.monotonic() > deadline or self._process.poll() is not None:
                self.__exit__()
                raise RuntimeError("the server did not come up")
            time.sleep(0.01)
            if os.path.exists(port_file):
                with open(port_file) as file:
                    self.port = int(file.read().strip() or 0)
        return self

    def __exit__(self, *_):
        self._process.terminate()
        try:
            self.exit_code = self._process.wait(timeout=30)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self.exit_code = self._process.wait()
        self._log.close()
        self._folder.cleanup()


class Conformance(unittest.TestCase):
    def setUp(self):
        self.server = Server()
        self.server.__enter__()
        self.addCleanup(self.stop)
        self.steps = 0

    def stop(self):
        self.server.__exit__()
        self.assertEqual(self.server.exit_code, 0)

    def session(self, role=Role.Authority, contacts=ContactScope.All):
        session = client.Session(self.server.port)
        self.addCleanup(session.close)
        kind, _ = session.hello(role, contacts, resolution_m=RESOLUTION_M)
        self.assertEqual(kind, ServerBody.Welcome)
        return session

    def tick(self, session, *makers):
        """One batch and one tick: the entities of the acks."""
        sequences = session.commands(list(makers))
        self.steps += 1
        done = session.step(self.steps)
        self.assertEqual(done.Code(), ErrorCode.None_)
        self.assertEqual(done.Tick(), session.view.tick)
        for sequence in sequences:
            self.assertIn(sequence, session.acks, session.errors.get(sequence))
        return [session.acks[sequence] for sequence in sequences]

    def assert_close(self, got, wanted, delta):
        for g, w in zip(got, wanted):
            self.assertAlmostEqual(g, w, delta=delta)

    def test_versions_that_it_does_not_speak_are_rejected(self):
        for protocol in (1, 2, 4):
            session = client.Session(self.server.port)
            self.addCleanup(session.close)
            kind, reject = session.hello(Role.Observer, ContactScope.None_, protocol=protocol)
            self.assertEqual(kind, ServerBody.Reject)
            self.assertEqual(reject.Code(), ErrorCode.VersionMismatch)
            self.assertTrue(reject.Text())

    def test_ping_and_goodbye(self):
        session = self.session()
        pong = session.ping(2**64 - 1, 123)
        self.assertEqual((pong.Nonce(), pong.ClientTimeUs()), (2**64 - 1, 123))
        closing = session.goodbye()
        self.assertEqual(closing.Code(), ErrorCode.None_)

    def test_a_refused_command_names_its_field(self):
        session = self.session()
        (sequence,) = session.commands([command.move_to(1 << 32, (float("nan"), 0, 0))])
        session.ping(1, 0)
        code, text = session.errors[sequence]
        self.assertEqual(code, ErrorCode.InvalidNumber)
        self.assertIn("position.x", text)

    def test_the_view_is_what_was_commanded(self):
        session = self.session()
        view = session.view
        near, turned, outside, _ = self.tick(
            session,
            command.spawn_box((1, 0, 0), user_data=11),
            command.spawn_box((5, 0, 0), rotation=(0, 0, 0.6, 0.8), user_data=12),
            command.spawn_box((50, 0, 0), user_data=13),
            command.add_sphere(OBSERVER, 1, (0, 0, 0), 10, 12),
        )
        self.assertEqual(set(view.of(OBSERVER)), {near, turned})
        self.assertEqual(view.of(OBSERVER)[near].position, (1, 0, 0))
        self.assertEqual(view.of(OBSERVER)[near].box, ((-0.5,) * 3, (0.5,) * 3))
        self.assert_close(view.of(OBSERVER)[turned].rotation, (0, 0, 0.6, 0.8), 1e-15)
        self.assertEqual(view.of(OBSERVER)[turned].user_data, 12)

        # Out of the edge, within the hysteresis; in from outside; gone.
        self.tick(
            session,
            command.move_to(near, (11.5, 0, 0)),
            command.move_to(outside, (0, 0, -3), teleport=True),
            command.despawn(turned),
        )
        self.assertEqual(set(view.of(OBSERVER)), {near, outside})
        self.assertEqual(view.left, [(OBSERVER, turned, LeaveReason.Despawned)])
        self.tick(session, command.move_to(near, (13, 0, 0)), command.set_user_data(outside, 99))
        self.assertEqual(set(view.of(OBSERVER)), {outside})
        self.assertEqual(view.of(OBSERVER)[outside].user_data, 99)
        self.assertEqual(view.left[-1], (OBSERVER, near, LeaveReason.OutOfRange))

    def test_moves_follow_the_truth_within_their_resolution(self):
        session = self.session()
        self.assertEqual(session.welcome.PositionResolutionM(), RESOLUTION_M)
        view = session.view
        mover, turner, jumper, _ = self.tick(
            session,
            command.spawn_box((0.3, 0, 0), velocity=(1, 0.7, -0.2)),
            command.spawn_box((0, 5, 0), rotation=(0, 0, 0, 1), spin=(0, 1, 0)),
            command.spawn_box((0, -5, 0)),
            command.add_sphere(OBSERVER, 1, (0, 0, 0), 100_000, 100_000),
        )
        seen = view.of(OBSERVER)
        for step in range(1, 21):
            self.tick(session, command.move_to(jumper, (0, -5, 4000.0 * step), teleport=True))
            time_s = step * 0.1
            truth = (0.3 + time_s, 0.7 * time_s, -0.2 * time_s)
            self.assert_close(seen[mover].position, truth, RESOLUTION_M)
            self.assert_close(seen[jumper].position, (0, -5, 4000.0 * step), RESOLUTION_M)
            half = time_s / 2
            self.assert_close(seen[turner].rotation, (0, math.sin(half), 0, math.cos(half)), 4e-3)
        self.assertGreaterEqual(view.moves_seen, 20)
        self.tick(session, command.set_velocity(mover, (-0.1, 3, 1000), spin=(0.3, 0, 0)))
        for got, wanted in zip(seen[mover].velocity, (-0.1, 3, 1000)):
            self.assertAlmostEqual(got, wanted, delta=abs(wanted) * 2.0**-11)
        self.assertAlmostEqual(seen[mover].spin[0], 0.3, delta=0.3 * 2.0**-11)

    def test_aliases_are_given_again_and_name_the_right_entity(self):
        session = self.session()
        seen = session.view.of
        part = 2.0**-6  # a multiple of the resolution, so that it comes back as it is
        entities = self.tick(
            session, *[command.spawn_box((i, 0, 0), half_m=0.25) for i in range(8)]
        )
        self.tick(session, command.add_sphere(OBSERVER, 1, (0, 0, 0), 100, 110))
        used = {e.alias for e in seen(OBSERVER).values()}
        # The first four leave one after the other and come back in the same order: the last alias
        # that became free is given first, so that aliases descend while slots ascend.
        away = entities[:4]
        for entity in away:
            self.tick(session, command.move_to(entity, (500, 0, 0), teleport=True))
        self.assertEqual(set(seen(OBSERVER)), set(entities[4:]))
        self.tick(
            session,
            *[command.move_to(e, (i, 1, 0), teleport=True) for i, e in enumerate(away)],
        )
        self.assertEqual({e.alias for e in seen(OBSERVER).values()}, used)
        self.tick(session, *[command.move_to(e, (i, 2, part)) for i, e in enumerate(entities)])
        for i, entity in enumerate(entities):
            self.assertEqual(seen(OBSERVER)[entity].position, (i, 2, part))
            self.assertFalse(seen(OBSERVER)[entity].jumped)
        self.tick(session, command.move_to(entities[0], (0, 3, 0), teleport=True))
        self.assertTrue(seen(OBSERVER)[entities[0]].jumped)

    def test_a_dropped_observer_is_forgotten_without_leaves(self):
        session = self.session()
        view = session.view
        entity, _, _ = self.tick(
            session,
            command.spawn_box((1, 0, 0)),
            command.add_sphere(OBSERVER, 1, (0, 0, 0), 10, 12),
            command.add_sphere(OBSERVER + 1, 2, (0, 0, 0), 10, 12, suspend=True),
        )
        (sequence,) = session.commands([command.remove_area(1)])
        session.removals[sequence] = OBSERVER
        self.tick(session)
        self.assertIn(sequence, session.acks)
        self.assertEqual((view.of(OBSERVER), view.left), ({}, []))
        # The alias is free; whoever comes may get it.
        self.tick(session, command.add_sphere(OBSERVER + 2, 3, (0, 0, 0), 10, 12))
        self.assertEqual(set(view.of(OBSERVER + 2)), {entity})
        # The same way out, told with and without leave to keep it.
        self.tick(session, command.move_to(entity, (20, 0, 0)))
        self.assertTrue(view.suspended[(OBSERVER + 1, entity)])
        self.assertFalse(view.suspended[(OBSERVER + 2, entity)])

    def test_a_resumed_session_goes_on_behind_what_was_received(self):
        session = self.session()
        view = session.view
        stays, leaves, _ = self.tick(
            session,
            command.spawn_box((1, 0, 0)),
            command.spawn_box((5, 0, 0)),
            command.add_sphere(OBSERVER, 1, (0, 0, 0), 10, 12),
        )
        session.lose_connection()
        # Somebody else lets the world go on meanwhile.
        other = self.session()
        comes, _, _, _ = self.tick(
            other,
            command.spawn_box((0, 5, 0)),
            command.move_to(stays, (1.5, 0, 0)),
            command.move_to(leaves, (50, 0, 0)),
            command.spawn_box((1.5, 0.75, 0)),
        )
        kind, welcome = session.resume()
        self.assertEqual(kind, ServerBody.Welcome)
        self.assertFalse(welcome.ViewReset())
        self.assertEqual(welcome.LastSequence(), 3)
        self.tick(session)
        self.assertEqual(view.of(OBSERVER)[stays].position, (1.5, 0, 0))
        self.assertIn(comes, view.of(OBSERVER))
        self.assertEqual(view.left, [(OBSERVER, leaves, LeaveReason.OutOfRange)])
        self.assertEqual([name[2] for name in view.contacts], [other.view.tick])

    def test_a_resume_from_what_the_server_forgot_begins_anew(self):
        session = self.session()
        view = session.view
        entity, touching, _ = self.tick(
            session,
            command.spawn_box((1, 0, 0)),
            command.spawn_box((1.5, 0, 0)),
            command.add_sphere(OBSERVER, 1, (0, 0, 0), 10, 12),
        )
        began = view.tick
        self.tick(session)
        session.ping(1, 0)  # acknowledges the second tick
        self.tick(session)
        session.lose_connection()
        self.tick(self.session())
        view.tick = began  # as if the client had lost more than it said
        kind, welcome = session.resume()
        self.assertEqual((kind, welcome.ViewReset()), (ServerBody.Welcome, True))
        self.assertEqual((view.entities, view.contacts), ({}, {}))
        self.tick(session)
        self.assertEqual(set(view.of(OBSERVER)), {entity, touching})
        self.assertEqual([name for name in view.contacts], [(entity, touching, began)])

    def test_a_token_that_is_none_is_refused(self):
        session = client.Session(self.server.port)
        self.addCleanup(session.close)
        kind, reject = session.hello(Role.Observer, ContactScope.None_, resume=("A" * 22, 1, 0))
        self.assertEqual(kind, ServerBody.Reject)
        self.assertEqual(reject.Code(), ErrorCode.ResumeRefused)

    def test_a_new_session_of_a_subject_ends_the_old_one(self):
        old = client.Session(self.server.port)
        self.addCleanup(old.close)
        old.hello(Role.Observer, ContactScope.None_, subject="somebody")
        new = client.Session(self.server.port)
        self.addCleanup(new.close)
        kind, _ = new.hello(Role.Observer, ContactScope.None_, subject="somebody")
        self.assertEqual(kind, ServerBody.Welcome)
        kind, closing = old.receive()
        self.assertEqual(kind, ServerBody.Closing)
        self.assertEqual(closing.Code(), ErrorCode.TakenOver)

    def test_contacts_are_bookended(self):
        session = self.session()
        view = session.view
        a, b = self.tick(
            session,
            command.spawn_box((0, 0, 0), user_data=21),
            command.spawn_box((3, 0, 0), user_data=22),
        )
        self.assertEqual(view.contacts, {})
        self.tick(session, command.move_to(b, (0.75, 0, 0)))
        name = (a, b, view.tick)
        self.assertEqual(view.contacts, {name: (21, 22)})
        self.tick(session)
        self.assertEqual(view.contacts, {name: (21, 22)})
        self.tick(session, command.move_to(b, (3, 0, 0)))
        self.assertEqual(view.contacts, {})
        self.assertEqual(view.ended, [(*name, EndReason.Separated)])
        # Through it within one tick, both told in that tick.
        self.tick(session, command.move_to(b, (-3, 0, 0)))
        self.assertEqual(view.contacts, {})
        self.assertEqual(view.ended[-1], (a, b, view.tick, EndReason.PassedThrough))
        # An end outlives the entity.
        self.tick(session, command.move_to(b, (0.25, 0, 0)))
        began = view.tick
        self.tick(session, command.despawn(a))
        self.assertEqual(view.ended[-1], (a, b, began, EndReason.Despawned))


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=2)
