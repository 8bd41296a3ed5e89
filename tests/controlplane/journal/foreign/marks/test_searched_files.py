"""A huge file without lines is searched for a user's mark in little memory.

The last line of a user's journal ends with a mark, a signature with the user's key. Any file may lie in
the folder of the journals, here one of 1 GiB.
"""

import tracemalloc
from pathlib import Path

import pytest

from controlplane.journal.journal_lines import ends_with_mark
from controlplane.sandbox.interface import bounds


@pytest.mark.usefixtures("own_journal")  # This fixture plays a run, which makes a key.
def test_a_huge_file_without_lines_is_searched_for_a_mark_in_little_memory(
    tmp_path: Path,
) -> None:
    """A user without a key has no marks, and no file would be searched."""
    huge_file = tmp_path / "r.jsonl"
    with huge_file.open("wb") as file:
        file.truncate(1 << 30)  # 1 GiB that takes no room on the disk

    tracemalloc.start()
    has_mark = ends_with_mark(huge_file)
    _, peak_bytes = tracemalloc.get_traced_memory()
    tracemalloc.stop()

    assert not has_mark
    # The search gives up at a line of more than 64 MiB, of which there may be two copies.
    assert peak_bytes < 3 * bounds.MOST_LINE_BYTES
