"""`improve`: a loop that edits hints of an agent until it scores better.

A model plays tasks. Another model, the proposer, sees failed trials and proposes new hints, and each
candidate, a set of edited files, is played again. These tests look at one loop that is over: at its
result, `0.33 → 1.00 on 12 unseen tasks`, and at the commands that show, resume and apply it.
"""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tests.controlplane.improving.improve_command import (
    CHECK_WORLDS,
    FINAL_WORLDS,
    PROPOSER,
)
from tests.controlplane.improving.riddle_loop import (
    FIRST_HINTS,
    OK,
    USAGE_ERROR,
    RiddleLoop,
    riddle_loop_in,
)
from tests.controlplane.improving.riddle_models import RiddleModels

pytestmark = pytest.mark.second_tier


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


@pytest.fixture(scope="module")
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


class TestLearnedHints:
    """The loop has improved the hints by which a model solves riddles of six kinds.

    A riddle is played in several worlds, made from seeds: in some the proposer sees the trials, and
    others, CHECK_WORLDS and FINAL_WORLDS, check and prove the result.
    """

    def test_a_loop_adds_hints_that_help_and_deletes_those_that_harm(
        self, finished_loop: FinishedLoop
    ) -> None:
        """The first hints have both sentences that harm, and none of the three that help."""
        assert "Read the record twice." in finished_loop.best_hints
        assert "Name the code alone." in finished_loop.best_hints
        assert "Keep the letter case." in finished_loop.best_hints
        assert "Answer before you look." not in finished_loop.best_hints
        assert "Shorten every code." not in finished_loop.best_hints

        assert finished_loop.code == OK
        assert finished_loop.result["is_better"] is True
        assert (
            f" on {len(FINAL_WORLDS)} unseen tasks (+" in finished_loop.result["text"]
        )

    def test_a_proposal_that_copies_data_of_a_trial_is_refused(
        self, finished_loop: FinishedLoop
    ) -> None:
        """A hint such as "The id is AL-777." is right in one world only."""
        refusals: list[str] = []
        for proposal in finished_loop.record.proposals:
            if "data of the trials" in proposal.refused:
                refusals.append(proposal.refused)

        assert refusals
        end_of_every_id = "77"
        assert end_of_every_id not in finished_loop.best_hints

    def test_the_proposer_never_sees_check_and_final_worlds(
        self, finished_loop: FinishedLoop
    ) -> None:
        """A riddle names its world: `Riddle of the kind alder, number 101: what is ...`."""
        for request in finished_loop.requests_to(PROPOSER):
            prompt = str(request.body["messages"])
            for world in (*CHECK_WORLDS, *FINAL_WORLDS):
                assert f"number {world}:" not in prompt


@pytest.fixture
def hints_file(finished_loop: FinishedLoop) -> Iterator[Path]:
    """The file that the loop edits. Other tests share it, so it gets its first text back."""
    path = finished_loop.folder / "hints.txt"
    yield path
    path.write_text(FIRST_HINTS, encoding="utf-8")


NOT_CONSENTED = 6
"""The exit code of a command that shows a change, and does not make it without `--apply`."""


class TestCommandsAboutALoop:
    """`resume`, `show`, `report` and `improve apply` are called for a loop that is over.

    They find it by its id, the beginning of its id, the word "last", or the path of its
    folder. The loop has found better hints, which are not yet written into the user's file.
    `FIRST_HINTS` is the text of the file before the loop.
    """

    def test_a_finished_loop_is_resumed_under_any_of_its_names_without_a_request(
        self, finished_loop: FinishedLoop
    ) -> None:
        """There is nothing left to do, so `resume` prints the recorded result."""
        requests_before = len(finished_loop.server.asked)

        for name in finished_loop.names:
            resumed = finished_loop.command("resume", name, "--json")
            assert resumed.code == OK, name
            assert resumed.json["text"] == finished_loop.result["text"], name

        assert len(finished_loop.server.asked) == requests_before

    def test_show_prints_the_result_of_a_loop_under_any_of_its_names(
        self, finished_loop: FinishedLoop
    ) -> None:
        """It is the result that the loop has printed at its end."""
        for name in finished_loop.names:
            shown = finished_loop.command("show", name, "--json").json
            # The folder may be shown as a relative path.
            expected = finished_loop.result | {"folder": shown["folder"]}
            assert shown == expected, name

    def test_a_report_of_a_loop_is_a_page_with_every_candidate(
        self, finished_loop: FinishedLoop
    ) -> None:
        """The page is one file without scripts, `loop.html`."""
        for name in finished_loop.names:
            report = finished_loop.command("report", name, "-o", "loop.html")
            assert report.code == OK, name

        page = (finished_loop.folder / "loop.html").read_text(encoding="utf-8")
        for candidate_id in finished_loop.record.checked():
            assert candidate_id in page
        assert "<script" not in page

    def test_a_loop_cannot_be_resumed_with_another_model(
        self, finished_loop: FinishedLoop
    ) -> None:
        """Its candidates were compared by the scores of one model."""
        loop_id = finished_loop.record.folder.name

        refused = finished_loop.command("resume", loop_id, "--model", "other")

        assert refused.code == USAGE_ERROR
        assert "only its limits can change" in refused.err

    def test_the_best_hints_are_written_only_with_the_option_apply(
        self, finished_loop: FinishedLoop, hints_file: Path
    ) -> None:
        """Without it, `improve apply` only shows what it would change."""
        shown = finished_loop.command("improve", "apply", "last")
        assert shown.code == NOT_CONSENTED
        assert "nothing is written" in shown.err
        assert hints_file.read_text(encoding="utf-8") == FIRST_HINTS

        applied = finished_loop.command("improve", "apply", "last", "--apply")
        assert applied.code == OK, applied.err
        assert "+Read the record twice." in applied.out
        assert hints_file.read_text(encoding="utf-8") == finished_loop.best_hints
