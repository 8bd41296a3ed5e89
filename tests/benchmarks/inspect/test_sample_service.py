"""Which container a sample of Inspect gets, if it is to be played in one: `sandbox="docker"`.

The task's folder describes the container by a Dockerfile or a compose file, or not at all. As
Inspect does, we give a container a network only if a compose file describes the container, and does
not forbid it. `service_of_sample(sandbox, files)` returns the container: its image, its
limits, its network.
"""

from pathlib import Path

import pytest

from tests.benchmarks.harbor.base_image import BASE_IMAGE

pytest.importorskip("inspect_ai")
from inspect_ai.util._sandbox.environment import SandboxEnvironmentSpec

from controlplane.benchmarks.containers.compose_file import ComposeError
from controlplane.benchmarks.inspect.inspect_benchmark import project_of_sample
from controlplane.benchmarks.inspect.samples import SampleFiles

DOCKER = SandboxEnvironmentSpec("docker")
"""The sandbox of a sample that only says `docker`: the task's folder has the rest."""


def test_without_any_file_a_sample_gets_the_default_image_of_inspect(
    tmp_path: Path,
) -> None:
    """The sandbox names no file, and the task's folder is empty. Inspect publishes the image."""
    service = project_of_sample(DOCKER, SampleFiles(tmp_path)).main

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

    service = project_of_sample(sandbox, SampleFiles(tmp_path)).main

    assert service.build is not None
    assert service.build.folder == tmp_path
    assert not service.has_network


@pytest.mark.parametrize("name", ["Dockerfile.agent", "agent.Dockerfile"])
def test_a_dockerfile_may_have_a_name_of_its_own(tmp_path: Path, name: str) -> None:
    (tmp_path / name).write_text(f"FROM {BASE_IMAGE}\n")
    sandbox = SandboxEnvironmentSpec("docker", name)

    service = project_of_sample(sandbox, SampleFiles(tmp_path)).main

    assert service.build is not None
    assert service.build.folder == tmp_path
    assert service.build.dockerfile == name


def test_a_compose_file_takes_precedence_over_a_dockerfile(tmp_path: Path) -> None:
    """The compose file has the container `default`, and does not forbid it a network."""
    (tmp_path / "Dockerfile").write_text(f"FROM {BASE_IMAGE}\n")
    (tmp_path / "compose.yaml").write_text(
        "services: {default: {image: debian, cpus: 2}}"
    )

    service = project_of_sample(DOCKER, SampleFiles(tmp_path)).main

    assert service.image == "debian"
    assert service.cpus == 2.0
    assert service.has_network


TWO_SERVICES = """
services:
  default: {image: debian, networks: [inner], depends_on: [store]}
  store: {image: "redis:7", networks: [inner], volumes: ["data:/data"], cpuset: 0-3}
networks: {inner: {internal: true}}
volumes: {data: {driver: local}}
"""


def test_a_sample_may_have_several_services(tmp_path: Path) -> None:
    (tmp_path / "compose.yaml").write_text("include: [parts/two.yaml]\nservices: {}\n")
    (tmp_path / "parts").mkdir()
    (tmp_path / "parts/two.yaml").write_text(TWO_SERVICES)

    project = project_of_sample(DOCKER, SampleFiles(tmp_path))

    assert project.main.name == "default"
    assert [service.name for service in project.in_order()] == ["store", "default"]
    assert not project.main.has_network  # to the outside
    assert project.services["store"].cpus == 4
    assert list(project.notes) == ["store: it gets 4 cores, and not certain ones"]


def test_the_service_of_the_tools_is_marked_or_named(tmp_path: Path) -> None:
    compose = "services: {a: {image: a}, b: {image: b, x-default: true}}"
    (tmp_path / "compose.yaml").write_text(compose)
    assert project_of_sample(DOCKER, SampleFiles(tmp_path)).main.name == "b"

    (tmp_path / "compose.yaml").write_text("services: {a: {image: a}, b: {image: b}}")
    with pytest.raises(ComposeError, match="2 services, and none is named default"):
        project_of_sample(DOCKER, SampleFiles(tmp_path))
