"""A script of `ask "and now?" --continue` knows the question before, and its answer.

They are in `harness.earlier()`. The journal, the record of the question, names the one before as its
parent.
"""

from pathlib import Path

from controlplane import open_journal
from tests.controlplane.questions.conversations.continued_question import (
    READ_AND_ANSWER,
    ask_and_now,
    printed,
)
from tests.support.command import run_in_process

# A script of `ask "and now?" --continue` may cite a file that the question before has read.
#
# If the file has changed since, it must be read again: `scratchpad.cite` raises a CitationError.

CITE_WITHOUT_READING = """
try:
    scratchpad.cite("/loans.md", "the line on loan-02", "loan-02")
    print("cited")
except CitationError:
    print("not read")
"""


def test_a_file_that_the_question_before_has_read_may_be_cited(
    asked_folder: Path,
) -> None:
    journal = ask_and_now(asked_folder, CITE_WITHOUT_READING + READ_AND_ANSWER)

    (output,) = printed(journal)
    assert output.startswith("cited\n")


def test_a_file_that_has_changed_since_must_be_read_again(asked_folder: Path) -> None:
    loans = asked_folder / "docs/loans.md"
    loans.write_text("loan-02: returned, kept until 2026-03-01.\n")

    journal = ask_and_now(asked_folder, CITE_WITHOUT_READING + READ_AND_ANSWER)

    (output,) = printed(journal)
    assert output.startswith("not read\n")


def test_a_script_gets_the_answer_and_the_scratchpad_of_the_question_before(
    asked_folder: Path,
) -> None:
    journal = ask_and_now(
        asked_folder,
        "print(harness.earlier().shown)\n"
        "print(harness.earlier().scratchpad.seen)" + READ_AND_ANSWER,
    )

    (output,) = printed(journal)
    assert "Until 2026-03-01." in output
    assert output.endswith("\nloan-02\n")
    assert run_in_process("replay", "last", "--verify", cwd=asked_folder).code == 0


def test_a_continued_question_names_the_run_of_the_one_before(
    asked_folder: Path,
) -> None:
    (first_journal,) = (asked_folder / "runs").glob("*.jsonl")
    first = open_journal(first_journal)

    journal = ask_and_now(asked_folder, READ_AND_ANSWER)

    assert journal.opened.parent is not None
    assert journal.opened.parent.how == "continue"
    assert journal.opened.parent.run == first.run


def test_a_continued_question_waits_30_s_for_a_failing_model_like_the_first(
    asked_folder: Path,
) -> None:
    """A run of a benchmark, beside which nobody sits and waits, has more patience."""
    journal = ask_and_now(asked_folder, READ_AND_ANSWER)

    assert journal.setting("model_patience") == 30.0
