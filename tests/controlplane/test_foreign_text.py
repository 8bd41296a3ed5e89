"""Texts of strangers do not steer the user's terminal, whatever command prints them.

A text may contain escape sequences that clear the screen, change colours, or make a link, and
characters that turn the direction of a line. Texts come from models, journals, names of files and
configurations. Commands print such characters in a visible form.
"""

import contextlib
import json
import shutil
import signal
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click
import pytest

from controlplane.command_line import cli
from controlplane.terminal_text import HIDDEN
from tests.support.command import ROOT, run_in_process
from tests.support.scored_journal import chained_lines

OK = 0
SAMPLE = ROOT / "runs/sample.jsonl"
"""The journal of a small run, which is part of the repository."""

# --- A journal with such texts ---

CLEAR_SCREEN = "\x1b[2J"
RIGHT_TO_LEFT = "\u202e"


def with_steering_texts(value: Any, field: str) -> Any:
    """Return a value of an event with steering characters behind every text of this field."""
    if isinstance(value, list):
        return [with_steering_texts(item, field) for item in value]
    if not isinstance(value, dict):
        return value
    changed: dict[str, Any] = {}
    for name, item in value.items():
        changed[name] = with_steering_texts(item, field)
    if isinstance(changed.get(field), str):
        changed[field] += CLEAR_SCREEN + RIGHT_TO_LEFT
    return changed


@pytest.mark.parametrize(
    "command", [("show",), ("replay", "--trial", "calendar")], ids=" ".join
)
@pytest.mark.parametrize("field", ["task_id", "outcome", "name", "operation"])
def test_no_text_of_a_journal_steers_the_terminal(
    field: str, command: tuple[str, ...], tmp_path: Path
) -> None:
    """In each event but the first, the texts of one field get steering characters at their ends."""
    opened, *events = [json.loads(line) for line in SAMPLE.read_bytes().splitlines()]
    changed_events = [with_steering_texts(event, field) for event in events]
    path = tmp_path / "r.jsonl"
    path.write_bytes(chained_lines([opened, *changed_events]))
    verb, *options = command

    result = run_in_process(verb, path, *options, cwd=tmp_path)

    assert result.code == OK, result.err
    assert "\x1b" not in result.out
    assert RIGHT_TO_LEFT not in result.out


# --- Every command, with such texts in everything that it reads ---

FOREIGN_TEXT = "x\x1b[31m\x1b]8;;http://h\x07L\x1b]8;;\x07 \u202egnp\u2066 \x9b1m\x85z"
"""A colour, a link, marks of direction, and codes that 8-bit terminals obey."""

STEERING_CHARACTERS = {chr(code) for code in HIDDEN} - {"\n", "\t"}
"""The characters that no command may print as they are."""

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


@pytest.fixture(scope="module")
def foreign_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder whose run, files and configuration have the foreign text throughout."""
    folder = tmp_path_factory.mktemp("foreign")

    # A run, whose model replies twice with the foreign text in every field.
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

    # A file with the foreign text for its name and content, and a configuration.
    (folder / "files").mkdir()
    file_name = f"{FOREIGN_TEXT.replace('/', '_')}.md"
    (folder / "files" / file_name).write_text(FOREIGN_TEXT)
    (folder / "hostile.toml").write_text(FOREIGN_CONFIGURATION)
    return folder


Words = tuple[str, ...]


def commands_of(
    group: click.Group, group_words: Words = ()
) -> Iterator[tuple[Words, click.Command]]:
    """Yield all commands below a group: `(("improve", "apply"), command)`."""
    context = click.Context(group)
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        assert command is not None
        if isinstance(command, click.Group):
            yield from commands_of(command, (*group_words, name))
        yield (*group_words, name), command


COMMANDS = dict(commands_of(cli))
"""All commands of `controlplane`, by their words."""

SERVERS = ("view", "serve", "mcp")
"""Commands that do not end if they are called rightly. They are only called with foreign text."""


def line_with(argument: str, words: Words) -> Words:
    """Return a command line with this text for each argument that the command takes:
    `("compare", "last", "last")` for the text "last"."""
    line = words
    for parameter in COMMANDS[words].params:
        if isinstance(parameter, click.Argument):
            line = (*line, argument)
    return line


def lines_with_foreign_text(words: Words) -> list[Words]:
    """Return command lines with the foreign text for all arguments. One also names the foreign
    configuration, and one for each option gives it the foreign text as its value."""
    line = line_with(FOREIGN_TEXT, words)
    lines = []
    for parameter in COMMANDS[words].params:
        if isinstance(parameter, click.Option) and not parameter.is_flag:
            lines.append((*line, parameter.opts[-1], FOREIGN_TEXT))

    if line == words:  # The command takes no argument, and gets one all the same.
        line = (*words, FOREIGN_TEXT)
    lines.append(line)
    lines.append(("--config", "hostile.toml", *line))
    return lines


def lines_about_foreign_files(words: Words, folder: Path) -> list[Words]:
    """Return command lines about the last run, and about files with the foreign text.

    No command takes all of these arguments. A wrong line prints an error, which must not steer the
    terminal either.
    """
    files = str(folder / "files")
    (file_path,) = (folder / "files").iterdir()
    file = str(file_path)
    return [
        words,
        line_with("last", words),
        line_with(file, words),
        line_with(files, words),
        (*words, FOREIGN_TEXT, files),
        (*words, file, files),
        (*words, "last", "--trial", "ada-0"),
        (*words, "last", "--json"),
    ]


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


def steering_characters_printed_by(words: Words, folder: Path) -> set[str]:
    """Run a command for 5 s at most, and return what could steer a terminal in its output.

    If the command has to be interrupted, its output is not looked at.
    """
    with contextlib.suppress(KeyboardInterrupt), interrupted_after(5):
        result = run_in_process(
            *words,
            cwd=folder,
            HOME=str(folder),
            XDG_STATE_HOME=str(folder),
            MODEL_ID=f"scripted:{folder}/replies.toml",
            CONTROLPLANE_BENCHMARK="tests.support.phonebook",
        )
        return STEERING_CHARACTERS & {*result.out, *result.err}
    return set()


@pytest.mark.parametrize("words", COMMANDS, ids=" ".join)
def test_no_command_lets_foreign_text_steer_the_terminal(
    words: Words, foreign_folder: Path, tmp_path: Path
) -> None:
    """Each command is called in many ways, right and wrong, in a folder full of the foreign
    text."""
    folder = tmp_path / "here"
    shutil.copytree(foreign_folder, folder)
    command_lines = lines_with_foreign_text(words)
    if words[0] not in SERVERS:
        command_lines += lines_about_foreign_files(words, folder)

    for command_line in command_lines:
        printed = steering_characters_printed_by(command_line, folder)
        assert printed == set(), command_line
