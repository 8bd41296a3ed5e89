"""Eight tasks in containers of podman: played, verified,
interrupted, and what a shell command leaves."""

import os
import shutil
import signal
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from controlplane.benchmark import BenchmarkContext, BenchmarkError, RunRequest, TaskTry
from controlplane.benchmarks.containers.container import (
    Container,
)
from controlplane.benchmarks.containers.container_command import CommandPlace
from controlplane.benchmarks.containers.container_runtime import (
    ENDED_SUFFIX,
    OWNER_LABEL,
    find_runtime,
    owner,
)
from controlplane.benchmarks.containers.container_spec import (
    ContainerSpec,
)
from controlplane.benchmarks.harbor.harbor_benchmark import open_benchmark
from controlplane.benchmarks.harbor.terminal_environment import TerminalEnvironment
from controlplane.benchmarks.harbor.trial_containers import container_name
from controlplane.sandbox.interface import CallError, error_codes
from tests.benchmarks.harbor.base_image import (
    BASE_IMAGE,
    PROCESS_VARIABLES,
    missing_reason,
    played,
    resumed,
)
from tests.support.command import run_controlplane, start_controlplane, wait_until

pytestmark = pytest.mark.second_tier

TASKS = Path(__file__).parent / "tasks"
TASK_COUNT = 8


@pytest.fixture(scope="module", autouse=True)
def containers() -> None:
    reason = missing_reason()
    if reason:
        pytest.skip(reason)


@pytest.fixture
def container() -> Iterator[Container]:
    runtime = find_runtime("podman", {"PATH": os.environ["PATH"], **PROCESS_VARIABLES})
    name = f"controlplane-test-{os.getpid()}"
    yield runtime.start(ContainerSpec(BASE_IMAGE, name, {}))
    runtime.remove(name)


@pytest.fixture
def environment(container: Container) -> TerminalEnvironment:
    return TerminalEnvironment(
        container, CommandPlace("", "/tmp", {"COLOUR": "green"}), 60.0
    )


def containers_of(trial_id: str) -> list[str]:
    command = ["podman", "ps", "--all", "--format", "{{.Names}}"]
    command += ["--filter", f"label=controlplane.trial={trial_id}"]
    return subprocess.run(
        command, capture_output=True, text=True, check=True
    ).stdout.split()


# Runs


def test_the_reference_solutions_get_full_reward_and_replay_without_containers(
    tmp_path: Path,
) -> None:
    run = played(TASKS, "solution", tmp_path)

    assert run.code == 0, run.err
    assert [trial["score"] for trial in run.json["trials"]] == [1.0] * TASK_COUNT
    assert run.json["metrics"]["rows"] == 4
    for trial in run.json["trials"]:
        assert containers_of(trial["trial_id"]) == []
    replay = run_controlplane(
        "replay", "last", "--verify", cwd=tmp_path, PATH="/nonexistent"
    )
    assert replay.code == 0, replay.err


def test_doing_nothing_gets_no_reward(tmp_path: Path) -> None:
    run = played(TASKS, "nothing", tmp_path)

    assert [trial["score"] for trial in run.json["trials"]] == [0.0] * TASK_COUNT, (
        run.err
    )


def test_a_scripted_model_works_with_files_and_shell(tmp_path: Path) -> None:
    replies = tmp_path / "replies.toml"
    replies.write_text(
        '''
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
    )

    run = played(TASKS, f"scripted:{replies}", tmp_path, "fix-test")

    assert run.json["trials"][0]["score"] == 1.0, run.out


def test_a_verifier_without_reward_gives_no_score_but_its_last_lines(
    tmp_path: Path,
) -> None:
    task = tmp_path / "silent"
    (task / "environment").mkdir(parents=True)
    (task / "tests").mkdir()
    (task / "task.toml").write_text("")
    (task / "instruction.md").write_text("Do it.")
    (task / "environment/Dockerfile").write_text(f"FROM {BASE_IMAGE}\n")
    (task / "tests/test.sh").write_text("echo no package index; exit 1\n")

    run = played(task, "nothing", tmp_path)

    trial = run.json["trials"][0]

    assert trial["score"] is None
    assert "no package index" in trial["details"]


def test_a_build_that_fails_costs_its_task_alone(tmp_path: Path) -> None:
    for name, line in (("broken", "RUN false"), ("whole", "RUN true")):
        task = tmp_path / "tasks" / name
        (task / "environment").mkdir(parents=True)
        (task / "tests").mkdir()
        (task / "task.toml").write_text("")
        (task / "instruction.md").write_text("Do it.")
        (task / "environment/Dockerfile").write_text(f"FROM {BASE_IMAGE}\n{line}\n")
        (task / "tests/test.sh").write_text("echo 1 >/logs/verifier/reward.txt\n")

    run = played(tmp_path / "tasks", "nothing", tmp_path)

    trials = {trial["task_id"]: trial for trial in run.json["trials"]}

    assert trials["whole"]["score"] == 1.0
    assert trials["broken"]["state"] == "failed"
    assert "RUN false" in trials["broken"]["reason"]


def test_a_resumed_run_takes_the_container_of_a_killed_one_over(tmp_path: Path) -> None:
    replies = tmp_path / "replies.toml"
    replies.write_text(
        '''
[[reply]]
code = """
harness.shell("echo once >>/app/count; sleep 1000 &")
"""

[[reply]]
code = """
harness.shell("touch /app/waiting; while [ ! -e /app/go ]; do sleep 0.1; done")
"""

[[reply]]
code = """
state = harness.shell("cat /app/count; ps | grep -c 'sleep 100[0]'")
harness.write("/app/impossible.txt", "no key")
scratchpad["answer"] = state.stdout
scratchpad["outcome"] = "OUTCOME_OK"
harness.answer(scratchpad, lambda sp: bool(sp["answer"]))
"""
'''
    )
    arguments = ("--benchmark", f"harbor:{TASKS}", "--model", f"scripted:{replies}")
    run = start_controlplane(
        "run", "impossible", *arguments, cwd=tmp_path, **PROCESS_VARIABLES
    )

    def names() -> list[str]:
        command = ["podman", "ps", "--format", "{{.Names}} {{.Labels}}"]
        listing = subprocess.run(
            command, capture_output=True, text=True, check=True
        ).stdout
        return [
            line.split()[0] for line in listing.splitlines() if "impossible" in line
        ]

    def is_waiting() -> bool:
        # Each look takes locks that the container's other commands wait for.
        time.sleep(1)
        command = ["podman", "exec", *names()[:1], "test", "-e", "/app/waiting"]
        return bool(names()) and subprocess.run(command, check=False).returncode == 0

    wait_until(is_waiting, within_s=300)
    name = names()[0]
    run.send_signal(signal.SIGKILL)
    run.communicate()
    subprocess.run(["podman", "exec", name, "touch", "/app/go"], check=True)
    result = resumed(tmp_path)

    trial = result.json["trials"][0]

    assert trial["score"] == 1.0, result.err
    # The first step was made once, and its process still runs.
    assert trial["answer"].split() == ["once", "1"]
    assert name not in names()


def test_a_start_removes_containers_of_ended_trials_and_no_others(
    tmp_path: Path,
) -> None:
    runtime = find_runtime("podman", {"PATH": os.environ["PATH"], **PROCESS_VARIABLES})
    ended = f"controlplane-test-{os.getpid()}-1{ENDED_SUFFIX}"
    still_open = f"controlplane-test-{os.getpid()}-2"
    strangers = f"test-{os.getpid()}{ENDED_SUFFIX}"
    runtime.start(ContainerSpec(BASE_IMAGE, ended, {OWNER_LABEL: owner()}))
    runtime.start(ContainerSpec(BASE_IMAGE, still_open, {OWNER_LABEL: owner()}))
    runtime.start(ContainerSpec(BASE_IMAGE, strangers, {}))

    played(TASKS, "nothing", tmp_path, "impossible")

    names = runtime.names({})
    for name in (still_open, strangers):
        runtime.remove(name)

    assert ended not in names
    assert still_open in names
    assert strangers in names


def test_a_container_that_a_killed_start_left_behind_is_replaced(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for name, value in PROCESS_VARIABLES.items():
        monkeypatch.setenv(name, value)
    benchmark = open_benchmark(str(TASKS), {}, BenchmarkContext()).benchmark
    tries = (TaskTry("impossible", 0), TaskTry("impossible", 0, copy=1))
    run = benchmark.start_run(RunRequest("", tries))
    first, second = [stub.trial_id for stub in run.trials]
    benchmark.start_trial(first)  # The containers that are there have been listed.
    runtime = find_runtime("podman", os.environ)
    left_behind = runtime.start(ContainerSpec(BASE_IMAGE, container_name(second), {}))
    left_behind.script("touch /tmp/left")

    try:
        environment = benchmark.start_trial(second).environment
        assert environment.call("find", {"name": "left", "root": "/tmp"})["paths"] == []
    finally:
        benchmark.submit_run(run.run_id, force=True)


def test_a_container_that_does_not_start_says_nothing_of_the_end_of_its_trial(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in PROCESS_VARIABLES.items():
        monkeypatch.setenv(name, value)
    shutil.copytree(TASKS / "impossible", tmp_path / "impossible")
    (tmp_path / "impossible/environment/Dockerfile").write_text(
        f"FROM {BASE_IMAGE}\nRUN false\n"
    )
    benchmark = open_benchmark(str(tmp_path), {}, BenchmarkContext()).benchmark
    run = benchmark.start_run(RunRequest("", (TaskTry("impossible", 0),)))

    with pytest.raises(BenchmarkError) as raised:
        benchmark.start_trial(run.trials[0].trial_id)

    # By that code a benchmark says that a trial has ended, and an answered one would
    # lose its score.
    assert raised.value.code != error_codes.FAILED_PRECONDITION


# The environment


def test_a_command_has_its_input_folder_and_variables(
    environment: TerminalEnvironment,
) -> None:
    arguments = {
        "command": "cat; pwd; echo $COLOUR; exit 3",
        "stdin": "in\n",
        "workdir": "/etc",
    }
    result = environment.call("shell", arguments)

    assert result == {"stdout": "in\n/etc\ngreen\n", "stderr": "", "exit_code": 3}


def test_long_output_is_cut_and_the_whole_stays_in_a_file(
    environment: TerminalEnvironment,
) -> None:
    result = environment.call("shell", {"command": "seq 100000"})
    stdout = str(result["stdout"])
    path = stdout.partition("the whole is in ")[2].partition("]")[0]
    lines = environment.call("shell", {"command": f"wc -l <{path}"})

    assert len(stdout) < 70_000
    assert stdout.startswith("1\n2\n")
    assert stdout.endswith("100000\n")
    assert lines["stdout"] == "100000\n"


def test_a_time_out_ends_the_processes_of_its_command(
    environment: TerminalEnvironment,
) -> None:
    command = "echo begun; sleep 987 & sleep 986"
    result = environment.call("shell", {"command": command, "timeout_s": 2})
    left = environment.call("shell", {"command": "ps | grep 'sleep 98[67]'"})

    assert (result["stdout"], result["exit_code"]) == ("begun\n", 124)
    assert left["stdout"] == ""


def test_the_output_of_a_command_is_shown_while_it_runs(
    environment: TerminalEnvironment,
) -> None:
    shown: list[str] = []

    def show_output(text: str) -> None:
        shown.append(text)
        if text:
            environment.container.script("touch /tmp/seen")

    environment.show_output = show_output
    command = (
        "echo compiling; while [ ! -e /tmp/seen ]; do sleep 0.1; done; echo finished"
    )
    result = environment.call("shell", {"command": command})

    assert shown[0] == "compiling\n"
    assert shown[-1] == ""
    assert result["stdout"] == "compiling\nfinished\n"


def test_a_background_command_keeps_running_and_keeps_nobody_waiting(
    environment: TerminalEnvironment,
) -> None:
    began = time.monotonic()
    environment.call("shell", {"command": "sleep 985 &"})
    elapsed_s = time.monotonic() - began
    left = environment.call("shell", {"command": "ps | grep 'sleep 98[5]'"})

    assert elapsed_s < 300
    assert "sleep 985" in str(left["stdout"])


def test_files_are_written_found_and_deleted(environment: TerminalEnvironment) -> None:
    environment.call(
        "write", {"path": "notes/a b.txt", "content": "one\ntwo 2\nthree\n"}
    )

    whole = environment.call("read", {"path": "/tmp/notes/a b.txt"})
    second = environment.call(
        "read", {"path": "notes/a b.txt", "start_line": 2, "end_line": 2}
    )
    listing = environment.call("list", {"path": "/tmp/notes"})
    found = environment.call("find", {"name": "*.txt", "root": "/tmp", "kind": "files"})
    matches = environment.call("search", {"pattern": "t[wx]o [0-9]", "root": "/tmp"})
    stat = environment.call("stat", {"path": "notes"})
    environment.call("delete", {"path": "notes/a b.txt"})

    assert whole["content"] == "one\ntwo 2\nthree\n"
    assert second["content"] == "two 2\n"
    entry = {"name": "a b.txt", "path": "/tmp/notes/a b.txt", "is_dir": False}
    assert listing["entries"] == [entry]
    assert found["paths"] == ["/tmp/notes/a b.txt"]
    match = {"path": "/tmp/notes/a b.txt", "line": 2, "text": "two 2"}
    assert matches == {"matches": [match], "truncated": False}
    assert stat["is_dir"] is True
    with pytest.raises(CallError, match="does not exist"):
        environment.call("read", {"path": "notes/a b.txt"})


def test_a_file_that_changed_meanwhile_is_not_overwritten(
    environment: TerminalEnvironment,
) -> None:
    environment.call("write", {"path": "a.txt", "content": "one"})
    digest = environment.call("read", {"path": "a.txt"})["sha256"]
    environment.call("shell", {"command": "echo two >a.txt"})

    arguments = {"path": "a.txt", "content": "three", "if_match_sha256": digest}
    with pytest.raises(CallError, match="has changed"):
        environment.call("write", arguments)
