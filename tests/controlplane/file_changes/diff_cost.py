"""A program that measures what the diff of a file costs, and prints it as JSON.

    python -m tests.controlplane.file_changes.diff_cost FOLDER
    {"executed_lines": 5230, "growth_mb": 12.5}

FOLDER has `a.txt`, the file as it is, and `new.txt`, its new text. The memory of a process at its peak
never falls again, so each diff is measured in a process of its own.
"""

import json
import resource
import sys
from pathlib import Path

from controlplane.file_changes import FileChange
from controlplane.view.answer.file_diff import file_diff
from tests.support.executed_work import executed_lines


def peak_memory_mb() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def main(folder: Path) -> None:
    new_text = (folder / "new.txt").read_text("utf-8")
    memory_mb_before = peak_memory_mb()

    line_count = executed_lines(
        lambda: file_diff("a.txt", FileChange.of(folder, "/a.txt", new_text))
    )

    growth_mb = peak_memory_mb() - memory_mb_before
    print(json.dumps({"executed_lines": line_count, "growth_mb": growth_mb}))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
