"""Command lines with a foreign text, for each command of `controlplane`, right and wrong.

    lines_with_foreign_text(command)         lines with a foreign text wherever it takes a text
    lines_about_foreign_files(command, ...)  lines about the last run, and about some files

The foreign text has what would steer a terminal: a colour, a link, and marks of direction.
"""

from pathlib import Path

from tests.controlplane.foreign_arguments.known_commands import KnownCommand, Words

FOREIGN_TEXT = "x\x1b[31m\x1b]8;;http://h\x07L\x1b]8;;\x07 \u202egnp\u2066 \x9b1m\x85z"
"""A colour, a link, marks of direction, and codes that 8-bit terminals obey."""


def lines_with_foreign_text(command: KnownCommand) -> list[Words]:
    """Return command lines with the foreign text wherever the command takes a text:

        compare TEXT TEXT --model TEXT        (a line for each option)
        compare TEXT TEXT
        --config hostile.toml compare TEXT TEXT

    A command that takes no argument gets one all the same.
    """
    line = command.with_arguments(FOREIGN_TEXT)
    lines = [(*line, option, FOREIGN_TEXT) for option in command.options]
    if command.argument_count == 0:
        line = (*line, FOREIGN_TEXT)
    lines.append(line)
    lines.append(("--config", "hostile.toml", *line))
    return lines


def lines_about_foreign_files(command: KnownCommand, folder: Path) -> list[Words]:
    """Return command lines about the last run, and about files with the foreign text.

    No command takes all of these arguments. A wrong line prints an error, which must not steer the
    terminal either.
    """
    files = str(folder / "files")
    (file_path,) = (folder / "files").iterdir()
    file = str(file_path)
    words = command.words
    return [
        words,
        command.with_arguments("last"),
        command.with_arguments(file),
        command.with_arguments(files),
        (*words, FOREIGN_TEXT, files),
        (*words, file, files),
        (*words, "last", "--trial", "ada-0"),
        (*words, "last", "--json"),
    ]
