"""The diff of a file's change, as the user reads it.

For example:

    diff_text(folder, b"a\\n", "b\\n")    ->    "--- a.txt\\n+++ a.txt\\n@@ -1 +1 @@\\n-a\\n+b\\n"
"""

from pathlib import Path

from controlplane.file_changes import FileChange
from controlplane.view.answer.file_diff import file_diff


def diff_text(folder: Path, old_bytes: bytes, new_text: str | None) -> str:
    """Return the diff of a file with these bytes and its new text, None if it is deleted."""
    file = folder / "a.txt"
    file.write_bytes(old_bytes)
    file.chmod(0o644)
    diff = file_diff("a.txt", FileChange.of(folder, "/a.txt", new_text))
    return diff.text + "\n"
