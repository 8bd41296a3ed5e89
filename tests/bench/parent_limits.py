"""What hostile trials cost the parent, beside what they may cost it. Run it by hand:

    python tests/bench/parent_limits.py [NAME ...]

Each trial runs in a process of its own, with all walls, an aide and a journal. CPU is that of the parent alone: a call
may take 10 ms for each 100 KB passed (10 ms at least), a submission 50 ms; a trial may add 60 MB to the parent.
"""

from __future__ import annotations

import contextlib
import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple

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

CALL_MS, SUBMISSION_MS, TRIAL_MB = 10.0, 50.0, 60.0
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
DENSE = "[" + "1," * 40_000 + "1]"


class Trial(NamedTuple):
    """Scripts of one trial, and what its environment returns."""

    scripts: tuple[str, ...]
    result: Callable[[str, Mapping[str, Plain]], dict[str, Plain]] = lambda name, given: {"content": "some words"}


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
    for at in range(40):
        node = {"name": f"{at}" * 200, "is_dir": True, "children": [node, *({"name": f"f{k}"} for k in range(200))]}
    return node


MANY = "for k in range(900):\n    tried(harness.read, f'/f{k}-{NUMBER}')\n"
TRIALS: dict[str, Trial] = {
    "ordinary": Trial((TRY + "for k in range(20): harness.read(f'/f{k}')\n",)),
    "largest results": Trial((TRY + MANY,) * 3, constant("words and more " * 60_000)),
    "different large results": Trial((TRY + MANY,) * 3, lambda name, given: {"content": f"{given} {PROSE}"}),
    "astral texts": Trial((TRY + MANY,), lambda name, given: {"content": f"{given} {ASTRAL}"}),
    "control characters": Trial((TRY + MANY,), lambda name, given: {"content": f"{given}" + "\1" * 300_000}),
    "many tiny values": Trial((TRY + MANY,), constant([0] * 40_000)),
    "many tiny mappings": Trial((TRY + MANY,), constant([{"a": 1}] * 20_000)),
    "deep results": Trial((TRY + MANY,), deep),
    "dense scratchpad": Trial((TRY + f"scratchpad['v'] = {DENSE}\n" + MANY,)),
    "huge scratchpads": Trial(
        (
            TRY
            + "for k in range(900):\n    scratchpad['v'] = str(k) + 'x' * 900_000\n    tried(harness.read, f'/f{k}')\n",
        )
    ),
    "long paths": Trial((TRY + "for k in range(900): tried(harness.read, '/' + str(k) + 'a' * 100_000)\n",)),
    "paths of the longest kind": Trial(
        (TRY + "for k in range(900): tried(harness.read, f'/{k}-{NUMBER}' + 'é' * 1_000)\n",) * 5
    ),
    "long reasons": Trial((TRY + "for k in range(900): tried(scratchpad.cite, '/a', 'r' * 400_000)\n",)),
    "many citations": Trial((TRY + "scratchpad['refs_why'] = {f'/f{k}': 'reason ' * 9 for k in range(9_000)}\n",)),
    "unread long citations": Trial(
        (
            TRY + "for k in range(400): tried(harness.read, f'/{k}' + 'a' * 1_000)\n",
            TRY + "for k in range(500): tried(scratchpad.cite, f'/{k}' + 'a' * 1_000 + 'b', 'long enough')\n",
        )
    ),
    "a cite after each call": Trial(
        (TRY + f"for k in range(500): harness.write({FILE}, 'x'); tried(scratchpad.cite, {FILE}, 'I wrote it')\n",) * 20
    ),
    "many changes": Trial(
        (TRY + "for k in range(500): harness.write(f'/d/f{k}-{NUMBER}', 'x'); harness.list('/d')\n",) * 18,
        entries(3, "x"),
    ),
    "listings": Trial((TRY + "for k in range(900): tried(harness.list, f'/l{k}')\n",) * 3, entries(3_000, "file")),
    "trees": Trial((TRY + "for k in range(900): tried(harness.tree, f'/l{k}')\n",), tree),
    "failures with huge messages": Trial((TRY + MANY,) * 5, fail("no " * 300_000)),
    "printing floods": Trial((TRY + "for k in range(100_000): print('x' * 1_000)\n",) * 5),
    "the largest answer": Trial((TRY + "harness.read('/a')\nANSWER = '1,1 ' * 200_000\n",)),
    "an answer of patterns": Trial((TRY + "ANSWER = ('<COUNT:%d> ' + '-' * 50 + '1.' * 50) * 2_000\n",)),
    "dense facts": Trial((TRY + f"scratchpad['facts'] = {{'a': {DENSE}}}\n",)),
    "arguments of executions": Trial(
        (TRY + "for k in range(900): tried(harness.exec, '/bin/cat', [f'/{k}-{j}' for j in range(5_000)])\n",) * 2,
        lambda name, given: {"stdout": "ten words", "stderr": "", "exit_code": 0},
    ),
    "lines of a search": Trial(
        (TRY + "for k in range(900): tried(harness.search, 'x')\n",),
        lambda name, given: {
            "matches": [{"path": f"/s{at % 100}", "line": at, "text": f"{id(given)} line {at}"} for at in range(5_000)]
        },
    ),
}


def play(name: str) -> dict[str, float]:
    """Play one trial and return what it cost this process."""
    from agent.evidence import Recorder
    from agent.loop import TrialContext, TrialSession
    from agent.loop.script_host import ScriptHost, sandbox_of
    from agent.submission import GateSettings, judging_modules
    from controlplane.journal.journal_writer import JournalWriter
    from sandbox import ALL_WALLS, Aide, ForkServer, Limits
    from sandbox.parent import parent_step
    from sandbox.parent.parent_step import Step

    spent = {"call": 0.0, "calls": 0.0, "worst": 0.0, "submission": 0.0, "kb": 0.0}
    real_serve, real_answer, real_receive = Step._serve, ScriptHost.answer, Step._receive
    real_body = parent_step.receive_body
    inside = [0]

    def serve(self: Step, frame: list[object]) -> None:
        started, of_desk = time.process_time(), desk.cpu_s
        inside[0] += 1
        try:
            real_serve(self, frame)
        finally:
            inside[0] -= 1
            took = time.process_time() - started - (desk.cpu_s - of_desk)
            if frame[0] in ("call", "cite") and not inside[0]:
                spent["calls"] += 1
                spent["call"] += took
                spent["worst"] = max(spent["worst"], took)

    def receive(self: Step) -> list[object]:
        started = time.process_time()
        try:
            return real_receive(self)
        finally:
            spent["call"] += time.process_time() - started

    def answer(self: ScriptHost, *given: object) -> None:
        started = time.process_time()
        try:
            real_answer(self, *given)
        finally:
            spent["submission"] = max(spent["submission"], time.process_time() - started)

    def receive_body(*given: object) -> bytes:
        body = real_body(*given)
        desk.passed += len(body)
        return body

    Step._serve, ScriptHost.answer, Step._receive = serve, answer, receive
    parent_step.receive_body = receive_body
    trial = TRIALS[name]
    desk = Desk(trial.result)
    with tempfile.TemporaryDirectory() as folder, contextlib.ExitStack() as held:
        writer = JournalWriter(Path(folder, "j.jsonl"), create=True)
        server = held.enter_context(ForkServer(judging_modules(("ecom",))))
        aide = held.enter_context(Aide(server))

        def session_of(desk: Desk) -> TrialSession:
            context = TrialContext("t", "t", "How many? Answer <COUNT:%d>.", datetime(2026, 1, 1, tzinfo=UTC))
            return TrialSession(context, Recorder("t", desk, writer.write, aide=aide), GateSettings(packs=("ecom",)))

        def run(desk: Desk, scripts: tuple[str, ...]) -> None:
            session = session_of(desk)
            box = held.enter_context(sandbox_of(session, server, Limits(), ALL_WALLS))
            for number, script in enumerate(scripts):
                with session.step() as fields:
                    result = box.run(f"NUMBER, ANSWER = {number}, '7'\n{script}")
                    fields.update(output=result.output, scratchpad=result.scratchpad, error=result.error)

        run(Desk(TRIALS["ordinary"].result), (*TRIALS["ordinary"].scripts, ANSWER))
        spent.update(dict.fromkeys(spent, 0.0))
        desk.passed = 0
        before = peak_mb(reset=True)
        run(desk, (*trial.scripts[:-1], trial.scripts[-1] + ANSWER))
        spent["mb"] = peak_mb() - before
    spent["kb"] = desk.passed / 1_000
    return spent


class Desk:
    """An environment that returns what the trial says."""

    def __init__(self, result: Callable[[str, Mapping[str, Plain]], dict[str, Plain]]) -> None:
        cat = Executable("/bin/cat", ExecutableKind.READS, files=FileArguments())
        self.surface = Surface(operations=tuple(FILE_OPERATIONS), executables=(cat,))
        self.result = result
        self.passed = 0
        self.cpu_s = 0.0

    def call(self, operation: str, arguments: Mapping[str, Plain]) -> dict[str, Plain]:
        started = time.process_time()
        try:
            result = self.result(operation, arguments)
            self.passed += len(str(result))
            return result
        finally:
            self.cpu_s += time.process_time() - started

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
        print(json.dumps(play(sys.argv[2])))
        return
    print(
        f"{'trial':30} {'calls':>6} {'KB/call':>8} {'ms/call':>8} {'may':>6} {'worst':>7} {'submission':>10} {'MB':>6}"
    )
    for name in sys.argv[1:] or TRIALS:
        made = subprocess.run([sys.executable, __file__, "--play", name], capture_output=True, text=True, timeout=300)
        if made.returncode:
            print(f"{name:30} {made.stderr.strip()[-100:]}")
            continue
        spent = json.loads(made.stdout)
        calls = max(spent["calls"], 1)
        a_call, kb = 1_000 * spent["call"] / calls, spent["kb"] / calls
        may = CALL_MS * max(kb / 100, 1)
        submission = 1_000 * spent["submission"]
        over = a_call > may or submission > SUBMISSION_MS or spent["mb"] > TRIAL_MB
        print(
            f"{name:30} {calls:6.0f} {kb:8.1f} {a_call:8.2f} {may:6.0f} {1_000 * spent['worst']:7.1f} "
            f"{submission:10.1f} {spent['mb']:6.1f}{'  OVER' if over else ''}"
        )


if __name__ == "__main__":
    main()
