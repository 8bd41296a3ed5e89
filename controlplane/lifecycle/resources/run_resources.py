"""Resources that all trials of a run share: the benchmark, the models, the solver and the gates.

`open_resources` opens them.
"""

from __future__ import annotations

from contextlib import ExitStack
from dataclasses import dataclass

from controlplane.agent.judging import GateSettings
from controlplane.agent.loop import CallSettings, Prompts
from controlplane.agent.model import Model
from controlplane.agent.retry import RunBudget
from controlplane.benchmark import (
    Benchmark,
    BenchmarkContext,
    Description,
    OpenedBenchmark,
)
from controlplane.configuration.installed_versions import current_versions
from controlplane.configuration.run_settings import RunSettings
from controlplane.journal.run_events import Versions
from controlplane.lifecycle.resources.models import RunModels
from controlplane.lifecycle.resources.notices import Notices
from controlplane.lifecycle.resources.offered_operations import OfferedOperations
from controlplane.lifecycle.resources.playable_tasks import PlayableTasks
from controlplane.lifecycle.resources.player_rules import describe_benchmark
from controlplane.lifecycle.resources.run_sandbox import RunSandbox, ScriptServer
from controlplane.lifecycle.resources.run_solver import RunSpec, SolverSetup


@dataclass(frozen=True, slots=True)
class RunResources:
    """The open resources of a run: benchmark, solver, models and sandbox.

    They are opened once per process, before the first trial starts, and closed after
    the last one has ended. Leaving a `with` block closes them.
    """

    spec: RunSpec
    """What was opened: the settings, and what else the run was started with."""
    budget: RunBudget
    """The budget that all trials share: retries, cost, tokens and time."""
    notices: Notices
    """Takes notices for the user. The run writes them to its journal, and shows them."""
    context: BenchmarkContext
    """What the benchmark was given when it was opened, such as the signal to stop."""
    opened: OpenedBenchmark
    """The benchmark, with what is known about its trials."""
    rule_sets: tuple[str, ...]
    """The names of the rule sets in use."""
    gates: GateSettings
    """How gates and rules judge answers."""
    call_settings: CallSettings
    """How calls are checked by where the values of their arguments come from."""
    sandbox: RunSandbox
    """Runs the scripts of solvers and the functions of benchmarks."""
    script_server: ScriptServer
    """Starts the processes of scripts."""
    models: RunModels
    """Opens models, and has their endpoints."""
    setup: SolverSetup | None
    """The solver with its models and prompts; None if this process plays no trials."""
    tasks: PlayableTasks
    """The tasks that the run can play."""
    operations: OfferedOperations
    """The operations of environments that trials offer."""
    closing: ExitStack
    """Closes what is open."""

    @property
    def settings(self) -> RunSettings:
        return self.spec.settings

    @property
    def model(self) -> Model | None:
        """The model that the solver asks; None if it asks none."""
        return self.setup.model if self.setup is not None else None

    @property
    def prompts(self) -> Prompts | None:
        """The prompt texts; None if the solver asks no model."""
        return self.setup.prompts if self.setup is not None else self.spec.prompts

    @property
    def benchmark(self) -> Benchmark:
        return self.opened.benchmark

    def describe(self) -> Description:
        """Return the benchmark's description. Raises `UsageError` and `Unreachable`."""
        return describe_benchmark(self.benchmark, self.settings.benchmark)

    def versions(self) -> Versions:
        """Return the versions of everything that influences the trials, for the journal."""
        return current_versions(
            self.rule_sets,
            self.opened.world_version,
            self.prompts,
            self.opened.function_modules,
        )

    def close(self) -> None:
        """End the processes, and close the connections, in the reverse order of their opening."""
        self.closing.close()

    def __enter__(self) -> RunResources:
        return self

    def __exit__(self, *failure: object) -> None:
        self.close()
