"""Pages of `controlplane view` about journals with texts that steer a terminal, or have no UTF-8.

A stranger's journal may have half of a surrogate pair, or an escape sequence, in any text. The server
shows such texts in a visible form, in its pages and in the JSON that they load.
"""

import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from http import HTTPStatus
from pathlib import Path
from typing import Any

import pytest

from tests.controlplane.journal.foreign.evil_journal import write_strangers_journal
from tests.controlplane.journal.foreign.evil_texts import (
    EVIL_TEXTS,
    STEERING_CHARACTERS,
)
from tests.controlplane.report.running_view import RunningView, serving_view
from tests.support.command import run_controlplane, wait_until


@contextmanager
def view_of(folder: Path) -> Iterator[RunningView]:
    """Start a server for the pages of the folder's runs, and wait until it lists all of them."""
    journals = list(folder.iterdir())
    with serving_view(folder) as view:
        wait_until(lambda: len(view.rows()) == len(journals))
        yield view


NUMBERED_EVIL_TEXTS = list(enumerate(EVIL_TEXTS.values()))
"""The same texts, each with the number in the name of its journal."""


@pytest.fixture
def evil_journals(small_journal: Path, tmp_path: Path) -> Path:
    """A folder with a journal for each evil text: `evil-0.jsonl`, `evil-1.jsonl` and so on."""
    folder = tmp_path / "theirs"
    folder.mkdir()
    for number, evil in NUMBERED_EVIL_TEXTS:
        strangers_journal = write_strangers_journal(small_journal, evil)
        strangers_journal.rename(folder / f"evil-{number}.jsonl")
    return folder


def texts_in(value: Any) -> list[str]:
    """Return every text in a JSON value, names of fields included."""
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


class TestPages:
    """The pages and the JSON of the server have no character that steers a terminal.

    The folder has a journal for each evil text: `evil-0.jsonl` with "a\\ud83d!", and so on.
    `STEERING_CHARACTERS` finds such characters.
    """

    def test_pages_show_evil_texts_in_a_visible_form(self, evil_journals: Path) -> None:
        """`controlplane view` serves a list of the runs in a folder, and a page for each run."""
        with view_of(evil_journals) as view:
            list_of_runs = view.text("/")
            pages: list[str] = []
            for number, _ in NUMBERED_EVIL_TEXTS:
                page = view.get(f"/runs/evil-{number}")
                assert page.status == HTTPStatus.OK
                pages.append(page.body.decode())

        for page_text in (list_of_runs, *pages):
            assert not STEERING_CHARACTERS.search(page_text)

    @pytest.mark.parametrize("document", ["trial-1-1.json", "trial-1-1/requests.json"])
    def test_json_documents_of_pages_have_evil_texts_in_a_visible_form(
        self, document: str, evil_journals: Path
    ) -> None:
        """JSON may write a steering character as an escape, so that its texts are searched."""
        with view_of(evil_journals) as view:
            responses = []
            for number, _ in NUMBERED_EVIL_TEXTS:
                responses.append(view.get(f"/runs/evil-{number}/{document}"))

        for response in responses:
            assert response.status == HTTPStatus.OK
            for text in texts_in(json.loads(response.body)):
                assert not STEERING_CHARACTERS.search(text)


@pytest.fixture
def journal_with_odd_name(evil_journals: Path) -> Path:
    """One more journal in the folder, whose name is not UTF-8."""
    path = evil_journals / os.fsdecode(b"caf\xe9.jsonl")
    path.write_bytes((evil_journals / "evil-0.jsonl").read_bytes())
    return path


class TestOddNames:
    """A journal has the name `café.jsonl`, in Latin-1, which is not UTF-8.

    Linux takes any bytes as a name. It is shown by commands, and asked for as `/runs/caf%E9`.
    `STEERING_CHARACTERS` finds half characters and what steers a terminal.
    """

    @pytest.mark.usefixtures("journal_with_odd_name")
    def test_a_page_of_a_journal_with_an_odd_name_does_not_break(
        self, evil_journals: Path
    ) -> None:
        """The name `café.jsonl` is in Latin-1, and not in UTF-8. The server may show its page or
        say that there is none; it must not fail."""
        with view_of(evil_journals) as view:
            response = view.get("/runs/caf%E9")

        assert response.status in (HTTPStatus.OK, HTTPStatus.NOT_FOUND)

    def test_commands_show_the_odd_name_of_a_journal_in_a_visible_form(
        self, journal_with_odd_name: Path, evil_journals: Path, tmp_path: Path
    ) -> None:
        """The name of the file, `café.jsonl`, is in Latin-1, and not in UTF-8."""
        listed = run_controlplane("runs", "--runs-dir", evil_journals, cwd=tmp_path)
        shown = run_controlplane("show", journal_with_odd_name, cwd=tmp_path)

        for result in (listed, shown):
            assert result.code == 0, result.err
            assert not STEERING_CHARACTERS.search(result.out + result.err)
