"""The page "/" of `controlplane view` lists the journals of a folder: runs, loops, and damaged files.

The command is a web server that shows recorded runs in a browser. A loop changes prompts, and plays
runs with them. The list has a row for each, with a link: "/runs/a" or "/loops/ended".
"""

from http import HTTPStatus

import pytest

from tests.controlplane.report.listed_runs import rows_of_runs
from tests.controlplane.report.served_pages import RunningView


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
    view: RunningView, path: str, texts_in_row: list[str]
) -> None:
    """A row has a link to the page of its run, and says how the run ended."""
    (row,) = [row for row in rows_of_runs(view) if path in row]
    for text in texts_in_row:
        assert text in row


def test_the_list_is_searched_by_its_address(view: RunningView) -> None:
    """The server searches, so that it works in a browser without scripts, too."""
    page = view.text("/?find=SECOND")

    assert "/runs/b" in page  # named "second"
    assert "/runs/a" not in page


def test_choosing_two_runs_leads_to_their_comparison(view: RunningView) -> None:
    """Without scripts, the form of the list sends the chosen runs in the address."""
    answer = view.get("/?run=a&run=b")

    assert answer.status == HTTPStatus.SEE_OTHER
    assert answer.headers["location"] == "/runs/a%2Cb"
