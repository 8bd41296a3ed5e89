"""A tiny benchmark with one operation and no files at all. `--set delay_s=0.2` makes every call slow."""

import time
from collections.abc import Mapping, Sequence
from pathlib import Path

from agent.model import Model
from controlplane import (
    Benchmark,
    BenchmarkContext,
    BenchmarkOption,
    Description,
    RunRequest,
    RunResult,
    RunState,
    StartedRun,
    TaskHead,
    Trial,
    TrialHead,
    TrialScore,
)
from sandbox.interface import CallError, Operation, Parameter, Plain, ResultField, Surface

PLAYED = ("--benchmark", "tests.support.phonebook", "--model", f"scripted:{Path(__file__).with_suffix('.toml')}")
"""What runs it with a player that knows the answers, two mistakes included."""
NUMBERS = {"ada": "17", "grace": "42", "edsger": "68"}
OPTIONS = (BenchmarkOption("delay_s", "seconds that every call takes"),)
LOOKUP = Operation("lookup", (Parameter("name", "str"),), (ResultField("number"),), "the phone number of a person")


class Desk:
    def __init__(self, delay_s: float) -> None:
        self.surface = Surface(operations=(LOOKUP,))
        self.delay_s = delay_s
        self.answers: list[tuple[str, str]] = []

    def call(self, operation: str, arguments: Mapping[str, Plain]) -> dict[str, Plain]:
        time.sleep(self.delay_s)
        number = NUMBERS.get(str(arguments["name"]))
        if number is None:
            raise CallError("not_found", f"nobody is called {arguments['name']}")
        return {"number": number}

    def answer(self, message: str, outcome: str, refs: Sequence[str]) -> None:
        self.answers.append((message, outcome))

    def now(self) -> None:
        return None


class Phonebook:
    def __init__(self, delay_s: float) -> None:
        self.delay_s = delay_s
        self.desks: dict[str, Desk] = {}

    def describe(self, preview_seed: int | None = None) -> Description:
        return Description("phonebook", "phone numbers", tuple(TaskHead(number) for number in NUMBERS))

    def start_run(self, request: RunRequest) -> StartedRun:
        heads = (TrialHead(f"{each.task_id}-{at}", each.task_id) for at, each in enumerate(request.tries))
        return StartedRun("phonebook", tuple(heads))

    def start_trial(self, trial_id: str) -> Trial:
        name = trial_id.rpartition("-")[0]
        self.desks[trial_id] = Desk(self.delay_s)
        return Trial(
            trial_id, name, f"What is the phone number of {name}? Answer with '%d' only.", self.desks[trial_id]
        )

    def end_trial(self, trial_id: str) -> TrialScore:
        name = trial_id.rpartition("-")[0]
        right = self.desks[trial_id].answers == [(NUMBERS[name], "OUTCOME_OK")]
        return TrialScore(trial_id, float(right), () if right else (f"expected {NUMBERS[name]}",))

    def submit_run(self, run_id: str, *, force: bool) -> RunResult:
        scores = tuple(self.end_trial(desk) for desk in self.desks)
        return RunResult(run_id, RunState.EVALUATED, None, scores)

    def get_run(self, run_id: str) -> RunResult:
        return self.submit_run(run_id, force=False)

    def player(self) -> Model | None:
        return None

    def close(self) -> None:
        pass


def open_benchmark(argument: str, settings: Mapping[str, str], context: BenchmarkContext) -> Benchmark:
    return Phonebook(float(settings.get("delay_s", "0")))
