"""Journals of two runs in which the model replied the same, with gates and without."""

from pathlib import Path

import pytest

from tests.support.command import run_in_process
from tests.support.product_files import ROOT

RUN_OF_TWO_ANSWERS = (
    "run",
    "calendar-date.1",
    "--model",
    f"scripted:{ROOT}/docs/examples/rejection.toml",
    "--json",
)
"""A trial whose model first submits the wrong answer "In a week it is 24-11-2027.", which cites
a file that it has not read, and then the right answer "24-11-2027"."""


@pytest.fixture(scope="session")
def runs_of_two_answers(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the journals of two runs, in which the model replied the same:

    journal       answer                          gates                   score of the trial
    gated.jsonl   "In a week it is 24-11-2027."   rejected by gate 4
                  "24-11-2027"                    accepted                1
    free.jsonl    "In a week it is 24-11-2027."   none, so it was sent    0

    Gate 4 wants that citations were read.
    """
    folder = tmp_path_factory.mktemp("judged")
    runs = folder / "runs"
    runs.mkdir()

    gated = run_in_process(*RUN_OF_TWO_ANSWERS, cwd=folder)
    (folder / gated.json["journal"]).rename(runs / "gated.jsonl")

    no_gates = ("--gates", "none", "--rule-sets", "none")
    free = run_in_process(*RUN_OF_TWO_ANSWERS, *no_gates, cwd=folder)
    (folder / free.json["journal"]).rename(runs / "free.jsonl")
    return runs
