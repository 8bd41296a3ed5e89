"""Plays tasks in Harbor's format in containers, with podman.

The folder `tasks` beside this file has eight tasks. The agent of a trial works in a container of
its own, by `harness.shell("make test")` and by calls to read and write files. Then the verifier
of the task, a script, looks at the container and gives the score.
"""

import os
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
    missing_reason,
)
from tests.benchmarks.harbor.container_runs import run_tasks, write_task
from tests.benchmarks.harbor.trial_containers import container_states
from tests.support.command import run_controlplane

pytestmark = pytest.mark.second_tier
TASKS = Path(__file__).parent / "tasks"


@pytest.fixture(scope="module", autouse=True)
def containers() -> None:
    """Skip the tests where no container can be run."""
    reason = missing_reason()
    if reason:
        pytest.skip(reason)


TASK_COUNT = 8


@pytest.fixture
def podman_flags(monkeypatch: pytest.MonkeyPatch) -> None:
    """The flags of podman for a benchmark that is opened in this process."""
    for name, value in PROCESS_VARIABLES.items():
        monkeypatch.setenv(name, value)


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


class TestAgents:
    """The verifiers of the eight tasks tell a right solution from none.

    The model "solution" runs the tasks' own solutions, and the model "nothing" does nothing.
    """

    def test_the_reference_solution_of_every_task_gets_the_full_score(
        self, tmp_path: Path
    ) -> None:
        """No container is left. A replay needs none, so it has no PATH to podman."""
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

    def test_doing_nothing_gets_the_score_0_in_every_task(self, tmp_path: Path) -> None:
        """The model "nothing" ends each trial at once, and the verifiers run."""
        run = run_tasks(TASKS, "nothing", tmp_path)

        scores = [trial["score"] for trial in run.json["trials"]]
        assert scores == [0.0] * TASK_COUNT, run.err

    def test_an_agent_solves_a_task_with_files_and_shell(self, tmp_path: Path) -> None:
        """The module prices.py of the task rounds down, and not to the nearest cent."""
        replies = tmp_path / "replies.toml"
        replies.write_text(REPLIES_THAT_FIX_THE_MODULE)

        run = run_tasks(TASKS, f"scripted:{replies}", tmp_path, "fix-test")

        assert run.json["trials"][0]["score"] == 1.0, run.out


class TestFaultsOfTasks:
    """A task may have a fault, which costs no other task its score.

    `write_task` writes a task, and `run_tasks` runs it with a model that does nothing. The
    verifier, a script, then gives the score.
    """

    def test_a_verifier_that_leaves_no_reward_gives_no_score_but_its_last_lines(
        self, tmp_path: Path
    ) -> None:
        """The verifier prints why it fails: it cannot install its packages, say."""
        failing_verifier = "echo no package index; exit 1\n"
        task = write_task(tmp_path / "silent", verifier=failing_verifier)

        run = run_tasks(task, "nothing", tmp_path)

        (trial,) = run.json["trials"]
        assert trial["score"] is None
        assert "no package index" in trial["details"]

    def test_an_image_that_cannot_be_built_costs_only_its_own_task(
        self, tmp_path: Path
    ) -> None:
        """The Dockerfile of the task `broken` has a command that fails."""
        write_task(tmp_path / "tasks/broken", dockerfile="RUN false\n")
        write_task(tmp_path / "tasks/whole", dockerfile="RUN true\n")

        run = run_tasks(tmp_path / "tasks", "nothing", tmp_path)

        trials = {trial["task_id"]: trial for trial in run.json["trials"]}
        assert trials["whole"]["score"] == 1.0
        assert trials["broken"]["state"] == "failed"
        assert "RUN false" in trials["broken"]["reason"]

    @pytest.mark.usefixtures("podman_flags")
    def test_the_error_of_a_failed_start_does_not_say_that_the_trial_has_ended(
        self, tmp_path: Path
    ) -> None:
        """The image cannot be built, which must not be reported by the code FAILED_PRECONDITION.

        By this code, a benchmark says that a trial has ended already. A resumed trial whose answer
        is in the journal, but not graded yet, would then never get its score.
        """
        write_task(tmp_path / "impossible", dockerfile="RUN false\n")
        benchmark = open_benchmark(str(tmp_path), {}, BenchmarkContext()).benchmark
        run = benchmark.start_run(RunRequest("", (TaskTry("impossible", 0),)))

        with pytest.raises(BenchmarkError) as error:
            benchmark.start_trial(run.trials[0].trial_id)

        assert error.value.code != error_codes.FAILED_PRECONDITION


@pytest.fixture
def runtime() -> ContainerRuntime:
    """Podman, with the flags that it needs in a container without privileges."""
    return find_runtime("podman", {"PATH": os.environ["PATH"], **PROCESS_VARIABLES})


class TestContainersOfKilledRuns:
    """A killed run may leave containers, which later runs must not trip over.

    Podman gives each container a name, and labels. The product labels its own with their owner.
    """

    def test_a_run_first_removes_containers_that_ended_trials_have_left(
        self, tmp_path: Path, runtime: ContainerRuntime
    ) -> None:
        """A killed run may leave containers. Those of the product have a label with their owner.

        Only if a container's name has the suffix for ended trials, nothing will go on in it.
        """
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

    @pytest.mark.usefixtures("podman_flags")
    def test_a_container_that_a_killed_start_has_left_is_replaced(
        self, runtime: ContainerRuntime
    ) -> None:
        """An earlier start of the trial was killed, and has left a container with a file in it.

        1. The first trial of the run starts. The benchmark lists the containers that exist.
        2. The old container appears, so that it is not in this list.
        3. The second trial starts. Only its name tells that the old container is in the way.
        """
        benchmark = open_benchmark(str(TASKS), {}, BenchmarkContext()).benchmark
        tries = (TaskTry("impossible", 0), TaskTry("impossible", 0, copy=1))
        run = benchmark.start_run(RunRequest("", tries))
        first, second = [planned_trial.trial_id for planned_trial in run.trials]
        benchmark.start_trial(first)
        old_container = runtime.start(
            ContainerSpec(BASE_IMAGE, container_name(second), {})
        )
        old_container.script("touch /tmp/left")

        try:
            environment = benchmark.start_trial(second).environment
            found = environment.call("find", {"name": "left", "root": "/tmp"})
            assert found["paths"] == []
        finally:
            benchmark.submit_run(run.run_id, force=True)
