"""Resources that all trials of a run share: the benchmark, the models, the solver and the gates.

A `RunSpec` describes what to open; `RunResources` opens it.
"""

from __future__ import annotations

from contextlib import ExitStack
from dataclasses import replace

from controlplane.agent.evidence import Environment, ProvenancePolicy
from controlplane.agent.loop import ModelRetry, Prompts
from controlplane.agent.model import Model, ScriptedModel
from controlplane.agent.retry.run_budget import RunBudget
from controlplane.agent.submission import GateSettings
from controlplane.benchmark import (
    Benchmark,
    BenchmarkContext,
    BenchmarkError,
    Description,
    OpenedBenchmark,
)
from controlplane.configuration import named_modules
from controlplane.configuration.installed_versions import current_versions
from controlplane.configuration.run_settings import RunSettings
from controlplane.errors import UsageError, as_usage_error
from controlplane.journal.run_events import Versions
from controlplane.lifecycle.resources.gate_policies import gate_policy, rule_set_names
from controlplane.lifecycle.resources.named_operations import DeclaredOperations
from controlplane.lifecycle.resources.notices import Notices
from controlplane.lifecycle.resources.playable_tasks import PlayableTasks
from controlplane.lifecycle.resources.run_limits import loop_settings, run_budget
from controlplane.lifecycle.resources.run_models import (
    PLAYERS,
    RunModels,
    scripted_model,
)
from controlplane.lifecycle.resources.run_sandbox import RunSandbox
from controlplane.lifecycle.resources.run_solver import SolverOpener, SolverSetup
from controlplane.lifecycle.resources.run_spec import RunSpec
from controlplane.sandbox import ForkServer
from controlplane.sandbox.interface import ToolSchema
from controlplane.solver import SOLVERS


def _recorded_model(name: str, opened: OpenedBenchmark) -> ScriptedModel | None:
    """Return a model with the replies of the benchmark's recording `name`.

    None if there is no such recording.
    """
    path = opened.recordings.get(name)
    if path is None:
        return None
    model = scripted_model(f"scripted:{path}")
    model.name = name
    return model


def _with_seed(spec: RunSpec, seed: int | None) -> RunSpec:
    settings = spec.settings.model_copy(update={"seed": seed})
    return replace(spec, settings=settings)


class RunResources:
    """The resources that the trials of a run share: benchmark, solver, models and sandbox.

    Opened once per process, before the first trial starts, and closed after the last
    one has ended.
    """

    spec: RunSpec
    budget: RunBudget
    """The budget that all trials share: retries, cost, tokens and time."""
    notices: Notices
    """Shows notices to the user. The run listens to them."""
    context: BenchmarkContext
    opened: OpenedBenchmark
    rule_sets: tuple[str, ...]
    gates: GateSettings
    """How gates, rules and provenance are enforced."""
    sandbox: RunSandbox
    """Runs the scripts of solvers and the functions of benchmarks."""
    models: RunModels
    setup: SolverSetup | None
    """The solver with its models and prompts; None if this process plays no trials."""
    tasks: PlayableTasks
    """The tasks that the run can play."""
    _solver_runs_scripts: bool
    """True once the solver has asked for `_script_server`, which starts scripts' processes."""

    def __init__(
        self, spec: RunSpec, *, works: bool = True, budget: RunBudget | None = None
    ) -> None:
        """Open the resources that `spec` describes.

        - `works`: True if this process plays trials. Only then the solver and the
          models are opened.
        - `budget`: the budget of the run. None: create one from the settings.

        Raises `UsageError` and `Unreachable`; the message names what cannot be opened.
        """
        self.budget = budget or run_budget(spec.settings)
        self._loop_settings = loop_settings(spec.settings)
        self.notices = Notices()
        self.context = BenchmarkContext(notify=self.notices.show)

        # The other resources depend on what the benchmark declares.
        self.opened = spec.opened or named_modules.open_benchmark(
            spec.settings.benchmark, spec.settings.set, self.context
        )
        # If something cannot be opened, the exit stack closes what is already open.
        with ExitStack() as closing:
            closing.callback(self.opened.benchmark.close)
            recording = _recorded_model(spec.settings.model, self.opened)
            if recording is not None:
                # Its replies were recorded in the worlds of one seed, and fit only those.
                spec = _with_seed(spec, recording.seed)
            self.spec = spec

            self.rule_sets = self._rule_sets()
            self.gates = self._gate_settings()
            self.sandbox = RunSandbox(self.opened, self.rule_sets, self._loop_settings)
            closing.callback(self.sandbox.close)
            self.models = RunModels(self.settings, spec.capabilities)
            closing.callback(self.models.close)

            self.setup = None
            self._solver_runs_scripts = False
            if works:
                self._open_solver(recording)
            self.tasks = self._playable_tasks(recording)
            self._closing = closing.pop_all()

    @property
    def settings(self) -> RunSettings:
        return self.spec.settings

    def _rule_sets(self) -> tuple[str, ...]:
        """Return the names of the rule sets in use. Raises `UsageError` and `Unreachable`."""
        if self.spec.rule_sets is not None:
            return self.spec.rule_sets
        return rule_set_names(
            self.settings.rule_sets,
            lambda: self.describe().rule_sets,
            self.settings.gates,
        )

    def _gate_settings(self) -> GateSettings:
        """Return how gates, rules and provenance are enforced. Raises `UsageError`."""
        settings = self.settings
        with as_usage_error("--provenance", ValueError):
            provenance = ProvenancePolicy.parse(settings.provenance, self.spec.approve)
        policy = gate_policy(settings.gates, settings.rule_sets, self.rule_sets)
        return GateSettings(policy, self.rule_sets, provenance)

    def _open_solver(self, recording: ScriptedModel | None) -> None:
        """Open the solver and its models. Raises `UsageError`."""
        opener = SolverOpener(
            spec=self.spec,
            opened=self.opened,
            models=self.models,
            loop=self._loop_settings,
            budget=self.budget,
            notices=self.notices,
            new_retry=self._new_retry,
            script_server=self._script_server,
        )
        setup = opener.open_setup(recording)
        self.setup = setup
        if setup.model is not None and setup.prompts is not None:
            # The gates accept values that the user has given: in the instruction of a trial,
            # and also in the hints.
            self.gates = replace(self.gates, asked=(setup.prompts.hints,))
        if setup.side_models.has_reviewer:
            self.gates = replace(self.gates, has_reader=True)

    def _new_retry(self) -> ModelRetry:
        """Return a retry policy that draws on the run's budget, and ends when the run stops."""
        return ModelRetry(
            self.settings.model_patience,
            stop=self.context.stop,
            budget=self.budget.retries,
            spending=self.budget.spending,
        )

    def _playable_tasks(self, recording: ScriptedModel | None) -> PlayableTasks:
        # Without a model's name, the benchmark's player (a program that writes scripts by
        # fixed rules) does the work. It may know only some families of tasks.
        is_played_by_player = self.model is not None and self.settings.model == ""
        families = self.opened.player_families if is_played_by_player else ()
        return PlayableTasks(self.settings, families, recording, self.describe)

    @property
    def model(self) -> Model | None:
        """The model that the solver asks; None if it asks none."""
        return self.setup.model if self.setup is not None else None

    @property
    def prompts(self) -> Prompts | None:
        """The prompt texts; None if the solver asks no model."""
        return self.setup.prompts if self.setup is not None else self.spec.prompts

    @property
    def makes_initial_prompt(self) -> bool:
        """True if each new trial begins with calls that read texts for the first message."""
        settings = self.settings
        return settings.agent in SOLVERS and settings.initial_prompt_chars > 0

    @property
    def may_ask_user(self) -> bool:
        """True if trials ask the user to approve calls."""
        if "approve" in self.settings.provenance:
            return True
        tools = self.spec.tools
        return tools is not None and tools.approve is not None

    # The benchmark

    @property
    def benchmark(self) -> Benchmark:
        return self.opened.benchmark

    def describe(self) -> Description:
        """Return the benchmark's description. Raises `UsageError` and `Unreachable`."""
        try:
            description: object = self.benchmark.describe()
        except BenchmarkError as error:
            raise named_modules.as_command_error(error) from error
        if isinstance(description, Description):
            return description
        msg = f"describe() of the benchmark {self.settings.benchmark!r} returned {description!r}, not a Description"
        raise UsageError(msg)

    def versions(self) -> Versions:
        """Return the versions of everything that influences the trials."""
        return current_versions(
            self.rule_sets,
            self.opened.world_version,
            self.prompts,
            self.opened.function_modules,
        )

    def check_world(self, recorded_version: str, refusal: str) -> None:
        """Raise `UsageError` if the benchmark's worlds are no longer those of a recorded run.

        The message begins with `refusal`.
        """
        version = self.opened.world_version
        if recorded_version == version:
            return
        recorded = "a version that its journal does not name"
        if recorded_version:
            recorded = f"version {recorded_version!r}"
        msg = (
            f"{refusal}: it began in {recorded} of the worlds of "
            f"{self.settings.benchmark}, and this is version {version!r}, "
            "where its trials would continue in other worlds; start a new run"
        )
        raise UsageError(msg)

    # The operations of environments

    @property
    def reads(self) -> tuple[str, ...]:
        """The names of the tools that, as the user declares, change nothing (`--reads`)."""
        names = [name.strip() for name in self.settings.reads.split(",")]
        return tuple(name for name in names if name)

    def tool_schema_of(self, environment: Environment) -> ToolSchema:
        """Return the tools of an environment, as the user's settings change them.

        Those that `--reads` names count as changing nothing. The benchmark's functions are
        left out if the user has switched them off.
        """
        declared = environment.tool_schema.with_reads(self.reads)
        if self.setup is None or self.setup.offers_functions:
            return declared
        operations = [
            operation for operation in declared.operations if not operation.is_function
        ]
        return replace(declared, operations=tuple(operations))

    def check_trial_operations(self, tool_schema: ToolSchema) -> None:
        """Raise `UsageError` if the settings name an operation that a trial's environment lacks.

        If the benchmark declares its operations
        in advance, this was checked before the run.
        """
        if self.opened.tool_schemas is not None:
            return
        declared = DeclaredOperations()
        declared.add(tool_schema.operations)
        fault = declared.fault_of(self.gates.provenance, self.reads)
        if fault:
            raise UsageError(fault)

    # The server for scripts

    def _script_server(self) -> ForkServer:
        """Return the server that starts sandbox processes.

        A solver that runs scripts calls this.
        """
        self._solver_runs_scripts = True
        # While the solver is being opened, the check can wait until the run begins.
        if self.setup is not None:
            self.check_isolation()
        return self.sandbox.server()

    def launch_server(self) -> None:
        """Start the server of sandbox processes if the solver runs scripts; do not wait for it."""
        if self._solver_runs_scripts:
            self.sandbox.launch()

    def check_isolation(self) -> None:
        """Raise `UsageError` if a layer of the sandbox that a model's scripts need does not work.

        Waits for the server of sandbox processes.
        """
        if self._solver_runs_scripts and not self._scripts_are_trusted:
            self.sandbox.check_isolation()

    @property
    def _scripts_are_trusted(self) -> bool:
        """True if scripts come from a player or a recording, and not from a model."""
        trusted = (*PLAYERS, *self.opened.recordings, *self.opened.players)
        return self.model is not None and self.settings.model in trusted

    def close(self) -> None:
        """Release processes and connections."""
        self._closing.close()

    def __enter__(self) -> RunResources:
        return self

    def __exit__(self, *failure: object) -> None:
        self.close()
