"""A script of `ask --write docs` cannot write to a symbolic link, which might lead out of the folder.

For example:

    harness.write("/link.md", "x")    ->    HarnessError "... symbolic link ... fees.md ..."
"""

from pathlib import Path

from tests.controlplane.questions.changes.fee_changes import (
    ask_to_change,
    folder_with_fee,
)
from tests.support.command import run_in_process


def test_a_script_cannot_write_to_a_symbolic_link(tmp_path: Path) -> None:
    """The link might lead out of the folder. The error names the file that it leads to."""
    folder = folder_with_fee(tmp_path)
    (folder / "docs/link.md").symlink_to("fees.md")

    asked = ask_to_change(
        folder,
        """
try:
    harness.write("/link.md", "x")
except HarnessError as error:
    print(error.message)
harness.write("/new.md", "new\\n")
""",
        "--apply",
    )

    assert asked.code == 0, asked.err  # The script has caught the error, and gone on.
    replayed = run_in_process("replay", "last", "--trial", "ask", "--json", cwd=folder)
    (step,) = replayed.json["steps"]
    assert "symbolic link" in step["output"]
    assert "fees.md" in step["output"]
    assert (folder / "docs/fees.md").read_text() == "fee: 4\n"
    assert (folder / "docs/new.md").read_text() == "new\n"
