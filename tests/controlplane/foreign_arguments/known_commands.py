"""All commands of `controlplane`, and what each takes.

For example:

    list(commands_of(cli))    ->    [KnownCommand(("show",), 1, ("--runs-dir", ...)), ...]
"""

from collections.abc import Iterator
from dataclasses import dataclass

import click

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
