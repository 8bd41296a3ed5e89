"""A script of `ask "and now?" --continue` knows the question before, and its answer.

They are in `harness.earlier()`. The journal, the record of the question, names the one before as its
parent.
"""

from pathlib import Path

import pytest

from controlplane import open_journal
from controlplane.journal.journal_reader import Journal
from tests.controlplane.questions.asked_question import scripted_model
from tests.support.command import run_in_process

# A question about the answer to the one before, `ask "and now?" --continue`.
#
#     journal = ask_and_now(asked_folder, 'print("hello")' + READ_AND_ANSWER)
#     printed(journal)    ->    ["hello\n"]
#
# The model replies with the script. A journal is the record of a question.

READ_AND_ANSWER = """
harness.read("/loans.md")
scratchpad.cite("/loans.md", "the line on loan-02 names 2026-03-01", "until 2026-03-01")
scratchpad["seen"] = "loan-02"
scratchpad["answer"] = "Until 2026-03-01."
scratchpad["outcome"] = "OUTCOME_OK"
harness.answer(scratchpad, lambda sp: "2026-03-01" in sp["answer"])
"""


def ask_and_now(folder: Path, script: str) -> Journal:
    """Ask "and now?", to which the model replies with this script, and return the journal."""
    scripted_model(folder, script)  # This replaces the replies of the question before.
    asked = run_in_process("ask", "and now?", "--continue", "--json", cwd=folder)
    assert asked.code == 0, asked.out
    return open_journal(folder / asked.json["journal"])


def printed(journal: Journal) -> list[str]:
    """Return what the scripts of a question have printed, one text for each script."""
    (trial,) = journal.trials.values()
    return [step.output for step in trial.record.step_summaries]


@pytest.fixture
def asked_folder(tmp_path: Path) -> Path:
    """A folder in which a question was asked, and answered by reading and citing docs/loans.md."""
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs/loans.md").write_text("loan-02: kept until 2026-03-01.\n")
    model = scripted_model(tmp_path, READ_AND_ANSWER)
    question = "Until when may loan-02 be kept?"
    asked = run_in_process("ask", question, "docs", *model, "--json", cwd=tmp_path)
    assert asked.code == 0, asked.err
    return tmp_path


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
