"""Addresses of nothing, of damaged journals, and of a run with hostile texts, at `controlplane view`.

`broken.jsonl` is a text and no journal, `lost` is a loop whose record is damaged, and all texts of the
run `h` are HTML that would run scripts.
"""

from http import HTTPStatus

import pytest

from tests.controlplane.report.hostile_texts import HOSTILE_MARKUP
from tests.controlplane.report.served_pages import RunningView


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
def test_what_does_not_exist_is_not_found(view: RunningView, path: str) -> None:
    assert view.get(path).status == HTTPStatus.NOT_FOUND


@pytest.mark.parametrize(
    ("path", "reason"),
    [("/runs/broken", "is not a journal"), ("/loops/lost", "loop.jsonl")],
)
def test_the_page_of_a_damaged_journal_says_what_is_wrong(
    view: RunningView, path: str, reason: str
) -> None:
    """The files broken.jsonl and lost/loop.jsonl have a line of text that is not an event."""
    answer = view.get(path)

    assert answer.status == HTTPStatus.UNPROCESSABLE_ENTITY
    assert reason in answer.body.decode()


def test_hostile_text_of_a_run_is_escaped(view: RunningView) -> None:
    """The journal has HTML in all texts, which would end elements and run scripts."""
    assert HOSTILE_MARKUP[:40] not in view.text("/runs/h")
    assert "<img src=x" not in view.text("/runs/h")
