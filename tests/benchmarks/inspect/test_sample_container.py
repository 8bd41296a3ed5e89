"""Samples of Inspect with `sandbox="docker"`:
which container each wants, and how they are played."""

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

from controlplane.benchmarks.containers.compose_file import ComposeError
from controlplane.benchmarks.inspect.sample_service import service_of_sample

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
        return Score(value="C" if text.strip() == target.text else "I", explanation=text)

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
COMPOSE = """
services:
  default:
    build: .
    init: true
    command: tail -f /dev/null
    working_dir: /work
    environment: {COLOUR: green}
    network_mode: none
"""
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


@pytest.fixture(scope="module")
def containers() -> None:
    reason = missing_reason()
    if reason:
        pytest.skip(reason)


def container_names() -> list[str]:
    command = ["podman", "ps", "--all", "--format", "{{.Names}}"]
    listing = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    return [
        name for name in listing.split() if name.startswith("controlplane-inspect-")
    ]


def written_tasks(folder: Path) -> None:
    (folder / "tasks.py").write_text(TASKS)
    (folder / "Dockerfile").write_text(f"FROM {BASE_IMAGE}\n")
    (folder / "compose.yaml").write_text(COMPOSE)
    several = (
        f"services: {{a: {{image: '{BASE_IMAGE}'}}, b: {{image: '{BASE_IMAGE}'}}}}\n"
    )
    (folder / "several-compose.yaml").write_text(several)
    (folder / "replies.toml").write_text(REPLIES)


def played(folder: Path) -> CommandResult:
    words = (
        "--benchmark",
        "inspect:tasks.py@greetings",
        "--model",
        "scripted:replies.toml",
    )
    return wait_for_exit(
        start_controlplane("run", *words, "--json", cwd=folder, **PROCESS_VARIABLES),
        within_s=TIMEOUT_S,
    )


@pytest.mark.second_tier
@pytest.mark.usefixtures("containers")
def test_a_sample_of_one_service_plays_in_a_container_and_others_are_told(
    tmp_path: Path,
) -> None:
    written_tasks(tmp_path)

    run = played(tmp_path)

    (trial,) = run.json["trials"]

    assert (trial["task_id"], trial["score"]) == ("greetings.plain", 1.0), (
        run.out + run.err
    )
    (journal_path,) = (tmp_path / "runs").glob("*.jsonl")
    journal = journal_path.read_text()
    assert "hullo\\ngreen\\n/work" in journal
    assert "greetings.several: several-compose.yaml has 2 services" in journal
    assert container_names() == []
    replay = wait_for_exit(
        start_controlplane("replay", "last", "--verify", cwd=tmp_path),
        within_s=TIMEOUT_S,
    )
    assert replay.code == 0, replay.err


def test_a_sample_wants_the_container_that_its_task_folder_describes(
    tmp_path: Path,
) -> None:
    bare = service_of_sample(SandboxEnvironmentSpec("docker"), tmp_path)
    (tmp_path / "Dockerfile").write_text(f"FROM {BASE_IMAGE}\n")
    built = service_of_sample(SandboxEnvironmentSpec("docker"), tmp_path)
    named = service_of_sample(SandboxEnvironmentSpec("docker", "Dockerfile"), tmp_path)
    (tmp_path / "compose.yaml").write_text(
        "services: {default: {image: debian, cpus: 2}}"
    )
    composed = service_of_sample(SandboxEnvironmentSpec("docker"), tmp_path)

    assert "inspect-tool-support" in bare.image
    assert (built.build_folder, named.build_folder) == (tmp_path, tmp_path)
    assert not built.has_network
    assert (composed.image, composed.cpus, composed.has_network) == (
        "debian",
        2.0,
        True,
    )


@pytest.mark.parametrize(
    ("sandbox", "named"),
    [
        (SandboxEnvironmentSpec("k8s"), "k8s"),
        (
            SandboxEnvironmentSpec("docker", "absent-compose.yaml"),
            "absent-compose.yaml",
        ),
        (SandboxEnvironmentSpec("docker", "Dockerfile"), "no Dockerfile"),
    ],
)
def test_a_sandbox_that_is_not_started_here_has_a_reason(
    tmp_path: Path, sandbox: SandboxEnvironmentSpec, named: str
) -> None:
    with pytest.raises(ComposeError, match=named):
        service_of_sample(sandbox, tmp_path)
