"""What hostile trials cost the parent, beside what they may cost it. Run it by hand:

    python tests/bench/parent_limits.py [NAME ...]

Each trial runs in a process of its own, with all walls, an aide and a journal. CPU is that of the parent alone, which
collects garbage as a run does: a message of the script with its answer may take 10 ms and 4 MB for each 100 KB passed
(100 KB at least), a submission 50 ms; a trial may add 60 MB to the parent. A trial is OVER if one message in a hundred
costs more than it may, or its mean message: the worst one often meets a disk or a collection of garbage. Memory is
traced in a second, shorter run.
"""

from __future__ import annotations

import contextlib
import gc
import json
import subprocess
import sys
import tempfile
import time
import tracemalloc
import zoneinfo
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, NamedTuple

ROOT = Path(__file__).parent.parent.parent
sys.path.insert(0, str(ROOT))

from sandbox.interface import (  # noqa: E402 - found by the path above
    FILE_OPERATIONS,
    CallError,
    Executable,
    ExecutableKind,
    FileArguments,
    Plain,
    Surface,
)

CALL_MS, CALL_MB, SUBMISSION_MS, TRIAL_MB = 10.0, 4.0, 50.0, 60.0
TRACED_CALLS = 60
ANSWER = "\nscratchpad.update(answer=ANSWER, outcome='OUTCOME_OK')\nharness.answer(scratchpad, lambda sp: True)\n"
TRY = """
def tried(act, *given):
    try:
        return act(*given)
    except Exception as error:
        return error
"""
FILE = "f'/f{k}-{NUMBER}'"
PROSE = "words and more " * 30_000
ASTRAL = "\U0001d7d8\U0001f600 " * 80_000
ZONES = sorted(each for each in zoneinfo.available_timezones() if "/" in each and "Etc" not in each)[:100]
DENSE = "[" + "1," * 40_000 + "1]"


class Trial(NamedTuple):
    """Scripts of one trial, and what its environment returns."""

    scripts: tuple[str, ...]
    result: Callable[[str, Mapping[str, Plain]], dict[str, Plain]] | None = lambda name, given: {
        "content": "some words"
    }
    """None: the embedded world answers, in its aide."""


def constant(content: Plain) -> Callable[[str, Mapping[str, Plain]], dict[str, Plain]]:
    return lambda name, given: {"path": given.get("path", "/"), "content": content}


def entries(count: int, name: str) -> Callable[[str, Mapping[str, Plain]], dict[str, Plain]]:
    def result(operation: str, given: Mapping[str, Plain]) -> dict[str, Plain]:
        folder = given.get("path", "/")
        return {
            "entries": [{"name": "n", "path": f"{folder}/{name}{at}", "is_dir": at % 2 == 0} for at in range(count)]
        }

    return result


def fail(message: str) -> Callable[[str, Mapping[str, Plain]], dict[str, Plain]]:
    def result(operation: str, given: Mapping[str, Plain]) -> dict[str, Plain]:
        raise CallError("unavailable", message)

    return result


def deep(operation: str, given: Mapping[str, Plain]) -> dict[str, Plain]:
    return {"content": json.loads("[" * 90 + "]" * 90)}


def tree(operation: str, given: Mapping[str, Plain]) -> dict[str, Plain]:
    node: dict[str, Plain] = {"name": "n" * 1000, "is_dir": True, "children": []}
    for at in range(8):
        node = {"name": f"{at}" * 200, "is_dir": True, "children": [node, *({"name": f"f{k}"} for k in range(200))]}
    return node


def changing(value: str, before: str = "") -> Trial:
    """Return a trial whose scratchpad is another one at every call."""
    return Trial(
        (TRY + before + f"for k in range(12):\n    scratchpad['v'] = {value}\n    tried(harness.read, f'/f{{k}}')\n",)
    )


def world(code: str, steps: int = 1) -> Trial:
    """Return a trial of the embedded world."""
    return Trial((TRY + code,) * steps, None)


MANY_FILES = "for k in range(900): tried(harness.read, f'/f{k}' if NUMBER == 0 else f'/f{k}-{NUMBER}')\n"
FEW = "for k in range(100):\n    tried(harness.read, f'/f{k}-{NUMBER}')\n"
MANY = "for k in range(900):\n    tried(harness.read, f'/f{k}-{NUMBER}')\n"
TRIALS: dict[str, Trial] = {
    "ordinary": Trial((TRY + "for k in range(20): harness.read(f'/f{k}')\n",)),
    "largest results": Trial((TRY + MANY,) * 1, constant("words and more " * 60_000)),
    "different large results": Trial((TRY + MANY,) * 3, lambda name, given: {"content": f"{given} {PROSE}"}),
    "astral texts": Trial((TRY + FEW,), lambda name, given: {"content": f"{given} {ASTRAL}"}),
    "control characters": Trial((TRY + FEW,), lambda name, given: {"content": f"{given}" + "\1" * 300_000}),
    "many tiny values": Trial((TRY + FEW,), constant([0] * 9_900)),
    "many tiny mappings": Trial((TRY + FEW,), constant([{"a": 1}] * 1_290)),
    "deep results": Trial((TRY + FEW,), deep),
    "dense scratchpad: numbers": changing("[k + 1] * 150_000"),
    "dense scratchpad: floats": changing("[k + 0.5] * 150_000"),
    "dense scratchpad: lists": changing("[[]] * 4_900 + [k]"),
    "dense scratchpad: mappings": changing("[{'': k}] * 4_900"),
    "dense scratchpad: keys": changing("{f'{j}-{k}': 1 for j in range(30_000)}"),
    "dense scratchpad: texts": changing("['é'] * 80_000 + [k]"),
    "dense scratchpad: tuples": changing("[()] * 2_400 + [k]"),
    "dense scratchpad: times": changing(
        "[datetime.datetime(2020, 1, 1, tzinfo=datetime.UTC)] * 990 + [k]", "import datetime\n"
    ),
    "dense scratchpad: dates as keys": changing(
        "{datetime.datetime(2020, 1, 1) + datetime.timedelta(j): k for j in range(990)}", "import datetime\n"
    ),
    "dense scratchpad: zones": changing(
        "[datetime.datetime(2020, 1, 1, tzinfo=zoneinfo.ZoneInfo(each)) for each in KEYS[k % 50:][:50] * 19]",
        f"import datetime, zoneinfo\nKEYS = {ZONES}\n",
    ),
    "dense scratchpad: odd keys": changing("{j: k for j in range(4_900)}"),
    "huge scratchpads": Trial(
        (
            TRY
            + "for k in range(40):\n    scratchpad['v'] = str(k) + 'x' * 900_000\n    tried(harness.read, f'/f{k}')\n",
        )
    ),
    "long paths": Trial((TRY + "for k in range(100): tried(harness.read, '/' + str(k) + 'a' * 100_000)\n",)),
    "paths of the longest kind": Trial(
        (TRY + "for k in range(900): tried(harness.read, f'/{k}-{NUMBER}' + 'é' * 1_000)\n",) * 5
    ),
    "long reasons": Trial((TRY + "for k in range(100): tried(scratchpad.cite, '/a', 'r' * 400_000)\n",)),
    "many citations": Trial((TRY + "scratchpad['refs_why'] = {f'/f{k}': 'reason ' * 9 for k in range(9_000)}\n",)),
    "unread long citations": Trial(
        (
            TRY + "for k in range(400): tried(harness.read, f'/{k}' + 'a' * 1_000)\n",
            TRY + "for k in range(500): tried(scratchpad.cite, f'/{k}' + 'a' * 1_000 + 'b', 'long enough')\n",
        )
    ),
    "a cite after each call": Trial(
        (TRY + f"for k in range(500): harness.write({FILE}, 'x'); tried(scratchpad.cite, {FILE}, 'I wrote it')\n",) * 9
    ),
    "many changes": Trial(
        (TRY + "for k in range(500): harness.write(f'/d/f{k}-{NUMBER}', 'x'); harness.list('/d')\n",) * 9,
        entries(3, "x"),
    ),
    "listings": Trial((TRY + "for k in range(100): tried(harness.list, f'/l{k}')\n",) * 3, entries(1_290, "file")),
    "trees": Trial((TRY + "for k in range(100): tried(harness.tree, f'/l{k}')\n",), tree),
    "failures with huge messages": Trial((TRY + MANY,) * 5, fail("no " * 300_000)),
    "printing floods": Trial((TRY + "for k in range(30_000): print('x' * 1_000)\n",) * 5),
    "the largest answer": Trial((TRY + "harness.read('/a')\nANSWER = '1,1 ' * 200_000\n",)),
    "an answer of patterns": Trial((TRY + "ANSWER = ('<COUNT:%d> ' + '-' * 50 + '1.' * 50) * 2_000\n",)),
    "dense facts": Trial((TRY + f"scratchpad['facts'] = {{'a': {DENSE}}}\n",)),
    "facts of mappings": Trial(
        (
            TRY + "scratchpad['facts'] = {f'f{k}': {'value': k, 'description': 'd' * 9, 'source': '/a', "
            "'confidence': 'verified'} for k in range(4_900)}\n",
        )
    ),
    "dense tokens": Trial((TRY + "scratchpad['tokens'] = [['a', 'b']] * 4_900\n",)),
    "dense changes": Trial(
        (TRY + "scratchpad['changes'] = [{'path': f'/p{k}', 'action': 'write'} for k in range(4_900)]\n",)
    ),
    "references to all that was read": Trial(
        (
            TRY + MANY_FILES + "scratchpad['refs_why'] = {f'/f{k}': 'reason ' * 9 for k in range(900)}\n",
            TRY + "NUMBER = 9\n" + MANY_FILES,
            TRY + "NUMBER = 8\n" + MANY_FILES,
            TRY + "NUMBER = 7\n" + MANY_FILES,
        ),
        lambda name, given: {"content": f"{given} some words"},
    ),
    "many answers": Trial(
        (
            TRY + "scratchpad.update(answer='no ' * 30_000, outcome='OUTCOME_OK')\n"
            "for k in range(50): tried(harness.answer, scratchpad, lambda sp: True)\n",
        )
    ),
    "refused citations that keep": Trial(
        (TRY + "for k in range(40):\n    scratchpad['v'] = [k] * 30_000\n    tried(scratchpad.cite, '/a', 'long')\n",)
    ),
    "exceptions with huge messages": Trial((TRY + "raise ValueError('x' * 50_000_000)\n",) * 9),
    "exceptions of deep frames": Trial(
        (
            TRY + "def deep(n):\n    return deep(n + 1) if n < 900 else 1 / 0\n"
            "for k in range(9): tried(deep, k)\ndeep(0)\n",
        )
        * 9
    ),
    "unknown zones": Trial(
        (TRY + "import zoneinfo\nfor k in range(900): tried(zoneinfo.ZoneInfo, f'A/{k}-{NUMBER}')\n",)
    ),
    "zones": Trial((TRY + "import zoneinfo\n" + f"for key in {ZONES} * 9: tried(zoneinfo.ZoneInfo.no_cache, key)\n",)),
    "world: a thousand small calls": world("for k in range(900): tried(harness.stat, '/docs')\n", 3),
    "world: large arguments": world(
        "for k in range(50): tried(harness.exec, '/bin/cat', [], str(k) + 'x' * 900_000)\n", 2
    ),
    "world: many large files": world(
        "for k in range(50): tried(harness.write, f'/t/{k}-{NUMBER}', str(k) + 'word ' * 150_000)\n", 2
    ),
    "world: long lines found": world(
        "harness.write('/t', ('x' * 200 + chr(10)) * 4_000)\n"
        "for k in range(60): tried(harness.search, 'x', '/t', 2_000)\n"
    ),
    "world: short lines found": world(
        "harness.write('/t', ('x' + chr(10)) * 9_000)\n"
        "for k in range(100): tried(harness.search, f'x|{k}', '/t', 2_000)\n"
    ),
    "world: dense queries": world(
        "for k in range(60): tried(harness.exec, '/bin/sql', [], f'with recursive n(x) as (select {k} union all select "
        "x + 1 from n limit 60000) select x from n')\n"
    ),
    "world: dense JSON": world(
        "for k in range(60): tried(harness.exec, '/bin/jq', ['.'], '[' + '[],' * 1_290 + str(k) + ']')\n"
    ),
    "world: many files": world(
        "for k in range(900): tried(harness.write, f'/t/{k}-{NUMBER}', 'x')\n"
        "for k in range(50): tried(harness.list, '/t')\n",
        4,
    ),
    "world: many arguments": world(
        "for k in range(100): tried(harness.exec, '/bin/cat', [f'/{k}-{j}' for j in range(1_000)])\n"
    ),
    "world: overruns": world(
        "harness.write('/x', 'a' * 80)\nfor k in range(4): tried(harness.search, '(a|a)*c', '/x')\n"
    ),
    "world: overruns beside large changes": world(
        "for k in range(4): tried(harness.write, f'/t/{k}', 'x' * 450_000)\n"
        "for k in range(4): tried(harness.search, '(x|x)*c', '/t'); harness.stat('/docs')\n"
        "for k in range(100): tried(harness.write, f'/t/more{k}', 'x' * 250_000); harness.stat('/docs')\n"
    ),
    "arguments of executions": Trial(
        (TRY + "for k in range(300): tried(harness.exec, '/bin/cat', [f'/{k}-{j}' for j in range(1_000)])\n",) * 2,
        lambda name, given: {"stdout": "ten words", "stderr": "", "exit_code": 0},
    ),
    "lines of a search": Trial(
        (TRY + "for k in range(200): tried(harness.search, 'x')\n",),
        lambda name, given: {
            "matches": [{"path": f"/s{at % 100}", "line": at, "text": f"{id(given)} line {at}"} for at in range(1_290)]
        },
    ),
}


class Meter:
    """What the parent's thread spent on each message, and on submissions."""

    def __init__(self, *, traces: bool) -> None:
        self.traces = traces
        self.clear()

    def clear(self) -> None:
        self.rows: list[tuple[float, float, float]] = []
        """Seconds, KB and MB of each message."""
        self.submission_s = 0.0
        self.passed = 0
        self.of_desk_s = 0.0
        self.depth = 0

    def begin(self) -> None:
        """Start a message, unless one is being served."""
        if not self.depth:
            self.started, self.passed, self.of_desk_s, self.peak = time.process_time(), 0, 0.0, 0
            if self.traces:
                tracemalloc.reset_peak()
                self.base = tracemalloc.get_traced_memory()[0]

    def note_peak(self) -> None:
        if self.traces:
            self.peak = max(self.peak, tracemalloc.get_traced_memory()[1] - self.base)

    def end(self) -> None:
        if not self.depth:
            took = time.process_time() - self.started - self.of_desk_s
            self.note_peak()
            self.rows.append((took, self.passed / 1_000, self.peak / 1e6))

    def of_desk(self, work: Callable[[], dict[str, Plain]]) -> dict[str, Plain]:
        """Return a result of the environment; what it costs there is not the parent's."""
        started = time.process_time()
        try:
            return work()
        finally:
            self.note_peak()
            self.of_desk_s += time.process_time() - started

    def size(self, result: dict[str, Plain]) -> None:
        """Add the size of a result to what was passed."""
        started = time.process_time()
        self.note_peak()
        self.passed += len(str(result).encode("utf-8", "replace"))
        if self.traces:
            tracemalloc.reset_peak()
        self.of_desk_s += time.process_time() - started


def play(name: str, *, traces: bool) -> dict[str, float]:
    """Play one trial and return what it cost this process."""
    from agent.evidence import Recorder
    from agent.loop import TrialContext, TrialSession
    from agent.loop.script_host import ScriptHost, sandbox_of
    from agent.submission import GateSettings, judging_modules
    from benchmarks.ecom.ecom_benchmark import open_benchmark
    from controlplane import BenchmarkContext, RunRequest, TaskTry
    from controlplane.__main__ import OBJECTS_BETWEEN_COLLECTIONS
    from controlplane.journal.journal_writer import JournalWriter
    from sandbox import ALL_WALLS, Aide, ForkServer, Limits
    from sandbox.parent.cpu_share import CpuShare
    from sandbox.parent.parent_step import Step
    from sandbox.process.frames import FrameReader

    meter = Meter(traces=traces)
    real_serve, real_answer, real_receive = Step._serve, ScriptHost.answer, Step._receive
    real_body, real_ended = FrameReader.receive_body, Step._ended

    def serve(self: Step, frame: list[object]) -> None:
        meter.depth += 1
        try:
            real_serve(self, frame)
        finally:
            meter.depth -= 1
            if frame[0] != "answer":
                meter.end()

    def receive(self: Step) -> list[object]:
        meter.begin()
        return real_receive(self)

    def ended(self: Step, frame: list[object]) -> object:
        try:
            return real_ended(self, frame)
        finally:
            meter.end()

    def answer(self: ScriptHost, *given: object) -> None:
        started = time.process_time()
        try:
            real_answer(self, *given)
        finally:
            meter.submission_s = max(meter.submission_s, time.process_time() - started)

    def receive_body(self: FrameReader, *given: Any) -> bytes:
        body = real_body(self, *given)
        meter.passed += len(body)
        return body

    Step._serve, Step._ended, ScriptHost.answer, Step._receive = serve, ended, answer, receive
    FrameReader.receive_body = receive_body
    CpuShare.take = lambda self, cpu_s: None  # Waiting costs no CPU, and would take hours.
    trial = TRIALS[name]
    limits = Limits(step_calls=TRACED_CALLS) if traces else Limits()
    with tempfile.TemporaryDirectory() as folder, contextlib.ExitStack() as held:
        writer = JournalWriter(Path(folder, "j.jsonl"), create=True)
        opened = open_benchmark("", {}, BenchmarkContext())
        server = held.enter_context(ForkServer((*judging_modules(("ecom",)), *opened.aide_modules)))
        context = TrialContext("t", "t", "How many? Answer <COUNT:%d>.", datetime(2026, 1, 1, tzinfo=UTC))

        def run(trial: Trial, scripts: tuple[str, ...]) -> None:
            aide = held.enter_context(Aide(server))
            if trial.result is None:
                started = opened.benchmark.start_run(RunRequest("r", (TaskTry("basket-checkout.1", 1),), seed=1))
                begun = opened.benchmark.start_trial(started.trials[0].trial_id)
                begun.use_aide(aide)
                desk = Desk(meter, begun.environment.surface, begun.environment.call, is_free=False)
            else:
                desk = Desk(meter, SURFACE, trial.result, is_free=True)
            session = TrialSession(context, Recorder("t", desk, writer.write, aide=aide), GateSettings(packs=("ecom",)))
            box = held.enter_context(sandbox_of(session, server, limits, ALL_WALLS))
            left = [*scripts]
            for number in range(len(scripts) + 1):
                script = left.pop(0) if left else ANSWER  # Once more, where the last script did not come to it.
                with session.step() as fields:
                    result = box.run(f"NUMBER, ANSWER = {number}, '7'\n{script}")
                    fields.update(output=result.output, scratchpad=result.scratchpad, error=result.error)
                    if "--show" in sys.argv:
                        print(result.ending, result.error[:300], result.output[-300:], file=sys.stderr)
                if not left and meter.submission_s:
                    return

        if traces:
            tracemalloc.start()
        ordinary = TRIALS["ordinary"]
        run(ordinary, (*ordinary.scripts, ANSWER))
        gc.set_threshold(OBJECTS_BETWEEN_COLLECTIONS)
        meter.clear()
        before = peak_mb(reset=True)
        run(trial, (*trial.scripts[: 1 if traces else None][:-1], trial.scripts[0 if traces else -1] + ANSWER))
        trial_mb = peak_mb() - before
    rows = meter.rows or [(0.0, 0.0, 0.0)]
    units = [max(kb / 100, 1) for _, kb, _ in rows]
    of_ms = sorted(100_000 * took / unit / CALL_MS for (took, _, _), unit in zip(rows, units, strict=True))
    return {
        "messages": len(rows),
        "kb": sum(kb for _, kb, _ in rows) / len(rows),
        "ms": 1_000 * sum(took for took, _, _ in rows) / len(rows),
        "mean": 100_000 * sum(took for took, _, _ in rows) / sum(units) / CALL_MS,
        "most": of_ms[int(len(of_ms) * 0.99)] if len(of_ms) > 1 else of_ms[-1],
        "worst": of_ms[-1],
        "submission": 1_000 * meter.submission_s,
        "mb": trial_mb,
        "memory": max(mb / unit for (_, _, mb), unit in zip(rows, units, strict=True)),
    }


CAT = Executable("/bin/cat", ExecutableKind.READS, files=FileArguments())
SURFACE = Surface(operations=tuple(FILE_OPERATIONS), executables=(CAT,))


class Desk:
    """An environment that returns what the trial says; with `is_free` what it does there is not counted."""

    def __init__(
        self,
        meter: Meter,
        surface: Surface,
        result: Callable[[str, Mapping[str, Plain]], dict[str, Plain]],
        *,
        is_free: bool,
    ) -> None:
        self.meter = meter
        self.surface = surface
        self.result = result
        self.is_free = is_free

    def call(self, operation: str, arguments: Mapping[str, Plain]) -> dict[str, Plain]:
        def work() -> dict[str, Plain]:
            return self.result(operation, arguments)

        result = self.meter.of_desk(work) if self.is_free else work()
        self.meter.size(result)
        return result

    def answer(self, message: str, outcome: str, refs: object) -> None:
        pass

    def now(self) -> None:
        return None


def peak_mb(*, reset: bool = False) -> float:
    """Return the most memory that this process has held, in MB, since the last reset."""
    if reset:
        Path("/proc/self/clear_refs").write_text("5")
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(each.split()[1]) for each in lines if each.startswith("VmHWM")) / 1_000


def main() -> None:
    if sys.argv[1:2] == ["--play"]:
        print(json.dumps(play(sys.argv[2], traces=sys.argv[3] == "memory")))
        return
    print(
        f"{'of what a message may cost:':39}{'mean':>7}{'99 %':>8}{'worst':>7}{'memory':>8}"
        f"{'submission':>13}{'trial':>9}"
    )
    for name in sys.argv[1:] or TRIALS:
        spent, traced = (played(name, mode) for mode in ("time", "memory"))
        over = (
            max(spent["mean"], spent["most"]) > 100
            or traced["memory"] > CALL_MB
            or spent["submission"] > SUBMISSION_MS
            or spent["mb"] > TRIAL_MB
        )
        print(
            f"{name:28}{spent['messages']:6.0f}{spent['kb']:8.1f} KB{spent['mean']:5.0f} %{spent['most']:6.0f} %"
            f"{spent['worst']:5.0f} %{traced['memory']:5.1f} MB{spent['submission']:10.1f} ms{spent['mb']:6.1f} MB"
            f"{'  OVER' if over else ''}",
            flush=True,
        )


def played(name: str, mode: str) -> dict[str, float]:
    """Return what the trial cost a process of its own; nothing, with the reason told, if it broke."""
    made = subprocess.run([sys.executable, __file__, "--play", name, mode], stdout=subprocess.PIPE, text=True)
    if made.returncode:
        raise SystemExit(f"{name}: the process that played it ended with {made.returncode}")
    spent: dict[str, float] = json.loads(made.stdout)
    return spent


if __name__ == "__main__":
    main()
