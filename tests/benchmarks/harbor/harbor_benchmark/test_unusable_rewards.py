"""A verifier may leave what is no score, or be ended by its time limit: then its trial has none.

The other trials of the run keep theirs, and the run is submitted.
"""

from pathlib import Path

import pytest

from tests.benchmarks.harbor.container_runs import (
    FULL_REWARD,
    TASKS,
    run_tasks,
    write_task,
)
from tests.benchmarks.harbor.trial_containers import container_states
from tests.support.command import run_controlplane

# The verifiers of the eight tasks in `tasks` tell a right solution from none.
#
# A task is played in a container, and its verifier, a script, gives the score at the end. The model
# "solution" runs the task's own solution, and the model "nothing" does nothing.

eight_tasks_pytestmark = [pytest.mark.second_tier, pytest.mark.usefixtures("podman")]


def test_the_reference_solution_of_every_task_gets_the_full_score(
    tmp_path: Path,
) -> None:
    """No container is left. A replay needs none, so it has no PATH to podman."""
    run = run_tasks(TASKS, "solution", tmp_path)

    assert run.code == 0, run.err
    scores = [trial["score"] for trial in run.json["trials"]]
    assert scores == [1.0] * 8
    # The verifier of the task csv-pipeline also counts the rows of a table.
    assert run.json["metrics"]["rows"] == 4
    for trial in run.json["trials"]:
        assert container_states(trial["trial_id"]) == {}
    replayed = run_controlplane(
        "replay", "last", "--verify", cwd=tmp_path, PATH="/nonexistent"
    )
    assert replayed.code == 0, replayed.err


def test_doing_nothing_gets_the_score_0_in_every_task(tmp_path: Path) -> None:
    run = run_tasks(TASKS, "nothing", tmp_path)

    scores = [trial["score"] for trial in run.json["trials"]]
    assert scores == [0.0] * 8, run.err


# A fault of one task costs no other task its score.
#
# A task is played in a container of its own, and its verifier, a script, gives the score. The model
# "nothing" ends each trial, one try of a task, at once. `RUN false` in the Dockerfile of a task is
# a command that fails, so that the task's image cannot be built.

faulty_tasks_pytestmark = [pytest.mark.second_tier, pytest.mark.usefixtures("podman")]


def test_a_verifier_that_leaves_no_reward_gives_no_score_but_its_last_lines(
    tmp_path: Path,
) -> None:
    """The verifier prints why it fails: it cannot install its packages, say."""
    failing_verifier = "echo no package index; exit 1\n"
    task = write_task(tmp_path / "silent", verifier=failing_verifier)

    run = run_tasks(task, "nothing", tmp_path)

    (trial,) = run.json["trials"]
    assert trial["score"] is None
    assert "no package index" in trial["details"]


def test_a_solution_whose_verifier_leaves_no_reward_has_no_score_and_is_told(
    tmp_path: Path,
) -> None:
    task = write_task(tmp_path / "silent", verifier="exit 1\n")
    (task / "solution").mkdir()
    (task / "solution/solve.sh").write_text("true\n")

    run = run_tasks(task, "solution", tmp_path)

    (trial,) = run.json["trials"]
    assert trial["score"] is None
    notice = "silent: its own solution gets no score: the verifier left no reward"
    assert notice in run.json["notices"]


def test_an_image_that_cannot_be_built_costs_only_its_own_task(tmp_path: Path) -> None:
    write_task(tmp_path / "tasks/broken", dockerfile="RUN false\n")
    write_task(tmp_path / "tasks/whole", dockerfile="RUN true\n")

    run = run_tasks(tmp_path / "tasks", "nothing", tmp_path)

    trials = {trial["task_id"]: trial for trial in run.json["trials"]}
    assert trials["whole"]["score"] == 1.0
    assert trials["broken"]["state"] == "failed"
    assert "RUN false" in trials["broken"]["reason"]


# An agent solves a task in a container, with calls to files and a shell.
#
# In the folder of the task `fix-test`, the module prices.py rounds down, and not to the nearest
# cent, so that the tests beside it fail. The model's replies are written in the test: the first
# changes the module, and the second runs its tests and answers.

scripted_agent_pytestmark = [pytest.mark.second_tier, pytest.mark.usefixtures("podman")]

REPLIES = '''
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
    replies = tmp_path / "replies.toml"
    replies.write_text(REPLIES)

    run = run_tasks(TASKS, f"scripted:{replies}", tmp_path, "fix-test")

    assert run.json["trials"][0]["score"] == 1.0, run.out


pytestmark = [pytest.mark.second_tier, pytest.mark.usefixtures("podman")]


def test_what_is_no_reward_gives_no_score_and_stops_nothing(tmp_path: Path) -> None:
    """One verifier leaves the full reward and then sleeps until it is ended."""
    tasks = tmp_path / "tasks"
    write_task(tasks / "good")
    write_task(
        tasks / "late",
        toml="[verifier]\ntimeout_sec = 1\n",
        verifier=f"{FULL_REWARD}sleep 3600\n",
    )
    write_task(tasks / "high", verifier="echo 1e308 >/logs/verifier/reward.txt\n")
    write_task(tasks / "joined", verifier="echo 0_1 >/logs/verifier/reward.txt\n")

    run = run_tasks(tasks, "nothing", tmp_path)

    late_reason = (
        "the verifier was ended after 1 s: a reward that it left does not count"
    )
    assert {trial["task_id"]: trial["score"] for trial in run.json["trials"]} == {
        "good": 1.0,
        "late": None,
        "high": None,
        "joined": None,
    }
    assert run.json["unscored"] == {
        late_reason: 1,
        "the score 1e+308 is no number up to 10^15": 1,
        r"reward.txt holds no number: b'0_1\n'": 1,
    }
    assert run.json["submitted"]
    assert run.code == 0


def test_a_container_without_a_place_for_rewards_gives_no_score_and_stops_nothing(
    tmp_path: Path,
) -> None:
    """The image, or the agent, has put a file where the verifier's folders are to be."""
    tasks = tmp_path / "tasks"
    write_task(tasks / "good")
    write_task(tasks / "broken", dockerfile="RUN rm -rf /logs && echo x >/logs\n")

    run = run_tasks(tasks, "nothing", tmp_path)

    assert {trial["task_id"]: trial["score"] for trial in run.json["trials"]} == {
        "good": 1.0,
        "broken": None,
    }
    assert run.json["unscored"] == {"the folders of the verifier cannot be made": 1}
    assert run.code == 0, run.err


def test_any_finite_number_is_a_reward(tmp_path: Path) -> None:
    task = write_task(tmp_path / "task", verifier="echo -5 >/logs/verifier/reward.txt")

    run = run_tasks(task, "nothing", tmp_path)

    assert run.json["trials"][0]["score"] == -5.0
    assert run.json["scale"] == [None, None]
