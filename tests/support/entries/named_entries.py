"""Finds variables, files and options of commands, by which a user hands the product bytes.

A test lists them all, so that no new one comes in unseen:

os.environ["HOME"]     -> the variable HOME
folder / "task.toml"   -> the file task.toml
run --model NAME       -> the option --model, which takes a text
"""

import ast
import re
from collections.abc import Iterator

import click

from controlplane.command_line import COMMANDS, cli

FILE_NAME = re.compile(
    r"\.?[\w-]+\.(toml|jsonl?|zst|gz|md|txt|cfg|ini|ya?ml|lock|key|db|sql)|\.[a-z][\w-]{3,}"
)
"""Matches a text that is the name of a file, such as `controlplane.toml` or `.gitignore`."""

ENDINGS_OF_KEYS = (".path",)
"""Texts that look like the name of a hidden file, but are none. The code f"{tool_key}.path" builds
the key of a table."""

READERS_OF_VARIABLES = ("os.environ", "os.environ.get", "os.environ.pop", "os.getenv")
"""The code in front of the name of a variable that is read: `os.environ` of `os.environ["HOME"]`."""


def variables_of(node: ast.AST) -> set[str]:
    """Return the environment variable that a node reads, as a set of one or none."""
    match node:
        case (
            ast.Subscript(value=reader, slice=ast.Constant(value=str(name)))
            | ast.Call(func=reader, args=[ast.Constant(value=str(name)), *_])
        ) if ast.unparse(reader) in READERS_OF_VARIABLES:
            return {name}
    return set()


def file_names_of(node: ast.AST) -> set[str]:
    """Return the file that a text in the code names, as a set of one or none: "task.toml".

    In a path such as f"{LOGS}/reward.txt", the text behind the braces names `reward.txt`.
    """
    if not isinstance(node, ast.Constant) or not isinstance(node.value, str):
        return set()
    name = node.value.removeprefix("/")
    if name in ENDINGS_OF_KEYS or FILE_NAME.fullmatch(name) is None:
        return set()
    return {name}


def options_with_a_text() -> Iterator[str]:
    """Yield the options and arguments of commands that take a text, such as `--model`.

    A text may name a file, an address, a program or a module. A number, a flag or one of some
    fixed choices cannot, so that options with such values are left out.
    """
    harmless_types = (
        click.Choice,
        type(click.INT),
        type(click.FLOAT),
        type(click.BOOL),
    )
    context = click.Context(cli)
    for name in COMMANDS:
        command = cli.get_command(context, name)
        assert command is not None
        for parameter in command.params:
            is_flag = isinstance(parameter, click.Option) and parameter.is_flag
            if not is_flag and not isinstance(parameter.type, harmless_types):
                yield parameter.opts[0]
