"""The tasks of a folder in Harbor's format: their files, and the containers that they describe."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path, PurePosixPath
from typing import Annotated, Any, Final, Literal, TypeAlias

import re2
from pydantic import (
    AliasChoices,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    field_validator,
    model_validator,
)

from controlplane.benchmarks.containers.compose_file import (
    ComposeBuild,
    ComposeProject,
    ComposeService,
)
from controlplane.benchmarks.containers.container_settings import (
    CAPPED,
    AbsolutePath,
    Command,
    CoreCount,
    Healthcheck,
    ImageName,
    NamedValues,
    UserName,
    Variables,
)
from controlplane.benchmarks.containers.set_files import SetFileError, SetFiles
from controlplane.sandbox.interface.foreign_documents import parse_yaml

# The tables of a task.toml in Harbor's format.
#
# For example:
#
#     [environment]
#     docker_image = "python:3.13"
#
#     [verifier]
#     timeout_sec = 120


_MB_PER_GB: Final = 1024.0
_SIZE_UNITS_MB: Final = {
    "K": 1 / 1024,
    "M": 1.0,
    "G": _MB_PER_GB,
    "T": _MB_PER_GB * 1024,
}
SIZE: Final = re2.compile(r"\s*(\d+(?:\.\d+)?)\s*([KMGTkmgt])i?[Bb]?\s*")
"""A number and its unit, which are the groups."""


def megabytes(size: object) -> object:
    """Return a size of an older task file, such as `4G`, `4Gi` or `512 MB`, in MB.

    A number is one of MB already, and an empty text is 0. Raises `ValueError`.
    """
    if not isinstance(size, str):
        return size
    match = SIZE.fullmatch(size or "0M")
    if match is None:
        msg = f"{size[:60]!r} is not a size such as 512M or 4G"
        raise ValueError(msg)
    return float(match[1]) * _SIZE_UNITS_MB[str(match[2]).upper()]


_Megabytes: TypeAlias = Annotated[
    float, BeforeValidator(megabytes), Field(ge=0, lt=1e15)
]
"""A size that podman and docker can be given."""


class TaskTable(BaseModel):
    """A table of task.toml. Unknown keys are ignored, as in Harbor."""

    model_config = ConfigDict(frozen=True, extra="ignore", allow_inf_nan=False)


class PhaseTable(TaskTable):
    """The keys that `[agent]` and `[verifier]` share."""

    timeout_sec: Annotated[float, Field(gt=0), CAPPED] | None = None
    """None in `[agent]`: the run's own limit of a trial holds alone."""
    user: UserName = ""
    """The user of the commands; empty for the image's."""
    network_mode: str = ""
    """Empty to use the environment's mode."""
    allowed_hosts: list[str] = Field(default_factory=list)
    env: Variables = Field(default_factory=dict)
    """Environment variables of the commands. `${NAME}` is a variable of this machine."""


MAIN: Final = "main"
"""The name by which a task means the agent's container."""


class CollectTable(TaskTable):
    """A command of `[[verifier.collect]]`: it runs in a service when the agent has ended."""

    command: Command
    service: str = MAIN
    timeout_sec: Annotated[float, Field(gt=0), CAPPED] = 60.0
    user: UserName = ""


class EnvironmentTable(TaskTable):
    """The table `[environment]`, or `[verifier.environment]`: a container.

    A number of 0 and an empty text mean that the file does not say. Older task files have
    `memory`, `storage` and `allow_internet` instead of `memory_mb`, `storage_mb` and
    `network_mode`.
    """

    build_timeout_sec: Annotated[float, Field(gt=0), CAPPED] = 600.0
    docker_image: ImageName = ""
    workdir: AbsolutePath = ""
    cpus: CoreCount = 0.0
    memory_mb: _Megabytes = Field(
        default=0.0, validation_alias=AliasChoices("memory_mb", "memory")
    )
    storage_mb: _Megabytes = Field(
        default=0.0, validation_alias=AliasChoices("storage_mb", "storage")
    )
    gpus: int = 0
    tpu: dict[str, Any] | None = None
    network_mode: str = ""
    """`public`, `no-network` or `allowlist`."""
    allowed_hosts: list[str] = Field(default_factory=list)
    allow_internet: bool | None = None
    """False for `no-network`."""
    mcp_servers: list[dict[str, Any]] = Field(default_factory=list)
    skills_dir: str = ""
    """A folder of the container with texts that help with the work."""
    env: Variables = Field(default_factory=dict)
    healthcheck: Healthcheck | None = None
    os: str = "linux"

    @property
    def memory(self) -> str:
        """The memory as podman and docker take it, `512m`; empty if the file does not say."""
        return f"{self.memory_mb:.0f}m" if self.memory_mb else ""

    @property
    def network(self) -> str:
        """The network mode of phases that do not name one. Harbor's default is `public`."""
        if self.network_mode:
            return self.network_mode
        return "no-network" if self.allow_internet is False else "public"


class _VerifierTable(PhaseTable):
    """The table `[verifier]`."""

    timeout_sec: Annotated[float, Field(gt=0), CAPPED] = 600.0
    environment_mode: Literal["shared", "separate", ""] = ""
    environment: EnvironmentTable | None = None
    """The container of the verifier, if it has one of its own."""
    collect: list[CollectTable] = Field(default_factory=list)

    @property
    def is_separate(self) -> bool:
        """True if the verifier runs in a container of its own."""
        return self.environment_mode == "separate" or self.environment is not None


class ArtifactTable(TaskTable):
    """What is taken out of a container when the agent has ended: a file or a folder."""

    source: Annotated[AbsolutePath, Field(min_length=1)]
    destination: str = ""
    """Its path in the folder of artifacts; empty for that of the source."""
    exclude: list[str] = Field(default_factory=list)
    """Patterns of names that are left out."""
    service: str = MAIN

    @field_validator("source", "destination")
    @classmethod
    def _stays_below(cls, path: str) -> str:
        if ".." in PurePosixPath(path).parts or "\\" in path:
            msg = f"{path[:60]!r} leads out of its folder"
            raise ValueError(msg)
        return path

    @model_validator(mode="before")
    @classmethod
    def _of_text(cls, value: Any) -> Any:
        return {"source": value} if isinstance(value, str) else value

    @property
    def place(self) -> str:
        """Its path in the folder of artifacts."""
        return (self.destination or self.source).strip("/")


class _SolutionTable(TaskTable):
    """The table `[solution]`."""

    env: NamedValues = Field(default_factory=dict)


class HarborTaskFile(TaskTable):
    """The contents of a task.toml."""

    environment: EnvironmentTable = EnvironmentTable()
    agent: PhaseTable = PhaseTable()
    verifier: _VerifierTable = _VerifierTable()
    solution: _SolutionTable = _SolutionTable()
    artifacts: list[ArtifactTable] = Field(default_factory=list)
    steps: list[dict[str, Any]] = Field(default_factory=list)
    """The parts of a task with several instructions. Such a task is not supported."""

    @property
    def agent_network(self) -> str:
        """The network mode while the agent works."""
        return self.agent.network_mode or self.environment.network

    @property
    def verifier_network(self) -> str:
        """The network mode while the verifier runs."""
        own = self.verifier.environment
        return self.verifier.network_mode or (own or self.environment).network


class FirstFormFile(TaskTable):
    """A task.yaml, by which Terminal-Bench described its first tasks."""

    instruction: str
    parser_name: str = "pytest"
    """What reads the output of the tests. Only pytest's summary is known here."""
    max_agent_timeout_sec: Annotated[float, Field(gt=0), CAPPED] = 360.0
    max_test_timeout_sec: Annotated[float, Field(gt=0), CAPPED] = 60.0
    run_tests_in_same_shell: bool = False

    @model_validator(mode="before")
    @classmethod
    def _of_descriptions(cls, table: Any) -> Any:
        """The oldest files have several descriptions. That with the key `base` is the instruction."""
        descriptions = table.get("descriptions") if isinstance(table, dict) else None
        for entry in descriptions if isinstance(descriptions, list) else ():
            if isinstance(entry, dict) and entry.get("key") == "base":
                return {"instruction": entry.get("description"), **table}
        return table

    @property
    def fault(self) -> str:
        """Why such a task cannot be played; empty if it can."""
        if self.parser_name != "pytest":
            return (
                f"its tests are read by the parser {self.parser_name[:60]!r}, and here by that of "
                "pytest alone: give it Harbor's form, whose tests/test.sh writes the reward"
            )
        if self.run_tests_in_same_shell:
            return "its tests run in the shell of the agent (run_tests_in_same_shell)"
        return ""

    @property
    def file(self) -> HarborTaskFile:
        """The same as a task.toml."""
        return HarborTaskFile(
            environment=EnvironmentTable(env={"TEST_DIR": "/tests"}),
            agent=PhaseTable(timeout_sec=self.max_agent_timeout_sec),
            verifier=_VerifierTable(timeout_sec=self.max_test_timeout_sec),
        )


# One task in Harbor's format: the containers that it wants, and where its parts are.
#
# The file task.toml describes the agent's container. A compose file may add to it, and add services.

Phase: TypeAlias = Literal["agent", "verifier"]


@dataclass(frozen=True, slots=True)
class HarborTask:
    """One task: its task.toml, instruction and folders."""

    task_id: str
    folder: Path
    files: SetFiles
    """The set of tasks to which it belongs. Its files are read by this alone."""
    instruction: str
    file: HarborTaskFile
    environment_folder: Path
    """The folder with the Dockerfile or the compose file."""
    compose: ComposeProject = field(default_factory=ComposeProject)
    """The services of its compose file. What task.toml says goes first."""
    fault: str = ""
    """Why its compose file or its task.yaml is not supported; empty if it is."""
    has_first_form: bool = False
    """True for the form of Terminal-Bench's first tasks: task.yaml, run-tests.sh, solution.sh."""

    @property
    def project(self) -> ComposeProject:
        """All its containers, the agent's with what task.toml says of it."""
        environment = self.file.environment
        main = self.compose.main
        image = environment.docker_image or main.image
        build = main.build
        if not image and build is None:
            build = ComposeBuild(folder=self.environment_folder)
        update = {
            "image": image,
            "build": None if environment.docker_image else build,
            "variables": main.variables | environment.env,
            "workdir": environment.workdir or main.workdir,
            "cpus": environment.cpus or main.cpus,
            "memory": environment.memory or main.memory,
        }
        return self.compose.with_main(main.model_copy(update=update))

    @property
    def main(self) -> ComposeService:
        """The agent's container."""
        return self.project.main

    def wants_network(self, phase: Phase) -> bool:
        """Return True if the task asks for a network in this phase."""
        if not self.compose.main.has_network:
            return False
        if phase == "agent":
            return self.file.agent_network == "public"
        return self.file.verifier_network == "public"

    def asks_for_network(self, phase: Phase) -> bool:
        """Return True if the task says itself that it wants a network in this phase."""
        table = self.file.agent if phase == "agent" else self.file.verifier
        environment = self.file.environment
        is_said = environment.network_mode or environment.allow_internet is not None
        return self.wants_network(phase) and bool(table.network_mode or is_said)

    @property
    def tests_folder(self) -> Path:
        """The folder with the verifier."""
        return self.folder / "tests"

    @property
    def test_program(self) -> Path:
        """The verifier's program."""
        if self.has_first_form:
            return self.folder / "run-tests.sh"
        return self.tests_folder / "test.sh"

    @property
    def solution_program(self) -> Path:
        """The program of the reference solution."""
        if not self.has_first_form:
            return self.solution_folder / "solve.sh"
        program = self.folder / "solution.sh"
        commands = self.folder / "solution.yaml"
        is_listed = not self.files.is_file(program) and self.files.is_file(commands)
        return commands if is_listed else program

    def solution_files(self, max_bytes: int) -> Iterator[tuple[str, bytes, int]]:
        """Yield the names, contents and permissions of the reference solution's files.

        Its program is `solve.sh`. Raises `SetFileError` if they are too large, or lead out of the set.
        """
        if self.has_first_form:
            content = self.files.read(self.solution_program, max_bytes) or b""
            if self.solution_program.suffix == ".yaml":
                content = _program_of_commands(content)
            yield "solve.sh", content, 0o755
            return
        folder = self.solution_folder
        for name, content in self.files.contents(folder, max_bytes):
            mode = 0o755 if name == "solve.sh" else self.files.mode(folder / name)
            yield name, content, mode

    @property
    def solution_folder(self) -> Path:
        """The folder with the reference solution."""
        return self.folder / "solution"

    @property
    def of_verifier(self) -> HarborTask:
        """The task with the container of its verifier, which is a separate one.

        It is that of `[verifier.environment]`, or of the folder of the tests, which then are in the
        image; else another one like the agent's.
        """
        own = self.file.verifier.environment or self.file.environment
        if self.has_bundled_tests:
            image = own.docker_image if self.file.verifier.environment else ""
            folder = self.tests_folder
            compose = ComposeProject()
        else:
            image = self.file.environment.docker_image
            folder = self.environment_folder
            compose = self.compose
        environment = own.model_copy(update={"docker_image": image})
        file = self.file.model_copy(update={"environment": environment})
        return replace(self, file=file, environment_folder=folder, compose=compose)

    @property
    def has_bundled_tests(self) -> bool:
        """True if the image of a separate verifier has the tests."""
        own = self.file.verifier.environment
        if own is not None and own.docker_image:
            return True
        return self.files.is_file(self.tests_folder / "Dockerfile")


def _program_of_commands(content: bytes) -> bytes:
    """Return the program of a solution.yaml, a list of commands: `- command: make`.

    Raises `SetFileError` for another text.
    """
    try:
        entries = parse_yaml(content.decode("utf-8"))
        return "".join(f"{entry['command']}\n" for entry in entries).encode()
    except (ValueError, TypeError, KeyError) as error:
        msg = f"solution.yaml cannot be read: {error}"
        raise SetFileError(msg) from error
