"""No command lets a text of strangers steer the user's terminal, whatever it prints.

A text may contain escape sequences that change colours, or make a link, and characters that turn
the direction of a line. Here such a text is everywhere: in arguments, a configuration, names of
files, and all that a model has said in a run. Commands print such characters in a visible form.
"""

import contextlib
import json
import shutil
import signal
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import click
import pytest

from controlplane.command_line import cli
from controlplane.terminal_text import HIDDEN
from tests.support.command import run_in_process

# Command lines with a foreign text, for each command of `controlplane`, right and wrong.
#
#     lines_with_foreign_text(command)         lines with a foreign text wherever it takes a text
#     lines_about_foreign_files(command, ...)  lines about the last run, and about some files
#
# The foreign text has what would steer a terminal: a colour, a link, and marks of direction.

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


# A run whose model replies with the foreign text in every field, and a configuration full of it.
#
# The foreign text has what would steer a terminal: a colour, a link, and marks of direction.

FOREIGN_SCRIPT = f"""print({FOREIGN_TEXT!r})
scratchpad["answer"], scratchpad["outcome"] = {FOREIGN_TEXT!r}, "OUTCOME_OK"
def verify(sp):
    raise ValueError({FOREIGN_TEXT!r})
harness.answer(scratchpad, verify)
"""
"""A model's script that prints, answers and raises the foreign text."""


FOREIGN_CONFIGURATION = (
    f"{json.dumps(FOREIGN_TEXT)} = 1\n"
    f"[profiles.{json.dumps(FOREIGN_TEXT)}]\n"
    f"model = {json.dumps(FOREIGN_TEXT)}\n"
)
"""A `controlplane.toml` with the foreign text as a key, as a profile's name and as a model."""


def record_foreign_run(folder: Path) -> None:
    """Record a run whose model replies twice with the foreign text in every field."""
    reply = (
        "[[reply]]\n"
        "done = true\n"
        f"state = {json.dumps(FOREIGN_TEXT)}\n"
        f"plan = {json.dumps([FOREIGN_TEXT])}\n"
        f"code = {json.dumps(FOREIGN_SCRIPT)}\n"
    )
    (folder / "replies.toml").write_text(reply * 2)
    run_in_process(
        "run",
        "ada",
        "--benchmark",
        "tests.support.phonebook",
        "--model",
        f"scripted:{folder}/replies.toml",
        "--max-steps",
        "2",
        cwd=folder,
    )
    assert list(folder.glob("runs/*.jsonl"))


@pytest.fixture(scope="session")
def foreign_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the foreign text throughout: in a run, in a configuration `hostile.toml`, and as
    name and content of the only file in `files`."""
    folder = tmp_path_factory.mktemp("foreign")
    record_foreign_run(folder)
    (folder / "hostile.toml").write_text(FOREIGN_CONFIGURATION)
    (folder / "files").mkdir()
    file_name = f"{FOREIGN_TEXT.replace('/', '_')}.md"
    (folder / "files" / file_name).write_text(FOREIGN_TEXT)
    return folder


# What a command prints that may not end by itself.
#
# For example:
#
#     printed_by(("show", "last"), folder)    ->    "first · ..."


@contextlib.contextmanager
def interrupted_after(seconds: float) -> Iterator[None]:
    """Interrupt the block, as by Ctrl-C, if it takes longer."""

    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    handler_before = signal.signal(signal.SIGALRM, interrupt)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, handler_before)


def printed_by(line: Words, folder: Path) -> str:
    """Run a command in the folder, and return what it prints; "" if it does not end within 5 s."""
    with contextlib.suppress(KeyboardInterrupt), interrupted_after(5):
        result = run_in_process(
            *line,
            cwd=folder,
            HOME=str(folder),
            XDG_STATE_HOME=str(folder),
            MODEL_ID=f"scripted:{folder}/replies.toml",
            CONTROLPLANE_BENCHMARK="tests.support.phonebook",
        )
        return result.out + result.err
    return ""


STEERING_CHARACTERS = {chr(code) for code in HIDDEN} - {"\n", "\t"}
"""The characters that no command may print as they are."""


@pytest.mark.parametrize(
    "command", list(commands_of(cli)), ids=lambda command: " ".join(command.words)
)
def test_no_command_lets_foreign_text_steer_the_terminal(
    command: KnownCommand, foreign_folder: Path, tmp_path: Path
) -> None:
    """`foreign_folder` has a configuration, files and a run, all with the foreign text."""
    folder = tmp_path / "here"
    shutil.copytree(foreign_folder, folder)

    # Wrong command lines, such as `compare TEXT TEXT`.
    command_lines = lines_with_foreign_text(command)
    # Right ones, such as `show last`. These commands would then serve until they are stopped.
    if command.words[0] not in ("view", "serve", "mcp"):
        command_lines += lines_about_foreign_files(command, folder)

    for command_line in command_lines:
        printed_text = printed_by(command_line, folder)
        assert STEERING_CHARACTERS & set(printed_text) == set(), command_line
