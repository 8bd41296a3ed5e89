"""Containers of samples of Inspect that are not supported are refused with the reason.

A sample of a task of Inspect says where it is played: `sandbox=("docker", "Dockerfile")`, in a container
that a file of the task's folder describes.
"""

from pathlib import Path

import pytest

pytest.importorskip("inspect_ai")
from inspect_ai.util._sandbox.environment import SandboxEnvironmentSpec

from controlplane.benchmarks.containers.compose_file import ComposeError
from controlplane.benchmarks.inspect.inspect_benchmark import project_of_sample
from controlplane.benchmarks.inspect.samples import SampleFiles


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
    """The task's folder is empty, so the files that two of the sandboxes name are missing."""
    with pytest.raises(ComposeError, match=reason):
        project_of_sample(sandbox, SampleFiles(tmp_path))


def test_of_two_compose_files_that_of_inspect_is_read_and_the_other_told(
    tmp_path: Path,
) -> None:
    (tmp_path / "compose.yaml").write_text("services: {default: {image: 'debian:13'}}")
    (tmp_path / "docker-compose.yaml").write_text("services: {default: {image: 'x'}}")

    project = project_of_sample(SandboxEnvironmentSpec("docker"), SampleFiles(tmp_path))

    assert project.main.image == "debian:13"
    assert list(project.notes) == [
        "default: compose.yaml is read, and docker-compose.yaml beside it is not"
    ]
