"""A journal whose file name is no UTF-8: `café.jsonl` in Latin-1, the bytes `caf\\xe9.jsonl`.

Linux takes any bytes as a name. Python holds the byte as `\\udce9`, half of a surrogate pair.
"""

import os
from http import HTTPStatus
from pathlib import Path

from tests.controlplane.journal.foreign.evil_texts import STEERING_CHARACTERS
from tests.controlplane.report.reported_run import journal_of_trials
from tests.controlplane.report.reported_trial import ReportedTrial
from tests.controlplane.report.running_view import serving_view
from tests.support.command import run_controlplane

ODD_NAME = os.fsdecode(b"caf\xe9.jsonl")


def write_journal_with_odd_name(folder: Path) -> Path:
    """Write the journal of a run, and return its path."""
    journal = journal_of_trials(folder / "own.jsonl", [ReportedTrial("alpha")])
    return journal.rename(folder / ODD_NAME)


def test_a_page_of_a_journal_with_an_odd_name_does_not_break(tmp_path: Path) -> None:
    """The server may show the page or say that there is none; it must not fail."""
    write_journal_with_odd_name(tmp_path)

    with serving_view(tmp_path) as view:
        response = view.get("/runs/caf%E9")

    assert response.status in (HTTPStatus.OK, HTTPStatus.NOT_FOUND)


def test_runs_lists_a_journal_with_an_odd_name(tmp_path: Path) -> None:
    write_journal_with_odd_name(tmp_path)

    listed = run_controlplane("runs", "--runs-dir", tmp_path, cwd=tmp_path)

    assert listed.code == 0, listed.err
    assert not STEERING_CHARACTERS.search(listed.out + listed.err)


def test_show_shows_a_journal_with_an_odd_name(tmp_path: Path) -> None:
    journal = write_journal_with_odd_name(tmp_path)

    shown = run_controlplane("show", journal, cwd=tmp_path)

    assert shown.code == 0, shown.err
    assert not STEERING_CHARACTERS.search(shown.out + shown.err)
