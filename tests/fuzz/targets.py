"""All targets of the fuzzer, and three of them: a shop's tools, a folder's files, and evidence.

A fuzzer plays random inputs against a program until one breaks it. A target is a part of the
product that gets such inputs. It raises `AssertionError` if the product, given a random input, raises anything but its own
errors, takes more than 0.25 s of CPU time, or handles an ordinary input otherwise than before.
"""

from collections.abc import Callable, Sequence
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import Any

from controlplane import BenchmarkContext, RunRequest, TaskTry
from controlplane.agent.evidence import EvidenceLog
from controlplane.agent.submission import find_verdicts
from controlplane.benchmarks.ecom.ecom_benchmark import open_benchmark
from controlplane.gates.submission import Case, Submission
from controlplane.gates.verdicts import RULE_FAILED
from controlplane.sandbox import Ending, ForkServer, Limits, Sandbox, Worker
from controlplane.sandbox.files.folder_host import FolderHost
from controlplane.sandbox.interface import FILE_OPERATIONS, CallError
from controlplane.sandbox.interface.limits import WorkerLimits
from tests.fuzz import generators
from tests.fuzz.frame_targets import ScriptFrames, WorkerFrames
from tests.fuzz.generators import Measured
from tests.fuzz.journal_targets import Exports, Journals, Reports
from tests.fuzz.server_targets import TaskTexts, WireRequests
from tests.fuzz.target import Target
from tests.sandbox.script_world import FILES, NOW, TOOL_SCHEMA

OPERATION_NAMES = [operation.name for operation in FILE_OPERATIONS]

TextFor = Callable[[str], str]
"""Returns a random text to write to a path."""


def random_arguments(
    rng: Random, operation: str, *, known_paths: Sequence[str], text_for: TextFor
) -> dict[str, Any]:
    """Return arguments of an operation: `{"path": "/a#", "start_line": -1, "end_line": 0}`.

    Paths are often known ones. `text_for` makes the content of a `write`.
    """
    paths = list(known_paths)
    path = generators.path(rng, paths)
    if operation == "search":
        return {
            "pattern": generators.pattern(rng),
            "root": path,
            "limit": rng.choice([0, 1, 10, -1]),
        }
    if operation == "find":
        kind = rng.choice(["all", "files", "dirs", "x"])
        name_end = rng.choice(["", "*", "[", "?*" * 100])
        return {
            "name": generators.word(rng) + name_end,
            "root": path,
            "kind": kind,
        }
    if operation == "tree":
        return {"root": path, "level": rng.choice([0, 1, 2, 99, -1])}
    if operation == "read":
        return {
            "path": path,
            "start_line": rng.randrange(-1, 9),
            "end_line": rng.choice([0, 1, 2**70]),
        }
    if operation == "write":
        return {
            "path": path,
            "content": text_for(path),
            "if_match_sha256": rng.choice(["", "", generators.word(rng)]),
        }
    if operation == "exec":
        return random_execution(rng, paths, path)
    return {"path": path}


def random_execution(rng: Random, known_paths: list[str], path: str) -> dict[str, Any]:
    """Return arguments of `exec`, which runs a tool: `{"path": "/bin/sql", "stdin": "select 1"}`.

    SQL and jq get a query, and any other tool some words.
    """
    tools = [known_path for known_path in known_paths if known_path.startswith("/bin/")]
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
        known_path = generators.path(rng, known_paths)
        words.append(rng.choice([word, known_path, "-", "--help"]))
    if tool == "/bin/jq":
        words = [generators.jq(rng), path]
    return {"path": tool, "args": words, "stdin": generators.text(rng)}


ORDINARY_CALL = {"path": "/bin/jq", "args": [".n"], "stdin": '{"n": 42}'}
"""A call of jq whose result must be the same after all others."""


class Shop(Target):
    """Calls of the embedded shop: its files, SQL and jq, with records that a script wrote.

    A call may only fail with `CallError`, and must not change the result of an ordinary call. The
    tools run in a worker, a process that is ended when one call has used 0.25 s of CPU.
    """

    LIMITS = WorkerLimits(
        call_cpu_s=0.25, trial_cpu_s=1e6
    )  # no limit for all calls together
    CALLS_PER_TRIAL = 400
    """After so many calls, a new trial starts with fresh records."""
    CALLS_PER_CHECK = 40
    """After so many calls, the ordinary call is made."""

    def __init__(self) -> None:
        super().__init__()
        opened = open_benchmark("", {}, BenchmarkContext())
        self._benchmark = opened.benchmark
        self._server = self._resources.enter_context(ForkServer(opened.worker_modules))
        self._resources.callback(lambda: self._worker.close())
        self._worker = Worker(self._server, limits=self.LIMITS)
        self._trial_id = ""
        self._start_trial(attempt=0)

    def _start_trial(self, attempt: int) -> None:
        """End the current trial, if any, and start one with fresh records and a new worker."""
        self._calls = 0
        if self._trial_id:
            self._benchmark.end_trial(self._trial_id)
        self._worker.close()
        self._worker = Worker(self._server, limits=self.LIMITS)
        task = TaskTry("basket-checkout.1", attempt)
        run = self._benchmark.start_run(RunRequest("fuzz", (task,), seed=attempt))
        self._trial_id = run.trials[0].trial_id
        trial = self._benchmark.start_trial(self._trial_id)
        assert trial.use_worker is not None
        trial.use_worker(self._worker)
        self._environment = trial.environment
        all_files = {"name": "*", "root": "/", "kind": "files", "limit": 0}
        paths: Any = self._environment.call("find", all_files)["paths"]
        self._known_paths: list[str] = paths
        self._ordinary_result = self._environment.call("exec", ORDINARY_CALL)

    def _text_at(self, path: str) -> str:
        """Return the text of a file, or an empty record if there is none."""
        try:
            return str(self._environment.call("read", {"path": path})["content"])
        except CallError:
            return "{}"

    def play_one(self, rng: Random) -> None:
        operation = rng.choice(OPERATION_NAMES)
        arguments = random_arguments(
            rng,
            operation,
            known_paths=self._known_paths,
            text_for=lambda path: generators.record(rng, self._text_at(path)),
        )
        with suppress(CallError):
            Measured.call(
                f"{operation} {arguments}",
                lambda: self._environment.call(operation, arguments),
            )
        self._calls += 1
        if self._calls % self.CALLS_PER_CHECK == 0:
            result = self._environment.call("exec", ORDINARY_CALL)
            assert result == self._ordinary_result
        if self._calls == self.CALLS_PER_TRIAL:
            self._start_trial(rng.randrange(1_000))


FOLDER_FILES = {
    "a.csv": "id,n\n1,2\n",
    "d/b.json": '{"id": 1}',
    "c.sql": "select 1;",
    "e.db": "x",
}
"""The files of the folder, by their paths; `e.db` is not a database, as its name says."""


class Folder(Target):
    """Random scripts over a folder on disk, to find calls that crash, hang or end the sandbox.

    A sandboxed process runs the script. It sends each call to the test's process, which checks
    the call and reads or writes the file.
    """

    KNOWN_PATHS = ("/a.csv", "/d/b.json", "/c.sql", "/e.db", "/d", "/")
    CALLS_PER_SCRIPT = 8
    SCRIPT_HEAD = """
def attempt(call):
    try:
        call()
    except (HarnessError, FileNotFoundError, TypeError):
        pass
"""
    """Calls of a script may fail with these exceptions, and no others."""

    def __init__(self) -> None:
        super().__init__()
        root = Path(self._resources.enter_context(TemporaryDirectory()))
        (root / "d").mkdir()
        for name, text in FOLDER_FILES.items():
            (root / name).write_text(text)
        host = FolderHost(root, datetime(2026, 1, 1, tzinfo=UTC))
        limits = Limits(step_wall_s=20.0)
        self._sandbox = self._resources.enter_context(
            Sandbox(host.tool_schema, host, now=NOW, seed=1, limits=limits)
        )

    def play_one(self, rng: Random) -> None:
        """Run a script of 8 calls such as `attempt(lambda: harness.list(**{'path': '/d'}))`."""

        def random_csv_text(path: str) -> str:
            """Return a damaged copy of `a.csv` to write to any path."""
            return generators.record(rng, FOLDER_FILES["a.csv"])

        script = self.SCRIPT_HEAD
        for _ in range(self.CALLS_PER_SCRIPT):
            operation = rng.choice(OPERATION_NAMES)
            arguments = random_arguments(
                rng,
                operation,
                known_paths=self.KNOWN_PATHS,
                text_for=random_csv_text,
            )
            script += f"attempt(lambda: harness.{operation}(**{arguments!r}))\n"

        # Raises `AssertionError` if the test's process spends much CPU time on the script's calls.
        result = Measured.call(script, lambda: self._sandbox.run(script))

        # LIMIT: the script was ended because it took too much time or memory, as it should be.
        is_expected = result.ending in (Ending.FINISHED, Ending.LIMIT)
        assert is_expected, (result.error[:500], script[:2_000])


class Evidence(Target):
    """Random calls and results, citations of them, and submissions that are judged.

    The *evidence log* records what a script read. *Gates* are checks that compare the submitted
    answer with the log.
    """

    KNOWN_PATHS = (*FILES, "/proc", "/bin/id", "/bin/cat", "/bin/checkout")
    INPUTS_PER_LOG = 300
    INPUTS_PER_SUBMISSION = 10
    GATES = 7
    """A submission that can be judged has at least so many verdicts: one of each gate."""

    def __init__(self) -> None:
        super().__init__()
        self._inputs = 0

    def play_one(self, rng: Random) -> None:
        if self._inputs % self.INPUTS_PER_LOG == 0:
            self._log = EvidenceLog(TOOL_SCHEMA)
        self._inputs += 1
        self._record_call(rng)
        self._cite(rng)
        if self._inputs % self.INPUTS_PER_SUBMISSION == 0:
            self._submit(rng)

    def _record_call(self, rng: Random) -> None:
        operation = rng.choice(TOOL_SCHEMA.operations)
        arguments = random_arguments(
            rng,
            operation.name,
            known_paths=self.KNOWN_PATHS,
            text_for=lambda path: generators.text(rng),
        )
        result: Any = {field.name: generators.data(rng) for field in operation.fields}
        if rng.random() < 0.5:
            result["path"] = generators.path(rng, list(self.KNOWN_PATHS))
            result["content"] = generators.text(rng)
        error = None
        if rng.random() < 0.2:
            code = rng.choice(["not_found", "internal"])
            error = CallError(code, generators.word(rng))
        Measured.call(
            f"record {operation.name}",
            lambda: self._log.record(operation.name, arguments, result, error),
        )

    def _cite(self, rng: Random) -> None:
        path = generators.path(rng, list(self.KNOWN_PATHS))
        # These words make the reason long enough. A shorter one is refused unread.
        reason = generators.text(rng) + " stock same day"
        with suppress(ValueError):
            Measured.call(
                f"cite {path}", lambda: self._log.citations.check(path, reason)
            )

    def _submit(self, rng: Random) -> None:
        """Let the shop's rules judge a random answer; no rule may fail by an error of its own."""
        citations: Any = {}
        for _ in range(5):
            path = generators.path(rng, list(self.KNOWN_PATHS))
            citations[path] = generators.text(rng)
        outcomes = ["OUTCOME_OK", "OUTCOME_DENIED_SECURITY", generators.data(rng)]
        scratchpad = {
            "answer": rng.choice([generators.text(rng), generators.data(rng)]),
            "outcome": rng.choice(outcomes),
            "refs_why": rng.choice([citations, generators.data(rng)]),
            "facts": generators.data(rng),
            "tokens": generators.data(rng),
            "changes": generators.data(rng),
        }
        case = Case(
            instruction=generators.text(rng)
            + " Answer with the number only, <COUNT:%d>.",
            rules=generators.text(rng),
        )
        submission = Submission.from_scratchpad(scratchpad, None)

        def judge() -> Any:
            return find_verdicts(
                worker=None,
                submission=submission,
                evidence=self._log.view(),
                case=case,
                rule_sets=("ecom",),
            )

        verdicts = Measured.call(f"judge {scratchpad}", judge)

        # Either all gates have a verdict, or the one verdict says why none could judge.
        is_judged = len(verdicts) >= self.GATES
        assert is_judged or verdicts[0].name == "judging", verdicts
        for verdict in verdicts:
            assert not verdict.reason.startswith(RULE_FAILED), verdicts


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
"""The targets by the names that `python -m tests.fuzz --target NAME` takes."""
