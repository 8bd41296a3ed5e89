"""Pages of `controlplane view` about a stranger's journal, whose texts may break an encoding or a terminal.

    "a\\ud83d!"      "a\ufffd!"       half of a surrogate pair, which has no UTF-8
    "\\x1b[31m"      "\u241b[31m"     an escape sequence, which turns a terminal's text red

The server shows such texts in a visible form, in its pages and in the JSON that they load.
"""

from pathlib import Path
from typing import Any

import pytest

from tests.controlplane.journal.foreign.evil_journal import write_strangers_journal
from tests.controlplane.journal.foreign.evil_texts import STEERING_CHARACTERS
from tests.controlplane.report.reported_run import journal_of_trials
from tests.controlplane.report.reported_trial import ReportedTrial
from tests.controlplane.report.running_view import serving_view

with_evil_texts = pytest.mark.parametrize(
    ("evil", "visible"),
    [
        pytest.param("a\ud83d!", "a\ufffd!", id="high half of a pair"),
        pytest.param("\udc00b", "\ufffdb", id="low half of a pair"),
        pytest.param("\udc00\ud83d", "\ufffd\ufffd", id="halves in the wrong order"),
        pytest.param("caf\udce9", "caf\ufffd", id="byte of a file name"),
        pytest.param(
            "\x00\x1b[31m\u202e\ufeff\u2028",
            "\u2400\u241b[31m\ufffd\ufffd\ufffd",
            id="controls",
        ),
    ],
)


def write_journal_with(evil: str, folder: Path) -> None:
    """Write theirs.jsonl, in which the evil text stands behind each text: "What does alpha ask?!"."""
    own = folder / "own.jsonl"
    journal_of_trials(own, [ReportedTrial("alpha")])
    write_strangers_journal(own, evil, folder / "theirs.jsonl")
    own.unlink()


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


@with_evil_texts
def test_pages_show_evil_texts_in_a_visible_form(
    evil: str, visible: str, tmp_path: Path
) -> None:
    write_journal_with(evil, tmp_path)

    with serving_view(tmp_path) as view:
        list_of_runs = view.text("/")
        page_of_run = view.text("/runs/theirs")

    assert visible in page_of_run
    assert not STEERING_CHARACTERS.search(page_of_run)
    assert not STEERING_CHARACTERS.search(list_of_runs)


@with_evil_texts
def test_the_json_of_a_trial_has_evil_texts_in_a_visible_form(
    evil: str, visible: str, tmp_path: Path
) -> None:
    """JSON may write a steering character as an escape, so its texts are looked at."""
    write_journal_with(evil, tmp_path)

    with serving_view(tmp_path) as view:
        texts = texts_in(view.json("/runs/theirs/trial-1-1.json"))

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
