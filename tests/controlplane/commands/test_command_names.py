"""Every command that a message tells the user to type exists, with its options.

The source builds such commands by `invocation("rerun", run, "--failed")`, which a message shows as
".../controlplane rerun 2026... --failed". If the option were renamed, the message would still name
the old one. So the tests find these calls in the source, and look the words up.
"""

import ast

import click

from controlplane.command_line import COMMANDS, cli
from tests.support.command import ROOT


def is_invocation(node: ast.AST) -> bool:
    """Return whether a node of a syntax tree is `invocation("rerun", ...)`."""
    if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Name):
        return False
    if node.func.id != "invocation" or not node.args:
        return False
    return isinstance(node.args[0], ast.Constant)


def commands_in_source() -> list[list[str]]:
    """Return the words of each command that are constants in the source.

    `invocation("rerun", run, "--failed")` -> `["rerun", "--failed"]`
    """
    commands = []
    for path in sorted((ROOT / "controlplane").rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and is_invocation(node):
                words = []
                for argument in node.args:
                    if isinstance(argument, ast.Constant):
                        words.append(str(argument.value))
                commands.append(words)
    return commands


def options_of(command: click.Command) -> set[str]:
    """Return the options that a command takes: `{"--failed", "--below", ...}`."""
    options: set[str] = set()
    for parameter in command.params:
        options.update(parameter.opts)
    return options


def test_every_command_in_messages_exists_with_its_options() -> None:
    """A group such as `benchmarks` is left out: the options are those of its subcommands."""
    commands = commands_in_source()

    assert len(commands) > 20, "the commands are built in another way now"
    for name, *words in commands:
        assert name in COMMANDS, name
        command = cli.get_command(click.Context(cli), name)
        assert command is not None
        if isinstance(command, click.Group):
            continue
        named_options = {word for word in words if word.startswith("--")}
        assert named_options <= options_of(command), name
