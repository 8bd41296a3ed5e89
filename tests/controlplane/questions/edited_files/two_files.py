"""A folder with a file to change and a file to delete, and the scripts of a model that do so.

For example:

    docs = docs_with_two_files(tmp_path)
    (docs / "fees.md").read_text()    ->    "fee: 4\\n"
"""

from pathlib import Path

CHANGE_FEE = """
harness.read("/fees.md")
harness.write("/fees.md", "fee: 7\\n")
"""


DELETE_OLD_AND_ANSWER = """
harness.delete("/old.md")
scratchpad["answer"] = "It is done."
scratchpad["outcome"] = "OUTCOME_OK"
harness.answer(scratchpad, lambda sp: "done" in sp["answer"])
"""


def docs_with_two_files(tmp_path: Path) -> Path:
    """Return the folder `docs` with fees.md, which is to be changed, and old.md, to be deleted."""
    docs = tmp_path / "docs"
    docs.mkdir()
    (docs / "fees.md").write_text("fee: 4\n")
    (docs / "old.md").write_text("old\n")
    return docs
