"""A run over evil texts is recorded and replayed like any other.

Half of a surrogate pair, which has no UTF-8, or an escape sequence that clears the screen may be in the
instruction of a task, in the file that the model reads, and in the grader's words.
"""

from pathlib import Path

import pytest

import controlplane
from controlplane import Task
from controlplane.journal.journal_reader import open_journal
from tests.controlplane.journal.foreign.evil_texts import EVIL_TEXTS, READS_A_FILE
from tests.support.command import run_controlplane


@pytest.mark.parametrize("evil", EVIL_TEXTS.values(), ids=EVIL_TEXTS)
def test_a_run_over_evil_texts_is_recorded_and_replayed(
    evil: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
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
