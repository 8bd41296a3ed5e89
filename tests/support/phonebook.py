"""A tiny benchmark: its agent looks up a phone number, by an environment without any files.

The task `ada` asks "What is the phone number of ada? Answer with '%d' only." The one operation,
`lookup(name="ada")`, returns `{"number": "17"}`, and the right answer is `17`.

`controlplane run --benchmark tests.support.phonebook` runs it; with `--set delay_s=0.2` every
call takes 0.2 s.
"""

from collections.abc import Mapping
from pathlib import Path

from controlplane import Benchmark, BenchmarkContext, BenchmarkOption
from controlplane.sandbox.interface import (
    CallError,
    Effect,
    Operation,
    Parameter,
    Plain,
    ResultField,
)
from tests.support.many_trials import OneToolEnvironment, SmallBenchmark

PHONEBOOK_WITH_PLAYER = (
    "--benchmark",
    "tests.support.phonebook",
    "--model",
    f"scripted:{Path(__file__).with_suffix('.toml')}",
)
"""The words behind `controlplane run` that run the benchmark with the replies of
`phonebook.toml` for a model. They solve `ada` at the second attempt, `grace` at once, and fail
at `edsger`, for whom there are no replies."""

NUMBERS = {"ada": "17", "grace": "42", "edsger": "68"}
"""The phone book, which has a task for each name."""

OPTIONS = (BenchmarkOption("delay_s", "seconds that every call takes"),)
"""What `--set` can change."""

LOOKUP = Operation(
    "lookup",
    (Parameter("name", "str"),),
    (ResultField("number"),),
    "the phone number of a person",
    Effect.RETURNS,
)
"""The declaration of the operation `lookup`."""


def look_up(arguments: Mapping[str, Plain]) -> dict[str, Plain]:
    """Return the result of the operation: `{"number": "17"}` for `{"name": "ada"}`."""
    number = NUMBERS.get(str(arguments["name"]))
    if number is None:
        raise CallError("not_found", f"nobody is called {arguments['name']}")
    return {"number": number}


class Phonebook(SmallBenchmark):
    """The benchmark: a task for each name, and an environment for each trial."""

    name = "phonebook"

    def __init__(self, delay_s: float) -> None:
        super().__init__(tuple(NUMBERS))
        self.delay_s = delay_s

    def open_world(self, task_id: str, trial_id: str) -> tuple[str, OneToolEnvironment]:
        instruction = f"What is the phone number of {task_id}? Answer with '%d' only."
        return instruction, OneToolEnvironment(LOOKUP, look_up, self.delay_s)

    def expected(self, task_id: str, trial_id: str) -> str:
        return NUMBERS[task_id]


def open_benchmark(
    argument: str, settings: Mapping[str, str], context: BenchmarkContext
) -> Benchmark:
    """Return the benchmark for a run; the product finds this function by its name."""
    return Phonebook(float(settings.get("delay_s", "0")))
