"""`ask --write docs --apply` makes the changes that a model proposes.

    harness.write("/fees.md", "fee: 7")    ->    docs/fees.md has "fee: 7"

The model may write and delete files of the folder, and its answer may cite what it has written.
"""

from pathlib import Path

from tests.controlplane.questions.asked_question import ask
from tests.controlplane.questions.changes.fee_changes import (
    ask_to_change,
    folder_with_fee,
)


def test_changes_are_made_with_apply(tmp_path: Path) -> None:
    folder = folder_with_fee(tmp_path)
    (folder / "docs/old.md").write_text("old\n")

    applied = ask_to_change(
        folder,
        """
harness.write("/fees.md", "fee: 7\\n")
harness.write("/new/a.md", "new")
harness.delete("/old.md")
""",
        "--apply",
    )

    assert applied.code == 0, applied.err
    assert (folder / "docs/fees.md").read_text() == "fee: 7\n"
    assert (folder / "docs/new/a.md").read_text() == "new"
    assert not (folder / "docs/old.md").exists()
    report = "written: docs/fees.md, docs/new/a.md\ndeleted: docs/old.md\n"
    assert report in applied.err


def test_an_answer_with_changes_passes_the_gates(tmp_path: Path) -> None:
    """The script cites the file that it has written."""
    folder = folder_with_fee(tmp_path)
    script = """
harness.write("/fees.md", harness.read("/fees.md").content.replace("4", "7"))
scratchpad.cite("/fees.md", "written: the fee is 7")
scratchpad["answer"] = "The fee is 7."
scratchpad["outcome"] = "OUTCOME_OK"
harness.answer(scratchpad, lambda sp: "7" in sp["answer"])
"""

    applied = ask(
        folder, "--write", "docs", "--apply", script=script, question="Raise the fee."
    )

    assert applied.code == 0, applied.err
    assert (folder / "docs/fees.md").read_text() == "fee: 7\n"
