"""Every command that reads journals shows evil texts in a visible form.

A model, a script or a grader may write half of a surrogate pair, which has no UTF-8, or an escape
sequence that clears the screen. A command must not fail at it, call the journal damaged, or print the
character as it is.
"""

from pathlib import Path

import pytest

from tests.controlplane.journal.foreign.evil_journal import write_strangers_journal
from tests.controlplane.journal.foreign.evil_texts import (
    EVIL_TEXTS,
    STEERING_CHARACTERS,
)
from tests.support.command import run_in_process


@pytest.mark.parametrize("evil", EVIL_TEXTS.values(), ids=EVIL_TEXTS)
def test_every_command_shows_evil_texts_in_a_visible_form(
    evil: str, small_journal: Path, tmp_path: Path
) -> None:
    theirs = write_strangers_journal(small_journal, evil, tmp_path / "theirs.jsonl")
    commands = [
        ["show", theirs],
        ["show", theirs, "--json"],
        ["replay", theirs],
        ["replay", theirs, "--trial", "evil"],
        ["replay", theirs, "--trial", "evil", "--json"],
        ["replay", theirs, "--verify"],
        ["judge", theirs],
        ["judge", theirs, "--json"],
        ["compare", theirs, theirs],
        ["report", theirs, "-o", "page.html"],
        ["export", theirs, "--to", "trials.csv"],
        ["export", theirs, "--to", "steps.csv"],
        ["export", theirs, "--to", "calls.csv"],
        ["export", theirs, "--to", "otel.jsonl"],
    ]

    for command in commands:
        result = run_in_process(*command, cwd=tmp_path)
        assert "Error:" not in result.err, command
        assert "damaged" not in result.err, command
        assert not STEERING_CHARACTERS.search(result.out + result.err), command

    page = (tmp_path / "page.html").read_text()
    assert not STEERING_CHARACTERS.search(page)
