"""`resume`, `show` and `report` are called for a loop of `improve` that is over.

They find it by its id, the beginning of its id, the word "last", or the path of its folder. A loop edits
hints of an agent until it scores better; a candidate is a set of edited files.
"""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from controlplane.errors import UsageError
from tests.controlplane.improving.riddle_models import (
    CHECK_WORLDS,
    FINAL_WORLDS,
    FIRST_HINTS,
    PROPOSER,
    RiddleLoop,
    RiddleModels,
    riddle_loop_in,
)

# A loop of `improve` that found better hints, and the server of its models, which still runs.
#
# For example:
#
#     finished_loop.best_hints    ->    "Solve the riddle.\nRead the record twice.\n..."
#     finished_loop.names         ->    ["improve-2031...", "improve-2031", "last", "/tmp/..."]


@dataclass(frozen=True)
class FinishedLoop(RiddleLoop):
    """A loop that found better hints, and the server of its models, which still runs."""

    code: int
    result: dict[str, Any]
    """What the loop printed: `{"best": "3fa9...", "is_better": true, "text": "0.33 → ..."}`.
    `best` is the id of its best candidate."""

    @property
    def best_hints(self) -> str:
        """The hints of the best candidate."""
        candidate = self.record.folder / "candidates" / self.result["best"]
        return (candidate / "hints.txt").read_text(encoding="utf-8")

    @property
    def names(self) -> list[str]:
        """How a user may name the loop in a command: by its id, the beginning of the id, "last" or
        the path of its folder."""
        loop_id = self.record.folder.name
        beginning_of_id = loop_id[:12]
        return [loop_id, beginning_of_id, "last", str(self.record.folder)]


@pytest.fixture(scope="session")
def finished_loop(tmp_path_factory: pytest.TempPathFactory) -> Iterator[FinishedLoop]:
    """A loop that is over. Tests only look at it."""
    with riddle_loop_in(tmp_path_factory.mktemp("finished"), RiddleModels()) as loop:
        run = loop.improve("--json")
        yield FinishedLoop(
            folder=loop.folder,
            server=loop.server,
            code=run.code,
            result=json.loads(run.out),
        )


# `improve apply last` shows the best hints of a loop, and writes them only with `--apply`.
#
# The loop has found better hints, which are not yet written into the user's file. `FIRST_HINTS` is the
# text of the file before the loop.

applied_hints_pytestmark = pytest.mark.second_tier


@pytest.fixture
def hints_file(finished_loop: FinishedLoop) -> Iterator[Path]:
    """The file that the loop edits. Other tests share it, so it gets its first text back."""
    path = finished_loop.folder / "hints.txt"
    yield path
    path.write_text(FIRST_HINTS, encoding="utf-8")


def test_the_best_hints_are_written_only_with_the_option_apply(
    finished_loop: FinishedLoop, hints_file: Path
) -> None:
    """Without it, `improve apply` only shows what it would change."""
    shown = finished_loop.command("improve", "apply", "last")
    assert shown.code == 6  # A change is shown, and not made.
    assert "nothing is written" in shown.err
    assert hints_file.read_text(encoding="utf-8") == FIRST_HINTS

    applied = finished_loop.command("improve", "apply", "last", "--apply")
    assert applied.code == 0, applied.err
    assert "+Read the record twice." in applied.out
    assert hints_file.read_text(encoding="utf-8") == finished_loop.best_hints


# `improve` is a loop that edits hints of an agent until it scores better.
#
# A model plays tasks, here riddles of six kinds. Another model, the proposer, sees failed trials and
# proposes new hints. A riddle is played in several worlds, made from seeds: in some the proposer sees the
# trials, and others, CHECK_WORLDS and FINAL_WORLDS, check and prove the result:
#
#     0.33 → 1.00 on 12 unseen tasks

learned_hints_pytestmark = pytest.mark.second_tier


def test_a_loop_adds_hints_that_help_and_deletes_those_that_harm(
    finished_loop: FinishedLoop,
) -> None:
    """The first hints have both sentences that harm, and none of the three that help."""
    assert "Read the record twice." in finished_loop.best_hints
    assert "Name the code alone." in finished_loop.best_hints
    assert "Keep the letter case." in finished_loop.best_hints
    assert "Answer before you look." not in finished_loop.best_hints
    assert "Shorten every code." not in finished_loop.best_hints

    assert finished_loop.code == 0
    assert finished_loop.result["is_better"] is True
    assert f" on {len(FINAL_WORLDS)} unseen tasks (+" in finished_loop.result["text"]


def test_a_proposal_that_copies_data_of_a_trial_is_refused(
    finished_loop: FinishedLoop,
) -> None:
    """A hint such as "The id is AL-477." is right in one world only."""
    refusals: list[str] = []
    for proposal in finished_loop.record.proposals:
        if "data of the trials" in proposal.refused:
            refusals.append(proposal.refused)

    assert refusals
    end_of_every_id = "77"
    assert end_of_every_id not in finished_loop.best_hints


def test_the_proposer_never_sees_check_and_final_worlds(
    finished_loop: FinishedLoop,
) -> None:
    """A riddle names its world: `Riddle of the kind alder, number 101: what is ...`."""
    for request in finished_loop.requests_to(PROPOSER):
        prompt = str(request.body["messages"])
        for world in (*CHECK_WORLDS, *FINAL_WORLDS):
            assert f"number {world}:" not in prompt


pytestmark = pytest.mark.second_tier


def test_a_finished_loop_is_resumed_under_any_of_its_names_without_a_request(
    finished_loop: FinishedLoop,
) -> None:
    """There is nothing left to do, so `resume` prints the recorded result."""
    requests_before = len(finished_loop.server.asked)

    for name in finished_loop.names:
        resumed = finished_loop.command("resume", name, "--json")
        assert resumed.code == 0, name
        assert resumed.json["text"] == finished_loop.result["text"], name

    assert len(finished_loop.server.asked) == requests_before


def test_show_prints_the_result_of_a_loop_under_any_of_its_names(
    finished_loop: FinishedLoop,
) -> None:
    """It is the result that the loop has printed at its end."""
    for name in finished_loop.names:
        shown = finished_loop.command("show", name, "--json").json
        # The folder may be shown as a relative path.
        expected = finished_loop.result | {"folder": shown["folder"]}
        assert shown == expected, name


def test_a_report_of_a_loop_is_a_page_with_every_candidate(
    finished_loop: FinishedLoop,
) -> None:
    """The page is one file without scripts, `loop.html`."""
    for name in finished_loop.names:
        report = finished_loop.command("report", name, "-o", "loop.html")
        assert report.code == 0, name

    page = (finished_loop.folder / "loop.html").read_text(encoding="utf-8")
    for candidate_id in finished_loop.record.checked():
        assert candidate_id in page
    assert "<script" not in page


def test_a_loop_cannot_be_resumed_with_another_model(
    finished_loop: FinishedLoop,
) -> None:
    """Its candidates were compared by the scores of one model."""
    loop_id = finished_loop.record.folder.name

    refused = finished_loop.command("resume", loop_id, "--model", "other")

    assert refused.code == UsageError.exit_code
    assert "only its limits can change" in refused.err
