"""Texts that cannot be encoded, or that steer a terminal, in journals and runs.

A model, a script or a grader may write half of a surrogate pair, which has no UTF-8, or an escape
sequence that clears the screen. Every command that reads journals shows such texts in a visible
form, and a run over them is recorded and replayed like any other.
"""

from pathlib import Path

import pytest

import controlplane
from controlplane import Task
from controlplane.journal.journal_reader import open_journal
from tests.controlplane.journal.foreign.evil_journal import write_strangers_journal
from tests.controlplane.journal.foreign.evil_texts import (
    EVIL_TEXTS,
    READS_A_FILE,
    STEERING_CHARACTERS,
)
from tests.support.command import run_controlplane


@pytest.mark.parametrize("evil", EVIL_TEXTS.values(), ids=EVIL_TEXTS)
def test_every_command_shows_evil_texts_in_a_visible_form(
    evil: str, small_journal: Path, tmp_path: Path
) -> None:
    """An evil text has half of a character or a control character in it. A command must not fail at
    it, call the journal damaged, or print the character as it is."""
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
        result = run_controlplane(*command, cwd=tmp_path)
        assert "Error:" not in result.err, command
        assert "damaged" not in result.err, command
        assert not STEERING_CHARACTERS.search(result.out + result.err), command

    page = (tmp_path / "page.html").read_text()
    assert not STEERING_CHARACTERS.search(page)


@pytest.mark.parametrize("evil", EVIL_TEXTS.values(), ids=EVIL_TEXTS)
def test_a_run_over_evil_texts_is_recorded_and_replayed(
    evil: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """They are in the instruction, in the file that the model reads, and in the grader's words."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "replies.toml").write_text(READS_A_FILE)
    long_text = evil + "a text that is stored apart " * 20
    task = Task(
        "evil",
        f"Read a.txt {evil}",
        files={"/a.txt": long_text},
        grade=lambda end: (0.5, [evil, long_text]),
    )

    run = controlplane.run([task], model="scripted:replies.toml", gates="none")

    assert run["evil"].score == 0.5
    with open_journal(run.journal) as opened:
        first_step = opened.trials[run["evil"].trial_id].steps[0]
    assert "a text that is stored apart" in first_step.output
    first_step.output.encode()  # It can be encoded in UTF-8.
    replay = run_controlplane("replay", run.journal, "--verify", cwd=tmp_path)
    assert replay.code == 0
