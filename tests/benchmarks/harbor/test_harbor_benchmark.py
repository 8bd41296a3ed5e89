"""Plays tasks in Harbor's format in containers, with podman.

The folder `tasks` beside this file has eight tasks. The agent of a trial works in a container of
its own, by `harness.shell("make test")` and by calls to read and write files. Then the verifier
of the task, a script, looks at the container and gives the score.
"""

import os
import shutil
import signal
import subprocess
from pathlib import Path

import pytest

from controlplane.benchmark import BenchmarkContext, BenchmarkError, RunRequest, TaskTry
from controlplane.benchmarks.containers.container_runtime import (
    ENDED_SUFFIX,
    OWNER_LABEL,
    ContainerRuntime,
    find_runtime,
    owner,
)
from controlplane.benchmarks.containers.container_spec import ContainerSpec
from controlplane.benchmarks.harbor.harbor_benchmark import open_benchmark
from controlplane.benchmarks.harbor.trial_containers import container_name
from controlplane.sandbox.interface import error_codes
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


def test_the_reference_solution_of_every_task_gets_the_full_score(
    tmp_path: Path,
) -> None:
    """The containers are removed afterwards, and a replay needs none: podman is not in its PATH."""
    run = run_tasks(TASKS, "solution", tmp_path)

    assert run.code == 0, run.err
    scores = [trial["score"] for trial in run.json["trials"]]
    assert scores == [1.0] * TASK_COUNT
    # The verifier of the task csv-pipeline also counts the rows of a table.
    assert run.json["metrics"]["rows"] == 4
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
    task = tmp_path / "killed-run-task"
    shutil.copytree(TASKS / "impossible", task)
    replies = tmp_path / "replies.toml"
    replies.write_text(REPLIES_WITH_A_BACKGROUND_PROCESS)
    words = ("run", "--benchmark", f"harbor:{task}", "--model", f"scripted:{replies}")
    run = start_controlplane(*words, cwd=tmp_path, **PROCESS_VARIABLES)
    name = wait_for_waiting_container(task.name)
    run.send_signal(signal.SIGKILL)
    run.communicate()
    subprocess.run(["podman", "exec", name, "touch", "/tmp/go"], check=True)

    resumed = resume_last_run(tmp_path)

    (trial,) = resumed.json["trials"]
    assert trial["score"] == 1.0, resumed.err
    lines, processes = trial["answer"].split()
    assert lines == "once"  # Step 1 was not repeated,
    assert processes == "1"  # and its process still ran.
    assert container_states(task.name) == {}


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
    first, second = [planned_trial.trial_id for planned_trial in run.trials]
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
