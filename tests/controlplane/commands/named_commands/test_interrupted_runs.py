"""Every command that the product tells the user to type works.

This holds for the labels "next" after commands, for lists of runs and reports, for commands that
cannot do what they were asked for, and for runs that were interrupted or have no scores yet.
"""

import html
import re
import shlex
import shutil
import signal
import tempfile
from pathlib import Path

import pytest

from controlplane.errors import Interrupted
from tests.controlplane.commands.named_commands import held_trials
from tests.controlplane.report.listed_runs import serving_view
from tests.support.command import (
    CommandResult,
    clean_environment,
    run_in_process,
    start_controlplane,
    start_in_environment,
    wait_for_exit,
    wait_until,
)
from tests.support.product_files import ROOT
from tests.support.terminal import Terminal

# Runs commands, each in a copy of its own of a folder, so that all find the same state.
#
#     check_each_works([["show", "last"], ["resume", "last"]], folder)
#
# fails if `controlplane show last` or `controlplane resume last` is refused.


def check_each_works(commands: list[list[str]], folder: Path) -> None:
    """Assert that each command works in a copy of the folder."""
    for command in commands:
        with tempfile.TemporaryDirectory() as copy:
            shutil.copytree(folder, copy, symlinks=True, dirs_exist_ok=True)
            result = run_in_process(*command, cwd=Path(copy))
        # 1: the command works, but a trial has not ended, or has no answer.
        assert result.code in (0, 1), (command, result.err)
        assert "usage" not in result.err.lower(), (command, result.err)


# Finds the commands that the product tells the user to type, in what it prints.
#
#     commands_in_text("a trial: /bin/controlplane show x; /bin/controlplane runs  # all")
#
# returns `[["show", "x"], ["runs"]]`: the arguments with which a test runs them.

COMMAND = re.compile(r"\S*/controlplane (.+?)(?:  #|;|$)", re.MULTILINE)
"""Finds a command in a text, up to its comment, a semicolon or the end of the line."""


def commands_in_text(text: str) -> list[list[str]]:
    """Return the arguments of each command that a text names.

    "a trial: /bin/controlplane show x; /bin/controlplane runs  # all" has `["show", "x"]` and
    `["runs"]`.
    """
    return [shlex.split(arguments) for arguments in COMMAND.findall(text)]


NEXT_COMMANDS = re.compile(r"^next\b.*(?:\n {6}.*)*", re.MULTILINE)
"""Finds the label "next" with its line and the indented lines below, as in `suggested_commands`."""


def suggested_commands(result: CommandResult) -> list[list[str]]:
    """Return the arguments of the commands that a result suggests to type next.

    They stand behind the label "next" and in the indented lines below it, with a comment each:

        next     /bin/controlplane show 2026  # the whole table
                 /bin/controlplane rerun 2026 --failed
    """
    commands = []
    for text in (result.out, result.err):
        for labelled_text in NEXT_COMMANDS.findall(text):
            named_commands = commands_in_text(labelled_text)
            assert len(named_commands) == len(labelled_text.splitlines()), labelled_text
            commands += named_commands
    return commands


# How far a run in another process has come, by the journal that it writes.
#
#     wait_until(lambda: has_event(folder, "trial_started"))
#
# A journal has an event in each line, such as `{"type": "trial_started", "at_ms": 7, ...}`.


def has_event(folder: Path, event_type: str) -> bool:
    """Return whether a journal of the folder has an event of this type already."""
    for journal in folder.glob("runs/*.jsonl"):
        if f'"{event_type}"' in journal.read_text(encoding="utf-8"):
            return True
    return False


# Commands that the list of runs names work.
#
# `runs` prints in a terminal how to show and to compare runs. The page of `view`, which shows the list
# in a browser, says how to start a first run: "Start one: /bin/controlplane run ...".


def test_the_commands_below_the_list_of_runs_work(tmp_path: Path) -> None:
    """The user has to fill the names of two runs in: `compare RUN RUN`."""
    for name in ("one", "two"):
        run = run_in_process("run", "calendar-date.1", "--name", name, cwd=tmp_path)
        assert run.code == 0
    with Terminal("runs", cwd=tmp_path, columns=200) as terminal:
        assert terminal.finish() == 0
        show, compare = commands_in_text(terminal.text)

    assert run_in_process(*show, cwd=tmp_path).code == 0
    assert compare == ["compare", "RUN", "RUN"]
    assert run_in_process("compare", "one", "two", cwd=tmp_path).code == 0


def test_the_command_on_the_page_of_an_empty_list_of_runs_works(tmp_path: Path) -> None:
    """`view` serves the list as a web page."""
    with serving_view(tmp_path) as view:
        page = view.text("/")
    (text,) = re.findall(r"Start one: <code>([^<]+)</code>", page)
    (command,) = commands_in_text(html.unescape(text))

    assert command[0] == "run"
    assert run_in_process(*command, cwd=tmp_path).code == 0
    assert list(tmp_path.glob("runs/*.jsonl"))


# A command that cannot do what it was asked for names one that helps, and that one works.
#
# `submit last`, for example, has nothing to do after a whole run, and names `show`. While another
# process plays the run, it is refused, and names `show --follow`.


@pytest.mark.parametrize(
    "words",
    [("submit", "last"), ("poll", "last"), ("rerun", "last", "--below", "0")],
    ids=" ".join,
)
def test_a_command_with_nothing_to_do_suggests_show_which_works(
    words: tuple[str, ...], tmp_path: Path
) -> None:
    """The run is over, its score is known, and no trial has a score below 0."""
    assert run_in_process("run", "calendar-date.1", cwd=tmp_path).code == 0
    result = run_in_process(*words, cwd=tmp_path)

    (command,) = commands_in_text(result.out + result.err)
    assert command[0] == "show"
    shown = run_in_process(*command, cwd=tmp_path)
    assert shown.code == 0, (command, shown.err)


def test_the_command_to_follow_a_run_of_another_process_works(tmp_path: Path) -> None:
    """While another process plays the run, `submit` is refused and names a command to follow
    it.

    The test uses that command after Ctrl-C has ended the run, so that it does not wait.
    """
    process = start_controlplane("run", "--concurrency", "1", cwd=tmp_path)
    wait_until(lambda: has_event(tmp_path, "trial_started"))
    refused = run_in_process("submit", "last", cwd=tmp_path)
    process.send_signal(signal.SIGINT)
    assert wait_for_exit(process).code == Interrupted.exit_code

    (command,) = commands_in_text(refused.err)
    assert command[0] == "show", refused.err
    assert "--follow" in command
    assert run_in_process(*command, cwd=tmp_path).code == 0


# Commands that the report of a run offers to copy work.
#
# `report last -o page.html` writes a web page. Its buttons have the command in an attribute:
#
#     <button data-copy="/bin/controlplane rerun 2026... --failed">


def test_commands_in_a_report_work(tmp_path: Path) -> None:
    """The page has buttons that copy a command; the text is in their attribute `data-copy`."""
    tasks = ("price-count.1", "open-branches.1")
    run_in_process("run", *tasks, "--model", "recorded", cwd=tmp_path)
    run_in_process("report", "last", "-o", "page.html", cwd=tmp_path)
    page = (tmp_path / "page.html").read_text(encoding="utf-8")

    commands: list[list[str]] = []
    for attribute in re.findall(r'data-copy="([^"]+)"', page):
        (command,) = commands_in_text(html.unescape(attribute))
        if command not in commands:
            commands.append(command)

    names = {command[0] for command in commands}
    assert names >= {"rerun", "fork", "judge"}
    check_each_works(commands, tmp_path)


# The commands that a run suggests to type next work if the run has no scores yet.
#
# A benchmark may keep its scores secret at first ("sealed"): with the policy "blind", a run ends
# without scores. A later `poll` asks the benchmark for them.


def run_with_sealed_scores(folder: Path) -> CommandResult:
    """Play two trials, and do not wait for their scores."""
    return run_in_process(
        "run", "--set", "policy=blind", "--limit", "2", "--poll-time", "0", cwd=folder
    )


def test_commands_suggested_after_a_run_with_sealed_scores_work(
    tmp_path: Path,
) -> None:
    """A run prints them behind the label "next"."""
    result = run_with_sealed_scores(tmp_path)

    assert result.code == 0, result.err
    commands = suggested_commands(result)
    assert commands
    check_each_works(commands, tmp_path)


def test_resuming_a_finished_run_with_sealed_scores_suggests_poll_which_works(
    tmp_path: Path,
) -> None:
    """Nothing is left to be played. `resume` names one command, in a sentence."""
    assert run_with_sealed_scores(tmp_path).code == 0
    resumed = run_in_process("resume", "last", cwd=tmp_path)

    (poll_command,) = commands_in_text(resumed.out + resumed.err)
    assert poll_command[0] == "poll"
    polled = run_in_process(*poll_command, cwd=tmp_path)
    # A command with wrong arguments prints how it is used.
    assert "usage" not in polled.err.lower()
    # 1: the command works, but a trial has not ended, or has no answer.
    assert polled.code in (0, 1), polled.err


# After the label "next", a command suggests what to type next. The tests run that as it is printed.
#
# After a run, for example:
#
#     next     /bin/controlplane show 2026...  # the whole table


@pytest.mark.usefixtures("shared_fork_servers")
def test_commands_suggested_after_a_command_work(tmp_path: Path) -> None:
    """The commands are run one after the other in the same folder: `rerun last` plays the run
    before it again."""
    (tmp_path / "docs").symlink_to(ROOT / "docs")
    sources = "docs/examples/library/desk"
    model = ("--model", "scripted:docs/examples/ask.toml")
    commands = [
        ("run", "--limit", "3"),
        ("rerun", "last"),
        ("run", "calendar-date.1", "--name", "one"),
        ("run", "calendar-date.1", "--name", "two"),
        ("compare", "one", "two"),
        ("ask", "Until when may loan-02 be kept?", sources, *model),
    ]
    for command in commands:
        result = run_in_process(*command, cwd=tmp_path)
        assert result.code == 0, (command, result.err)

        suggestions = suggested_commands(result)
        assert suggestions, command
        for suggestion in suggestions:
            followed = run_in_process(*suggestion, cwd=tmp_path)
            assert followed.code == 0, (command, suggestion, followed.err)


def test_the_suggested_command_for_a_model_works_with_the_name_of_one(
    tmp_path: Path,
) -> None:
    """A task that needs a model is refused with "... name a model: .../controlplane run
    stock-count.1 --model NAME (docs/models.md)". The model "recorded" replies from a file."""
    refused = run_in_process("run", "stock-count.1", cwd=tmp_path)

    before_reference, _, _ = refused.err.partition(" (docs/models.md)")
    (command,) = commands_in_text(before_reference)
    assert command == ["run", "stock-count.1", "--model", "NAME"]
    command[-1] = "recorded"
    assert run_in_process(*command, cwd=tmp_path).code == 0


# A run that was interrupted with Ctrl-C names commands, and each of them works.
#
#     ... continue with: /bin/controlplane resume 2026...
#     ...
#     next     /bin/controlplane replay 2026... --trial t1
#
# Each is run in a copy of the folder, so that none changes what the next one finds.


STOPPING = "stopping after the running steps"


def test_commands_suggested_by_an_interrupted_run_work(
    script: Path, tmp_path: Path
) -> None:
    """The run ends with "... continue with: .../controlplane resume 2026..." and its report."""
    result = interrupt_run(script, tmp_path)

    assert result.code == Interrupted.exit_code, result.err
    text_behind_label = result.err.rpartition("continue with: ")[2]
    continuing_command = commands_in_text(text_behind_label)[0]
    commands = [continuing_command, *suggested_commands(result)]
    names = {command[0] for command in commands}
    assert names >= {"resume", "submit", "replay"}
    check_each_works(commands, tmp_path)


def interrupt_run(script: Path, folder: Path) -> CommandResult:
    """Send Ctrl-C to a run that plays one trial at a time, when the first one is over.

    The second trial begins when the run has said that it is stopping.
    """
    messages = folder / "messages.txt"
    words = ("run", "--benchmark", held_trials.__name__, "--concurrency", "1")
    with messages.open("w") as stderr:
        process = start_in_environment(
            (*words, "--model", f"scripted:{script}"),
            env=clean_environment(),
            cwd=folder,
            stderr=stderr,
        )
    with process:
        try:
            wait_until(lambda: has_event(folder, "trial_ended"))
            process.send_signal(signal.SIGINT)
            wait_until(lambda: STOPPING in messages.read_text())
            (folder / "go").touch()  # The second trial waits for this file.
            result = wait_for_exit(process)
        finally:
            process.kill()
    return CommandResult(result.code, result.out, messages.read_text())
