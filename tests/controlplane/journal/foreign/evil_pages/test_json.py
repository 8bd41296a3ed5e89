"""The JSON that pages of `controlplane view` load has the evil texts of a journal in a visible form.

JSON may write a character that steers a terminal as an escape, so the texts in it are looked at:

    texts_in({"a": ["b"]})    ->    ["a", "b"]
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.controlplane.journal.foreign.evil_journal import (
    STEERING_CHARACTERS,
    write_strangers_journal,
)
from tests.controlplane.report.hostile_journal import ReportedTrial, journal_of_trials
from tests.controlplane.report.listed_runs import RunningView, serving_view

# Texts that may break an encoding or a terminal, and the forms in which they are shown.
#
# "a\ud83d!"      "a�!"       half of a surrogate pair, which has no UTF-8
# "\x1b[31m"      "␛[31m"     an escape sequence, which turns a terminal's text red
#
# A control character that has a picture in Unicode, such as "␛" for escape, is shown by the
# picture, and any other by "�".

EVIL_AND_VISIBLE = {
    "high-half-of-a-pair": ("a\ud83d!", "a\ufffd!"),
    "low-half-of-a-pair": ("\udc00b", "\ufffdb"),
    "halves-in-the-wrong-order": ("\udc00\ud83d", "\ufffd\ufffd"),
    # Python's form of the file name b"caf\xe9", which is not UTF-8
    "byte-of-a-file-name": ("caf\udce9", "caf\ufffd"),
    "controls": (
        "\x00\x1b[31m\u202e\ufeff\u2028",
        "\u2400\u241b[31m\ufffd\ufffd\ufffd",
    ),
}
"""Each evil text with its visible form, by what it is."""

with_evil_texts = pytest.mark.parametrize(
    ("evil", "visible"), EVIL_AND_VISIBLE.values(), ids=EVIL_AND_VISIBLE
)

with_evil_runs = pytest.mark.parametrize(
    ("run", "visible"),
    [(name, visible) for name, (_, visible) in EVIL_AND_VISIBLE.items()],
    ids=EVIL_AND_VISIBLE,
)
"""`run` is the name of the text, by which the fixture `evil_view` shows a run over it."""


def write_journal_with(evil: str, path: Path) -> None:
    """Write a stranger's journal with the evil text behind each text.

    With "a\\ud83d!", the task is "What does alpha ask?a\\ud83d!".
    """
    own = path.with_name("own.jsonl")
    journal_of_trials(own, [ReportedTrial("alpha")])
    write_strangers_journal(own, evil, path)
    own.unlink()


@pytest.fixture(scope="session")
def evil_view(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningView]:
    """The view of five journals, each named as its text, such as `controls.jsonl`."""
    folder = tmp_path_factory.mktemp("theirs")
    for name, (evil, _) in EVIL_AND_VISIBLE.items():
        write_journal_with(evil, folder / f"{name}.jsonl")
    with serving_view(folder) as view:
        yield view


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
