"""Samples of Inspect that are played in a container: those with `sandbox="docker"`.

A task's folder describes the container by a Dockerfile or a compose file. We start one container
a sample, so a compose file with several services is not supported. The tests tell which
container a sample gets, and play one.
"""

import subprocess
from pathlib import Path

import pytest

from tests.benchmarks.harbor.base_image import (
    BASE_IMAGE,
    PROCESS_VARIABLES,
    TIMEOUT_S,
    missing_reason,
)
from tests.support.command import CommandResult, start_controlplane, wait_for_exit

pytest.importorskip("inspect_ai")
from inspect_ai.util._sandbox.environment import SandboxEnvironmentSpec

from controlplane.benchmarks.containers.compose_service import ComposeError
from controlplane.benchmarks.inspect.sample_service import service_of_sample

# Which container a sample gets ------------------------------------------------------------------------

DOCKER = SandboxEnvironmentSpec("docker")
"""The sandbox of a sample that only says `docker`: the task's folder has the rest."""


def test_without_any_file_a_sample_gets_the_default_image_of_inspect(
    tmp_path: Path,
) -> None:
    """The task's folder is empty."""
    service = service_of_sample(DOCKER, tmp_path)

    assert "inspect-tool-support" in service.image


@pytest.mark.parametrize(
    "sandbox",
    [
        pytest.param(DOCKER, id="found in the folder"),
        pytest.param(SandboxEnvironmentSpec("docker", "Dockerfile"), id="named"),
    ],
)
def test_with_a_dockerfile_a_sample_gets_an_image_built_from_it_without_network(
    tmp_path: Path, sandbox: SandboxEnvironmentSpec
) -> None:
    """The sandbox may name the Dockerfile, or it is found in the task's folder."""
    (tmp_path / "Dockerfile").write_text(f"FROM {BASE_IMAGE}\n")

    service = service_of_sample(sandbox, tmp_path)

    assert service.build_folder == tmp_path
    assert not service.has_network


def test_a_compose_file_takes_precedence_over_a_dockerfile(tmp_path: Path) -> None:
    """Its service `default` says which image, how many CPUs and which network the container has."""
    (tmp_path / "Dockerfile").write_text(f"FROM {BASE_IMAGE}\n")
    (tmp_path / "compose.yaml").write_text(
        "services: {default: {image: debian, cpus: 2}}"
    )

    service = service_of_sample(DOCKER, tmp_path)

    assert service.image == "debian"
    assert service.cpus == 2.0
    assert service.has_network


@pytest.mark.parametrize(
    ("sandbox", "reason"),
    [
        pytest.param(SandboxEnvironmentSpec("k8s"), "k8s", id="another type"),
        pytest.param(
            SandboxEnvironmentSpec("docker", "absent-compose.yaml"),
            "absent-compose.yaml",
            id="a compose file that is missing",
        ),
        pytest.param(
            SandboxEnvironmentSpec("docker", "Dockerfile"),
            "no Dockerfile",
            id="a Dockerfile that is missing",
        ),
    ],
)
def test_an_unsupported_sandbox_is_refused_with_the_reason(
    tmp_path: Path, sandbox: SandboxEnvironmentSpec, reason: str
) -> None:
    """The task's folder is empty, so that no file that a sandbox names is there."""
    with pytest.raises(ComposeError, match=reason):
        service_of_sample(sandbox, tmp_path)


# A run with a container --------------------------------------------------------------------------------

TASKS = """
from inspect_ai import Task, task
from inspect_ai.dataset import Sample
from inspect_ai.scorer import Score, accuracy, scorer
from inspect_ai.solver import generate, use_tools
from inspect_ai.tool import bash
from inspect_ai.util import sandbox


@scorer(metrics=[accuracy()])
def file_is_fixed():
    async def score(state, target):
        text = await sandbox().read_file("greeting.txt")
        is_fixed = text.strip() == target.text
        return Score(value="C" if is_fixed else "I", explanation=text)

    return score


@task
def greetings():
    samples = [
        Sample(
            input="Put the word hello into greeting.txt.",
            target="hello",
            id="plain",
            files={"greeting.txt": "hullo"},
            setup="#!/bin/sh\\necho $COLOUR >colour.txt",
        ),
        Sample(
            input="Put the word hello into greeting.txt.",
            target="hello",
            id="several",
            sandbox=("docker", "several-compose.yaml"),
        ),
    ]
    return Task(
        dataset=samples,
        solver=[use_tools(bash(timeout=60)), generate()],
        scorer=file_is_fixed(),
        sandbox=("docker", "compose.yaml"),
    )
"""
"""Two samples, one of which is in a container of a single service. The scorer reads a file there."""

COMPOSE_FILE = """
services:
  default:
    build: .
    init: true
    command: tail -f /dev/null
    working_dir: /work
    environment: {COLOUR: green}
    network_mode: none
"""
COMPOSE_FILE_WITH_TWO_SERVICES = f"""
services:
  a: {{image: '{BASE_IMAGE}'}}
  b: {{image: '{BASE_IMAGE}'}}
"""
DOCKERFILE = f"FROM {BASE_IMAGE}\n"
"""The files that describe containers: the service of the sample `plain`, the two services of the
sample `several`, and the image."""

REPLIES = '''
[[reply]]
code = """
print(harness.bash(command="cat greeting.txt; echo; cat colour.txt; pwd").value)
harness.bash(command="echo hello >greeting.txt")
scratchpad["answer"] = "done"
scratchpad["outcome"] = "OUTCOME_OK"
harness.answer(scratchpad, lambda sp: sp['answer'] == 'done')
"""
'''
"""The model's script: it prints both files of the sample and the folder, and fixes the greeting."""


@pytest.fixture
def tasks_folder(tmp_path: Path) -> Path:
    """A folder with the tasks, their containers' files, and the model's reply."""
    (tmp_path / "tasks.py").write_text(TASKS)
    (tmp_path / "Dockerfile").write_text(DOCKERFILE)
    (tmp_path / "compose.yaml").write_text(COMPOSE_FILE)
    (tmp_path / "several-compose.yaml").write_text(COMPOSE_FILE_WITH_TWO_SERVICES)
    (tmp_path / "replies.toml").write_text(REPLIES)
    return tmp_path


@pytest.fixture(scope="module")
def containers() -> None:
    """Skip the test if this computer can't start containers."""
    reason = missing_reason()
    if reason:
        pytest.skip(reason)


def containers_of_samples() -> list[str]:
    """Return the names of the containers of samples, ended ones included."""
    command = ["podman", "ps", "--all", "--format", "{{.Names}}"]
    listing = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    return [
        name for name in listing.split() if name.startswith("controlplane-inspect-")
    ]


def run_greetings(folder: Path) -> CommandResult:
    """Run the task `greetings`, and wait for its end."""
    process = start_controlplane(
        "run",
        *("--benchmark", "inspect:tasks.py@greetings"),
        *("--model", "scripted:replies.toml"),
        "--json",
        cwd=folder,
        **PROCESS_VARIABLES,
    )
    return wait_for_exit(process, within_s=TIMEOUT_S)


@pytest.mark.second_tier
@pytest.mark.usefixtures("containers")
def test_a_sample_of_one_service_is_played_and_one_of_several_is_left_out(
    tasks_folder: Path,
) -> None:
    """Afterwards no container is left, and the run is replayed without any."""
    run = run_greetings(tasks_folder)

    (trial,) = run.json["trials"]
    assert trial["task_id"] == "greetings.plain", run.out + run.err
    assert trial["score"] == 1.0, run.out + run.err
    (journal_path,) = (tasks_folder / "runs").glob("*.jsonl")
    journal = journal_path.read_text()
    assert "hullo\\ngreen\\n/work" in journal  # what the script printed
    assert "greetings.several: several-compose.yaml has 2 services" in journal
    assert containers_of_samples() == []

    replay = wait_for_exit(
        start_controlplane("replay", "last", "--verify", cwd=tasks_folder),
        within_s=TIMEOUT_S,
    )
    assert replay.code == 0, replay.err
