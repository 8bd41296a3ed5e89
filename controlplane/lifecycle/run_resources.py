"""Resources that all trials of a run share: the benchmark, the models, the solver and
the gates.

A `RunSpec` describes what to open; `RunResources` opens it.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Final

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
    model_without_endpoint,
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
    """Describes the `RunResources` to open. It has no secrets, which come from the
    environment."""

    settings: RunSettings
    rule_sets: tuple[str, ...] | None = None
    """The names of the rule sets. None: take them from the settings or, failing that,
    the benchmark."""
    script: str | None = None
    """The text of FILE for the model `scripted:FILE`. None: read the file."""
    prompts: Prompts | None = None
    """The prompt texts. None: read the files that the settings name."""
    capabilities: tuple[Capabilities, ...] = ()
    """Capabilities of endpoints that an earlier process of the run learned."""
    tools: ToolAccess | None = None
    """The MCP servers that the user named for this process; never taken from a
    journal."""
    approve: Callable[[str], bool] | None = None
    """Asks the user whether to make a call that `--provenance approve` has stopped.
    None: there is no user to ask."""
    opened: OpenedBenchmark | None = None
    """A benchmark that is already open. None: open the one that the settings name."""
    solver: SolverSpec | None = None
    """A solver given as an object. None: use the one that the settings name."""


def _recorded_model(name: str, opened: OpenedBenchmark) -> ScriptedModel | None:
    """Return a model that gives the replies of the benchmark's recording `name`; None
    if there is no such recording."""
    path = opened.recordings.get(name)
    if path is None:
        return None
    model = scripted_model(f"scripted:{path}")
    model.name = name
    return model


def _with_seed_of(recording: ScriptedModel, spec: RunSpec) -> RunSpec:
    """Return the spec with the seed of a recording. Its replies only fit worlds of that
    seed."""
    return replace(
        spec, settings=spec.settings.model_copy(update={"seed": recording.seed})
    )


class RunResources:
    """The resources that the trials of a run share.

    Opened once per process, before the first trial starts, and closed after the last
    one has ended.
    """

    spec: RunSpec
    budget: RunBudget
    """The budget that all trials share: retries, cost, tokens and time."""
    on_notice: Callable[[str], None]
    """Called with each notice for the user. The run sets it."""
    context: BenchmarkContext
    opened: OpenedBenchmark
    rule_sets: tuple[str, ...]
    gates: GateSettings
    """How gates, rules and provenance are enforced."""
    sandbox: RunSandbox
    """Runs the scripts of solvers and the functions of benchmarks."""
    models: RunModels
    model: Model | None
    """The model that the solver asks; None if it asks none."""
    prompts: Prompts | None
    """The prompt texts; None if the solver asks no model."""
    makes_initial_prompt: bool
    """True if each new trial begins with the calls that gather texts for the initial
    prompt."""
    solver: Solver | None
    """The solver; None if this process plays no trials."""
    tasks: PlayableTasks
    """The tasks that the run can play."""

    _side_models: dict[str, Model]
    """The models that others than the solver ask, by role: `grade` and `user` for the
    benchmark's grader and simulated user, `reviewer` for the second reader of
    answers."""
    _offers_functions: bool
    """False if the user has switched off the solver's part that offers the benchmark's
    functions."""
    _solver_runs_scripts: bool
    """True once the solver has asked for the server that starts the processes of
    scripts."""

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
        self.on_notice = _ignore_notice
        self._notices_given: set[str] = set()

        # The benchmark comes first, since the other resources depend on what it
        # declares.
        self.context = BenchmarkContext(notify=self._pass_on_notice)
        self.opened = spec.opened or named_modules.open_benchmark(
            spec.settings.benchmark, spec.settings.set, self.context
        )
        # If something cannot be opened, the exit stack closes what is already open.
        with ExitStack() as closing:
            closing.callback(self.opened.benchmark.close)
            recording = _recorded_model(spec.settings.model, self.opened)
            self.spec = spec if recording is None else _with_seed_of(recording, spec)
            settings = self.spec.settings

            self.rule_sets = self._rule_sets()
            self.gates = self._gate_settings()
            self.sandbox = RunSandbox(self.opened, self.rule_sets, self._loop_settings)
            closing.callback(self.sandbox.close)
            self.models = RunModels(settings, self.spec.capabilities)
            closing.callback(self.models.close)
            self.makes_initial_prompt = (
                settings.agent in SOLVERS and settings.initial_prompt_chars > 0
            )

            # What `_open_solver` opens or changes
            self.model = None
            self._side_models = {}
            self.prompts = self.spec.prompts
            self.solver = None
            self._offers_functions = True
            self._solver_runs_scripts = False
            if works:
                self._open_solver(recording)

            # If the user names no model, the benchmark's player takes the place of the
            # model.
            is_played_by_player = self.model is not None and settings.model == ""
            player_families = self.opened.player_families if is_played_by_player else ()
            self.tasks = PlayableTasks(
                settings, player_families, recording, self.describe
            )
            self._closing = closing.pop_all()

    def _pass_on_notice(self, text: str) -> None:
        """Call `on_notice`, which the run may set after the benchmark was opened."""
        self.on_notice(text)

    def _rule_sets(self) -> tuple[str, ...]:
        """Return the names of the rule sets in use. Raises `UsageError` and
        `Unreachable`."""
        if self.spec.rule_sets is not None:
            return self.spec.rule_sets
        settings = self.spec.settings
        return rule_set_names(
            settings.rule_sets, lambda: self.describe().rule_sets, settings.gates
        )

    def _gate_settings(self) -> GateSettings:
        """Return how gates, rules and provenance are enforced. Raises `UsageError`."""
        settings = self.spec.settings
        with as_usage_error("--provenance", ValueError):
            provenance = ProvenancePolicy.parse(settings.provenance, self.spec.approve)
        policy = gate_policy(settings.gates, settings.rule_sets, self.rule_sets)
        return GateSettings(policy, self.rule_sets, provenance)

    def _open_solver(self, recording: ScriptedModel | None) -> None:
        """Open the models of the run, and then the solver, which gets them. Raises
        `UsageError`.

        `recording` is a model that gives recorded replies, if the settings name one.
        """
        self._check_servers()
        settings = self.spec.settings
        solver_spec = self.spec.solver or named_modules.find_solver(settings.agent)
        parts = chosen_parts(settings.parts, solver_spec.parts, settings.agent)
        if solver_spec.functions_part:
            self._offers_functions = solver_spec.functions_part in parts

        loop = self._loop_settings
        asks_model = bool(solver_spec.roles)
        if asks_model:
            self.prompts = self.spec.prompts or prompts_named_by(settings)
            loop = replace(loop, prompts=self.prompts)
            # Calls may use values from the user's hints, as from the instruction of a
            # trial.
            self.gates = replace(self.gates, asked=(self.prompts.hints,))
            model = self._open_main_model(solver_spec, recording)
            self._lend_to_benchmark(model)
            self.model = self._with_models_of_roles(model, solver_spec)
        self._open_side_models(solver_spec)

        tools = SolverTools(
            self.model,
            loop,
            self._server_for_scripts,
            self.budget,
            parts,
            self._bindings,
        )
        self.solver = solver_spec.open(tools)
        if not callable(getattr(self.solver, "solve", None)):
            msg = f"the agent {settings.agent!r} opens {self.solver!r}, which has no solve(session)"
            raise UsageError(msg)

    def _check_servers(self) -> None:
        """Raise `UsageError` if the tasks use an MCP server that the user has not
        named."""
        tools = self.spec.tools
        named_servers = tools.servers if tools is not None else {}
        for name in self.opened.servers:
            if name not in named_servers:
                msg = f"tasks use the MCP server {name}: name it with --mcp {name}=COMMAND, or in controlplane.toml"
                raise UsageError(msg)

    def _open_main_model(
        self, solver_spec: SolverSpec, recording: ScriptedModel | None
    ) -> Model:
        """Return the model that `--model` names. Raises `UsageError`.

        It is a player (a program that writes scripts by rules), recorded replies, or a
        model at an endpoint.
        """
        settings = self.spec.settings
        if recording is not None and not solver_spec.plays_scripts:
            msg = f"the recorded model writes scripts, which the solver {settings.agent!r} does not run"
            raise UsageError(msg)
        model = model_without_endpoint(
            settings,
            self.benchmark,
            script=self.spec.script,
            plays_scripts=solver_spec.plays_scripts,
            players=self.opened.players,
        )
        if model is not None:
            return model
        return recording or self.models.open_model(settings)

    def _lend_to_benchmark(self, model: Model) -> None:
        """Let the benchmark's grader and simulated user ask the main model.

        `_open_side_models` replaces it by the models that `--role` names. A player,
        which is a program that writes scripts, can neither grade nor simulate a user.
        """
        name = self.spec.settings.model
        is_player = name in PLAYERS or name in self.opened.players
        if not is_player:
            for role in BENCHMARK_ROLES:
                self._side_models[role] = model

    def _with_models_of_roles(self, model: Model, solver_spec: SolverSpec) -> Model:
        """Return the model that the solver gets. Raises `UsageError`.

        With `--role`, it passes requests in some roles, such as `check_draft`, to other
        models. For a user's own solver, it retries failed requests.
        """
        settings = self.spec.settings
        models_by_role = {}
        for role, model_settings in settings.role.items():
            if role in solver_spec.roles:
                models_by_role[str(role)] = self.models.open_model(model_settings)
        if models_by_role:
            model = RoleModels(model, models_by_role)
        if (
            settings.agent in SOLVERS
        ):  # The product's own solvers retry requests themselves.
            return model
        return RetryingModel(model, self._new_retry(), self._pass_on_notice)

    def _open_side_models(self, solver_spec: SolverSpec) -> None:
        """Open the models that `--role` names for the benchmark and the second reader
        of answers.

        Raises `UsageError`.
        """
        role_settings = self.spec.settings.role
        for role, model_settings in role_settings.items():
            if role in BENCHMARK_ROLES:
                self._side_models[str(role)] = self.models.open_model(model_settings)
        if "review" in role_settings and "review" not in solver_spec.roles:
            self._side_models[REVIEWER] = self.models.open_model(
                role_settings["review"]
            )
            self.gates = replace(self.gates, has_reader=True)

    def _new_retry(self) -> ModelRetry:
        """Return a retry policy that draws on the run's budget, and ends when the run
        stops."""
        return ModelRetry(
            self.spec.settings.model_patience,
            stop=self.context.stop,
            budget=self.budget.retries,
            spending=self.budget.spending,
        )

    def ask_for_benchmark(
        self, request: ModelRequest, on_retry: Callable[[str], None]
    ) -> Reply:
        """Return a model's reply to a request of the benchmark or the second reader of
        answers.

        Raises `ModelError`, or `UsageError` if the user has named no model for the
        request's role.
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
        """The names of the tools that, as the user declares, change nothing
        (`--reads`)."""
        names = self.spec.settings.reads.split(",")
        return tuple(name.strip() for name in names if name.strip())

    def check_trial_operations(self, tool_schema: ToolSchema) -> None:
        """Raise `UsageError` if the settings name an operation that a trial's
        environment lacks.

        If the benchmark declares its operations in advance, this was checked before the
        run.
        """
        if self.opened.tool_schemas is not None:
            return
        declared = DeclaredOperations()
        declared.add(tool_schema.operations)
        fault = declared.fault_of(self.gates.provenance, self.reads)
        if fault:
            raise UsageError(fault)

    def tool_schema_of(self, environment: Environment) -> ToolSchema:
        """Return an environment's declaration, without functions if the user has
        switched them off."""
        declared = environment.tool_schema.with_reads(self.reads)
        if self._offers_functions:
            return declared
        # The benchmark's functions are operations with `finds`, the Python function to
        # call.
        operations = tuple(
            operation for operation in declared.operations if not operation.finds
        )
        return replace(declared, operations=operations)

    def notice_once(self, text: str) -> None:
        """Show the user a notice, unless this process has shown it before."""
        if text not in self._notices_given:
            self._notices_given.add(text)
            self.on_notice(text)

    def _server_for_scripts(self) -> ForkServer:
        """Return the server that starts sandbox processes. A solver that runs scripts
        calls this.

        Only scripts need an isolation, so from now on `check_isolation` checks it.
        """
        self._solver_runs_scripts = True
        # While the solver is being opened, the check can wait: it follows before the
        # run begins. If the solver asks for the server later, the check must be now.
        is_solver_open = self.solver is not None
        if is_solver_open:
            self.check_isolation()
        return self.sandbox.server()

    def launch_server(self) -> None:
        """Start the server of sandbox processes, without waiting for it, if the solver
        runs scripts."""
        if self._solver_runs_scripts:
            self.sandbox.launch()

    def check_isolation(self) -> None:
        """Raise `UsageError` if a layer of the sandbox that a model's scripts need does
        not work.

        Waits for the server of sandbox processes. Scripts of players and recordings
        need no isolation, since no model writes them.
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
            raise named_modules.as_command_error(error) from error
        if isinstance(description, Description):
            return description
        msg = f"describe() of the benchmark {self.spec.settings.benchmark!r} returned {description!r}, not a Description"
        raise UsageError(msg)

    def versions(self) -> Versions:
        """Return the versions of everything that influences the trials."""
        return current_versions(
            self.rule_sets,
            self.opened.world_version,
            self.prompts,
            self.opened.function_modules,
        )

    def check_world(self, version_then: str, refusal: str) -> None:
        """Raise `UsageError` if the benchmark's worlds have changed since a run began.

        `version_then` is their version at that time. The message begins with `refusal`.
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
        """Return the benchmark's description of its workspace; None if it has none."""
        bindings = self.opened.bindings
        return bindings() if callable(bindings) else bindings

    def __enter__(self) -> RunResources:
        return self

    def __exit__(self, *failure: object) -> None:
        self.close()


def _ignore_notice(text: str) -> None:
    """Do nothing: nobody listens for notices."""


MOST_EXTRA_STEPS: Final = 5
"""A trial without an answer after its last step gets a seventh of its steps more, up to
this many."""
PROSE_REPLIES: Final = 10
"""A trial ends after this many unusable replies in a row if the last one is prose, not
a script."""
PROSE_REPLIES_TO_QUESTION: Final = 2
"""The same for a question about files. Its user waits for the answer, and can read one
in prose."""


def loop_settings(settings: RunSettings) -> LoopSettings:
    """Return the part of the settings that concerns each trial. Raises `UsageError`."""
    with as_usage_error("--isolation", ValueError):
        isolation = parse_isolation(settings.isolation)
    is_question = settings.benchmark.partition(":")[0] == "files"
    solve_settings = settings.role.get("solve", settings)
    return LoopSettings(
        budget=BudgetLimits(
            settings.max_steps,
            extra_steps=min(MOST_EXTRA_STEPS, settings.max_steps // 7),
            prose_replies=PROSE_REPLIES_TO_QUESTION if is_question else PROSE_REPLIES,
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
    """Return the budget of a run with these settings, which all its trials share."""
    limits = SpendingLimits(
        cost_usd=settings.run_cost,
        tokens=settings.max_tokens_run,
        time_s=settings.run_time,
    )
    return RunBudget(
        RetryBudget(settings.model_retries * settings.concurrency), Spending(limits)
    )


def prompts_named_by(settings: RunSettings) -> Prompts:
    """Return the prompt texts of a new run.

    Raises `UsageError`, whose message names the setting, the file and the fault.
    """
    with as_usage_error("--prompt", PromptError):
        prompts = (
            read_prompts(Path(settings.prompt))
            if settings.prompt
            else default_prompts()
        )
    with as_usage_error("--hints", PromptError):
        hints = read_text(Path(settings.hints)) if settings.hints else ""
    return prompts.model_copy(update={"hints": hints})


def recorded_prompts(journal: Journal) -> Prompts | None:
    """Return the prompt texts that a run started with; None if its solver asked no
    model.

    A journal of an earlier version may lack a text. Then the result has the current
    one.
    """
    for event in journal.events_of_run():
        if isinstance(event, RunPrompts):
            return _prompts_of(event)
    return None


def _prompts_of(event: RunPrompts) -> Prompts | None:
    """Return the prompt texts in an event; None if it has no text other than the user's
    hints."""
    texts = {prompt.name: prompt.text for prompt in event.texts}
    hints = texts.pop(HINTS, "")
    if not texts:
        return None
    return Prompts(texts={**default_prompts().texts, **texts}, hints=hints)
