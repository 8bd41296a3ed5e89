"""Runs `ask --write` in a test, with a model that changes three files.

`ask_for_changes(folder, "--apply")` asks it to, for the files of the fixture `changeable_folder`:

    docs/loans.md    says "until 2026-03-01", then "until 2026-05-01"
    docs/new/a.md    is new, with the text "new"
    docs/old.md      is deleted
"""

from pathlib import Path

from tests.controlplane.questions.asked_question import ask
from tests.support.command import CommandResult

REQUEST = "Extend loan-02 to 2026-05-01, write new/a.md, and delete old.md."


def script_with_changes(new_file: str = "/new/a.md") -> str:
    """Return a script of a model that makes the three changes, and answers.

    `harness` has the calls to the files, and `harness.answer` submits what the scratchpad has.
    """
    return f"""
text = harness.read("/loans.md").content
harness.write("/loans.md", text.replace("03-01", "05-01"))
harness.write("{new_file}", "new")
harness.delete("/old.md")
scratchpad.cite("/loans.md", "written: loan-02 until 2026-05-01")
scratchpad["answer"] = "loan-02 is kept until 2026-05-01, {new_file} is written, and old.md is deleted."
scratchpad["outcome"] = "OUTCOME_OK"
harness.answer(scratchpad, lambda sp: "05-01" in sp["answer"])
"""


def ask_for_changes(folder: Path, *options: str) -> CommandResult:
    """Ask a model that replies with that script, and may change files of docs."""
    all_options = ("--write", "docs", *options)
    script = script_with_changes()
    return ask(folder, *all_options, script=script, question=REQUEST)
