"""Asks a model to change files, of which docs/fees.md says "fee: 4".

    folder = folder_with_fee(tmp_path)
    ask_to_change(folder, 'harness.write("/fees.md", "fee: 7\\n")', "--apply")

The model replies with the script, and then says "It is done.".
"""

from pathlib import Path

from tests.controlplane.questions.asked_question import ask
from tests.support.command import CommandResult

# `harness.answer` submits the answer, with a function of the model that checks it.
ANSWER = """
scratchpad["answer"] = "It is done."
scratchpad["outcome"] = "OUTCOME_OK"
harness.answer(scratchpad, lambda sp: "done" in sp["answer"])
"""


def ask_to_change(folder: Path, script: str, *options: str) -> CommandResult:
    """Ask a model that replies with this script, and then says "It is done.".

    The script may read and write the files of `docs`, such as `/fees.md` for docs/fees.md.
    """
    return ask(
        folder,
        "--write",
        "docs",
        "--gates",
        "none",
        *options,
        script=script + ANSWER,
        question="Do it.",
    )


def folder_with_fee(tmp_path: Path) -> Path:
    """Return a folder with one file, docs/fees.md: "fee: 4"."""
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs/fees.md").write_text("fee: 4\n")
    return tmp_path
