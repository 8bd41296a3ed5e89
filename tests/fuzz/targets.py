"""What the fuzzer plays against: the borders at which the trusted process meets untrusted data.

Each target does one thing at a time with a random input and raises `AssertionError` if the trusted side did what it may
not: raise anything but its own errors, take much time, or answer a plain question otherwise than before.
"""

from __future__ import annotations

import struct
import threading
import time
from collections.abc import Callable
from contextlib import ExitStack, suppress
from datetime import UTC, datetime
from pathlib import Path
from random import Random
from socket import socket, socketpair
from tempfile import TemporaryDirectory
from typing import Any, Protocol

from agent.evidence import EvidenceLog
from agent.submission import SubmissionJudge, judging_modules
from benchmarks.ecom.ecom_benchmark import open_benchmark
from controlplane import BenchmarkContext, RunRequest, TaskTry
from gates import Case, Submission
from sandbox import Aide, Ending, ForkServer, Limits, Sandbox, StepResult
from sandbox.files.folder_host import FolderHost
from sandbox.interface import FILE_OPERATIONS, CallError
from sandbox.interface.limits import AideLimits
from sandbox.interface.walls import ALL_WALLS
from sandbox.parent.fork_server import UNKNOWN_END, ChildProcess
from sandbox.parent.parent_step import Step
from sandbox.parent.trial_child import Trial
from sandbox.process.child_settings import Setting
from sandbox.process.frames import FrameReader
from tests.fuzz import generators
from tests.sandbox.script_world import FILES, NOW, SURFACE, Desk

SHORT = AideLimits(call_cpu_s=0.25, trial_cpu_s=1e6)
LENGTH = struct.Struct("!I")


PLAIN = {"path": "/bin/jq", "args": [".n"], "stdin": '{"n": 42}'}
READ = {"path": "/AGENTS.MD", "start_line": 0, "end_line": 0}
SUBMITTED = {"answer": "x", "outcome": "OUTCOME_OK", "refs_why": {}}
ATTEMPT = """
def attempt(call):
    try:
        call()
    except (HarnessError, FileNotFoundError, TypeError):
        pass
"""
SCRIPT_FRAMES: list[list[Any]] = [
    ["out", "text"],
    ["keep", "", {"a": 1}],
    ["call", "", {"a": [1]}, 1, "read", READ],
    ["cite", "", None, 1, "/AGENTS.MD", "the rules of the workspace"],
    ["zone", "", None, 1, "Europe/Vienna", None],
    ["answer", "", SUBMITTED, 1, True, True],
    ["verified", "", 1, True, ""],
    ["end", "", {"b": {"$": "set", "v": [1]}}, "finished", "", "", False],
]
AIDE_FRAMES: list[list[Any]] = [
    ["done", {"content": "x"}],
    ["failed", "not_found", "there is none"],
    ["ask", ["/a.md", "/b.md"]],
]


class Target(Protocol):
    """One border."""

    def once(self, rng: Random) -> None:
        """Play one input."""
        ...

    def close(self) -> None: ...


class Measured:
    """The largest CPU time that one input took, over all targets."""

    most_s = 0.25
    """CPU seconds of the calling thread for one input: far above what any takes on a quiet machine."""
    worst_s = 0.0
    worst = ""

    @classmethod
    def take(cls, what: str, work: Callable[[], Any]) -> Any:
        """Do `work` and check its CPU time."""
        started = time.thread_time()
        try:
            return work()
        finally:
            took = time.thread_time() - started
            if took > cls.worst_s:
                cls.worst_s, cls.worst = took, what[:120]
            assert took < cls.most_s, f"{took:.2f} s of CPU: {what[:300]}"


def arguments(rng: Random, operation: str, known: list[str], texts: Callable[[str], str]) -> dict[str, Any]:
    """Return random arguments of a declared operation."""
    path = generators.path(rng, known)
    match operation:
        case "search":
            return {"pattern": generators.pattern(rng), "root": path, "limit": rng.choice([0, 1, 10, -1])}
        case "find":
            kind = rng.choice(["all", "files", "dirs", "x"])
            return {"name": generators.word(rng) + rng.choice(["", "*", "[", "?*" * 100]), "root": path, "kind": kind}
        case "tree":
            return {"root": path, "level": rng.choice([0, 1, 2, 99, -1])}
        case "read":
            return {"path": path, "start_line": rng.randrange(-1, 9), "end_line": rng.choice([0, 1, 2**70])}
        case "write":
            return {"path": path, "content": texts(path), "if_match_sha256": rng.choice(["", "", generators.word(rng)])}
        case "exec":
            return execution(rng, known, path)
    return {"path": path}


def execution(rng: Random, known: list[str], path: str) -> dict[str, Any]:
    tools = [each for each in known if each.startswith("/bin/")] or ["/bin/cat"]
    tool = rng.choice([*tools, "/bin/sql", "/bin/sql", "/bin/jq", path])
    if tool == "/bin/sql":
        query = generators.query(rng)
        return {"path": tool, "args": [query], "stdin": ""} if rng.random() < 0.5 else {"path": tool, "stdin": query}
    given = [
        rng.choice([generators.word(rng), generators.path(rng, known), "-", "--help"]) for _ in range(rng.randrange(5))
    ]
    if tool == "/bin/jq":
        given = [generators.jq(rng), path]
    return {"path": tool, "args": given, "stdin": generators.text(rng)}


class Shop:
    """Calls of the embedded world, with records that a script wrote."""

    def __init__(self) -> None:
        opened = open_benchmark("", {}, BenchmarkContext())
        self._benchmark = opened.benchmark
        self._server = ForkServer(opened.aide_modules)
        self._aide = Aide(self._server, limits=SHORT)
        self._trial_id = ""
        self._begin(0)

    def _begin(self, number: int) -> None:
        self._calls = 0
        if self._trial_id:
            self._benchmark.end_trial(self._trial_id)
        self._aide.close()
        self._aide = Aide(self._server, limits=SHORT)
        started = self._benchmark.start_run(RunRequest("fuzz", (TaskTry("basket-checkout.1", number),), seed=number))
        self._trial_id = started.trials[0].trial_id
        trial = self._benchmark.start_trial(self._trial_id)
        assert trial.use_aide is not None
        trial.use_aide(self._aide)
        self._environment = trial.environment
        paths: Any = self._environment.call("find", {"name": "*", "root": "/", "kind": "files", "limit": 0})["paths"]
        self._known: list[str] = paths
        self._plain = self._environment.call("exec", PLAIN)

    def _text(self, path: str) -> str:
        try:
            return str(self._environment.call("read", {"path": path})["content"])
        except CallError:
            return "{}"

    def once(self, rng: Random) -> None:
        operation = rng.choice([each.name for each in FILE_OPERATIONS])
        given = arguments(rng, operation, self._known, lambda path: generators.record(rng, self._text(path)))
        with suppress(CallError):
            Measured.take(f"{operation} {given}", lambda: self._environment.call(operation, given))
        self._calls += 1
        if self._calls % 40 == 0:
            assert self._environment.call("exec", PLAIN) == self._plain
        if self._calls == 400:
            self._begin(rng.randrange(1_000))

    def close(self) -> None:
        self._aide.close()
        self._server.close()


class Folder:
    """Scripts against a folder: everything goes through a child, the parent and an aide."""

    def __init__(self) -> None:
        self._place = TemporaryDirectory()
        root = Path(self._place.name)
        (root / "d").mkdir()
        for name, text in {
            "a.csv": "id,n\n1,2\n",
            "d/b.json": '{"id": 1}',
            "c.sql": "create table t(x);",
            "e.db": "x",
        }.items():
            (root / name).write_text(text)
        self._known = ["/a.csv", "/d/b.json", "/c.sql", "/e.db", "/d", "/"]
        self._held = ExitStack()
        self._host = self._held.enter_context(FolderHost(root, datetime(2026, 1, 1, tzinfo=UTC)))
        self._box = Sandbox(self._host.surface, self._host, now=NOW, seed=1, limits=Limits(step_wall_s=20.0))

    def once(self, rng: Random) -> None:
        lines = []
        for _ in range(8):
            operation = rng.choice([each.name for each in FILE_OPERATIONS])
            given = arguments(rng, operation, self._known, lambda path: generators.record(rng, "id,n\n1,2\n"))
            lines.append(f"attempt(lambda: harness.{operation}(**{given!r}))\n")
        code = ATTEMPT + "".join(lines)
        result = Measured.take(code, lambda: self._box.run(code))
        assert result.ending in (Ending.FINISHED, Ending.LIMIT), (result.error[:500], code[:2_000])

    def close(self) -> None:
        self._box.close()
        self._held.close()
        self._place.cleanup()


class Peer:
    """The other end of a socket: sends what it is given, reads what comes, until it is closed."""

    def __init__(self, bodies: list[bytes]) -> None:
        self.ours, self._theirs = socketpair()
        self._thread = threading.Thread(target=self._play, args=(bodies,), daemon=True)
        self._thread.start()

    def _play(self, bodies: list[bytes]) -> None:
        with suppress(OSError):
            for each in bodies:
                self._theirs.sendall(LENGTH.pack(len(each)) + each)
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

    def spawn(self, *, with_kernel: bool = True) -> ChildProcess:
        return ChildProcess(0, self.connection, FrameReader(self.connection), None, 0)  # type: ignore[arg-type]

    spawn_aide = spawn

    def end(self, child: ChildProcess) -> Any:
        return UNKNOWN_END


class ScriptFrames:
    """What a child that broke out of its interpreter may send."""

    def __init__(self) -> None:
        self._server = ForgedServer(["forged"])

    def once(self, rng: Random) -> None:
        bodies = [generators.body(rng, SCRIPT_FRAMES) for _ in range(rng.randrange(1, 7))]
        peer = Peer(bodies)
        self._server.connection = peer.ours
        setting = Setting(SURFACE.operations, Limits(step_wall_s=2.0, verify_s=1.0), 0, 1, ALL_WALLS)
        trial = Trial(SURFACE, Desk(), setting, self._server)
        try:
            result = Measured.take(str(bodies)[:300], Step(trial, "pass").run)
        finally:
            peer.close()
        assert isinstance(result, StepResult)

    def close(self) -> None:
        self._server.close()


class AideFrames:
    """What an aide that a script took over may send."""

    def __init__(self) -> None:
        self._server = ForgedServer(["forged"])

    def once(self, rng: Random) -> None:
        bodies = [generators.body(rng, AIDE_FRAMES) for _ in range(rng.randrange(1, 7))]
        peer = Peer(bodies)
        self._server.connection = peer.ours
        with Aide(self._server, limits=AideLimits(call_wall_s=2.0)) as aide, suppress(CallError):
            Measured.take(str(bodies)[:300], lambda: aide.call("forged:function", 1, serve=lambda question: "text"))
        peer.close()

    def close(self) -> None:
        self._server.close()


class Evidence:
    """Calls and results of any form, then citations, and submissions that the aide judges."""

    def __init__(self) -> None:
        self._known = [*FILES, "/proc", "/bin/id", "/bin/cat", "/bin/checkout"]
        self._server = ForkServer(judging_modules(("ecom",)))
        self._aide = Aide(self._server, limits=SHORT)
        self._begin()

    def _begin(self) -> None:
        self._count = 0
        self._aide.close()
        self._log = EvidenceLog(SURFACE)
        self._judge = SubmissionJudge(self._aide, self._log)

    def once(self, rng: Random) -> None:
        self._count += 1
        if self._count == 300:
            self._begin()
        operation = rng.choice(SURFACE.operations)
        given = arguments(rng, operation.name, self._known, lambda path: generators.text(rng))
        result: Any = {each.name: generators.data(rng) for each in operation.fields}
        if rng.random() < 0.5:
            result |= {"path": generators.path(rng, self._known), "content": generators.text(rng)}
        error = CallError(rng.choice(["not_found", "internal"]), generators.word(rng)) if rng.random() < 0.2 else None
        Measured.take(f"record {operation.name}", lambda: self._log.record(operation.name, given, result, error))
        path, reason = generators.path(rng, self._known), generators.text(rng) + " stock same day"
        with suppress(ValueError):
            Measured.take(f"cite {path}", lambda: self._log.cite(path, reason))
        if self._count % 10 == 0:
            self._submit(rng)

    def _submit(self, rng: Random) -> None:
        refs: Any = {generators.path(rng, self._known): generators.text(rng) for _ in range(5)}
        pad = {
            "answer": rng.choice([generators.text(rng), generators.data(rng)]),
            "outcome": rng.choice(["OUTCOME_OK", "OUTCOME_DENIED_SECURITY", generators.data(rng)]),
            "refs_why": rng.choice([refs, generators.data(rng)]),
            **{name: generators.data(rng) for name in ("facts", "tokens", "changes")},
        }
        case = Case(generators.text(rng) + " Answer with the number only, <COUNT:%d>.", generators.text(rng))
        submission = Submission.from_scratchpad(pad, None)
        found = Measured.take(
            f"judge {pad}", lambda: self._judge.find_faults(submission, self._log.view(), case, ("ecom",))
        )
        assert len(found.verdicts) > 6 or "cannot be judged" in found.verdicts[0].reason, found

    def close(self) -> None:
        self._aide.close()
        self._server.close()


TARGETS: dict[str, Callable[[], Target]] = {
    "shop": Shop,
    "folder": Folder,
    "script-frames": ScriptFrames,
    "aide-frames": AideFrames,
    "evidence": Evidence,
}
