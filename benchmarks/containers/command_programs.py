"""The shell programs that run, end and watch one command in a container.

They run in the container by `own_program(PROGRAM, FOLDER, BYTES, ...)`, so in a program, `$1`
is FOLDER, `$2` is BYTES, and `$task_path` is the PATH of the task's commands:

- FOLDER belongs to one command. Its files are `stdout` and `stderr`, which the command writes,
  and `group`, which has the id of the command's process group.
- BYTES is the largest number of bytes of each output to print.
"""

from __future__ import annotations

from typing import Final

RUN_COMMAND: Final = """
folder=$1; bytes=$2
shift 2  # The words that remain are the command.

# The process of this program leads the group of all processes that the command starts. Without its
# folder, the command does not run. Then exit with 125, as `docker run` does for its own failures.
mkdir -p /tmp && mkdir -m 700 "$folder" && echo $$ > "$folder/group" || exit 125

own_path=$PATH
PATH=$task_path
"$@" >"$folder/stdout" 2>"$folder/stderr"
code=$?
PATH=$own_path

# Print a file, or only its start and its end if it is too long.
show() {
  size=$(wc -c <"$1")
  if [ "$size" -le "$bytes" ]; then cat "$1"; return; fi
  head -c $((bytes / 2)) "$1"
  printf '\\n[%s bytes in all, the middle is left out: the whole is in %s]\\n' "$size" "$1"
  tail -c $((bytes / 2)) "$1"
}
show "$folder/stdout"
show "$folder/stderr" >&2

# Remove the folder, unless it has an output that was shown only in part and may be read later.
if [ $(wc -c <"$folder/stdout") -le "$bytes" ] && [ $(wc -c <"$folder/stderr") -le "$bytes" ]
then rm -rf "$folder"; fi
exit $code
"""
"""Runs the command that follows FOLDER and BYTES, waits for it, and prints its outputs."""
END_COMMAND: Final = """
folder=$1; bytes=$2

# A number with a minus is a process group: all processes that the command has started.
kill -KILL -- "-$(cat "$folder/group")" 2>/dev/null

# Print the start of an output.
show_start() {
  size=$(wc -c <"$1")
  head -c "$bytes" "$1"
  if [ "$size" -gt "$bytes" ]; then printf '\\n[%s bytes in all, in %s]\\n' "$size" "$1"; fi
}
show_start "$folder/stdout"
show_start "$folder/stderr" >&2
exit 0
"""
"""Ends a command that has exceeded its time limit, and prints what it has written so far."""
SHOW_OUTPUT: Final = """
folder=$1; bytes=$2
# An output may be missing or empty.
if [ -s "$folder/stdout" ]; then tail -c "$bytes" "$folder/stdout"; fi
if [ -s "$folder/stderr" ]; then tail -c "$bytes" "$folder/stderr"; fi
exit 0
"""
"""Prints the end of each output of a running command."""
