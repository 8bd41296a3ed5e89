"""Resources that the trials of a run share in one process: the benchmark, the model, the solver, the gates.

A `RunSpec` says what to open. It is plain data, so that a trial can run wherever a spec can be sent.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from controlplane.agent.evidence import Environment, ProvenancePolicy
from controlplane.agent.loop import (
    BudgetLimits,
    LoopSettings,
    ModelRetry,
    PromptError,
    Prompts,
    default_prompts,
    read_prompts,
    read_text,
)
from controlplane.agent.model import (
    BENCHMARK_ROLES,
    REVIEWER,
    Capabilities,
    Model,
    ModelRequest,
    Reply,
    RoleModels,
    ScriptedModel,
)
from controlplane.agent.retry import RetryBudget, RunBudget
from controlplane.agent.spending import Spending, SpendingLimits
from controlplane.agent.submission import GateSettings
from controlplane.benchmark import (
    Benchmark,
    BenchmarkContext,
    BenchmarkError,
    Description,
    OpenedBenchmark,
)
from controlplane.configuration import named_modules
from controlplane.configuration.named_modules import current_versions
from controlplane.configuration.run_settings import RunSettings
from controlplane.errors import (
    UsageError,
    as_usage_error,
)
from controlplane.journal.run_events import (
    HINTS,
    RunPrompts,
    Versions,
)
from controlplane.lifecycle.gate_policies import gate_policy, rule_set_names
from controlplane.lifecycle.named_operations import DeclaredOperations
from controlplane.lifecycle.playable_tasks import PlayableTasks
from controlplane.lifecycle.run_models import (
    PLAYERS,
    RetryingModel,
    RunModels,
    local_model,
    scripted_model,
)
from controlplane.lifecycle.run_sandbox import RunSandbox
from controlplane.sandbox import ForkServer, Limits, parse_isolation
from controlplane.sandbox.interface import ToolSchema
from controlplane.solver import SOLVERS, Solver, SolverSpec, SolverTools, chosen_parts

if TYPE_CHECKING:
    from controlplane.agent.exoskeleton import SolverBindings
    from controlplane.journal.journal_reader import Journal
    from controlplane.mcp.server_specs import ToolAccess


@dataclass(frozen=True, slots=True)
class RunSpec:
    """The description of `RunResources` to open. Secrets come from the environment where they are opened."""

    settings: RunSettings
    rule_sets: tuple[str, ...] | None = None
    """The rule sets, if known. None: those of the settings, which may leave the choice to the benchmark."""
    script: str | None = None
    """The text of FILE in `scripted:FILE`, for a machine without that file. None: read the file here."""
    prompts: Prompts | None = None
    """The prompt texts, if known. None: read those that the settings name."""
    capabilities: tuple[Capabilities, ...] = ()
    """Capabilities of endpoints that an earlier process of the run learned."""
    tools: ToolAccess | None = None
    """The MCP servers that the user named for this process; never taken from a journal."""
    approve: Callable[[str], bool] | None = None
    """Asks the user about a call that `--provenance approve` holds. None: nobody can be asked."""
    opened: OpenedBenchmark | None = None
    """The benchmark, if it is an object of this process. None: open the one that the settings name."""
    solver: SolverSpec | None = None
    """The solver, if it is an object of this process. None: the one that the settings name."""


def _recorded_model(name: str, opened: OpenedBenchmark) -> ScriptedModel | None:
    """Return the model that replays the benchmark's recording with this name; None if there is none."""
    path = opened.recordings.get(name)
    if path is None:
        return None
    model = scripted_model(f"scripted:{path}")
    model.name = name
    return model


def _with_seed_of(recording: ScriptedModel, spec: RunSpec) -> RunSpec:
    """Return a spec with the seed of a recording, whose replies only fit the worlds of that seed."""
    return replace(spec, settings=spec.settings.model_copy(update={"seed": recording.seed}))


class RunResources:
    """Resources that trials share. Opened once per process and closed when the last trial has ended."""

    def __init__(
        self, spec: RunSpec, *, works: bool = True, budget: RunBudget | None = None
    ) -> None:
        """Open everything; solver and model only if this process `works` on trials.

        `budget` is the run's if another process keeps it; else one is made from the settings.

        Raises `UsageError` and `Unreachable`, each naming what cannot be opened.
        """
        self.budget = budget or run_budget(spec.settings)
        """The budget that all trials share."""
        self._loop_settings = loop_settings(spec.settings)
        self.on_notice: Callable[[str], None] = lambda text: None
        """Called with each of the benchmark's lines for the user."""
        self._notices_given: set[str] = set()

        self.context = BenchmarkContext(notify=lambda text: self.on_notice(text))
        self.opened = spec.opened or named_modules.open_benchmark(
            spec.settings.benchmark, spec.settings.set, self.context
        )
        # What is open so far is closed if something after it cannot be opened.
        with ExitStack() as closing:
            closing.callback(self.benchmark.close)
            recording = _recorded_model(spec.settings.model, self.opened)
            self.spec = spec if recording is None else _with_seed_of(recording, spec)
            settings = self.spec.settings

            # What judges answers
            self.rule_sets = self._rule_sets()
            self.gates = self._gate_settings()
            """The enforcement of gates, rules and provenance."""

            # What runs scripts and functions
            self.sandbox = RunSandbox(self.opened, self.rule_sets, self._loop_settings)
            closing.callback(self.sandbox.close)
            self._solver_runs_scripts = False
            """True once the solver has asked for the server of sandbox processes."""

            # What replies to requests
            self.models = RunModels(settings, self.spec.capabilities)
            closing.callback(self.models.close)
            self.model: Model | None = None
            """The model that the solver asks; None if it asks no model."""
            self._side_models: dict[str, Model] = {}
            """The models that the benchmark and the second reader ask, by role: `grade`, `user`, `reviewer`."""
            self.prompts = self.spec.prompts
            """The models' prompt texts; None if no model is asked."""

            # What works on trials
            self.makes_initial_prompt = (
                settings.agent in SOLVERS and settings.initial_prompt_chars > 0
            )
            """True if every fresh trial begins with the calls of the initial prompt."""
            self._offers_functions = True
            """False if the part of the solver that offers the benchmark's functions is switched off."""
            self.solver: Solver | None = None
            """None if these resources were opened for something other than work on trials."""
            if works:
                self._open_solver(recording)

            is_without_model = self.model is not None and settings.model == ""
            player_families = self.opened.player_families if is_without_model else ()
            self.tasks = PlayableTasks(settings, player_families, recording, self.describe)
            """The tasks that the run can play."""
            self._closing = closing.pop_all()

    def _rule_sets(self) -> tuple[str, ...]:
        """Return the names of the rule sets in use. Raises `UsageError` and `Unreachable`."""
        if self.spec.rule_sets is not None:
            return self.spec.rule_sets
        settings = self.spec.settings
        return rule_set_names(settings.rule_sets, lambda: self.describe().rule_sets, settings.gates)

    def _gate_settings(self) -> GateSettings:
        """Return the enforcement of gates, rules and provenance. Raises `UsageError`."""
        settings = self.spec.settings
        with as_usage_error("--provenance", ValueError):
            provenance = ProvenancePolicy.parse(settings.provenance, self.spec.approve)
        policy = gate_policy(settings.gates, settings.rule_sets, self.rule_sets)
        return GateSettings(policy, self.rule_sets, provenance)

    def _open_solver(self, recording: ScriptedModel | None) -> None:
        """Open the solver and the models that are asked in its trials. Raises `UsageError`.

        `recording` is the recorded model, if the settings name one.
        """
        self._check_servers()
        settings = self.spec.settings
        solver_spec = self.spec.solver or named_modules.find_solver(settings.agent)
        parts = chosen_parts(settings.parts, solver_spec.parts, settings.agent)
        if solver_spec.functions_part:
            self._offers_functions = solver_spec.functions_part in parts

        loop = self._loop_settings
        if solver_spec.roles:  # It asks a model.
            self.prompts = self.spec.prompts or prompts_named_by(settings)
            loop = replace(loop, prompts=self.prompts)
            self.gates = replace(self.gates, asked=(self.prompts.hints,))
            self.model = self._open_solving_model(solver_spec, recording)
        self._open_side_models(solver_spec)

        tools = SolverTools(
            self.model, loop, self._server_for_scripts, self.budget, parts, self._bindings
        )
        self.solver = solver_spec.open(tools)
        if not callable(getattr(self.solver, "solve", None)):
            msg = f"the agent {settings.agent!r} opens {self.solver!r}, which has no solve(session)"
            raise UsageError(msg)

    def _check_servers(self) -> None:
        """Raise `UsageError` unless the user names every MCP server that the tasks use."""
        tools = self.spec.tools
        named_servers = tools.servers if tools is not None else {}
        for name in self.opened.servers:
            if name not in named_servers:
                msg = f"tasks use the MCP server {name}: name it with --mcp {name}=COMMAND, or in controlplane.toml"
                raise UsageError(msg)

    def _open_solving_model(
        self, solver_spec: SolverSpec, recording: ScriptedModel | None
    ) -> Model:
        """Return the model that the solver asks, which may be another model for some of its roles.

        Where no role names another model, the benchmark asks this model, too. Raises `UsageError`.
        """
        settings = self.spec.settings
        if recording is not None and not solver_spec.plays_scripts:
            msg = f"the recorded model writes scripts, which the solver {settings.agent!r} does not run"
            raise UsageError(msg)
        model = local_model(
            settings,
            self.benchmark,
            script=self.spec.script,
            plays_scripts=solver_spec.plays_scripts,
            players=self.opened.players,
        )
        if model is None:
            model = recording or self.models.open_model(settings)

        is_player = settings.model in PLAYERS or settings.model in self.opened.players
        if not is_player:  # A player only writes scripts: it can neither grade nor play a user.
            for role in BENCHMARK_ROLES:
                self._side_models[role] = model

        models_by_role = {}
        for role, model_settings in settings.role.items():
            if role in solver_spec.roles:
                models_by_role[str(role)] = self.models.open_model(model_settings)
        if models_by_role:
            model = RoleModels(model, models_by_role)
        if settings.agent in SOLVERS:  # The product's own solvers retry by themselves.
            return model
        return RetryingModel(model, self._new_retry(), lambda text: self.on_notice(text))

    def _open_side_models(self, solver_spec: SolverSpec) -> None:
        """Open the models that `--role` names for the benchmark, and for a second reader of answers.

        Raises `UsageError`.
        """
        role_settings = self.spec.settings.role
        for role, model_settings in role_settings.items():
            if role in BENCHMARK_ROLES:
                self._side_models[str(role)] = self.models.open_model(model_settings)
        if "review" in role_settings and "review" not in solver_spec.roles:
            self._side_models[REVIEWER] = self.models.open_model(role_settings["review"])
            self.gates = replace(self.gates, has_reader=True)

    def _new_retry(self) -> ModelRetry:
        """Return retries of model requests that draw on the run's budget, and end when the run is stopped."""
        return ModelRetry(
            self.spec.settings.model_patience,
            stop=self.context.stop,
            budget=self.budget.retries,
            spending=self.budget.spending,
        )

    def ask_for_benchmark(self, request: ModelRequest, on_retry: Callable[[str], None]) -> Reply:
        """Return a model's reply to a request of the benchmark, or of the second reader.

        Raises `ModelError`, and `UsageError` if no model is named for its role.
        """
        model = self._side_models.get(request.role)
        if model is None:
            msg = f"the benchmark asks a model ({request.role}): name one with --role {request.role}=PROFILE"
            raise UsageError(msg)
        return self._new_retry().ask(lambda: model.reply_to(request), on_retry)

    @property
    def benchmark(self) -> Benchmark:
        return self.opened.benchmark

    @property
    def reads(self) -> tuple[str, ...]:
        """The tools of which the user says that they only read."""
        names = self.spec.settings.reads.split(",")
        return tuple(name.strip() for name in names if name.strip())

    def check_trial_operations(self, tool_schema: ToolSchema) -> None:
        """Check the names of operations in settings when a trial starts, if its benchmark could not
        tell its operations before. Raises `UsageError`."""
        if self.opened.tool_schemas is not None:
            return
        declared = DeclaredOperations()
        declared.add(tool_schema.operations)
        fault = declared.fault_of(self.gates.provenance, self.reads)
        if fault:
            raise UsageError(fault)

    def tool_schema_of(self, environment: Environment) -> ToolSchema:
        """Return the part of an environment's declaration to offer to trials; functions only if that part is on."""
        declared = environment.tool_schema.with_reads(self.reads)
        if self._offers_functions:
            return declared
        # A function is an operation that finds something by calls of its own.
        operations = tuple(operation for operation in declared.operations if not operation.finds)
        return replace(declared, operations=operations)

    def notice_once(self, text: str) -> None:
        """Tell the user a text that holds for the whole run, once in this process."""
        if text not in self._notices_given:
            self._notices_given.add(text)
            self.on_notice(text)

    def _server_for_scripts(self) -> ForkServer:
        """Return the server of sandbox processes to the solver, which thereby says that it runs scripts."""
        self._solver_runs_scripts = True
        # A solver that asks while it is being opened is checked by `check_isolation` before the run begins.
        if self.solver is not None:
            self.check_isolation()
        return self.sandbox.server()

    def launch_server(self) -> None:
        """Start the server that forks the processes of scripts, if the solver runs scripts, without waiting for it."""
        if self._solver_runs_scripts:
            self.sandbox.launch()

    def check_isolation(self) -> None:
        """Raise `UsageError` if a layer that a model's scripts need does not work; waits for the sandbox's server.

        Scripts of players and recordings are the product's own, and need not be isolated.
        """
        if not self._solver_runs_scripts:
            return
        trusted_models = (*PLAYERS, *self.opened.recordings, *self.opened.players)
        if self.model is not None and self.spec.settings.model in trusted_models:
            return
        self.sandbox.check_isolation()

    def describe(self) -> Description:
        """Return the benchmark's description. Raises `UsageError` and `Unreachable`."""
        try:
            description: object = self.benchmark.describe()
        except BenchmarkError as error:
            raise named_modules.refused(error) from error
        if isinstance(description, Description):
            return description
        msg = f"describe() of the benchmark {self.spec.settings.benchmark!r} returned {description!r}, not a Description"
        raise UsageError(msg)

    def versions(self) -> Versions:
        """Return the versions of everything here that decides how trials go."""
        return current_versions(
            self.rule_sets, self.opened.world_version, self.prompts, self.opened.function_modules
        )

    def check_world(self, version_then: str, refusal: str) -> None:
        """Raise `UsageError` if a run began in another version of the benchmark's worlds.

        The message begins with `refusal`.
        """
        version_here = self.opened.world_version
        if version_then == version_here:
            return
        version_text = "a version that its journal does not name"
        if version_then:
            version_text = f"version {version_then!r}"
        msg = (
            f"{refusal}: it began in {version_text} of the worlds of "
            f"{self.spec.settings.benchmark}, and this is version {version_here!r}, "
            "where its trials would continue in other worlds; start a new run"
        )
        raise UsageError(msg)

    def close(self) -> None:
        """Release processes and connections."""
        self._closing.close()

    def _bindings(self) -> SolverBindings | None:
        """Return the benchmark's description of its workspace, for a solver that needs it; None if it has none."""
        bindings = self.opened.bindings
        return bindings() if callable(bindings) else bindings

    def __enter__(self) -> RunResources:
        return self

    def __exit__(self, *failure: object) -> None:
        self.close()


def loop_settings(settings: RunSettings) -> LoopSettings:
    """Return the settings of every trial. Raises `UsageError`."""
    with as_usage_error("--isolation", ValueError):
        isolation = parse_isolation(settings.isolation)
    # Somebody who asks about files waits for the answer and can read prose, so the model gets fewer chances
    # to answer in the right form than in a benchmark.
    is_question = settings.benchmark.partition(":")[0] == "files"
    solve_settings = settings.role.get("solve", settings)
    return LoopSettings(
        budget=BudgetLimits(
            settings.max_steps,
            extra_steps=min(5, settings.max_steps // 7),  # fewer in a run of few steps
            prose_replies=2 if is_question else 10,
            same_scripts=settings.same_scripts,
            trial_time_s=settings.trial_time,
        ),
        context_tokens=solve_settings.max_context_tokens,
        initial_prompt_chars=settings.initial_prompt_chars,
        limits=Limits(step_wall_s=min(settings.step_time, settings.trial_time)),
        isolation=isolation,
        patience_s=settings.model_patience,
        switches_reply_mode=settings.reply_mode == "auto",
        replies_in_fences=solve_settings.reply_mode == "text",
    )


def run_budget(settings: RunSettings) -> RunBudget:
    """Return the budget that all trials of a run with these settings share."""
    limits = SpendingLimits(
        cost_usd=settings.run_cost,
        tokens=settings.max_tokens_run,
        time_s=settings.run_time,
    )
    return RunBudget(RetryBudget(settings.model_retries * settings.concurrency), Spending(limits))


def prompts_named_by(settings: RunSettings) -> Prompts:
    """Return the prompt texts of a new run. Raises `UsageError` naming the setting, the file and what is wrong."""
    with as_usage_error("--prompt", PromptError):
        prompts = read_prompts(Path(settings.prompt)) if settings.prompt else default_prompts()
    with as_usage_error("--hints", PromptError):
        hints = read_text(Path(settings.hints)) if settings.hints else ""
    return prompts.model_copy(update={"hints": hints})


def recorded_prompts(journal: Journal) -> Prompts | None:
    """Return the prompt texts that a journal's run started with; None if its solver asked no model.

    A text that an earlier version of the product did not have is that of this version.
    """
    for event in journal.events_of_run():
        if isinstance(event, RunPrompts):
            return _prompts_of(event)
    return None


def _prompts_of(event: RunPrompts) -> Prompts | None:
    """Return the prompt texts in an event; None if it has none besides the user's hints."""
    texts = {prompt.name: prompt.text for prompt in event.texts}
    hints = texts.pop(HINTS, "")
    if not texts:
        return None
    return Prompts(texts={**default_prompts().texts, **texts}, hints=hints)
