"""Several processes that change files of one folder at the same time.

Each process has shown its user a diff of the files as they are. If two change the same file, the
second one would overwrite a text that its diff did not show, so it is refused.
"""

import os
from pathlib import Path

import pytest

from controlplane.file_changes.file_change import ChangeRefused, FileChange
from controlplane.file_changes.making_changes import make_changes
from tests.controlplane.file_changes.text_folder import TextFolder

MADE, REFUSED, FAILED = 0, 1, 2
"""The exit codes of the processes that make changes."""


class WaitingProcesses:
    """Processes that each make a change as soon as all of them are told to start."""

    def __init__(self) -> None:
        self.ids: list[int] = []
        # The processes wait to read from a pipe. It ends when this process closes the other end.
        self.start_reader, self.start_writer = os.pipe()

    def add(self, change: FileChange, old_versions: Path) -> None:
        """Start a process that waits, makes the change, and ends with one of the exit codes."""
        process_id = os.fork()
        if process_id:
            self.ids.append(process_id)
            return
        os.close(self.start_writer)
        os.read(self.start_reader, 1)
        try:
            make_changes({f"/{change.place.name}": change}, old_versions)
        except ChangeRefused:
            os._exit(REFUSED)
        except BaseException:  # noqa: BLE001 - the border of a process
            os._exit(FAILED)
        os._exit(MADE)

    def run(self) -> list[int]:
        """Let all make their changes, and return their exit codes."""
        os.close(self.start_reader)
        os.close(self.start_writer)
        exit_codes: list[int] = []
        for process_id in self.ids:
            _, status = os.waitpid(process_id, 0)
            exit_codes.append(os.waitstatus_to_exitcode(status))
        return exit_codes


@pytest.mark.parametrize("attempt", range(3))
def test_of_eight_changes_to_one_file_at_the_same_time_one_is_made(
    attempt: int, folder: TextFolder
) -> None:
    """The race is run three times."""
    folder.write(sum="0\n")
    processes = WaitingProcesses()
    for number in range(1, 9):
        change = FileChange.of(folder.root, "/sum.txt", f"{number}\n")
        processes.add(change, old_versions=folder.root / f"runs{number}/kept")

    exit_codes = processes.run()

    assert sorted(exit_codes) == [MADE] + [REFUSED] * 7
    assert folder.texts() != {"sum": "0\n"}
    old_versions = list(folder.root.glob("runs*/kept/sum.txt"))
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
