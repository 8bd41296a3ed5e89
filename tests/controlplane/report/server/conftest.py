"""The server of `controlplane view` over the recorded runs that the tests of this folder read."""

import json
from collections.abc import Iterator

import pytest

from tests.controlplane.report.hostile_journal import (
    ReportedTrial,
    hostile_journal,
    journal_of_trials,
)
from tests.controlplane.report.listed_runs import (
    RunningView,
    rows_of_runs,
    serving_view,
)
from tests.support.command import wait_until

FIRST_RUN = [
    ReportedTrial("alpha.1", score=0.0, details=("no",), rejected_answers=1),
    ReportedTrial("beta.1", score=1.0),
    ReportedTrial("beta.2", score=1.0),
]
SECOND_RUN = [
    ReportedTrial("alpha.1", score=1.0),
    ReportedTrial("beta.1", score=1.0),
]


@pytest.fixture(scope="session")
def view(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningView]:
    """A server over a folder of six journals.

    - `/runs/a`, named "first", and `/runs/b`, named "second": finished runs
    - `/runs/h`: a run with hostile text everywhere
    - `/runs/broken`: a file that is not a journal
    - `/loops/ended`: a finished loop of improvements
    - `/loops/lost`: a loop whose record cannot be read
    """
    folder = tmp_path_factory.mktemp("runs")

    # Each run is a file.
    journal_of_trials(folder / "a.jsonl", FIRST_RUN, name="first")
    journal_of_trials(folder / "b.jsonl", SECOND_RUN, name="second")
    hostile_journal(folder / "h.jsonl")
    (folder / "broken.jsonl").write_text("not a journal\n")

    # Each loop is a folder with its record.
    (folder / "lost").mkdir()
    (folder / "lost" / "loop.jsonl").write_text("not a record\n")
    (folder / "ended").mkdir()
    end = {
        "prev": "0",
        "kind": "loop_ended",
        "text": "0.17 → 1.00 on 12 tasks",
        "hash": "0",
    }
    (folder / "ended" / "loop.jsonl").write_text(json.dumps(end) + "\n")

    number_of_journals = 6
    with serving_view(folder) as view:
        wait_until(lambda: len(rows_of_runs(view)) == number_of_journals)
        yield view
