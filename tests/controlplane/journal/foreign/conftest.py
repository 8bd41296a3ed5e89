"""Two journals of small runs: `own_journal` to forge other journals from, `small_journal` to read.

A journal is the file in which a run records its events.
"""

from pathlib import Path

import pytest

import controlplane
from controlplane import Task
from controlplane.journal.journal_reader import open_journal
from tests.controlplane.journal.foreign.evil_journal import READS_A_FILE
from tests.support.command import run_in_process

COUNTS_AND_ANSWERS = """
[[reply]]
state = "answer"
code = '''
print(harness.count().number)
scratchpad["answer"] = "7"
scratchpad["outcome"] = "OUTCOME_OK"
harness.answer(scratchpad, lambda scratchpad: True)  # No check of its own.
'''
"""
"""The reply of a scripted model: a script that makes the call `count`, and answers "7"."""


@pytest.fixture(scope="session")
def own_journal(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The journal of a run that this user has played, so that it has the marks of the user's key.

    Tests forge journals from it, as if a stranger had written them. The benchmark `many_trials:2` has
    two trials, seat-001-t0 and seat-002-t1.
    """
    folder = tmp_path_factory.mktemp("own")
    (folder / "replies.toml").write_text(COUNTS_AND_ANSWERS, encoding="utf-8")
    run = run_in_process(
        "run",
        "--benchmark",
        "tests.support.many_trials:2",
        "--model",
        f"scripted:{folder / 'replies.toml'}",
        # Settings other than the defaults, which a forged journal may not impose on a user.
        "--isolation",
        "language,process",
        "--step-time",
        "50",
        cwd=folder,
    )
    assert run.code == 0, run.err
    (journal,) = (folder / "runs").glob("*.jsonl")
    assert list(open_journal(journal).trials) == ["seat-001-t0", "seat-002-t1"]
    return journal


@pytest.fixture
def small_journal(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The journal of a run of one task, "evil". Its script reads `a.txt` and answers "done".

    Tests replace its texts by evil ones. The grader gives 0.5, with the reason "no".
    """
    monkeypatch.chdir(tmp_path)
    (tmp_path / "replies.toml").write_text(READS_A_FILE)
    task = Task(
        "evil",
        "Read a.txt.",
        files={"/a.txt": "It is blue."},
        grade=lambda end: (0.5, ["no"]),
    )
    run = controlplane.run([task], model="scripted:replies.toml", gates="none")
    return run.journal
