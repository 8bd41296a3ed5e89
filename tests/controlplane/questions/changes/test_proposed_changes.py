"""`ask --write` lets a model propose changes of files, which are printed as a diff.

    controlplane ask "Raise the fee." docs --write docs    ->    -fee: 4
                                                                 +fee: 7

They are made with `--apply`, or if the user says yes in the terminal. Here nobody can be asked.
"""

from pathlib import Path

from controlplane.errors import ChangesProposed
from tests.controlplane.questions.changes.fee_changes import (
    ask_to_change,
    folder_with_fee,
)


def test_changes_are_proposed_as_a_diff_and_not_made(tmp_path: Path) -> None:
    """Nobody can be asked for consent here: this is not a terminal, and there is no `--apply`."""
    folder = folder_with_fee(tmp_path)

    proposed = ask_to_change(folder, 'harness.write("/fees.md", "fee: 7\\n")')

    assert proposed.code == ChangesProposed.exit_code, proposed.err
    assert (
        "\n\n--- docs/fees.md\n+++ docs/fees.md\n@@ -1 +1 @@\n-fee: 4\n+fee: 7\n"
    ) in proposed.out
    assert "\nproposed: " in proposed.out
    assert "changed: " not in proposed.out
    assert "nothing is written; ask with --apply" in proposed.err
    assert (folder / "docs/fees.md").read_text() == "fee: 4\n"


def test_a_file_that_is_written_as_it_is_already_is_no_change(tmp_path: Path) -> None:
    """Its text is the same but for the line ends, which are those of Windows."""
    folder = folder_with_fee(tmp_path)
    (folder / "docs/same.md").write_bytes(b"a\r\nb\r\n")

    proposed = ask_to_change(
        folder,
        """
harness.write("/same.md", "a\\nb\\n")
harness.write("/fees.md", "fee: 7\\n")
""",
    )

    assert proposed.code == ChangesProposed.exit_code, proposed.err
    assert "docs/fees.md" in proposed.out
    assert "docs/same.md" not in proposed.out
