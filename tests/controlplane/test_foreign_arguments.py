"""No command lets a text of strangers steer the user's terminal, whatever it prints.

A text may contain escape sequences that change colours, or make a link, and characters that turn the
direction of a line. Here such a text is everywhere: in arguments, a configuration, names of files, and
all that a model has said in a run. Commands print such characters in a visible form.
"""

import contextlib
import json
import shutil
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest

from controlplane.command_line import cli
from controlplane.terminal_text import HIDDEN
from tests.controlplane.known_commands import (
    FOREIGN_TEXT,
    KnownCommand,
    Words,
    commands_of,
    lines_about_foreign_files,
    lines_with_foreign_text,
)
from tests.support.command import run_in_process

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
