"""The image of a task's container: the files that it begins with.

A task is played in a container of its own, by podman. It names the image in its file `task.toml`,
or in a compose file. The model "nothing" ends the trial at once, and then the verifier, a script,
gives the score.
"""

from pathlib import Path

import pytest

from tests.benchmarks.harbor.base_image import BASE_IMAGE
from tests.benchmarks.harbor.container_runs import run_tasks, write_task

pytestmark = [pytest.mark.second_tier, pytest.mark.usefixtures("podman")]


@pytest.fixture
def task_with_missing_image(tmp_path: Path) -> Path:
    """A task whose image is not on this machine, and cannot be pulled: nothing listens there."""
    toml = '[environment]\ndocker_image = "127.0.0.1:1/none:1"'
    return write_task(tmp_path / "task", toml=toml)


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        pytest.param((), "--set pull=true", id="not asked for"),
        pytest.param(("--set", "pull=true"), "could not pull", id="asked for"),
    ],
)
def test_an_image_is_pulled_only_if_the_user_asks_for_it(
    task_with_missing_image: Path,
    options: tuple[str, ...],
    reason: str,
    tmp_path: Path,
) -> None:
    """The reason of the trial shows whether a pull was tried."""
    run = run_tasks(task_with_missing_image, "nothing", tmp_path, *options)

    assert reason in run.json["trials"][0]["reason"]


def test_a_task_with_a_compose_file_has_its_image_and_variables(tmp_path: Path) -> None:
    """A compose file replaces the Dockerfile. The verifier tests the variable COLOUR."""
    verifier = '[ "$COLOUR" = green ] && echo 1 >/logs/verifier/reward.txt\n'
    task = write_task(tmp_path / "task", verifier=verifier)
    compose = f"services: {{main: {{image: '{BASE_IMAGE}', environment: {{COLOUR: green}}}}}}\n"
    (task / "environment/compose.yaml").write_text(compose)

    run = run_tasks(task, "nothing", tmp_path)

    assert run.json["trials"][0]["score"] == 1.0, run.json


def test_a_pull_is_told_and_a_build_pulls_nothing_unasked(tmp_path: Path) -> None:
    """The base image of the Dockerfile is on no machine: nothing listens at its registry."""
    task = write_task(tmp_path / "task")
    (task / "environment/Dockerfile").write_text("FROM 127.0.0.1:1/none:1\n")

    unasked = run_tasks(task, "nothing", tmp_path)
    assert "--set pull=true pulls it" in unasked.json["trials"][0]["reason"]

    asked = run_tasks(task, "nothing", tmp_path, "--set", "pull=true")
    assert "could not pull" in asked.json["trials"][0]["reason"]
    journals = [path.read_text() for path in (tmp_path / "runs").glob("*.jsonl")]
    told = ["pulls the image 127.0.0.1:1/none:1" in text for text in journals]
    assert sorted(told) == [False, True]


def test_the_dockerfile_is_built_and_no_containerfile_beside_it(tmp_path: Path) -> None:
    """Podman would take the Containerfile, which nobody has checked."""
    task = write_task(tmp_path / "task")
    fetching = f"FROM {BASE_IMAGE}\nADD http://127.0.0.1:1/x /x\n"
    (task / "environment/Containerfile").write_text(fetching)

    run = run_tasks(task, "nothing", tmp_path)

    assert run.json["trials"][0]["score"] == 1.0, run.json
    (task / "environment/Dockerfile").write_text(fetching)
    refused = run_tasks(task, "nothing", tmp_path)
    assert "ADD http://127.0.0.1:1/x /x" in refused.err
    assert refused.code == 2
