"""Text that anybody may have written, fed to every command: no control character of it reaches the terminal."""

import contextlib
import json
import shutil
import signal
from collections.abc import Iterator
from pathlib import Path

import click
import pytest

from controlplane.command_line import cli
from controlplane.terminal_text import HIDDEN
from tests.support.command import inside

FOREIGN = "x\x1b[31m\x1b]8;;http://h\x07L\x1b]8;;\x07 \u202egnp\u2066 \x9b1m\x85z"
"""A colour, a link, directions, and what 8-bit terminals obey."""
STEERING = {chr(code) for code in HIDDEN} - {"\n", "\t"}
CODE = f"""print({FOREIGN!r})
scratchpad["answer"], scratchpad["outcome"] = {FOREIGN!r}, "OUTCOME_OK"
def verify(sp):
    raise ValueError({FOREIGN!r})
harness.answer(scratchpad, verify)
"""


def commands(group: click.Group = cli, path: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], click.Command]]:
    context = click.Context(group)
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        assert command is not None
        if isinstance(command, click.Group):
            yield from commands(command, (*path, name))
        yield (*path, name), command


COMMANDS = dict(commands())
SERVERS = ("view", "serve", "mcp")
"""Commands that stay, unless they are called wrongly."""


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder whose run, files and configuration hold foreign text throughout."""
    folder = tmp_path_factory.mktemp("foreign")
    fields = {"state": FOREIGN, "plan": [FOREIGN], "code": CODE}
    reply = ["[[reply]]", "done = true", *(f"{name} = {json.dumps(value)}" for name, value in fields.items()), ""]
    (folder / "replies.toml").write_text("\n".join(reply * 2))
    words = ("--benchmark", "tests.support.phonebook", "--model", f"scripted:{folder}/replies.toml")
    inside("run", *words, "--max-steps", "2", "ada", cwd=folder)
    assert list(folder.glob("runs/*.jsonl"))
    (folder / "files").mkdir()
    (folder / "files" / f"{FOREIGN.replace('/', '_')}.md").write_text(FOREIGN)
    (folder / "hostile.toml").write_text(
        f"{json.dumps(FOREIGN)} = 1\n[profiles.{json.dumps(FOREIGN)}]\nmodel = {json.dumps(FOREIGN)}\n"
    )
    return folder


def steering(words: tuple[str, ...], folder: Path) -> set[str]:
    """Return what could steer a terminal in what a command prints, within some seconds."""

    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGALRM, interrupt)
    signal.setitimer(signal.ITIMER_REAL, 5)
    try:
        with contextlib.suppress(KeyboardInterrupt):
            played = {
                "MODEL_ID": f"scripted:{folder}/replies.toml",
                "CONTROLPLANE_BENCHMARK": "tests.support.phonebook",
            }
            result = inside(*words, cwd=folder, HOME=str(folder), XDG_STATE_HOME=str(folder), **played)
            return STEERING & {*result.out, *result.err}
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    return set()


@pytest.mark.parametrize("path", COMMANDS, ids=" ".join)
def test_no_command_lets_foreign_text_steer_a_terminal(path: tuple[str, ...], place: Path, tmp_path: Path) -> None:
    folder = tmp_path / "here"
    shutil.copytree(place, folder)
    takes = [each for each in COMMANDS[path].params if isinstance(each, click.Argument)]
    (file,) = (folder / "files").iterdir()
    given = [(FOREIGN,) * max(len(takes), 1)]
    if path[0] not in SERVERS:
        given += [(), *((word,) * len(takes) for word in ("last", str(file), str(folder / "files")))]
        given += [
            (FOREIGN, str(folder / "files")),
            (str(file), str(folder / "files")),
            ("last", "--trial", "ada-0"),
            ("last", "--json"),
        ]
    options = [
        (FOREIGN,) * len(takes) + (each.opts[-1], FOREIGN)
        for each in COMMANDS[path].params
        if isinstance(each, click.Option) and not each.is_flag
    ]
    tried = [*((*path, *words) for words in (*given, *options)), ("--config", "hostile.toml", *path, *given[0])]
    found = {words: signs for words in tried if (signs := steering(words, folder))}
    assert found == {}
