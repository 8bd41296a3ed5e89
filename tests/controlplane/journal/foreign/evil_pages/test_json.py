"""The JSON that pages of `controlplane view` load has the evil texts of a journal in a visible form.

JSON may write a character that steers a terminal as an escape, so the texts in it are looked at:

    texts_in({"a": ["b"]})    ->    ["a", "b"]
"""

from pathlib import Path
from typing import Any

from tests.controlplane.journal.foreign.evil_journal import (
    STEERING_CHARACTERS,
    write_strangers_journal,
)
from tests.controlplane.journal.foreign.evil_pages.shown_forms import (
    with_evil_runs,
    with_evil_texts,
)
from tests.controlplane.report.listed_runs import RunningView, serving_view

# Web pages of `controlplane view` show the evil texts of a stranger's journal in a visible form.
#
# A text may break an encoding or steer a terminal: for "\x1b[31m", a page has "␛[31m".


@with_evil_runs
def test_pages_show_evil_texts_in_a_visible_form(
    run: str, visible: str, evil_view: RunningView
) -> None:
    list_of_runs = evil_view.text("/")
    page_of_run = evil_view.text(f"/runs/{run}")

    assert visible in page_of_run
    assert not STEERING_CHARACTERS.search(page_of_run)
    assert not STEERING_CHARACTERS.search(list_of_runs)


def texts_in(value: Any) -> list[str]:
    """Return every text in a JSON value: `{"a": ["b"]}` -> `["a", "b"]`."""
    if isinstance(value, str):
        return [value]
    texts: list[str] = []
    if isinstance(value, dict):
        for name, field in value.items():
            texts.append(name)
            texts += texts_in(field)
    elif isinstance(value, list):
        for item in value:
            texts += texts_in(item)
    return texts


@with_evil_runs
def test_the_json_of_a_trial_has_evil_texts_in_a_visible_form(
    run: str, visible: str, evil_view: RunningView
) -> None:
    """JSON may write a steering character as an escape, so its texts are looked at."""
    texts = texts_in(evil_view.json(f"/runs/{run}/trial-1-1.json"))

    assert [text for text in texts if visible in text] != []
    assert [text for text in texts if STEERING_CHARACTERS.search(text)] == []


@with_evil_texts
def test_the_json_of_requests_to_the_model_has_evil_texts_in_a_visible_form(
    evil: str, visible: str, small_journal: Path, tmp_path: Path
) -> None:
    """Only a journal that was recorded by a run says what its model was sent: `small_journal`."""
    folder = tmp_path / "theirs"
    folder.mkdir()
    write_strangers_journal(small_journal, evil, folder / "theirs.jsonl")

    with serving_view(folder) as view:
        texts = texts_in(view.json("/runs/theirs/trial-1-1/requests.json"))

    assert [text for text in texts if visible in text] != []
    assert [text for text in texts if STEERING_CHARACTERS.search(text)] == []
