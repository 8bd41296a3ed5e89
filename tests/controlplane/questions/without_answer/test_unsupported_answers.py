"""`ask` tells the user that the files do not answer the question, and what was searched for.

the model submits    "The files do not say it.", with the outcome OUTCOME_NONE_UNSUPPORTED
`ask` prints         The sources do not say.        a heading of the product
                     The files do not say it.       the model's answer
                     searched for: zeppelin
"""

import re
from datetime import UTC, datetime
from pathlib import Path

from tests.controlplane.questions.asked_question import ask, write_files


def unsupported(answer: str) -> str:
    """Return the script of a model that searches in vain, and submits this answer.

    `harness.answer` submits it, if the function beside it, a check of the model's own, is true.
    """
    return f"""
from datetime import date
harness.search("zeppelin")
scratchpad["answer"] = {answer}
scratchpad["outcome"] = "OUTCOME_NONE_UNSUPPORTED"
harness.answer(scratchpad, lambda scratchpad: "not" in scratchpad["answer"])
"""


def test_an_unsupported_answer_is_a_success(tmp_path: Path) -> None:
    """`ask` also names the files that the search has left out."""
    write_files(tmp_path, {"docs/a.md": "fee: 7\n", "docs/logo.png": "\0"})

    asked = ask(tmp_path, script=unsupported('"The files do not say it."'))

    assert asked.code == 0, asked.err
    assert asked.out.startswith("The sources do not say.")
    assert "The files do not say it." in asked.out
    assert "searched for: zeppelin" in asked.out
    assert "not looked at: binary (logo.png)" in asked.out


def test_an_escape_sequence_of_the_model_does_not_reach_the_terminal(
    tmp_path: Path,
) -> None:
    """The sequence `\\x1b[31m` would turn the rest of the model's answer red."""
    write_files(tmp_path, {"docs/a.md": "fee: 7\n"})

    asked = ask(tmp_path, script=unsupported(r'"The files \x1b[31mdo not say it."'))

    assert asked.out.startswith("The sources do not say.")
    assert "do not say it." in asked.out
    assert "\x1b" not in asked.out


def test_scripts_know_todays_date(tmp_path: Path) -> None:
    """The answer of this script has the date."""
    write_files(tmp_path, {"docs/a.md": "fee: 7\n"})
    script = unsupported('f"The files of {date.today()} do not say it."')

    date_before_asking = datetime.now(UTC).date()
    asked = ask(tmp_path, script=script)
    date_after_asking = datetime.now(UTC).date()  # the next day if midnight has passed

    (date,) = re.findall(r"The files of (\S+) do not say it\.", asked.out)
    assert date in (str(date_before_asking), str(date_after_asking))
