"""The fuzzer's forged frames: what a child, or a worker,
that a script took over may send to the parent."""

import contextlib
import copy
import io
import json
import struct
import threading
from contextlib import ExitStack, suppress
from pathlib import Path
from random import Random
from socket import socket, socketpair
from tempfile import TemporaryDirectory
from typing import Any, ClassVar

from controlplane.command_line import cli
from controlplane.errors import ControlPlaneError
from controlplane.journal.journal_reader import open_journal
from controlplane.sandbox import ForkServer, Limits, Sandbox, StepResult, Worker
from controlplane.sandbox.interface import CallError
from controlplane.sandbox.interface.frames import FrameReader
from controlplane.sandbox.interface.host import WorkerLimits
from controlplane.sandbox.parent.child_process import (
    UNKNOWN_END,
    ChildEnd,
    ChildProcess,
)
from tests.fuzz import generators
from tests.fuzz.generators import Measured
from tests.sandbox.script_world import NOW, TOOL_SCHEMA, RecordingHost
from tests.support.command import ROOT
from tests.support.scored_journal import chained_lines

LENGTH = struct.Struct("!I")
READ = {"path": "/AGENTS.MD", "start_line": 0, "end_line": 0}
SUBMITTED = {"answer": "x", "outcome": "OUTCOME_OK", "refs_why": {}}
SCRIPT_FRAMES: list[dict[str, Any]] = [
    {"printed": "text"},
    {"scratchpad": {"a": 1}},
    {
        "scratchpad": {"a": [1]},
        "number": 1,
        "body": {"kind": "call", "operation": "read", "positional": [], "named": READ},
    },
    {
        "number": 1,
        "body": {
            "kind": "cite",
            "path": "/AGENTS.MD",
            "reason": "the rules of the workspace",
            "quote": "",
        },
    },
    {
        "scratchpad": SUBMITTED,
        "number": 1,
        "body": {
            "kind": "answer",
            "verify_is_callable": True,
            "verify_takes_one_argument": True,
        },
    },
    {"body": {"kind": "verified", "says_yes": True, "error": ""}},
    {
        "scratchpad": {"b": {"$": "set", "v": [1]}},
        "body": {
            "kind": "end",
            "ending": "finished",
            "error": "",
            "end_of_output": "",
            "is_spent": False,
        },
    },
]
WORKER_FRAMES: list[dict[str, Any]] = [
    {"kind": "result", "value": {"content": "x"}},
    {
        "kind": "error",
        "code": "not_found",
        "message": "there is none",
        "process_must_end": False,
    },
    {"kind": "question", "arguments": ["/a.md", "/b.md"]},
]


class Peer:
    """The other end of a socket: sends what it is given, reads what comes, until it is closed."""

    def __init__(self, bodies: list[bytes]) -> None:
        self.ours, self._theirs = socketpair()
        self._thread = threading.Thread(target=self._play, args=(bodies,), daemon=True)
        self._thread.start()

    def _play(self, bodies: list[bytes]) -> None:
        with suppress(OSError):
            for body in bodies:
                self._theirs.sendall(LENGTH.pack(len(body)) + body)
            self._theirs.shutdown(1)
            while self._theirs.recv(1 << 16):
                pass

    def close(self) -> None:
        self.ours.close()
        self._thread.join(5)
        self._theirs.close()
        assert not self._thread.is_alive()


class ForgedServer(ForkServer):
    """Hands out the connection of a peer in place of a child."""

    connection: socket

    def spawn(
        self, *, with_kernel: bool = True, for_workers: bool = False
    ) -> ChildProcess:
        return ChildProcess(
            0, self.connection, FrameReader(self.connection), GoneServer(), 0
        )


class GoneServer:
    """Knows nothing of how a child ended."""

    def end(self, child: ChildProcess) -> ChildEnd:
        return UNKNOWN_END


class Target:
    """One border: `once` plays one input, `close` ends what it holds."""

    def __init__(self) -> None:
        self._held = ExitStack()

    def once(self, rng: Random) -> None:
        raise NotImplementedError

    def close(self) -> None:
        self._held.close()


class ScriptFrames(Target):
    """What a child that broke out of its interpreter may send."""

    frames: ClassVar[list[dict[str, Any]]] = SCRIPT_FRAMES

    def __init__(self) -> None:
        super().__init__()
        self._server = self._held.enter_context(ForgedServer(["forged"]))

    def once(self, rng: Random) -> None:
        bodies = [generators.body(rng, self.frames) for _ in range(rng.randrange(1, 7))]
        peer = Peer(bodies)
        self._server.connection = peer.ours
        try:
            self.play(str(bodies)[:300])
        finally:
            peer.close()

    def play(self, what: str) -> None:
        limits = Limits(step_wall_s=2.0, verify_s=1.0)
        box = Sandbox(
            TOOL_SCHEMA,
            RecordingHost(),
            now=NOW,
            seed=1,
            limits=limits,
            server=self._server,
        )
        assert isinstance(Measured.take(what, lambda: box.run("pass")), StepResult)


class WorkerFrames(ScriptFrames):
    """What a worker that a script took over may send."""

    frames: ClassVar[list[dict[str, Any]]] = WORKER_FRAMES

    def play(self, what: str) -> None:
        with (
            Worker(self._server, limits=WorkerLimits(call_wall_s=2.0)) as worker,
            suppress(CallError),
        ):
            Measured.take(
                what,
                lambda: worker.call(
                    "forged:function", 1, serve=lambda question: "text"
                ),
            )


ODD: list[Any] = [
    *(
        None,
        True,
        0,
        -1,
        2**53,
        10**15,
        -(10**15),
        10**40,
        0.5,
        1e308,
        -0.0,
        "",
        "@text:",
        "\ud800",
        "\u202e\x1b[2J",
    ),
    *(
        [],
        {},
        [[]],
        [{}],
        {"": None},
        "a" * 500,
        "1970-13-45T99:99",
        "OUTCOME_OK",
        "/proc",
        [0],
        [0, 0],
        ["a"],
        "<b>&",
    ),
]
COMMANDS = (
    *(
        ("show", "R"),
        ("show", "R", "--json"),
        ("show", "R", "--follow"),
        ("show", "R", "--follow", "--json"),
    ),
    *(("replay", "R", "--trial", "T"), ("replay", "R", "--trial", "T", "--json")),
    *(("compare", "R", "S", "--json"), ("runs", "--runs-dir", "F", "--json")),
)


def _places(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """Return the path of every value inside `value`."""
    inner: list[tuple[Any, Any]] = []
    if isinstance(value, dict):
        inner = list(value.items())
    elif isinstance(value, list):
        inner = list(enumerate(value))
    return [
        path,
        *(place for key, held in inner for place in _places(held, (*path, key))),
    ]


def spoil(rng: Random, events: list[Any]) -> None:
    """Change one thing in the lines of a journal."""
    at = rng.randrange(len(events))
    kind = rng.random()
    if kind < 0.08:
        events.insert(
            rng.randrange(len(events) + 1), json.loads(json.dumps(events[at]))
        )
    elif kind < 0.16:
        del events[at]
    else:
        *way, last = rng.choice(_places(events[at])[1:])
        held = events[at]
        for key in way:
            held = held[key]
        if kind < 0.22:
            del held[last]
        else:
            held[last] = copy.deepcopy(
                rng.choice([*ODD, generators.data(rng), generators.text(rng)])
            )


class Journals(Target):
    """Reading and showing a journal raises nothing but our own errors."""

    commands: tuple[tuple[str, ...], ...] = COMMANDS

    def __init__(self) -> None:
        super().__init__()
        self._folder = Path(self._held.enter_context(TemporaryDirectory()))
        self._sample = ROOT / "runs/sample.jsonl"
        self._source = [
            json.loads(line) for line in self._sample.read_bytes().splitlines()
        ]

    def once(self, rng: Random) -> None:
        events = json.loads(json.dumps(self._source))
        for _ in range(rng.choice([1, 1, 1, 2, 5])):
            spoil(rng, events)
        path = self._folder / "spoilt.jsonl"
        path.write_bytes(chained_lines(events))
        trials: list[str] = []

        def read() -> None:
            with suppress(ControlPlaneError), open_journal(path) as journal:
                trials.extend(journal.trials)
                for trial in journal.trials.values():
                    list(trial.steps)

        Measured.take("read", read)
        words = rng.choice(self.commands)
        names = {
            "R": str(path),
            "S": str(self._sample),
            "T": (trials or ["t"])[0],
            "F": str(self._folder),
        }
        given = [names.get(word, word) for word in words]
        given = [
            str(self._folder / word) if word.startswith("out.") else word
            for word in given
        ]
        with (
            suppress(ControlPlaneError, SystemExit),
            contextlib.redirect_stdout(io.StringIO()),
            contextlib.redirect_stderr(io.StringIO()),
        ):
            Measured.take(
                " ".join(words),
                lambda: cli.main(given, "controlplane", standalone_mode=False),
            )


class Reports(Journals):
    """A page about a journal."""

    commands = (("report", "R", "-o", "out.html"),)


class Exports(Journals):
    """A journal in every other form."""

    commands = tuple(
        ("export", "R", "--to", f"out.{kind}") for kind in ("trials.csv", "otel.jsonl")
    )
