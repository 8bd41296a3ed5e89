"""What the fuzzer plays against: the borders at which the trusted process meets untrusted data.

Each target does one thing at a time with a random input and raises `AssertionError` if
the trusted side did what it may not: raise anything but its own errors, take much time,
or answer a plain question otherwise than before.
"""

from collections.abc import Callable
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import Any

from controlplane import BenchmarkContext, RunRequest, TaskTry
from controlplane.agent.evidence import EvidenceLog
from controlplane.agent.submission import judge_here_or_in_worker
from controlplane.benchmarks.ecom.ecom_benchmark import open_benchmark
from controlplane.gates.submission import RULE_FAILED as FAILED
from controlplane.gates.submission import Case, Submission
from controlplane.sandbox import Ending, ForkServer, Limits, Sandbox, Worker
from controlplane.sandbox.files.folder_host import FolderHost
from controlplane.sandbox.interface import FILE_OPERATIONS, CallError
from controlplane.sandbox.interface.host import WorkerLimits
from tests.fuzz import generators
from tests.fuzz.frame_targets import (
    Exports,
    Journals,
    Reports,
    ScriptFrames,
    Target,
    WorkerFrames,
)
from tests.fuzz.generators import Measured
from tests.fuzz.server_targets import TaskTexts, WireRequests
from tests.sandbox.script_world import FILES, NOW, TOOL_SCHEMA

SHORT = WorkerLimits(call_cpu_s=0.25, trial_cpu_s=1e6)
PLAIN = {"path": "/bin/jq", "args": [".n"], "stdin": '{"n": 42}'}
ATTEMPT = """
def attempt(call):
    try:
        call()
    except (HarnessError, FileNotFoundError, TypeError):
        pass
"""


def arguments(
    rng: Random, operation: str, known: list[str], texts: Callable[[str], str]
) -> dict[str, Any]:
    """Return random arguments of a declared operation."""
    path = generators.path(rng, known)
    match operation:
        case "search":
            return {
                "pattern": generators.pattern(rng),
                "root": path,
                "limit": rng.choice([0, 1, 10, -1]),
            }
        case "find":
            kind = rng.choice(["all", "files", "dirs", "x"])
            return {
                "name": generators.word(rng) + rng.choice(["", "*", "[", "?*" * 100]),
                "root": path,
                "kind": kind,
            }
        case "tree":
            return {"root": path, "level": rng.choice([0, 1, 2, 99, -1])}
        case "read":
            return {
                "path": path,
                "start_line": rng.randrange(-1, 9),
                "end_line": rng.choice([0, 1, 2**70]),
            }
        case "write":
            return {
                "path": path,
                "content": texts(path),
                "if_match_sha256": rng.choice(["", "", generators.word(rng)]),
            }
        case "exec":
            return execution(rng, known, path)
    return {"path": path}


def execution(rng: Random, known: list[str], path: str) -> dict[str, Any]:
    """Return the arguments of `exec`: of SQL or jq with a query, or of any tool with words."""
    tools = [known_path for known_path in known if known_path.startswith("/bin/")]
    if not tools:
        tools = ["/bin/cat"]
    tool = rng.choice([*tools, "/bin/sql", "/bin/sql", "/bin/jq", path])
    if tool == "/bin/sql":
        query = generators.query(rng)
        if rng.random() < 0.5:
            return {"path": tool, "args": [query], "stdin": ""}
        return {"path": tool, "stdin": query}
    words: list[str] = []
    for _ in range(rng.randrange(5)):
        word = generators.word(rng)
        known_path = generators.path(rng, known)
        words.append(rng.choice([word, known_path, "-", "--help"]))
    if tool == "/bin/jq":
        words = [generators.jq(rng), path]
    return {"path": tool, "args": words, "stdin": generators.text(rng)}


class Shop(Target):
    """Calls of the embedded world, with records that a script wrote."""

    def __init__(self) -> None:
        super().__init__()
        opened = open_benchmark("", {}, BenchmarkContext())
        self._benchmark = opened.benchmark
        self._server = self._held.enter_context(ForkServer(opened.worker_modules))
        self._held.callback(lambda: self._worker.close())
        self._worker = Worker(self._server, limits=SHORT)
        self._trial_id = ""
        self._begin(0)

    def _begin(self, number: int) -> None:
        self._calls = 0
        if self._trial_id:
            self._benchmark.end_trial(self._trial_id)
        self._worker.close()
        self._worker = Worker(self._server, limits=SHORT)
        started = self._benchmark.start_run(
            RunRequest("fuzz", (TaskTry("basket-checkout.1", number),), seed=number)
        )
        self._trial_id = started.trials[0].trial_id
        trial = self._benchmark.start_trial(self._trial_id)
        assert trial.use_worker is not None
        trial.use_worker(self._worker)
        self._environment = trial.environment
        paths: Any = self._environment.call(
            "find", {"name": "*", "root": "/", "kind": "files", "limit": 0}
        )["paths"]
        self._known: list[str] = paths
        self._plain = self._environment.call("exec", PLAIN)

    def _text(self, path: str) -> str:
        try:
            return str(self._environment.call("read", {"path": path})["content"])
        except CallError:
            return "{}"

    def once(self, rng: Random) -> None:
        operation = rng.choice(
            [file_operation.name for file_operation in FILE_OPERATIONS]
        )
        given = arguments(
            rng,
            operation,
            self._known,
            lambda path: generators.record(rng, self._text(path)),
        )
        with suppress(CallError):
            Measured.take(
                f"{operation} {given}", lambda: self._environment.call(operation, given)
            )
        self._calls += 1
        if self._calls % 40 == 0:
            assert self._environment.call("exec", PLAIN) == self._plain
        if self._calls == 400:
            self._begin(rng.randrange(1_000))


class Folder(Target):
    """Scripts against a folder: everything goes through a child, the parent and a worker."""

    def __init__(self) -> None:
        super().__init__()
        root = Path(self._held.enter_context(TemporaryDirectory()))
        (root / "d").mkdir()
        for name, text in (
            ("a.csv", "id,n\n1,2\n"),
            ("d/b.json", '{"id": 1}'),
            ("c.sql", "select 1;"),
            ("e.db", "x"),
        ):
            (root / name).write_text(text)
        self._known = ["/a.csv", "/d/b.json", "/c.sql", "/e.db", "/d", "/"]
        host, limits = (
            FolderHost(root, datetime(2026, 1, 1, tzinfo=UTC)),
            Limits(step_wall_s=20.0),
        )
        self._box = self._held.enter_context(
            Sandbox(host.tool_schema, host, now=NOW, seed=1, limits=limits)
        )

    def once(self, rng: Random) -> None:
        lines = []
        for _ in range(8):
            operation = rng.choice(
                [file_operation.name for file_operation in FILE_OPERATIONS]
            )
            given = arguments(
                rng,
                operation,
                self._known,
                lambda path: generators.record(rng, "id,n\n1,2\n"),
            )
            lines.append(f"attempt(lambda: harness.{operation}(**{given!r}))\n")
        code = ATTEMPT + "".join(lines)
        result = Measured.take(code, lambda: self._box.run(code))
        assert result.ending in (Ending.FINISHED, Ending.LIMIT), (
            result.error[:500],
            code[:2_000],
        )


class Evidence(Target):
    """Calls and results of any form, then citations, and submissions that are judged."""

    _known = (*FILES, "/proc", "/bin/id", "/bin/cat", "/bin/checkout")
    _count = 0

    def once(self, rng: Random) -> None:
        if self._count % 300 == 0:
            self._log = EvidenceLog(TOOL_SCHEMA)
        self._count += 1
        operation = rng.choice(TOOL_SCHEMA.operations)
        given = arguments(
            rng, operation.name, self._known, lambda path: generators.text(rng)
        )
        result: Any = {field.name: generators.data(rng) for field in operation.fields}
        if rng.random() < 0.5:
            result |= {
                "path": generators.path(rng, self._known),
                "content": generators.text(rng),
            }
        error = (
            CallError(rng.choice(["not_found", "internal"]), generators.word(rng))
            if rng.random() < 0.2
            else None
        )
        Measured.take(
            f"record {operation.name}",
            lambda: self._log.record(operation.name, given, result, error),
        )
        path, reason = (
            generators.path(rng, self._known),
            generators.text(rng) + " stock same day",
        )
        with suppress(ValueError):
            Measured.take(
                f"cite {path}", lambda: self._log.citations.check(path, reason)
            )
        if self._count % 10 == 0:
            self._submit(rng)

    def _submit(self, rng: Random) -> None:
        """Let the shop's rules judge a random answer; no rule may fail by an error of its own."""
        refs: Any = {}
        for _ in range(5):
            refs[generators.path(rng, self._known)] = generators.text(rng)
        outcomes = ["OUTCOME_OK", "OUTCOME_DENIED_SECURITY", generators.data(rng)]
        pad = {
            "answer": rng.choice([generators.text(rng), generators.data(rng)]),
            "outcome": rng.choice(outcomes),
            "refs_why": rng.choice([refs, generators.data(rng)]),
            "facts": generators.data(rng),
            "tokens": generators.data(rng),
            "changes": generators.data(rng),
        }
        case = Case(
            generators.text(rng) + " Answer with the number only, <COUNT:%d>.",
            generators.text(rng),
        )
        submission = Submission.from_scratchpad(pad, None)

        def judge() -> Any:
            return judge_here_or_in_worker(
                None, submission, self._log.view(), case, ("ecom",)
            )

        verdicts = Measured.take(f"judge {pad}", judge)

        # Either all gates have a verdict, or the one verdict says why none could judge.
        assert len(verdicts) > 6 or verdicts[0].name == "judging", verdicts
        for verdict in verdicts:
            assert not verdict.reason.startswith(FAILED), verdicts


TARGETS: dict[str, Callable[[], Target]] = {
    "shop": Shop,
    "folder": Folder,
    "script-frames": ScriptFrames,
    "worker-frames": WorkerFrames,
    "evidence": Evidence,
    "wire-requests": WireRequests,
    "task-texts": TaskTexts,
    "journals": Journals,
    "reports": Reports,
    "exports": Exports,
}
