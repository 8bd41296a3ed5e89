"""Plays tasks in Harbor's format in containers, with podman.

The folder `tasks` beside this file has eight tasks. The agent of a trial works in a container of
its own, by `harness.shell("make test")` and by calls to read and write files. Then the verifier
of the task, a script, looks at the container and gives the score.
"""

import os
import shutil
import signal
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from controlplane.benchmark import BenchmarkContext, BenchmarkError, RunRequest, TaskTry
from controlplane.benchmarks.containers.container import Container
from controlplane.benchmarks.containers.container_command import CommandPlace
from controlplane.benchmarks.containers.container_runtime import (
    ENDED_SUFFIX,
    OWNER_LABEL,
    ContainerRuntime,
    find_runtime,
    owner,
)
from controlplane.benchmarks.containers.container_spec import ContainerSpec
from controlplane.benchmarks.harbor.harbor_benchmark import open_benchmark
from controlplane.benchmarks.harbor.terminal_environment import TerminalEnvironment
from controlplane.benchmarks.harbor.trial_containers import container_name
from controlplane.sandbox.interface import CallError, error_codes
from tests.benchmarks.harbor.base_image import (
    BASE_IMAGE,
    PROCESS_VARIABLES,
    container_states,
    missing_reason,
    resume_last_run,
    run_tasks,
    wait_for_waiting_container,
    write_task,
)
from tests.support.command import run_controlplane, start_controlplane

pytestmark = pytest.mark.second_tier

TASKS = Path(__file__).parent / "tasks"
TASK_COUNT = 8


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
    """The calls of an agent to the container. Its commands run in /tmp, with a variable COLOUR,
    and for at most 60 s."""
    place = CommandPlace("", "/tmp", {"COLOUR": "green"})
    return TerminalEnvironment(container, place, 60.0)


# Runs


def test_the_reference_solution_of_every_task_gets_the_full_score(
    tmp_path: Path,
) -> None:
    """The containers are removed afterwards, and a replay needs none: podman is not in its PATH."""
    run = run_tasks(TASKS, "solution", tmp_path)

    assert run.code == 0, run.err
    scores = [trial["score"] for trial in run.json["trials"]]
    assert scores == [1.0] * TASK_COUNT
    assert (
        run.json["metrics"]["rows"] == 4
    )  # from the verifier of the task csv-pipeline
    for trial in run.json["trials"]:
        assert container_states(trial["trial_id"]) == {}
    replayed = run_controlplane(
        "replay", "last", "--verify", cwd=tmp_path, PATH="/nonexistent"
    )
    assert replayed.code == 0, replayed.err


def test_doing_nothing_gets_the_score_0_in_every_task(tmp_path: Path) -> None:
    """The model "nothing" ends each trial at once, and the verifiers run."""
    run = run_tasks(TASKS, "nothing", tmp_path)

    scores = [trial["score"] for trial in run.json["trials"]]
    assert scores == [0.0] * TASK_COUNT, run.err


REPLIES_THAT_FIX_THE_MODULE = '''
[[reply]]
code = """
module = harness.read("prices.py")
wrong = "net_cents * rate_percent // 100"
right = "(net_cents * rate_percent + 50) // 100"
harness.write("/app/prices.py", module.content.replace(wrong, right))
"""

[[reply]]
code = """
tests = harness.shell("python3 -m unittest", check=True)
scratchpad["answer"] = "the tests pass"
scratchpad["outcome"] = "OUTCOME_OK"
harness.answer(scratchpad, lambda sp: tests.exit_code == 0)
"""
'''


def test_an_agent_solves_a_task_with_files_and_shell(tmp_path: Path) -> None:
    """The module of the task fix-test, prices.py, rounds down instead of to the nearest cent."""
    replies = tmp_path / "replies.toml"
    replies.write_text(REPLIES_THAT_FIX_THE_MODULE)

    run = run_tasks(TASKS, f"scripted:{replies}", tmp_path, "fix-test")

    assert run.json["trials"][0]["score"] == 1.0, run.out


def test_a_verifier_that_leaves_no_reward_gives_no_score_but_its_last_lines(
    tmp_path: Path,
) -> None:
    """The verifier prints why it fails, as one does that cannot install its packages."""
    failing_verifier = "echo no package index; exit 1\n"
    task = write_task(tmp_path / "silent", verifier=failing_verifier)

    run = run_tasks(task, "nothing", tmp_path)

    (trial,) = run.json["trials"]
    assert trial["score"] is None
    assert "no package index" in trial["details"]


def test_an_image_that_cannot_be_built_costs_only_its_own_task(tmp_path: Path) -> None:
    """One of two Dockerfiles has a command that fails."""
    write_task(tmp_path / "tasks/broken", dockerfile="RUN false\n")
    write_task(tmp_path / "tasks/whole", dockerfile="RUN true\n")

    run = run_tasks(tmp_path / "tasks", "nothing", tmp_path)

    trials = {trial["task_id"]: trial for trial in run.json["trials"]}
    assert trials["whole"]["score"] == 1.0
    assert trials["broken"]["state"] == "failed"
    assert "RUN false" in trials["broken"]["reason"]


REPLIES_WITH_A_BACKGROUND_PROCESS = '''
[[reply]]
code = """
harness.shell("echo once >>/tmp/count; sleep 1000 &")
"""

[[reply]]
code = """
harness.shell("touch /tmp/waiting; while [ ! -e /tmp/go ]; do sleep 0.1; done")
"""

[[reply]]
code = """
state = harness.shell("cat /tmp/count; ps | grep -c 'sleep 100[0]'")
harness.write("/app/impossible.txt", "no key")
scratchpad["answer"] = state.stdout
scratchpad["outcome"] = "OUTCOME_OK"
harness.answer(scratchpad, lambda sp: bool(sp["answer"]))
"""
'''
"""Step 1 adds a line to a file and starts a process, step 2 waits for /tmp/go, and step 3 answers
with the file's lines and the number of such processes. The task "impossible" asks for the file
impossible.txt, which says what is missing: a key."""


def test_a_resumed_run_goes_on_in_the_container_of_the_killed_run(
    tmp_path: Path,
) -> None:
    """Wait until step 2 waits, kill the run, let the command go on, and resume."""
    shutil.copytree(TASKS / "impossible", tmp_path / "killed-run-task")
    replies = tmp_path / "replies.toml"
    replies.write_text(REPLIES_WITH_A_BACKGROUND_PROCESS)
    benchmark = ("--benchmark", f"harbor:{tmp_path / 'killed-run-task'}")
    run = start_controlplane(
        *("run", *benchmark, "--model", f"scripted:{replies}"),
        cwd=tmp_path,
        **PROCESS_VARIABLES,
    )
    name = wait_for_waiting_container("killed-run-task")
    run.send_signal(signal.SIGKILL)
    run.communicate()
    subprocess.run(["podman", "exec", name, "touch", "/tmp/go"], check=True)

    resumed = resume_last_run(tmp_path)

    (trial,) = resumed.json["trials"]
    assert trial["score"] == 1.0, resumed.err
    lines, processes = trial["answer"].split()
    assert lines == "once"  # Step 1 was not repeated,
    assert processes == "1"  # and its process still ran.
    assert container_states("killed-run-task") == {}


def test_a_run_first_removes_containers_that_ended_trials_have_left(
    tmp_path: Path, runtime: ContainerRuntime
) -> None:
    """A killed run may leave the container of a trial that has ended. A container is the product's
    own by its label, and has a suffix in its name if its trial has ended."""
    ended = f"controlplane-test-{os.getpid()}-1{ENDED_SUFFIX}"
    still_open = f"controlplane-test-{os.getpid()}-2"
    not_ours = f"test-{os.getpid()}{ENDED_SUFFIX}"
    runtime.start(ContainerSpec(BASE_IMAGE, ended, {OWNER_LABEL: owner()}))
    runtime.start(ContainerSpec(BASE_IMAGE, still_open, {OWNER_LABEL: owner()}))
    runtime.start(ContainerSpec(BASE_IMAGE, not_ours, {}))

    run_tasks(TASKS, "nothing", tmp_path, "impossible")

    names = runtime.names({})
    runtime.remove(still_open)
    runtime.remove(not_ours)
    assert ended not in names
    assert still_open in names
    assert not_ours in names


@pytest.fixture
def podman_flags(monkeypatch: pytest.MonkeyPatch) -> None:
    """The flags of podman for a benchmark that is opened in this process."""
    for name, value in PROCESS_VARIABLES.items():
        monkeypatch.setenv(name, value)


@pytest.mark.usefixtures("podman_flags")
def test_a_container_that_a_killed_start_has_left_is_replaced(
    runtime: ContainerRuntime,
) -> None:
    """The run has two trials. While the first one starts, another process leaves a container
    with the name of the second one's, and a file in it."""
    benchmark = open_benchmark(str(TASKS), {}, BenchmarkContext()).benchmark
    tries = (TaskTry("impossible", 0), TaskTry("impossible", 0, copy=1))
    run = benchmark.start_run(RunRequest("", tries))
    first, second = [stub.trial_id for stub in run.trials]
    benchmark.start_trial(first)  # It lists the containers that exist.
    old_container = runtime.start(ContainerSpec(BASE_IMAGE, container_name(second), {}))
    old_container.script("touch /tmp/left")

    try:
        environment = benchmark.start_trial(second).environment
        found = environment.call("find", {"name": "left", "root": "/tmp"})
        assert found["paths"] == []
    finally:
        benchmark.submit_run(run.run_id, force=True)


@pytest.mark.usefixtures("podman_flags")
def test_the_error_of_a_failed_start_does_not_say_that_the_trial_has_ended(
    tmp_path: Path,
) -> None:
    """A benchmark says by FAILED_PRECONDITION that a trial has ended. If a resumed trial that is
    answered already could not start for another reason, that code would cost its score."""
    write_task(tmp_path / "impossible", dockerfile="RUN false\n")
    benchmark = open_benchmark(str(tmp_path), {}, BenchmarkContext()).benchmark
    run = benchmark.start_run(RunRequest("", (TaskTry("impossible", 0),)))

    with pytest.raises(BenchmarkError) as error:
        benchmark.start_trial(run.trials[0].trial_id)

    assert error.value.code != error_codes.FAILED_PRECONDITION


# The calls of an agent


def test_a_command_has_its_input_folder_and_variables(
    environment: TerminalEnvironment,
) -> None:
    """The environment sets COLOUR=green. The command prints its input, folder and variable."""
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
    """The middle is left out, with a note: "[... the whole is in /tmp/...]"."""
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


def test_a_time_out_ends_all_processes_of_the_command(
    environment: TerminalEnvironment,
) -> None:
    """The command starts two processes, one of them in the background."""
    command = "echo begun; sleep 987 & sleep 986"
    result = environment.call("shell", {"command": command, "timeout_s": 2})
    processes = environment.call("shell", {"command": "ps | grep 'sleep 98[67]'"})

    assert result["stdout"] == "begun\n"
    assert result["exit_code"] == EXIT_CODE_OF_A_TIME_OUT
    assert processes["stdout"] == ""


def test_the_output_of_a_command_is_shown_while_it_runs(
    environment: TerminalEnvironment,
) -> None:
    """The command prints a line and waits for /tmp/seen, which is made when the line is shown."""
    shown_texts: list[str] = []

    def show_output(text: str) -> None:
        shown_texts.append(text)
        if text:
            environment.container.script("touch /tmp/seen")

    environment.show_output = show_output
    command = (
        "echo compiling; while [ ! -e /tmp/seen ]; do sleep 0.1; done; echo finished"
    )
    result = environment.call("shell", {"command": command})

    assert shown_texts[0] == "compiling\n"
    assert shown_texts[-1] == ""  # The output is taken away at the end.
    assert result["stdout"] == "compiling\nfinished\n"


def test_a_background_process_keeps_running_and_the_call_does_not_wait_for_it(
    environment: TerminalEnvironment,
) -> None:
    """An agent starts servers like this."""
    started_at = time.monotonic()
    environment.call("shell", {"command": "sleep 985 &"})
    elapsed_s = time.monotonic() - started_at
    processes = environment.call("shell", {"command": "ps | grep 'sleep 98[5]'"})

    assert elapsed_s < 300  # Far less than 985 s, also on a busy machine.
    assert "sleep 985" in str(processes["stdout"])


NOTE = "/tmp/notes/a b.txt"


@pytest.fixture
def environment_with_note(environment: TerminalEnvironment) -> TerminalEnvironment:
    """The environment with the file `NOTE`, written by its path relative to /tmp."""
    arguments = {"path": "notes/a b.txt", "content": "one\ntwo 2\nthree\n"}
    environment.call("write", arguments)
    return environment


def test_a_file_is_read_whole_or_by_lines(
    environment_with_note: TerminalEnvironment,
) -> None:
    """By a path from the root, or relative to the folder of the commands, /tmp."""
    whole = environment_with_note.call("read", {"path": NOTE})
    second_line = environment_with_note.call(
        "read", {"path": "notes/a b.txt", "start_line": 2, "end_line": 2}
    )

    assert whole["content"] == "one\ntwo 2\nthree\n"
    assert second_line["content"] == "two 2\n"


def test_a_file_is_listed_found_and_searched(
    environment_with_note: TerminalEnvironment,
) -> None:
    """`find` looks for names, `search` for texts in files."""
    listing = environment_with_note.call("list", {"path": "/tmp/notes"})
    found = environment_with_note.call(
        "find", {"name": "*.txt", "root": "/tmp", "kind": "files"}
    )
    searched = environment_with_note.call(
        "search", {"pattern": "t[wx]o [0-9]", "root": "/tmp"}
    )
    folder = environment_with_note.call("stat", {"path": "notes"})

    entry = {"name": "a b.txt", "path": NOTE, "is_dir": False}
    assert listing["entries"] == [entry]
    assert found["paths"] == [NOTE]
    match = {"path": NOTE, "line": 2, "text": "two 2"}
    assert searched == {"matches": [match], "truncated": False}
    assert folder["is_dir"] is True


def test_a_deleted_file_does_not_exist(
    environment_with_note: TerminalEnvironment,
) -> None:
    environment_with_note.call("delete", {"path": "notes/a b.txt"})

    with pytest.raises(CallError, match="does not exist"):
        environment_with_note.call("read", {"path": "notes/a b.txt"})


def test_a_file_that_was_changed_after_it_was_read_is_not_overwritten(
    environment: TerminalEnvironment,
) -> None:
    """A write may name the hash of the text that it replaces."""
    environment.call("write", {"path": "a.txt", "content": "one"})
    hash_of_one = environment.call("read", {"path": "a.txt"})["sha256"]
    environment.call("shell", {"command": "echo two >a.txt"})

    arguments = {"path": "a.txt", "content": "three", "if_match_sha256": hash_of_one}
    with pytest.raises(CallError, match="has changed"):
        environment.call("write", arguments)
