"""The calls of an agent to the container of its task: shell commands, and files.

`environment.call("shell", {"command": "ls"})` runs a command in a container, by podman, and returns
what it printed and its exit code. `read`, `write`, `find` and others work on files there.
"""

import os
from collections.abc import Iterator

import pytest

from controlplane.benchmarks.containers.container import CommandPlace, Container
from controlplane.benchmarks.containers.container_runtime import (
    ContainerRuntime,
    find_runtime,
)
from controlplane.benchmarks.containers.container_spec import ContainerSpec
from controlplane.benchmarks.harbor.terminal_environment import TerminalEnvironment
from controlplane.sandbox.interface import CallError
from tests.benchmarks.harbor.base_image import (
    BASE_IMAGE,
    PROCESS_VARIABLES,
    missing_reason,
)

pytestmark = pytest.mark.second_tier


@pytest.fixture(scope="module", autouse=True)
def containers() -> None:
    """Skip the tests where no container can be run."""
    reason = missing_reason()
    if reason:
        pytest.skip(reason)


@pytest.fixture
def runtime() -> ContainerRuntime:
    """Podman, with the flags that it needs in a container without privileges."""
    return find_runtime("podman", {"PATH": os.environ["PATH"], **PROCESS_VARIABLES})


@pytest.fixture
def container(runtime: ContainerRuntime) -> Iterator[Container]:
    """A running container of the base image."""
    name = f"controlplane-test-{os.getpid()}"
    yield runtime.start(ContainerSpec(BASE_IMAGE, name, {}))
    runtime.remove(name)


@pytest.fixture
def environment(container: Container) -> TerminalEnvironment:
    """The calls of an agent to the container. Its commands run in /tmp, for at most 60 s each."""
    root = ""
    place = CommandPlace(root, workdir="/tmp", variables={"COLOUR": "green"})
    return TerminalEnvironment(container, place, 60.0)


class TestCommands:
    """A command of the agent runs in the container, and returns what it prints.

    The environment runs commands in /tmp, with the variable COLOUR=green, for at most 60 s each.
    """

    def test_a_command_has_its_input_folder_and_variables(
        self, environment: TerminalEnvironment
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
        self, environment: TerminalEnvironment
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


EXIT_CODE_OF_A_TIME_OUT = 124


class TestProcesses:
    """A command may start processes, take too long, or print while it runs.

    The container stays the same from one command to the next, and so do its processes.
    """

    def test_a_time_out_ends_all_processes_of_the_command(
        self, environment: TerminalEnvironment
    ) -> None:
        """The command starts two processes, one of them in the background."""
        command = "echo begun; sleep 987 & sleep 986"
        result = environment.call("shell", {"command": command, "timeout_s": 2})
        # The brackets keep grep from finding itself among the processes.
        processes = environment.call("shell", {"command": "ps | grep 'sleep 98[67]'"})

        assert result["stdout"] == "begun\n"
        assert result["exit_code"] == EXIT_CODE_OF_A_TIME_OUT
        assert processes["stdout"] == ""

    def test_a_background_process_keeps_running_and_the_call_does_not_wait_for_it(
        self, environment: TerminalEnvironment
    ) -> None:
        """An agent starts servers like this. The process still runs when the call is over."""
        environment.call("shell", {"command": "sleep 985 &"})
        processes = environment.call("shell", {"command": "ps | grep 'sleep 98[5]'"})

        assert "sleep 985" in str(processes["stdout"])

    def test_the_output_of_a_command_is_shown_while_it_runs(
        self, environment: TerminalEnvironment
    ) -> None:
        """The command prints a line, and goes on when /tmp/seen is made: when the line is shown.

        After the end an empty text is shown, which takes the output away.
        """
        shown_texts: list[str] = []

        def show_output(text: str) -> None:
            shown_texts.append(text)
            if text:
                environment.container.script("touch /tmp/seen")

        environment.show_output = show_output
        command = "echo compiling; while [ ! -e /tmp/seen ]; do sleep 0.1; done; echo finished"
        result = environment.call("shell", {"command": command})

        assert shown_texts[0] == "compiling\n"
        assert shown_texts[-1] == ""
        assert result["stdout"] == "compiling\nfinished\n"


@pytest.fixture
def environment_with_note(environment: TerminalEnvironment) -> TerminalEnvironment:
    """The environment with a file of three lines, `/tmp/notes/a b.txt`."""
    arguments = {"path": "notes/a b.txt", "content": "one\ntwo 2\nthree\n"}
    environment.call("write", arguments)
    return environment


class TestFiles:
    """Files of the container are read, listed, searched and deleted by calls.

    The container has the file `/tmp/notes/a b.txt` with the lines "one", "two 2" and "three".
    Relative paths begin in /tmp.
    """

    def test_a_file_is_read_whole(
        self, environment_with_note: TerminalEnvironment
    ) -> None:
        whole = environment_with_note.call("read", {"path": "/tmp/notes/a b.txt"})

        assert whole["content"] == "one\ntwo 2\nthree\n"

    def test_a_line_of_a_file_is_read_by_a_path_relative_to_tmp(
        self, environment_with_note: TerminalEnvironment
    ) -> None:
        second_line = environment_with_note.call(
            "read", {"path": "notes/a b.txt", "start_line": 2, "end_line": 2}
        )

        assert second_line["content"] == "two 2\n"

    def test_a_folder_lists_its_file(
        self, environment_with_note: TerminalEnvironment
    ) -> None:
        listing = environment_with_note.call("list", {"path": "/tmp/notes"})

        entry = {"name": "a b.txt", "path": "/tmp/notes/a b.txt", "is_dir": False}
        assert listing["entries"] == [entry]

    def test_a_file_is_found_by_its_name(
        self, environment_with_note: TerminalEnvironment
    ) -> None:
        found = environment_with_note.call(
            "find", {"name": "*.txt", "root": "/tmp", "kind": "files"}
        )

        assert found["paths"] == ["/tmp/notes/a b.txt"]

    def test_a_line_is_found_by_a_pattern(
        self, environment_with_note: TerminalEnvironment
    ) -> None:
        searched = environment_with_note.call(
            "search", {"pattern": "t[wx]o [0-9]", "root": "/tmp"}
        )

        match = {"path": "/tmp/notes/a b.txt", "line": 2, "text": "two 2"}
        assert searched == {"matches": [match], "truncated": False}

    def test_a_folder_is_known_as_one(
        self, environment_with_note: TerminalEnvironment
    ) -> None:
        folder = environment_with_note.call("stat", {"path": "notes"})

        assert folder["is_dir"] is True

    def test_a_deleted_file_does_not_exist(
        self, environment_with_note: TerminalEnvironment
    ) -> None:
        environment_with_note.call("delete", {"path": "/tmp/notes/a b.txt"})

        with pytest.raises(CallError, match="does not exist"):
            environment_with_note.call("read", {"path": "/tmp/notes/a b.txt"})


class TestOverwriting:
    """A write may name the hash of the text that it replaces, as it was read."""

    def test_a_file_that_was_changed_after_it_was_read_is_not_overwritten(
        self, environment: TerminalEnvironment
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
