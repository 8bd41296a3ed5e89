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
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click
import pytest

from controlplane.command_line import cli
from controlplane.terminal_text import HIDDEN
from tests.support.command import ROOT, run_in_process
from tests.support.journals.chained_lines import chained_lines

OK = 0

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
    # The journal of a small run, which is part of the repository.
    sample = ROOT / "runs/sample.jsonl"
    opened, *events = [json.loads(line) for line in sample.read_bytes().splitlines()]
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


@pytest.fixture(scope="module")
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


@pytest.mark.parametrize(
    "command", list(commands_of(cli)), ids=lambda command: " ".join(command.words)
)
def test_no_command_lets_foreign_text_steer_the_terminal(
    command: KnownCommand, foreign_folder: Path, tmp_path: Path
) -> None:
    """Each command is called in many ways, right and wrong, in a folder full of the foreign text."""
    folder = tmp_path / "here"
    shutil.copytree(foreign_folder, folder)
    lines = lines_with_foreign_text(command)
    # Commands that do not end if they are called rightly. They are only called with foreign text.
    servers = ("view", "serve", "mcp")

    if command.words[0] not in servers:
        lines += lines_about_foreign_files(command, folder)

    for line in lines:
        steering_characters = STEERING_CHARACTERS & set(printed_by(line, folder))
        assert steering_characters == set(), line
