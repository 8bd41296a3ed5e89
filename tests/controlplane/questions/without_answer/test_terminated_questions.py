"""`ask` that is terminated by a signal names the files that it has read.

The signal comes in the model's second step, whose script never ends. The first one has read docs/a.md.
"""

import signal
from pathlib import Path

import pytest

from controlplane.errors import Interrupted
from tests.controlplane.questions.asked_question import scripted_model, write_files
from tests.support.command import start_controlplane, wait_for_exit, wait_until


def has_finished_a_step(folder: Path) -> bool:
    """Return whether a journal below the folder has the event of a step's end."""
    journals = folder.glob("runs/*.jsonl")
    return any('"type":"step"' in journal.read_text() for journal in journals)


@pytest.mark.parametrize("as_json", [False, True], ids=["as text", "as json"])
def test_a_terminated_question_names_the_files_that_it_has_read(
    as_json: bool, tmp_path: Path
) -> None:
    write_files(tmp_path, {"docs/a.md": "fee: 7\n", "docs/b.md": "fee: 12\n"})
    model = scripted_model(
        tmp_path, "harness.read('/a.md')\nprint('read')", "while True:\n    pass"
    )
    words = ["ask", "What is the fee?", "docs", *model]
    if as_json:
        words.append("--json")

    process = start_controlplane(*words, cwd=tmp_path)
    wait_until(lambda: has_finished_a_step(tmp_path))
    process.send_signal(signal.SIGTERM)
    terminated = wait_for_exit(process)

    assert terminated.code == Interrupted.exit_code
    if as_json:
        assert terminated.json["files_read"] == ["docs/a.md"]
    else:
        assert "docs/a.md" in terminated.out
