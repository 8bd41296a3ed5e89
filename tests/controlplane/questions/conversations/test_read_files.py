"""A script of `ask "and now?" --continue` may cite a file that the question before has read.

If the file has changed since, it must be read again: `scratchpad.cite` raises a CitationError.
"""

from pathlib import Path

from tests.controlplane.questions.conversations.continued_question import (
    READ_AND_ANSWER,
    ask_and_now,
    printed,
)

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
