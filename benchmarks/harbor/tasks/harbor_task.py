"""One task in Harbor's format: the container that it wants, and where its parts are.

The file task.toml describes the container. An older task may have a compose file, too,
which then says what task.toml leaves open.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Final, Literal, TypeAlias

from controlplane.benchmarks.containers.compose_service import ComposeService
from controlplane.benchmarks.containers.set_files import SetFiles
from controlplane.benchmarks.harbor.tasks.task_tables import TaskFile

Phase: TypeAlias = Literal["agent", "verifier"]
NO_SERVICE: Final = ComposeService()
"""The service of a task without a compose file: it names no image, limit or variable."""


@dataclass(frozen=True, slots=True)
class HarborTask:
    """One task: its task.toml, instruction and folders."""

    task_id: str
    folder: Path
    files: SetFiles
    """The set of tasks to which it belongs. Its files are read by this alone."""
    instruction: str
    file: TaskFile
    memory_mb: float
    """The memory that task.toml asks for; 0 if it does not say."""
    storage_mb: float
    """The disk size that task.toml asks for; 0 if it does not say."""
    service: ComposeService = NO_SERVICE
    """The container that its compose file describes. What task.toml says goes first."""
    compose_fault: str = ""
    """Why its compose file is not supported; empty if it is."""

    @property
    def docker_image(self) -> str:
        """The image to use; empty if the image is built from a Dockerfile."""
        return self.file.environment.docker_image or self.service.image

    @property
    def build_folder(self) -> Path:
        """The folder with the Dockerfile from which the image is built."""
        return self.service.build_folder or self.environment_folder

    @property
    def workdir(self) -> str:
        """The working directory that the task names; empty to use the image's."""
        return self.file.environment.workdir or self.service.workdir

    @property
    def cpus(self) -> float:
        """The number of cores that the task asks for; 0 if it does not say."""
        return self.file.environment.cpus or self.service.cpus

    @property
    def memory(self) -> str:
        """The memory that the task asks for, as `2048m`; empty if it does not say."""
        if self.memory_mb:
            return f"{self.memory_mb:.0f}m"
        return self.service.memory

    @property
    def variables(self) -> dict[str, str]:
        """The environment variables of its container, including those of the compose file."""
        return dict(self.service.variables) | self.file.environment.env

    def wants_network(self, phase: Phase) -> bool:
        """Return True if the task asks for a network in this phase."""
        if not self.service.has_network:
            return False
        if phase == "agent":
            return self.file.agent_network == "public"
        return self.file.verifier_network == "public"

    @property
    def environment_folder(self) -> Path:
        """The folder with the Dockerfile or the compose file."""
        return self.folder / "environment"

    @property
    def tests_folder(self) -> Path:
        """The folder with the verifier."""
        return self.folder / "tests"

    @property
    def solution_folder(self) -> Path:
        """The folder with the reference solution."""
        return self.folder / "solution"
