"""Short programs for the files of a container.

A program runs as `sh -c PROGRAM sh PATH ...` and first names its arguments: `$1` is PATH. If
it cannot do its work, it exits with one of the codes below. The programs need only a shell
and the usual small commands, because an image may have no Python.
"""

from __future__ import annotations

from typing import Final

from controlplane.sandbox.interface import error_codes

# The exit codes of programs that cannot do their work.
WRONG_KIND: Final = 3
"""The path is a folder where a file is needed, or the reverse."""
MISSING: Final = 4
NOT_ALLOWED: Final = 5
BAD_PATTERN: Final = 6
"""The regular expression is wrong. The program prints the reason, which completes the error."""
FAILURES: Final = {
    WRONG_KIND: (
        error_codes.FAILED_PRECONDITION,
        "is of the wrong kind (a folder, or no folder)",
    ),
    MISSING: (error_codes.NOT_FOUND, "does not exist"),
    NOT_ALLOWED: (error_codes.PERMISSION_DENIED, "cannot be opened or changed"),
}
"""The error code and text for the exit codes that concern the path."""
DIRECT_ENTRIES: Final = "* .[!.]* ..?*"
"""Shell patterns for all names in a folder, except for `.` and `..`, the folder and its parent.

`*` finds `a`, `.[!.]*` finds `.a`, and `..?*` finds `..a`.
"""
LIST_FOLDER: Final = f"""
folder=$1; bytes=$2
if [ ! -d "$folder" ]; then
  [ -e "$folder" ] && exit {WRONG_KIND}
  exit {MISSING}
fi
cd "$folder" || exit {NOT_ALLOWED}
for name in {DIRECT_ENTRIES}; do
  # The shell leaves a pattern without a match as it is, so "$name" may be the pattern itself.
  # Skip it, because no such file exists (-e). A link to a missing file (-L) is an entry, too.
  [ -e "$name" ] || [ -L "$name" ] || continue
  kind=f; [ -d "$name" ] && kind=d
  printf '%s%s\\0' "$kind" "$name"
done | head -c "$bytes"
"""
"""Prints each entry of a folder as `dNAME` for a folder or `fNAME` otherwise, ended by NUL.

A longer listing is cut to a number of bytes.
"""
READ_FILE: Final = f"""
file=$1; bytes=$2
[ -d "$file" ] && exit {WRONG_KIND}
[ -e "$file" ] || exit {MISSING}
head -c "$bytes" "$file" || exit {NOT_ALLOWED}
"""
"""Prints the first bytes of a file."""
READ_LINES: Final = f"""
file=$1; bytes=$2; sed_program=$3
[ -d "$file" ] && exit {WRONG_KIND}
[ -e "$file" ] || exit {MISSING}
# Checked here, because the next line exits with the code of `head`, even if `sed` cannot read
# the file.
[ -r "$file" ] || exit {NOT_ALLOWED}
sed -n "$sed_program" "$file" | head -c "$bytes"
"""
"""Prints the lines that a sed program selects, such as `10,20p`, up to a number of bytes."""
WRITE_FILE: Final = f"""
file=$1
[ -d "$file" ] && exit {WRONG_KIND}
mkdir -p "$(dirname "$file")" && cat >"$file" || exit {NOT_ALLOWED}
"""
"""Writes the input to a file, whose folder is created if it is missing."""
DELETE_FILE: Final = f"""
file=$1
[ -d "$file" ] && exit {WRONG_KIND}
[ -e "$file" ] || [ -L "$file" ] || exit {MISSING}
rm -f "$file" || exit {NOT_ALLOWED}
"""
STAT_FILE: Final = f"""
path=$1
[ -e "$path" ] || [ -L "$path" ] || exit {MISSING}
kind=f; [ -d "$path" ] && kind=d
access=r; [ -w "$path" ] && access=w
printf '%s%s' $kind $access
"""
"""Prints two letters: `d` for a folder or `f` otherwise, then `w` if it is writable or else `r`."""
SKIP_SYSTEM_FOLDERS: Final = r"\( -path /proc -o -path /sys -o -path /dev \) -prune"
"""An expression of `find`. Whatever follows `-o` applies to all other paths."""
FIND_PATHS: Final = f"""
root=$1; name=$2; bytes=$3
[ -e "$root" ] || exit {MISSING}
shift 3  # The words that remain are the wanted kind: `-type f`, `-type d`, or none.
find "$root" {SKIP_SYSTEM_FOLDERS} -o "$@" -name "$name" -print0 2>/dev/null | head -c "$bytes"
"""
"""Prints the paths below a folder whose name matches a pattern, each ended by NUL."""
SEARCH_LINES: Final = f"""
root=$1; pattern=$2; lines=$3; bytes=$4
[ -e "$root" ] || exit {MISSING}
# grep exits with 1 if nothing matches, and with 2 if the pattern is wrong.
printf '' | grep -E -e "$pattern"
[ $? -le 1 ] || exit {BAD_PATTERN}
find "$root" {SKIP_SYSTEM_FOLDERS} -o -type f -exec grep -nHIE -e "$pattern" {{}} + 2>/dev/null \
  | head -n "$lines" | head -c "$bytes"
"""
"""Prints the matching lines of all text files below a folder as `PATH:NUMBER:LINE`."""
