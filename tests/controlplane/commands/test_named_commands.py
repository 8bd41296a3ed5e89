"""Messages that name a command name one that works in the state in which they are printed."""

import ast
import html
import re
import shlex
import shutil
import signal
from pathlib import Path

import click
import pytest

from controlplane.command_line import COMMANDS, cli
from tests.controlplane.report.viewed import serving_view
from tests.support.command import (
    ROOT,
    CommandResult,
    run_in_process,
    start_controlplane,
    wait_for_exit,
    wait_until,
)
from tests.support.terminal import Terminal


def named_commands() -> list[list[str]]:
    """Return the constant words of every call of `invocation` in the product's source."""
    commands = []
    for path in sorted((ROOT / "controlplane").rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Name):
                continue
            if node.func.id != "invocation":
                continue
            words = []
            for argument in node.args:
                if isinstance(argument, ast.Constant):
                    words.append(str(argument.value))
            if node.args and isinstance(node.args[0], ast.Constant):
                commands.append(words)
    return commands


def test_every_command_that_messages_name_exists_with_its_options() -> None:
    commands = named_commands()
    assert len(commands) > 20
    context = click.Context(cli)
    for name, *words in commands:
        assert name in COMMANDS, name
        command = cli.get_command(context, name)
        assert command is not None
        if isinstance(command, click.Group):
            continue
        options = set()
        for parameter in command.params:
            options.update(parameter.opts)
        for word in words:
            assert not word.startswith("--") or word in options, (name, word)


def next_lines(result: CommandResult) -> list[list[str]]:
    """Return the arguments of the commands that a result suggests to type next."""
    commands = []
    is_below_label = False
    for line in [*result.out.splitlines(), *result.err.splitlines()]:
        is_below_label = line.startswith("next") or (
            is_below_label and line.startswith("      ")
        )
        if not is_below_label:
            continue
        text = line.removeprefix("next").removeprefix(":").partition("  #")[0]
        words = shlex.split(text)
        program_name = next(word for word in words if word.endswith("controlplane"))
        commands.append(words[words.index(program_name) + 1 :])
    return commands


@pytest.mark.usefixtures("shared_fork_servers")
def test_commands_to_type_next_work_where_they_are_printed(tmp_path: Path) -> None:
    (tmp_path / "docs").symlink_to(ROOT / "docs")
    question = (
        "ask",
        "Until when may loan-02 be kept?",
        "docs/examples/library/desk",
        "--model",
        "scripted:docs/examples/ask.toml",
    )
    states = (
        ("run", "--limit", "3"),
        ("rerun", "last"),
        ("run", "calendar-date.1", "--name", "one"),
        ("run", "calendar-date.1", "--name", "two"),
        ("compare", "one", "two"),
        question,
    )
    for state in states:
        result = run_in_process(*state, cwd=tmp_path)
        assert result.code == 0, (state, result.err)
        commands = next_lines(result)
        assert commands, state
        for command in commands:
            done = run_in_process(*command, cwd=tmp_path)
            assert done.code == 0, (state, command, done.err)


def test_the_command_for_a_model_works_with_a_model(tmp_path: Path) -> None:
    refused = run_in_process("run", "stock-count.1", cwd=tmp_path)
    text = refused.err.partition("name a model: ")[2].partition(" (docs")[0]
    words = shlex.split(text)
    arguments = words[words.index("run") :]
    arguments[arguments.index("NAME")] = "recorded"

    assert run_in_process(*arguments, cwd=tmp_path).code == 0


def works_in_a_copy(folder: Path, command: list[str], copy: Path) -> None:
    """Run a command in a copy of the folder, so that the next one finds the same state."""
    shutil.copytree(folder, copy, symlinks=True)
    done = run_in_process(*command, cwd=copy)
    assert done.code in (0, 1), (command, done.err)
    assert "usage" not in done.err.lower(), (command, done.err)


def command_that_continues(text: str) -> list[str]:
    """Return the arguments of the command behind `continue with: ` in a text."""
    line = text.rpartition("continue with: ")[2].splitlines()[0]
    words = shlex.split(line)
    return words[words.index("resume") :]


def test_commands_that_an_interrupted_run_names_work(tmp_path: Path) -> None:
    folder = tmp_path / "interrupted"
    folder.mkdir()

    def a_trial_is_over() -> bool:
        for journal in folder.glob("runs/*.jsonl"):
            if '"trial_ended"' in journal.read_text(encoding="utf-8"):
                return True
        return False

    process = start_controlplane("run", "--concurrency", "1", cwd=folder)
    wait_until(a_trial_is_over, within_s=60)
    process.send_signal(signal.SIGINT)
    result = wait_for_exit(process)

    assert result.code == 130, result.err
    commands = [command_that_continues(result.err), *next_lines(result)]
    assert {command[0] for command in commands} >= {"resume", "submit", "replay"}
    for number, command in enumerate(commands):
        works_in_a_copy(folder, command, tmp_path / f"copy-{number}")


def test_commands_that_a_run_with_sealed_scores_names_work(tmp_path: Path) -> None:
    folder = tmp_path / "blind"
    folder.mkdir()
    result = run_in_process(
        "run", "--set", "policy=blind", "--limit", "2", "--poll-time", "0", cwd=folder
    )

    assert result.code == 0, result.err
    commands = next_lines(result)
    assert commands
    for number, command in enumerate(commands):
        works_in_a_copy(folder, command, tmp_path / f"copy-{number}")


def test_commands_that_a_report_names_work(tmp_path: Path) -> None:
    folder = tmp_path / "reported"
    folder.mkdir()
    run_in_process(
        "run", "price-count.1", "open-branches.1", "--model", "recorded", cwd=folder
    )
    run_in_process("report", "last", "-o", "page.html", cwd=folder)
    page = (folder / "page.html").read_text(encoding="utf-8")

    names = set()
    for number, quoted in enumerate(re.findall(r'data-copy="([^"]+)"', page)):
        words = shlex.split(html.unescape(quoted))
        program_name = next(word for word in words if word.endswith("controlplane"))
        command = words[words.index(program_name) + 1 :]
        names.add(command[0])
        works_in_a_copy(folder, command, tmp_path / f"copy-{number}")

    assert names >= {"rerun", "fork", "judge"}


def commands_in(text: str) -> list[list[str]]:
    """Return the arguments of the commands in a text, each up to its line's end or a semicolon."""
    commands = []
    for line in text.splitlines():
        for part in line.split(";"):
            words = shlex.split(part.partition("  #")[0], comments=False)
            places = [
                at for at, word in enumerate(words) if word.endswith("/controlplane")
            ]
            if places:
                commands.append(words[places[-1] + 1 :])
    return commands


@pytest.mark.parametrize(
    ("words", "named"),
    [
        (("submit", "last"), ["show"]),
        (("poll", "last"), ["show"]),
        (("rerun", "last", "--below", "0"), ["show"]),
    ],
    ids=lambda value: value[0] if isinstance(value, tuple) else "",
)
def test_commands_about_a_finished_run_work(
    words: tuple[str, ...], named: list[str], tmp_path: Path
) -> None:
    assert run_in_process("run", "calendar-date.1", cwd=tmp_path).code == 0
    result = run_in_process(*words, cwd=tmp_path)
    commands = commands_in(result.out + result.err)
    assert [command[0] for command in commands] == named, result.out + result.err
    for command in commands:
        done = run_in_process(*command, cwd=tmp_path)
        assert done.code == 0, (command, done.err)


def test_commands_below_a_list_of_runs_work(tmp_path: Path) -> None:
    for name in ("one", "two"):
        assert (
            run_in_process("run", "calendar-date.1", "--name", name, cwd=tmp_path).code
            == 0
        )
    with Terminal("runs", cwd=tmp_path, columns=200) as terminal:
        assert terminal.finish() == 0
        show, compare = commands_in(terminal.text)

    assert run_in_process(*show, cwd=tmp_path).code == 0
    assert compare == ["compare", "RUN", "RUN"]
    assert run_in_process("compare", "one", "two", cwd=tmp_path).code == 0


def test_the_command_about_a_sealed_run_that_is_resumed_works(tmp_path: Path) -> None:
    blind = ("--set", "policy=blind", "--limit", "2", "--poll-time", "0")
    assert run_in_process("run", *blind, cwd=tmp_path).code == 0
    resumed = run_in_process("resume", "last", cwd=tmp_path)
    (command,) = commands_in(resumed.out + resumed.err)
    assert command[0] == "poll"
    done = run_in_process(*command, cwd=tmp_path)
    assert "usage" not in done.err.lower()
    assert done.code in (0, 1), done.err


def has_started_trial(folder: Path) -> bool:
    journals = folder.glob("runs/*.jsonl")
    return any(b"trial_started" in journal.read_bytes() for journal in journals)


def test_the_command_about_a_run_of_another_process_works(tmp_path: Path) -> None:
    process = start_controlplane("run", "--concurrency", "1", cwd=tmp_path)
    wait_until(lambda: has_started_trial(tmp_path), within_s=60)
    refused = run_in_process("submit", "last", cwd=tmp_path)
    process.send_signal(signal.SIGINT)

    assert wait_for_exit(process).code == 130
    (command,) = commands_in(refused.err)
    assert command[0] == "show", refused.err
    assert "--follow" in command
    assert run_in_process(*command, cwd=tmp_path).code == 0


def test_the_command_of_an_empty_list_of_runs_works(tmp_path: Path) -> None:
    with serving_view(tmp_path) as view:
        page = view.text("/")
    (text,) = re.findall(r"Start one: <code>([^<]+)</code>", page)
    (command,) = commands_in(html.unescape(text))

    assert command[0] == "run"
    assert run_in_process(*command, cwd=tmp_path).code == 0
    assert list(tmp_path.glob("runs/*.jsonl"))
