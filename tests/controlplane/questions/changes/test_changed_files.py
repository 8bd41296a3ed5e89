"""A file that `ask --write docs --apply` changes keeps its permissions, and its old version is kept.

The old version of docs/fees.md is runs/.old-versions/fees.md, until the next change.
"""

from pathlib import Path

from tests.controlplane.questions.changes.fee_changes import (
    ask_to_change,
    folder_with_fee,
)


def test_a_changed_file_keeps_its_permissions(tmp_path: Path) -> None:
    """Those of fees.md are for its owner alone."""
    folder = folder_with_fee(tmp_path)
    (folder / "docs/fees.md").chmod(0o600)

    ask_to_change(folder, 'harness.write("/fees.md", "fee: 7\\n")', "--apply")

    assert (folder / "docs/fees.md").read_text() == "fee: 7\n"
    permissions = (folder / "docs/fees.md").stat().st_mode & 0o777
    assert permissions == 0o600


def test_old_versions_of_changed_files_are_kept(tmp_path: Path) -> None:
    folder = folder_with_fee(tmp_path)

    applied = ask_to_change(folder, 'harness.write("/fees.md", "fee: 7\\n")', "--apply")

    assert "old versions, until the next change: runs/.old-versions; " in applied.err
    assert (folder / "runs/.old-versions/fees.md").read_text() == "fee: 4\n"
