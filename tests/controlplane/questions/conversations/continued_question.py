"""A question about the answer to the one before, `ask "and now?" --continue`.

    journal = ask_and_now(asked_folder, 'print("hello")' + READ_AND_ANSWER)
    printed(journal)    ->    ["hello\\n"]

The model replies with the script. A journal is the record of a question.
"""

from pathlib import Path

from controlplane import open_journal
from controlplane.journal.journal_reader import Journal
from tests.controlplane.questions.asked_question import scripted_model
from tests.support.command import run_in_process

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
