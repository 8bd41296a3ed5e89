"""A tiny benchmark with one operation and no files at all.

`--set delay_s=0.2` makes every call slow.
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
from tests.support.small_benchmark import OneToolEnvironment, SmallBenchmark

PHONEBOOK_WITH_PLAYER = (
    "--benchmark",
    "tests.support.phonebook",
    "--model",
    f"scripted:{Path(__file__).with_suffix('.toml')}",
)
"""What runs it with a player that knows the answers, two mistakes included."""
NUMBERS = {"ada": "17", "grace": "42", "edsger": "68"}
OPTIONS = (BenchmarkOption("delay_s", "seconds that every call takes"),)
LOOKUP = Operation(
    "lookup",
    (Parameter("name", "str"),),
    (ResultField("number"),),
    "the phone number of a person",
    Effect.RETURNS,
)


def look_up(arguments: Mapping[str, Plain]) -> dict[str, Plain]:
    number = NUMBERS.get(str(arguments["name"]))
    if number is None:
        raise CallError("not_found", f"nobody is called {arguments['name']}")
    return {"number": number}


class Phonebook(SmallBenchmark):
    name = "phonebook"

    def __init__(self, delay_s: float) -> None:
        super().__init__(tuple(NUMBERS))
        self.delay_s = delay_s

    def open_world(self, task_id: str, trial_id: str) -> tuple[str, OneToolEnvironment]:
        asked = f"What is the phone number of {task_id}? Answer with '%d' only."
        return asked, OneToolEnvironment(LOOKUP, look_up, self.delay_s)

    def expected(self, task_id: str, trial_id: str) -> str:
        return NUMBERS[task_id]


def open_benchmark(
    argument: str, settings: Mapping[str, str], context: BenchmarkContext
) -> Benchmark:
    return Phonebook(float(settings.get("delay_s", "0")))
