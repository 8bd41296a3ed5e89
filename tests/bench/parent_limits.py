"""What hostile trials cost the parent, beside what they may cost it. Run it by hand:

    python -m tests.bench.parent_limits [NAME ...]

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
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from tests.bench.hostile_trials import TRIALS, Trial
from tests.bench.message_meter import SURFACE, Desk, Meter, peak_mb

CALL_MS, CALL_MB, SUBMISSION_MS, TRIAL_MB = 10.0, 4.0, 50.0, 60.0
TRACED_CALLS = 60
ANSWER = "\nscratchpad.update(answer=ANSWER, outcome='OUTCOME_OK')\nharness.answer(scratchpad, lambda sp: True)\n"


def play(name: str, *, traces: bool) -> dict[str, float]:
    """Play one trial and return what it cost this process."""
    from agent.evidence import Recorder
    from agent.loop import TrialContext, TrialSession
    from agent.loop.script_runs import ScriptHost, sandbox_of
    from agent.submission import GateSettings, judging_modules
    from benchmarks.ecom.ecom_benchmark import open_benchmark
    from controlplane import BenchmarkContext, RunRequest, TaskTry
    from controlplane.__main__ import OBJECTS_BETWEEN_COLLECTIONS
    from controlplane.journal.journal_writer import JournalWriter
    from sandbox import ALL_WALLS, Aide, ForkServer, Limits
    from sandbox.interface.frames import FrameReader
    from sandbox.parent.script_sandbox import CpuShare, Step

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
    made = subprocess.run(
        [sys.executable, "-m", "tests.bench.parent_limits", "--play", name, mode], stdout=subprocess.PIPE, text=True
    )
    if made.returncode:
        raise SystemExit(f"{name}: the process that played it ended with {made.returncode}")
    spent: dict[str, float] = json.loads(made.stdout)
    return spent


if __name__ == "__main__":
    main()
