"""The web server of `controlplane view`, which shows recorded runs in a browser.

It serves a list of the journals in a folder at "/", a run at "/runs/a", and two runs side by side
at "/runs/a,b". The first run, "a", has the tasks alpha.1 (score 0), beta.1 and beta.2 (score 1), and the
second one, "b", alpha.1 and beta.1 (score 1).
"""

from http import HTTPStatus

import pytest

from tests.controlplane.report.hostile_texts import HOSTILE_MARKUP
from tests.controlplane.report.running_view import RunningView


class TestListOfRuns:
    """The page "/" lists the journals of a folder: runs, loops, and damaged files.

    A loop changes prompts, and plays runs with them. The fields of the list are in its address.
    """

    @pytest.mark.parametrize(
        ("path", "texts_in_row"),
        [
            (
                "/runs/a",
                [
                    ">first<",
                    ">finished<",
                    "trials </span>3<",
                    ">0.67<",  # the mean of the scores 0, 1 and 1
                    "0.21 to 0.94",  # the confidence interval of two successes in three
                    "canned",  # the model
                ],
            ),
            ("/loops/ended", [">finished<", ">loop<", "0.17 → 1.00 on 12 tasks"]),
            ("/loops/lost", [">cut off<"]),
            ("/runs/broken", [">damaged<", "not a journal"]),
        ],
    )
    def test_the_list_of_runs_has_a_row_for_each_journal(
        self, view: RunningView, path: str, texts_in_row: list[str]
    ) -> None:
        """A row has a link to the page of its run, and says how the run ended."""
        (row,) = [row for row in view.rows() if path in row]
        for text in texts_in_row:
            assert text in row

    def test_the_list_is_searched_by_its_address(self, view: RunningView) -> None:
        """The server searches, so that it works in a browser without scripts, too."""
        page = view.text("/?find=SECOND")

        assert "/runs/b" in page  # named "second"
        assert "/runs/a" not in page

    def test_choosing_two_runs_leads_to_their_comparison(
        self, view: RunningView
    ) -> None:
        """Without scripts, the form of the list sends the chosen runs in the address."""
        answer = view.get("/?run=a&run=b")

        assert answer.status == HTTPStatus.SEE_OTHER
        assert answer.headers["location"] == "/runs/a%2Cb"


class TestPageOfARun:
    """The page "/runs/a" shows a run with the tasks alpha.1 (score 0), beta.1 and beta.2 (1).

    "/runs/a,b" compares it with the run b, which has alpha.1 and beta.1.
    """

    def test_the_page_of_a_run_has_the_scores_of_families_worst_first(
        self, view: RunningView
    ) -> None:
        """Tasks such as beta.1 and beta.2 are a family."""
        _, _, families = view.text("/runs/a").partition('id="h-families"')

        assert families.index(">alpha<") < families.index(">beta<")

    def test_the_page_of_a_run_has_commands_to_copy(self, view: RunningView) -> None:
        """Such as one that plays the failed trial, of the task alpha.1, again."""
        page = view.text("/runs/a")

        assert "rerun" in page
        assert "--trials alpha.1" in page
        assert 'data-source="/runs/a"' in page

    def test_a_trial_is_served_as_json(self, view: RunningView) -> None:
        """The page of the run loads it when the user opens the trial."""
        trial = view.json("/runs/a/trial-1-1.json")

        assert trial["task"] == "alpha.1"
        assert trial["score"] == 0.0
        # The opening, two steps with a submission each, and the end.
        assert len(trial["pages"]) == 4
        # A command to which the page adds the number of the step that is shown.
        assert trial["fork"].endswith("--step ")

    def test_the_requests_of_a_trial_are_served_as_json(
        self, view: RunningView
    ) -> None:
        """The journals of these tests have no requests to a model."""
        assert view.json("/runs/a/trial-1-1/requests.json") == []

    def test_the_page_of_two_runs_compares_them_and_pairs_their_trials(
        self, view: RunningView
    ) -> None:
        """Both runs have trials of alpha.1 and beta.1."""
        page = view.text("/runs/a,b")

        assert "The second run against the first" in page
        link_to_both_trials_of_alpha = 'href="#trial-1-1~trial-2-1"'
        assert link_to_both_trials_of_alpha in page


class TestOtherAddresses:
    """Addresses of nothing, of damaged journals, and of a run with hostile texts.

    `broken.jsonl` is a text and no journal, `lost` is a loop whose record is damaged, and all texts
    of the run `h` are HTML that would run scripts.
    """

    @pytest.mark.parametrize(
        "path",
        [
            pytest.param("/runs/none", id="no such run"),
            pytest.param("/runs/a/trial-1-9.json", id="a trial behind the last"),
            pytest.param("/runs/a/trial-2-1.json", id="a second run on a page of one"),
            pytest.param("/runs/../a", id="the folder above"),
            pytest.param("/runs/..%2fa", id="the folder above, its slash encoded"),
            pytest.param("/loops/a", id="a run as a loop"),
            pytest.param("/x", id="no such page"),
        ],
    )
    def test_what_does_not_exist_is_not_found(
        self, view: RunningView, path: str
    ) -> None:
        assert view.get(path).status == HTTPStatus.NOT_FOUND

    @pytest.mark.parametrize(
        ("path", "reason"),
        [("/runs/broken", "is not a journal"), ("/loops/lost", "loop.jsonl")],
    )
    def test_the_page_of_a_damaged_journal_says_what_is_wrong(
        self, view: RunningView, path: str, reason: str
    ) -> None:
        """The files broken.jsonl and lost/loop.jsonl have a line of text that is not an event."""
        answer = view.get(path)

        assert answer.status == HTTPStatus.UNPROCESSABLE_ENTITY
        assert reason in answer.body.decode()

    def test_hostile_text_of_a_run_is_escaped(self, view: RunningView) -> None:
        """The journal has HTML in all texts, which would end elements and run scripts."""
        assert HOSTILE_MARKUP[:40] not in view.text("/runs/h")
        assert "<img src=x" not in view.text("/runs/h")
