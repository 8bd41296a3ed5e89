"""Several processes change files of one folder at the same time.

Each has shown its user a diff of the files as they are. If two change the same file, the second one
would overwrite a text that its diff did not show, so it is refused.
"""

from controlplane.file_changes import FileChange
from tests.controlplane.file_changes.simultaneous_changes.waiting_processes import (
    MADE,
    REFUSED,
    WaitingProcesses,
)
from tests.controlplane.file_changes.text_folder import TextFolder


def test_of_eight_changes_to_one_file_at_the_same_time_one_is_made(
    folder: TextFolder, heavy: bool
) -> None:
    """The race is run once, in the heavy form three times."""
    for race in range(3 if heavy else 1):
        folder.write(sum="0\n")
        kept = folder.root / f"kept{race}"
        processes = WaitingProcesses()
        for number in range(1, 9):
            change = FileChange.of(folder.root, "/sum.txt", f"{number}\n")
            processes.add(change, old_versions=kept / f"run{number}")

        exit_codes = processes.run()

        assert sorted(exit_codes) == [MADE] + [REFUSED] * 7
        assert folder.texts() != {"sum": "0\n"}
        old_versions = list(kept.glob("run*/sum.txt"))
        assert [old_version.read_text() for old_version in old_versions] == ["0\n"]


def test_changes_to_several_files_at_the_same_time_are_all_made(
    folder: TextFolder,
) -> None:
    """Eight processes change one file each, and keep its old version in the same folder."""
    processes = WaitingProcesses()
    for number in range(8):
        change = FileChange.of(folder.root, f"/{number}.txt", "new\n")
        processes.add(change, old_versions=folder.root / "runs/kept")

    exit_codes = processes.run()

    assert exit_codes == [MADE] * 8
    assert folder.texts() == {str(number): "new\n" for number in range(8)}
