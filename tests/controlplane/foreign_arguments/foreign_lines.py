"""Command lines with a foreign text, for each command of `controlplane`, right and wrong.

    lines_with_foreign_text(command)         lines with a foreign text wherever it takes a text
    lines_about_foreign_files(command, ...)  lines about the last run, and about some files

The foreign text has what would steer a terminal: a colour, a link, and marks of direction.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import click

# All commands of `controlplane`, and what each takes.
#
# For example:
#
#     list(commands_of(cli))    ->    [KnownCommand(("show",), 1, ("--runs-dir", ...)), ...]

Words = tuple[str, ...]


@dataclass(frozen=True)
class KnownCommand:
    """A command of `controlplane`, and what it takes."""

    words: Words
    """Such as `("improve", "apply")`."""
    argument_count: int
    options: Words
    """The options that take a value, such as `("--model", "--name")`."""

    def with_arguments(self, text: str) -> Words:
        """Return a command line with this text for all arguments: `("compare", "last", "last")`."""
        return self.words + (text,) * self.argument_count


def commands_of(group: click.Group, words: Words = ()) -> Iterator[KnownCommand]:
    """Yield all commands below a group, and the groups in it."""
    context = click.Context(group)
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        assert command is not None
        if isinstance(command, click.Group):
            yield from commands_of(command, (*words, name))

        argument_count = 0
        options: list[str] = []
        for parameter in command.params:
            if isinstance(parameter, click.Argument):
                argument_count += 1
            elif isinstance(parameter, click.Option) and not parameter.is_flag:
                options.append(parameter.opts[-1])
        yield KnownCommand((*words, name), argument_count, tuple(options))


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
