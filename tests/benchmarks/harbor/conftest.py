"""Fixtures of tests that run containers, with podman.

A test that runs containers has `@pytest.mark.usefixtures("podman")`, so that it is skipped where
podman is missing.
"""

import os

import pytest

from controlplane.benchmarks.containers.container_runtime import (
    ContainerRuntime,
    find_runtime,
)
from controlplane.benchmarks.containers.container_settings import ContainerSettings
from tests.benchmarks.harbor.base_image import PROCESS_VARIABLES, missing_reason


@pytest.fixture(scope="session")
def podman() -> None:
    """Skip the test where podman cannot run a container."""
    reason = missing_reason()
    if reason:
        pytest.skip(reason)


@pytest.fixture
def runtime(podman: None) -> ContainerRuntime:
    """Podman, as the product calls it: `runtime.start(spec)` starts a container."""
    settings = ContainerSettings.parse({"runtime": "podman"}, {})
    return find_runtime(settings, {"PATH": os.environ["PATH"], **PROCESS_VARIABLES})


@pytest.fixture
def podman_flags(monkeypatch: pytest.MonkeyPatch) -> None:
    """Set the flags of podman for a benchmark that is opened in the test's process."""
    for name, value in PROCESS_VARIABLES.items():
        monkeypatch.setenv(name, value)
