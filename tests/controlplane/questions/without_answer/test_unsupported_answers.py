"""`ask` succeeds with the answer that the files do not say it.

The model searches for "zeppelin" in vain:

    The sources do not say.
    searched for: zeppelin
"""

import re
from datetime import UTC, datetime
from pathlib import Path

from tests.controlplane.questions.asked_question import (
    ANSWER_THAT_FILES_DO_NOT_SAY,
    ask,
    write_files,
)


def test_an_answer_that_the_files_do_not_say_it_is_a_success(tmp_path: Path) -> None:
    """It tells what was searched for, and which files were not looked at."""
    write_files(tmp_path, {"docs/a.md": "fee: 7\n", "docs/logo.png": "\0"})

    asked = ask(tmp_path, script=ANSWER_THAT_FILES_DO_NOT_SAY)

    assert asked.code == 0, asked.err
    assert asked.out.startswith("The sources do not say.")
    assert "searched for: zeppelin" in asked.out
    assert "not looked at: binary (logo.png)" in asked.out


def test_an_escape_sequence_of_the_model_does_not_reach_the_terminal(
    tmp_path: Path,
) -> None:
    """The sequence would turn the terminal's text red."""
    write_files(tmp_path, {"docs/a.md": "fee: 7\n"})
    script = ANSWER_THAT_FILES_DO_NOT_SAY.replace("do not", "\\x1b[31mdo not")

    asked = ask(tmp_path, script=script)

    assert asked.out.startswith("The sources do not say.")
    assert "\x1b" not in asked.out


def test_scripts_know_todays_date(tmp_path: Path) -> None:
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
