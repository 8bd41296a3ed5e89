"""A question that has no answer: the files do not say it, or `ask` ends before the model answers.

The first is a success: "The sources do not say." The second is a failure.
"""

import json
import re
import signal
import subprocess
from datetime import UTC, datetime
from pathlib import Path

import pytest

from controlplane.errors import Interrupted
from tests.controlplane.questions.asked_question import (
    A_QUESTION_FAILED,
    ANSWER_THAT_FILES_DO_NOT_SAY,
    ask,
    scripted_model,
    write_files,
)
from tests.support.command import (
    clean_environment,
    command,
    wait_until,
)


class TestFilesThatDoNotSay:
    """The model searches for "zeppelin" in vain, and answers that the files do not say it."""

    def test_an_answer_that_the_files_do_not_say_it_is_a_success(
        self, tmp_path: Path
    ) -> None:
        """It tells what was searched for, and which files were not looked at."""
        write_files(tmp_path, {"docs/a.md": "fee: 7\n", "docs/logo.png": "\0"})

        asked = ask(tmp_path, script=ANSWER_THAT_FILES_DO_NOT_SAY)

        assert asked.code == 0, asked.err
        assert asked.out.startswith("The sources do not say.")
        assert "searched for: zeppelin" in asked.out
        assert "not looked at: binary (logo.png)" in asked.out

    def test_an_escape_sequence_of_the_model_does_not_reach_the_terminal(
        self, tmp_path: Path
    ) -> None:
        """The sequence would turn the terminal's text red."""
        write_files(tmp_path, {"docs/a.md": "fee: 7\n"})
        script = ANSWER_THAT_FILES_DO_NOT_SAY.replace("do not", "\\x1b[31mdo not")

        asked = ask(tmp_path, script=script)

        assert asked.out.startswith("The sources do not say.")
        assert "\x1b" not in asked.out

    def test_scripts_know_todays_date(self, tmp_path: Path) -> None:
        write_files(tmp_path, {"docs/a.md": "fee: 7\n"})
        script = """
from datetime import date
harness.search("zeppelin")
scratchpad["answer"] = f"The files of {date.today()} do not say it."
scratchpad["outcome"] = "OUTCOME_NONE_UNSUPPORTED"
harness.answer(scratchpad, lambda sp: "not" in sp["answer"])
"""

        day_before = datetime.now(UTC).date()
        asked = ask(tmp_path, script=script)
        day_after = datetime.now(UTC).date()  # Midnight may have passed.

        (date,) = re.findall(r"The files of (\S+) do not say it\.", asked.out)
        assert date in (str(day_before), str(day_after))


def test_a_question_without_an_answer_in_time_is_a_failure(tmp_path: Path) -> None:
    """The model has one step, in which it does not answer."""
    write_files(tmp_path, {"docs/a.md": "fee: 7\n"})

    as_json = ask(tmp_path, "--max-steps", "1", "--json", script="x = 1")
    printed = ask(tmp_path, "--max-steps", "1", script="x = 1")

    assert as_json.code == A_QUESTION_FAILED
    assert as_json.json["status"] == "no_accepted_answer"
    assert printed.out.startswith("No answer was accepted. (no answer within 1 step")


def has_finished_a_step(folder: Path) -> bool:
    """Return whether a journal below the folder has the event of a step's end."""
    journals = folder.glob("runs/*.jsonl")
    return any('"type":"step"' in journal.read_text() for journal in journals)


@pytest.mark.parametrize("as_json", [False, True], ids=["as text", "as json"])
def test_a_terminated_question_names_the_files_that_it_has_read(
    as_json: bool, tmp_path: Path
) -> None:
    """The signal comes in the model's second step, whose script never ends."""
    write_files(tmp_path, {"docs/a.md": "fee: 7\n", "docs/b.md": "fee: 12\n"})
    model = scripted_model(
        tmp_path, "harness.read('/a.md')\nprint('read')", "while True:\n    pass"
    )
    words = ["ask", "What is the fee?", "docs", *model]
    if as_json:
        words.append("--json")

    with subprocess.Popen(
        command(words),
        cwd=tmp_path,
        env=clean_environment(),
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        wait_until(lambda: has_finished_a_step(tmp_path))
        process.send_signal(signal.SIGTERM)
        out, _ = process.communicate(timeout=60)

    assert process.returncode == Interrupted.exit_code
    if as_json:
        assert json.loads(out)["files_read"] == ["docs/a.md"]
    else:
        assert "docs/a.md" in out
