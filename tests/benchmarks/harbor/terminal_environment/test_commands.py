"""An agent runs shell commands in the container of its task, and reads and changes its files.

Files are found, read, written and deleted by calls, and one that was changed meanwhile is not
overwritten. The user sees output as it comes, and long output is cut and kept. A time-out ends all
processes of a command, and programs or pipes without end stop with the trial.
"""

import os
import subprocess
import time
from collections.abc import Iterator

import pytest

from controlplane.benchmarks.containers import container as program_run
from controlplane.benchmarks.containers.container import CommandPlace, Container
from controlplane.benchmarks.containers.container_runtime import (
    ContainerRuntime,
    ContainerSpec,
)
from controlplane.benchmarks.harbor.terminal_environment import TerminalEnvironment
from controlplane.sandbox.interface import CallError
from tests.benchmarks.harbor.base_image import BASE_IMAGE


@pytest.fixture
def container(runtime: ContainerRuntime) -> Iterator[Container]:
    """A running container of the base image."""
    name = f"controlplane-test-{os.getpid()}"
    yield runtime.start(ContainerSpec(BASE_IMAGE, name, {}))
    runtime.remove(name)


@pytest.fixture
def environment(container: Container) -> TerminalEnvironment:
    """The calls to a container. Commands run in /tmp, with COLOUR=green, for at most 60 s each."""
    root = ""
    place = CommandPlace(root, workdir="/tmp", variables={"COLOUR": "green"})
    return TerminalEnvironment(container, place, 60.0)


@pytest.fixture
def environment_with_note(environment: TerminalEnvironment) -> TerminalEnvironment:
    """The calls to a container with the file `/tmp/notes/a b.txt` of three lines."""
    arguments = {"path": "notes/a b.txt", "content": "one\ntwo 2\nthree\n"}
    environment.call("write", arguments)
    return environment


# Files in the container of an agent's task are found by calls: by folder, name, or a line's text.
#
# The container has the file `/tmp/notes/a b.txt` with the lines "one", "two 2" and "three".
# Relative paths begin in /tmp.

found_files_pytestmark = pytest.mark.second_tier


def test_a_folder_lists_its_file(environment_with_note: TerminalEnvironment) -> None:
    listing = environment_with_note.call("list", {"path": "/tmp/notes"})

    entry = {"name": "a b.txt", "path": "/tmp/notes/a b.txt", "is_dir": False}
    assert listing["entries"] == [entry]


def test_a_file_is_found_by_its_name(
    environment_with_note: TerminalEnvironment,
) -> None:
    found = environment_with_note.call(
        "find", {"name": "*.txt", "root": "/tmp", "kind": "files"}
    )

    assert found["paths"] == ["/tmp/notes/a b.txt"]


def test_a_line_is_found_by_a_pattern(
    environment_with_note: TerminalEnvironment,
) -> None:
    searched = environment_with_note.call(
        "search", {"pattern": "t[wx]o [0-9]", "root": "/tmp"}
    )

    match = {"path": "/tmp/notes/a b.txt", "line": 2, "text": "two 2"}
    assert searched == {"matches": [match], "truncated": False}


def test_a_folder_is_known_as_one(environment_with_note: TerminalEnvironment) -> None:
    folder = environment_with_note.call("stat", {"path": "notes"})

    assert folder["is_dir"] is True


# A write to a file in the container of an agent's task may name the text that it replaces.
#
# `if_match_sha256` is the hash of the text that the agent has read. If the file has another text by
# now, nothing is written, and the call fails: "has changed".

overwriting_pytestmark = pytest.mark.second_tier


def test_a_file_that_was_changed_after_it_was_read_is_not_overwritten(
    environment: TerminalEnvironment,
) -> None:
    """A shell command changes it in between."""
    environment.call("write", {"path": "a.txt", "content": "one"})
    hash_of_one = environment.call("read", {"path": "a.txt"})["sha256"]
    environment.call("shell", {"command": "echo two >a.txt"})

    arguments = {
        "path": "a.txt",
        "content": "three",
        "if_match_sha256": hash_of_one,
    }
    with pytest.raises(CallError, match="has changed"):
        environment.call("write", arguments)


# Processes that a shell command of an agent leaves in its container, or that take too long.
#
# The container stays the same from one command to the next. A process in the background goes on,
# unless the command has taken longer than its `timeout_s`.

processes_pytestmark = pytest.mark.second_tier


def test_a_time_out_ends_all_processes_of_the_command(
    environment: TerminalEnvironment,
) -> None:
    """The command starts two processes, one of them in the background."""
    command = "echo begun; sleep 987 & sleep 986"
    result = environment.call("shell", {"command": command, "timeout_s": 2})
    # The brackets keep grep from finding itself among the processes.
    processes = environment.call("shell", {"command": "ps | grep 'sleep 98[67]'"})

    assert result["stdout"] == "begun\n"
    assert result["exit_code"] == 124  # as that of the program `timeout`
    assert processes["stdout"] == ""


def test_a_background_process_keeps_running_and_the_call_does_not_wait_for_it(
    environment: TerminalEnvironment,
) -> None:
    """An agent starts servers like this."""
    environment.call("shell", {"command": "sleep 985 &"})
    processes = environment.call("shell", {"command": "ps | grep 'sleep 98[5]'"})

    assert "sleep 985" in str(processes["stdout"])


# Files in the container of an agent's task are read and deleted by calls.
#
# The container has the file `/tmp/notes/a b.txt` with the lines "one", "two 2" and "three".
# Relative paths begin in /tmp.

read_files_pytestmark = pytest.mark.second_tier


def test_a_file_is_read_whole(environment_with_note: TerminalEnvironment) -> None:
    whole = environment_with_note.call("read", {"path": "/tmp/notes/a b.txt"})

    assert whole["content"] == "one\ntwo 2\nthree\n"


def test_a_line_of_a_file_is_read_by_a_path_relative_to_tmp(
    environment_with_note: TerminalEnvironment,
) -> None:
    second_line = environment_with_note.call(
        "read", {"path": "notes/a b.txt", "start_line": 2, "end_line": 2}
    )

    assert second_line["content"] == "two 2\n"


def test_a_deleted_file_does_not_exist(
    environment_with_note: TerminalEnvironment,
) -> None:
    environment_with_note.call("delete", {"path": "/tmp/notes/a b.txt"})

    with pytest.raises(CallError, match="does not exist"):
        environment_with_note.call("read", {"path": "/tmp/notes/a b.txt"})


# The user sees what a command of an agent prints in its container, while the command runs.
#
# `environment.show_output` is called with the last part of the output. At the end it is called with
# an empty text, which takes the output away.

shown_output_pytestmark = pytest.mark.second_tier


def test_the_output_of_a_command_is_shown_while_it_runs(
    environment: TerminalEnvironment,
) -> None:
    """The command prints a line, and goes on once /tmp/seen is made: when the line is shown."""
    shown_texts: list[str] = []

    def show_output(text: str) -> None:
        shown_texts.append(text)
        if text:
            environment.container.script("touch /tmp/seen")

    environment.show_output = show_output
    wait_until_seen = "while [ ! -e /tmp/seen ]; do sleep 0.1; done"
    command = f"echo compiling; {wait_until_seen}; echo finished"
    result = environment.call("shell", {"command": command})

    assert shown_texts[0] == "compiling\n"
    assert shown_texts[-1] == ""
    assert result["stdout"] == "compiling\nfinished\n"


pytestmark = pytest.mark.second_tier


# Shell commands of an agent in the container of its task.
#
# `environment.call("shell", {"command": "ls"})` runs a command there, by podman, and returns what
# it printed and its exit code. Commands run in /tmp, with the variable COLOUR=green, for at most
# 60 s.


def test_a_command_has_its_input_folder_and_variables(
    environment: TerminalEnvironment,
) -> None:
    """The environment sets COLOUR=green, and the call sets the input and another folder.

    The command prints all three.
    """
    arguments = {
        "command": "cat; pwd; echo $COLOUR; exit 3",
        "stdin": "in\n",
        "workdir": "/etc",
    }
    result = environment.call("shell", arguments)

    assert result == {"stdout": "in\n/etc\ngreen\n", "stderr": "", "exit_code": 3}


def test_long_output_is_cut_and_kept_whole_in_a_file(
    environment: TerminalEnvironment,
) -> None:
    """The middle is left out, with a note: "[... the whole is in /tmp/...]".

    The command prints 100,000 lines. So many must be in the file that the note names.
    """
    result = environment.call("shell", {"command": "seq 100000"})
    stdout = str(result["stdout"])

    assert len(stdout) < 70_000
    assert stdout.startswith("1\n2\n")
    assert stdout.endswith("100000\n")
    _, _, rest = stdout.partition("the whole is in ")
    path, _, _ = rest.partition("]")
    line_count = environment.call("shell", {"command": f"wc -l <{path}"})
    assert line_count["stdout"] == "100000\n"


def test_what_the_first_process_prints_is_in_no_log_of_this_machine(
    environment: TerminalEnvironment,
) -> None:
    """The agent is root, and can write to the output of the container's first process."""
    command = "head -c 3000000 /dev/zero >/proc/1/fd/1; echo done"
    result = environment.call("shell", {"command": command})

    assert result["stdout"] == "done\n"
    logs = ["podman", "logs", environment.container.name]
    assert len(subprocess.run(logs, capture_output=True, check=False).stdout) == 0


def test_a_program_of_the_container_that_prints_without_end_is_ended(
    environment: TerminalEnvironment, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Any program may do so, since the agent is root. The container goes on with its files."""
    monkeypatch.setattr(program_run, "MOST_PRINTED_BYTES", 5_000_000)
    environment.call("shell", {"command": "echo kept >/tmp/kept"})

    assert environment.container.script("yes endless").was_endless

    # The brackets keep grep from finding itself among the processes.
    command = "cat /tmp/kept; ps | grep -c '[e]ndless'"
    assert environment.call("shell", {"command": command})["stdout"] == "kept\n0\n"


def test_the_read_of_a_pipe_ends_with_the_time_of_the_trial(
    environment: TerminalEnvironment,
) -> None:
    environment.call("shell", {"command": "mkfifo /tmp/pipe"})
    environment.ends_at = time.monotonic() + 2.0

    with pytest.raises(CallError, match=r"took too long|time of this trial is over"):
        environment.call("read", {"path": "/tmp/pipe"})
