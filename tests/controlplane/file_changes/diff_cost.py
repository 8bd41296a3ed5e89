"""A program that makes the diff of a large change, and fails if it takes too much work or memory.

    python -m tests.controlplane.file_changes.diff_cost "equal lines" FOLDER

The memory of a process at its peak never falls again. So each large diff is measured in a process of
its own.
"""

import resource
import sys
from pathlib import Path

from controlplane.file_changes.file_change import FileChange
from controlplane.view.answer.file_diff import file_diff
from tests.support.executed_work import executed_lines

LARGE_CHANGES = {
    "400,000 lines each": (
        "\n".join(f"{n} {n % 7}" for n in range(400_000)),
        lambda text: text[::-1],
    ),
    "equal lines": ("a\nb\n" * 200, lambda text: "b\na\n" * 200),
    "10 MB of nothing": ("\0" * 10_000_000, lambda text: "now a text\n"),
    "one line of 8 MB": ("x" * 8_000_000, lambda text: "y" + text[1:]),
}
"""By name: the old text of a file, and a function of it that returns the new text."""

MAX_LINES = 1_000_000
MAX_GROWTH_MB = 200
"""How many lines of Python a diff may execute, and by how much the memory may grow."""


def peak_memory_mb() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def check_cost_of_diff(name: str, folder: Path) -> None:
    """Assert that the diff of a large change takes little work and memory."""
    old_text, new_text_of = LARGE_CHANGES[name]
    (folder / "a.txt").write_text(old_text)
    new_text = new_text_of(old_text)
    del old_text
    peak_mb_before = peak_memory_mb()

    lines = executed_lines(
        lambda: file_diff("a.txt", FileChange.of(folder, "/a.txt", new_text))
    )

    assert lines < MAX_LINES
    assert peak_memory_mb() - peak_mb_before < MAX_GROWTH_MB


if __name__ == "__main__":
    check_cost_of_diff(sys.argv[1], Path(sys.argv[2]))
