# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: 2026 The Vicinity authors
"""A client written from WIRE_FORMAT.md and the schemas alone, with the code that flatc made.

Small and slow: it shows that the documents say enough, and checks the server against them. It
trusts the server no further than that: what contradicts the documents is a ProtocolError.
"""

import math
import socket
import struct

import flatbuffers

import vicinity.proto.ClientBody as client_body
import vicinity.proto.ClientMessage as client_message
import vicinity.proto.Closing as closing
import vicinity.proto.CommandResults as command_results
import vicinity.proto.Commands as commands_table
import vicinity.proto.Frame as frame_table
import vicinity.proto.Goodbye as goodbye_table
import vicinity.proto.Hello as hello_table
import vicinity.proto.Ping as ping_table
import vicinity.proto.Pong as pong_table
import vicinity.proto.Reject as reject_table
import vicinity.proto.ServerBody as server_body
import vicinity.proto.ServerMessage as server_message
import vicinity.proto.Step as step_table
import vicinity.proto.StepDone as step_done_table
import vicinity.proto.Welcome as welcome_table

PROTOCOL = 3
IDENTIFIER = b"VCC1"
FRAME_BYTES_MAX = 1_048_576


class ProtocolError(Exception):
    """The server contradicts the documents."""


def require(condition, text):
    if not condition:
        raise ProtocolError(text)


# --- Values ---


def vector(struct_value):
    return (struct_value.X(), struct_value.Y(), struct_value.Z())


def quaternion(struct_value):
    return (struct_value.X(), struct_value.Y(), struct_value.Z(), struct_value.W())


def each(table, name):
    """All elements of a vector field."""
    count = getattr(table, name + "Length")()
    return [getattr(table, name)(i) for i in range(count)]


def half_float(bits):
    """A binary16 number of IEEE 754."""
    return struct.unpack("<e", struct.pack("<H", bits))[0]


def signed(bits, count):
    """The two's complement number of `count` bits."""
    return bits - (1 << count) if bits >> (count - 1) else bits


def wide_offset(move):
    """Three signed 21-bit numbers in the 64 bits a, b, c, d."""
    bits = move.A() | move.B() << 16 | move.C() << 32 | move.D() << 48
    return tuple(signed(bits >> (21 * axis) & 0x1FFFFF, 21) for axis in range(3))


def smallest_three(bits):
    """Rotation: the part that is left out is >= 0 and follows from the length 1."""
    left_out = bits >> 30
    parts = []
    for i in range(3):
        value = bits >> (10 * i) & 0x3FF
        parts.append((value / 1023 * 2 - 1) / math.sqrt(2))
    parts.insert(left_out, math.sqrt(max(0.0, 1 - sum(part * part for part in parts))))
    return tuple(parts)


# --- The view ---


class Entity:
    """What is known of one entity in the view of one observer."""

    def __init__(self, state):
        self.id = state.Id()
        self.user_data = state.UserData()
        self.position = vector(state.Position(_vec3()))
        self.velocity = vector(state.Velocity(_vec3()))
        self.rotation = quaternion(state.Rotation(_quat()))
        self.spin = vector(state.AngularVelocity(_vec3()))
        self.box = (vector(state.LocalMin(_vec3())), vector(state.LocalMax(_vec3())))
        self.category = state.Category()
        self.alias = state.Alias()
        self.jumped = False


def _vec3():
    from vicinity.proto.Vec3 import Vec3

    return Vec3()


def _quat():
    from vicinity.proto.Quat import Quat

    return Quat()


class View:
    """Everything a session sees and is told, brought up to date frame by frame."""

    def __init__(self, resolution_m):
        self.resolution_m = resolution_m
        self.entities = {}  # (observer, id) -> Entity
        self.aliases = {}  # alias -> (observer, id)
        self.contacts = {}  # (a, b, begin_tick) -> (user_data_a, user_data_b)
        self.ended = []  # (a, b, begin_tick, reason)
        self.left = []  # (observer, id, reason)
        self.suspended = {}  # (observer, id) of what left -> whether it may be kept as it was
        self.lost = []  # (id, reason)
        self.moves_seen = 0
        self.enters_waiting = 0
        self.tick = 0
        self.last_event = 0
        self._part = 0

    def apply(self, frame):
        """One part of a tick; lists in the order of the documents."""
        require(frame.Part() == self._part, "a part of a tick is missing")
        if frame.Part() == 0:
            require(frame.Tick() > self.tick, "ticks do not ascend")
            self.tick = frame.Tick()
        require(frame.Tick() == self.tick, "parts of different ticks are mixed")
        self._part = 0 if frame.Last() else frame.Part() + 1
        for leave in each(frame, "Leaves"):
            self._leave(leave)
        for state in each(frame, "Enters"):
            self._enter(state)
        for state in each(frame, "Changed"):
            self._change(state)
        for moves in each(frame, "Moves"):
            self._move(moves)
        for end in each(frame, "ContactEnds"):
            self._end(end)
        for begin in each(frame, "ContactBegins"):
            self._begin(begin)
        for end in each(frame, "ContactPassed"):
            self._end(end)
        for stay in each(frame, "ContactStays"):
            require((stay.A(), stay.B(), stay.BeginTick()) in self.contacts, "a stay of no contact")
            self._number(stay)
        for lost in each(frame, "Lost"):
            self.lost.append((lost.Id(), lost.Reason()))
        if frame.Last():
            self.enters_waiting = frame.EntersWaiting()

    def forget(self, observer=None):
        """The view of an observer that was dropped; of all, and all contacts, for a view_reset."""
        for key in [k for k in self.entities if observer is None or k[0] == observer]:
            del self.aliases[self.entities.pop(key).alias]
        if observer is None:
            self.contacts.clear()
            self.tick = 0

    def of(self, observer):
        """Entities in view of an observer, by id."""
        return {id: e for (seen_by, id), e in self.entities.items() if seen_by == observer}

    def _leave(self, leave):
        key = (leave.Observer(), leave.Id())
        entity = self.entities.pop(key, None)
        require(entity is not None, f"a leave of {key}, which is not in view")
        require(entity.user_data == leave.UserData(), f"user data of {key} in its leave")
        del self.aliases[entity.alias]
        self.left.append((*key, leave.Reason()))
        self.suspended[key] = leave.Suspended()

    def _enter(self, state):
        key = (state.Observer(), state.Id())
        require(key not in self.entities, f"an enter of {key}, which is in view")
        require(state.Alias() not in self.aliases, f"alias {state.Alias()} is given twice")
        self.entities[key] = Entity(state)
        self.aliases[state.Alias()] = key

    def _change(self, state):
        key = (state.Observer(), state.Id())
        require(key in self.entities, f"a change of {key}, which is not in view")
        require(self.entities[key].alias == state.Alias(), f"{key} changed its alias")
        self.entities[key] = Entity(state)

    def _moved(self, moves, low):
        """The entity that Moves name by the lower half of its alias."""
        alias = moves.Page() << 16 | low
        require(alias in self.aliases, f"a move of alias {alias}, which nobody has")
        key = self.aliases[alias]
        require(key[0] == moves.Observer(), f"a move of {key} by another observer")
        return self.entities[key]

    def _move(self, moves):
        self.moves_seen += 1
        origin = (moves.OriginX(), moves.OriginY(), moves.OriginZ())
        placed = set()

        def place(low, position):
            require(low not in placed, f"alias {low} has two positions")
            placed.add(low)
            entity = self._moved(moves, low)
            entity.position = position
            entity.jumped = False

        def at(offset):
            return tuple((o + d) * self.resolution_m for o, d in zip(origin, offset))

        for name in ("Near", "Wide", "Far", "Turns", "Velocities", "Spins"):
            lows = [element.Alias() for element in each(moves, name)]
            require(len(lows) == len(set(lows)), f"{name} tells of an entity twice")
        for move in each(moves, "Near"):
            place(move.Alias(), at(vector(move)))
        for move in each(moves, "Wide"):
            place(move.Alias(), at(wide_offset(move)))
        for move in each(moves, "Far"):
            place(move.Alias(), vector(move.Position(_vec3())))
        for turn in each(moves, "Turns"):
            bits = turn.Low() | turn.High() << 16
            self._moved(moves, turn.Alias()).rotation = smallest_three(bits)
        for update in each(moves, "Velocities"):
            velocity = tuple(half_float(bits) for bits in vector(update))
            self._moved(moves, update.Alias()).velocity = velocity
        for update in each(moves, "Spins"):
            spin = tuple(half_float(bits) for bits in vector(update))
            self._moved(moves, update.Alias()).spin = spin
        for low in each(moves, "Jumps"):
            self._moved(moves, low).jumped = True

    def _number(self, event):
        require(event.EventSeq() == 0 or event.EventSeq() > self.last_event, "events out of order")
        self.last_event = max(self.last_event, event.EventSeq())

    def _begin(self, begin):
        name = (begin.A(), begin.B(), begin.BeginTick())
        require(name not in self.contacts, f"contact {name} begins twice")
        require(0 <= begin.Toi() <= 1, f"toi of {name}")
        self._number(begin)
        self.contacts[name] = (begin.UserDataA(), begin.UserDataB())

    def _end(self, end):
        name = (end.A(), end.B(), end.BeginTick())
        require(name in self.contacts, f"contact {name} ends, and did not begin")
        del self.contacts[name]
        self._number(end)
        self.ended.append((*name, end.Reason()))


# --- The session ---


class Session:
    """One connection. Blocking; not for threads."""

    def __init__(self, port, timeout_s=20.0):
        self._address = ("127.0.0.1", port)
        self._timeout_s = timeout_s
        self._socket = socket.create_connection(self._address, timeout=timeout_s)
        self._identity = None  # role, contacts, name
        self._next_sequence = 1
        self.view = None
        self.welcome = None
        self.removals = {}  # sequence of the removal of an observer's last area -> observer
        self.acks = {}  # sequence -> entity id
        self.errors = {}  # sequence -> (code, text)

    def close(self):
        self._socket.close()

    # Out.

    def send(self, body_type, make_body):
        """`make_body(builder)` gives the offset of the body."""
        builder = flatbuffers.Builder(1024)
        body = make_body(builder)
        client_message.Start(builder)
        client_message.AddBodyType(builder, body_type)
        client_message.AddBody(builder, body)
        builder.Finish(client_message.End(builder), file_identifier=IDENTIFIER)
        content = bytes(builder.Output())
        self._socket.sendall(struct.pack("<I", len(content)) + content)

    def hello(self, role, contacts, name="python", protocol=PROTOCOL, resolution_m=0.0, subject="",
              resume=None):  # fmt: skip
        """Type and table of the answer, a Welcome or a Reject. `resume`: token, tick, event."""
        token, tick, event = resume or ("", 0, 0)

        def make(builder):
            client_name = builder.CreateString(name)
            who = builder.CreateString(subject)
            resume_token = builder.CreateString(token)
            hello_table.Start(builder)
            hello_table.AddProtocolMin(builder, protocol)
            hello_table.AddProtocolMax(builder, protocol)
            hello_table.AddClientName(builder, client_name)
            hello_table.AddRole(builder, role)
            hello_table.AddContacts(builder, contacts)
            hello_table.AddSubject(builder, who)
            hello_table.AddResumeToken(builder, resume_token)
            hello_table.AddResumeTick(builder, tick)
            hello_table.AddResumeEventSeq(builder, event)
            hello_table.AddPositionResolutionM(builder, resolution_m)
            return hello_table.End(builder)

        self.send(client_body.ClientBody.Hello, make)
        kind, body = self.receive()
        if kind == server_body.ServerBody.Welcome:
            require(body.Protocol() == protocol, "a version that was not offered")
            self.welcome = body
            self._identity = (role, contacts, name)
            if not body.Resumed():
                self.view = View(body.PositionResolutionM())
            elif body.ViewReset():
                self.view.forget()
        return kind, body

    def lose_connection(self):
        """Without a word, as a broken link does."""
        self._socket.close()

    def resume(self):
        """A new connection that goes on with the session."""
        before = self.welcome
        token = before.ResumeToken().decode()
        self._socket = socket.create_connection(self._address, timeout=self._timeout_s)
        role, contacts, name = self._identity
        kind, body = self.hello(role, contacts, name,
                                resume=(token, self.view.tick, self.view.last_event))  # fmt: skip
        if kind == server_body.ServerBody.Welcome:
            require(body.Resumed(), "another session than that of the token")
            require(body.Session() == before.Session(), "the session has another number")
            require(body.ResumeToken().decode() == token, "the session has another token")
        return kind, body

    def commands(self, makers):
        """Sends one batch; each maker gives the offset of a Command. The sequences."""
        first = self._next_sequence
        self._next_sequence += len(makers)
        tick = self.view.tick

        def make(builder):
            offsets = [maker(builder) for maker in makers]
            commands_table.StartCommandsVector(builder, len(offsets))
            for offset in reversed(offsets):
                builder.PrependUOffsetTRelative(offset)
            vector_offset = builder.EndVector()
            commands_table.Start(builder)
            commands_table.AddFirstSequence(builder, first)
            commands_table.AddCommands(builder, vector_offset)
            commands_table.AddAckTick(builder, tick)
            return commands_table.End(builder)

        self.send(client_body.ClientBody.Commands, make)
        return list(range(first, first + len(makers)))

    def step(self, sequence, count=1):
        """Runs ticks (manual mode) and applies all frames. The StepDone."""

        def make(builder):
            step_table.Start(builder)
            step_table.AddSequence(builder, sequence)
            step_table.AddCount(builder, count)
            return step_table.End(builder)

        self.send(client_body.ClientBody.Step, make)
        done = self.receive_until(server_body.ServerBody.StepDone)
        require(done.Sequence() == sequence, "the answer to another step")
        return done

    def ping(self, nonce, time_us):
        def make(builder):
            ping_table.Start(builder)
            ping_table.AddNonce(builder, nonce)
            ping_table.AddClientTimeUs(builder, time_us)
            ping_table.AddAckTick(builder, self.view.tick)
            return ping_table.End(builder)

        self.send(client_body.ClientBody.Ping, make)
        return self.receive_until(server_body.ServerBody.Pong)

    def goodbye(self):
        """The Closing; the server has closed the connection behind it."""

        def make(builder):
            goodbye_table.Start(builder)
            return goodbye_table.End(builder)

        self.send(client_body.ClientBody.Goodbye, make)
        last = self.receive_until(server_body.ServerBody.Closing)
        require(self._socket.recv(1) == b"", "something came behind the Closing")
        return last

    # In.

    TABLES = {
        server_body.ServerBody.Welcome: welcome_table.Welcome,
        server_body.ServerBody.Reject: reject_table.Reject,
        server_body.ServerBody.Closing: closing.Closing,
        server_body.ServerBody.CommandResults: command_results.CommandResults,
        server_body.ServerBody.Frame: frame_table.Frame,
        server_body.ServerBody.StepDone: step_done_table.StepDone,
        server_body.ServerBody.Pong: pong_table.Pong,
    }

    def receive(self):
        """The next message: (type, table)."""
        (size,) = struct.unpack("<I", self._read(4))
        require(0 < size <= FRAME_BYTES_MAX, f"a frame of {size} bytes")
        content = self._read(size)
        require(content[4:8] == b"VCS1", "another file identifier")
        message = server_message.ServerMessage.GetRootAs(content)
        table = self.TABLES[message.BodyType()]()
        body = message.Body()
        table.Init(body.Bytes, body.Pos)
        return message.BodyType(), table

    def receive_until(self, wanted):
        """Applies what comes before it."""
        while True:
            kind, table = self.receive()
            if kind == server_body.ServerBody.Frame:
                self.view.apply(table)
            elif kind == server_body.ServerBody.CommandResults:
                self._results(table)
            if kind == wanted:
                return table
            require(kind != server_body.ServerBody.Closing, "the server ended the session")

    def _results(self, results):
        for ack in each(results, "Acks"):
            self._answered(ack.Sequence())
            self.acks[ack.Sequence()] = ack.Entity()
            if ack.Sequence() in self.removals:
                self.view.forget(self.removals.pop(ack.Sequence()))
        for error in each(results, "Errors"):
            self._answered(error.Sequence())
            self.errors[error.Sequence()] = (error.Code(), error.Text().decode())

    def _answered(self, sequence):
        answered = sequence in self.acks or sequence in self.errors
        require(not answered, f"command {sequence} is answered twice")

    def _read(self, size):
        chunks = bytearray()
        while len(chunks) < size:
            chunk = self._socket.recv(size - len(chunks))
            require(chunk != b"", "the connection ended in the middle of a frame")
            chunks += chunk
        return bytes(chunks)
