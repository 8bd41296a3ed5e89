"""`undo` takes back the changes of files that the last question made.

`ask "Extend loan-02." docs --write docs --apply` changes docs/loans.md, and keeps its old version.
`undo` prints how the file would change back, and `undo --apply` does it.
"""

from pathlib import Path

from controlplane.errors import ChangesProposed
from tests.controlplane.questions.asked_changes import ask_for_changes
from tests.support.command import run_in_process

UNDO_FAILED = 1
"""The exit code of `undo` if it could not undo the changes."""


class TestUndo:
    """A question has changed three files, and `undo` changes them back.

    The date in docs/loans.md was replaced, docs/new/a.md was written, and docs/old.md was
    deleted. The files as they were are in `runs/.old-versions`. `changeable_folder` is the
    folder before the question.
    """

    def test_undo_proposes_the_reverse_changes(self, changeable_folder: Path) -> None:
        """Like `ask`, `undo` makes changes only with `--apply`."""
        ask_for_changes(changeable_folder, "--apply")

        proposed = run_in_process("undo", cwd=changeable_folder)

        assert proposed.code == ChangesProposed.exit_code
        assert "-  until 2026-05-01." in proposed.out
        assert "--apply undoes" in proposed.err

    def test_undo_with_apply_restores_the_files_and_a_second_undo_changes_them_again(
        self, changeable_folder: Path
    ) -> None:
        """A deleted file comes back, and a new one is removed."""
        docs = changeable_folder / "docs"
        ask_for_changes(changeable_folder, "--apply")

        assert run_in_process("undo", "--apply", cwd=changeable_folder).code == 0
        assert "2026-03-01" in (docs / "loans.md").read_text()
        assert (docs / "old.md").read_text() == "old\n"
        assert not (docs / "new/a.md").exists()

        assert run_in_process("undo", "--apply", cwd=changeable_folder).code == 0
        assert (docs / "new/a.md").read_text() == "new"

    def test_undo_is_refused_if_a_file_was_edited_since(
        self, changeable_folder: Path
    ) -> None:
        """Nothing is undone then, not even for the other files, such as new/a.md."""
        docs = changeable_folder / "docs"
        ask_for_changes(changeable_folder, "--apply")
        (docs / "loans.md").write_text("edited\n")

        refused = run_in_process("undo", "--apply", cwd=changeable_folder)

        assert refused.code == UNDO_FAILED
        assert "docs/loans.md: it was changed since: nothing is undone" in refused.err
        assert (docs / "new/a.md").exists()

    def test_undo_knows_only_changes_by_runs_in_its_folder(
        self, changeable_folder: Path
    ) -> None:
        """Changes are remembered beside the journals of their runs, here in the folder `runs`."""
        ask_for_changes(changeable_folder, "--apply")

        refused = run_in_process(
            "undo", "--runs-dir", "elsewhere", cwd=changeable_folder
        )

        assert "there is no change to undo" in refused.err
