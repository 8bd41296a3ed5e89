"""The shell programs that read and write a file in a sandbox's container.

A program that fails tells the reason by its exit code: 3 if the path is a folder, 4 if nothing
is there. Inspect expects an error of Python's for each, such as `IsADirectoryError`.
"""

from __future__ import annotations

from typing import Final

# The exit codes of programs that cannot do their work.
IS_FOLDER: Final = 3
MISSING: Final = 4
NOT_ALLOWED: Final = 5

READ_FILE: Final = f"""
file=$1; bytes=$2
[ -d "$file" ] && exit {IS_FOLDER}
[ -e "$file" ] || exit {MISSING}
head -c "$bytes" "$file" || exit {NOT_ALLOWED}
"""
"""Prints the first bytes of a file."""
WRITE_FILE: Final = f"""
file=$1
[ -d "$file" ] && exit {IS_FOLDER}
mkdir -p "$(dirname "$file")" && cat >"$file" || exit {NOT_ALLOWED}
"""
"""Writes the input to a file, whose folder is created if it is missing."""


def raise_for_file(exit_code: int, file: str) -> None:
    """Raise the error that Inspect expects if `READ_FILE` or `WRITE_FILE` failed."""
    if exit_code == IS_FOLDER:
        raise IsADirectoryError(file)
    if exit_code == MISSING:
        raise FileNotFoundError(file)
    if exit_code != 0:  # NOT_ALLOWED; or the program did not even start.
        raise PermissionError(file)
