"""The commands of the command line, with their arguments and options.

    ### controlplane report [RUNS]...
    (the command's help)
    | option | what |
    Shared options: `--json` `--runs-dir`
    Settings: `--model` `--limit`

An option stands in the table of its command. Options that many commands share, and the settings of
a run, are described once on the page; a command only names them.
"""

import inspect
from collections.abc import Sequence

import click

from controlplane.command_line import COMMANDS, cli
from controlplane.configuration.run_settings import RunSettings
from docs.reference_pages.markdown import cell, code, table

SHARED_OPTIONS = (
    "runs_dir",
    "as_json",
    "quiet",
    "is_trusted",
    "junit",
    "mcp",
    "mcp_config",
    "allow",
    "deny",
)
"""Parameters of several commands, which are described at the top of the page."""


def commands() -> str:
    """Return every command with its options."""
    context = click.Context(cli, info_name="controlplane")
    texts: list[str] = []
    for name in COMMANDS:
        command = cli.get_command(context, name)
        assert command
        texts.extend(command_texts(context, f"controlplane {name}", command))
    return "\n".join(texts)


def command_texts(
    context: click.Context, name: str, command: click.Command
) -> list[str]:
    """Return the text of a command, or of each command of a group, such as `models list`."""
    if not isinstance(command, click.Group):
        return [command_text(context, name, command)]
    texts = []
    for member_name, member in command.commands.items():
        texts.extend(command_texts(context, f"{name} {member_name}", member))
    return texts


def command_text(context: click.Context, name: str, command: click.Command) -> str:
    heading = [name]
    own_options = []
    shared_names = []
    setting_names = []
    for parameter in command.params:
        if isinstance(parameter, click.Argument):
            heading.append(parameter.make_metavar(context))
        elif not isinstance(parameter, click.Option):
            continue
        elif parameter.name in SHARED_OPTIONS:
            shared_names.append(code(parameter.opts[-1]))
        elif parameter.name in RunSettings.model_fields:
            setting_names.append(code(parameter.opts[0]))
        else:
            own_options.append(parameter)

    lines = [f"### {' '.join(heading)}", "", help_text(command), ""]
    if own_options:
        lines.append(option_table(context, own_options))
    if shared_names:
        lines += [f"Shared options: {' '.join(shared_names)}", ""]
    if name == "controlplane run":
        lines += ["Settings: every one of a run.", ""]
    elif setting_names:
        lines += [f"Settings: {' '.join(setting_names)}", ""]
    return "\n".join(lines)


def help_text(command: click.Command) -> str:
    """Return a command's help, without click's mark for a paragraph that is not wrapped."""
    return inspect.cleandoc(command.help or "").replace("\b\n", "")


def option_table(context: click.Context, options: Sequence[click.Option]) -> str:
    rows = []
    for option in options:
        record = option.get_help_record(context)
        if record is None:  # The option is hidden.
            continue
        flags, text = record
        rows.append((code(flags), cell(text)))
    return table(("option", "what"), rows)
