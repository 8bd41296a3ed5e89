"""Resources that the trials of a run share in one process: the benchmark, the model, the solver, the gates.

A `RunSpec` says what to open. It is plain data, so that a trial can run wherever a spec can be sent.
"""

from __future__ import annotations

import contextlib
import os
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Final
from urllib.parse import urlsplit

from controlplane.agent.evidence import Environment, ProvenancePolicy
from controlplane.agent.loop import (
    BudgetLimits,
    LoopSettings,
    ModelRetry,
    PromptError,
    Prompts,
    TrialSession,
    default_prompts,
    read_prompts,
    read_text,
    sandbox_of,
)
from controlplane.agent.model import (
    BENCHMARK_ROLES,
    REVIEWER,
    CachedModel,
    Capabilities,
    Model,
    ModelRequest,
    PricedModel,
    Reply,
    ReplyMode,
    RoleModels,
    ScriptedModel,
    public_price,
)
from controlplane.agent.retry import RetryBudget, RunBudget
from controlplane.agent.spending import PRICE_REMEDY, Spending, SpendingLimits
from controlplane.agent.submission import GateSettings, judging_modules
from controlplane.benchmark import (
    Benchmark,
    BenchmarkContext,
    BenchmarkError,
    Description,
    OpenedBenchmark,
    Trial,
    family_of,
)
from controlplane.configuration import named_modules
from controlplane.configuration.named_modules import current_versions, load_rule_sets
from controlplane.configuration.run_settings import ModelSettings, RunSettings, variable_in
from controlplane.errors import (
    Unreachable,
    UsageError,
    as_usage_error,
    did_you_mean,
    invocation,
    nearest_name,
)
from controlplane.gates.rule_set_loading import is_product_rule_set
from controlplane.gates.submission import ALL_GATES, ENFORCEMENTS, Enforcement, GatePolicy
from controlplane.journal.journal_lines import with_home
from controlplane.journal.run_events import (
    HINTS,
    RunPrompts,
    Versions,
)
from controlplane.lifecycle.named_operations import DeclaredOperations
from controlplane.sandbox import (
    ForkServer,
    Layer,
    Limits,
    Sandbox,
    SandboxBroken,
    Worker,
    missing_layer,
    parse_isolation,
)
from controlplane.sandbox.interface import ToolSchema
from controlplane.solver import SOLVERS, Solver, SolverSpec, SolverTools, chosen_parts

if TYPE_CHECKING:
    from controlplane.agent.endpoint import Endpoint
    from controlplane.agent.endpoint.listed_model import ListedModel
    from controlplane.agent.exoskeleton import SolverBindings
    from controlplane.journal.journal_reader import Journal
    from controlplane.mcp.server_specs import ToolAccess

PLAYERS: Final = ("", "baseline")
"""The values of `--model` for rule-based players, whose scripts are ours."""


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


class RunResources:
    """Resources that trials share. Opened once per process and closed when the last trial has ended."""

    def __init__(
        self, spec: RunSpec, *, works: bool = True, budget: RunBudget | None = None
    ) -> None:
        """Open everything; solver and model only if this process `works` on trials.

        `budget` is the run's if another process keeps it; else one is made from the settings.

        Raises `UsageError` and `Unreachable`, each naming what cannot be opened.
        """
        self.spec = spec
        settings = spec.settings
        self.budget = budget or run_budget(settings)
        """The budget that all trials share."""
        self._lock = threading.Lock()
        self._server: ForkServer | None = None
        loop = loop_settings(settings)
        self._isolation, self._limits = loop.isolation, loop.limits
        self._runs_scripts = False
        self._notices: set[str] = set()
        self.on_notice: Callable[[str], None] = lambda text: None
        """Called with each of the benchmark's lines for the user."""
        self.context = BenchmarkContext(notify=lambda text: self.on_notice(text))
        self.opened = spec.opened or named_modules.open_benchmark(
            settings.benchmark, settings.set, self.context
        )
        self.recording: ScriptedModel | None = None
        """The recorded model, if the settings name one of the benchmark's recordings; its worlds are those recorded."""
        recording_file = self.opened.recordings.get(settings.model)
        if recording_file is not None:
            self.recording = scripted_model(f"scripted:{recording_file}")
            self.recording.name = settings.model
            settings = settings.model_copy(update={"seed": self.recording.seed})
            self.spec = spec = replace(spec, settings=settings)
        self.prompts = spec.prompts
        """The models' prompt texts; None if no model is asked."""
        self.model: Model | None = None
        self._asides: dict[str, Model] = {}
        """The models that benchmarks and gates ask, by role."""
        self.endpoints: list[Endpoint] = []
        self.listed_context_tokens: int | None = None
        """The tokens of the solving model's context, as its endpoint lists them; None if unknown."""
        """The endpoints of its models."""
        self.solver: Solver | None = None
        """None if these resources were opened for something other than work on trials."""
        self.makes_initial_prompt = settings.agent in SOLVERS and settings.initial_prompt_chars > 0
        """True if every fresh trial begins with the calls of the initial prompt."""
        self._offers_functions = True
        try:
            rule_sets = spec.rule_sets
            self.rule_sets: tuple[str, ...] = (
                rule_set_names(
                    settings.rule_sets, lambda: self.describe().rule_sets, settings.gates
                )
                if rule_sets is None
                else rule_sets
            )
            with as_usage_error("--provenance", ValueError):
                provenance = ProvenancePolicy.parse(settings.provenance, spec.approve)
            policy = gate_policy(settings.gates, settings.rule_sets, self.rule_sets)
            self.gates = GateSettings(policy, self.rule_sets, provenance)
            if works:
                self._open_solver(loop)
        except BaseException:
            self.close()
            raise

    def _open_solver(self, loop: LoopSettings) -> None:
        """Open the solver and the models that it asks. Raises `UsageError`."""
        spec, settings = self.spec, self.spec.settings
        named = spec.tools.servers if spec.tools else {}
        if name := next((name for name in self.opened.servers if name not in named), ""):
            msg = f"tasks use the MCP server {name}: name it with --mcp {name}=COMMAND, or in controlplane.toml"
            raise UsageError(msg)
        solver = spec.solver or named_modules.find_solver(settings.agent)
        parts = chosen_parts(settings.parts, solver.parts, settings.agent)
        if solver.roles:
            self.prompts = spec.prompts or prompts_named_by(settings)
            loop = replace(loop, prompts=self.prompts)
            self.gates = replace(self.gates, asked=(self.prompts.hints,))
            if self.recording and not solver.plays_scripts:
                msg = f"the recorded model writes scripts, which the solver {settings.agent!r} does not run"
                raise UsageError(msg)
            model = local_model(
                settings,
                self.benchmark,
                script=spec.script,
                plays_scripts=solver.plays_scripts,
                players=self.opened.players,
            )
            model = model or self.recording or self._open_model(settings)
            if settings.model not in (*PLAYERS, *self.opened.players):
                self._asides = dict.fromkeys(BENCHMARK_ROLES, model)
            others = {
                str(role): self._open_model(own)
                for role, own in settings.role.items()
                if role in solver.roles
            }
            self.model = RoleModels(model, others) if others else model
            if settings.agent not in SOLVERS:  # Our own loop retries by itself.
                self.model = RetryingModel(
                    self.model,
                    ModelRetry(
                        settings.model_patience,
                        stop=self.context.stop,
                        budget=self.budget.retries,
                        spending=self.budget.spending,
                    ),
                    lambda text: self.on_notice(text),
                )
        self._asides |= {
            str(role): self._open_model(own)
            for role, own in settings.role.items()
            if role in BENCHMARK_ROLES
        }
        if "review" in settings.role and "review" not in solver.roles:
            self._asides[REVIEWER] = self._open_model(settings.role["review"])
            self.gates = replace(self.gates, has_reader=True)
        self._offers_functions = solver.functions_part in (*parts, "")
        self.solver = solver.open(
            SolverTools(
                self.model, loop, self._server_for_scripts, self.budget, parts, self._bindings
            )
        )
        if not callable(getattr(self.solver, "solve", None)):
            msg = f"the agent {settings.agent!r} opens {self.solver!r}, which has no solve(session)"
            raise UsageError(msg)

    def _open_model(self, settings: ModelSettings) -> Model:
        """Open the endpoint that the settings of a model name; it closes with the resources. Raises `UsageError`."""
        run = self.spec.settings
        if run.run_cost or run.trial_cost:
            _check_price(settings, "--run-cost" if run.run_cost else "--trial-cost")
        if settings.model.startswith("scripted:"):
            return scripted_model(settings.model)
        endpoint = open_endpoint(settings, self.spec.capabilities)
        self.endpoints.append(endpoint)
        priced = PricedModel(endpoint, base_url=settings.base_url, prices=settings.prices)
        if not run.cache:
            return priced
        with as_usage_error(f"--cache: the folder {run.cache} cannot be made", OSError):
            Path(run.cache).mkdir(parents=True, exist_ok=True)
        # What does not change replies is not in their key: they are found under any value of it.
        other = {
            "api_key_env",
            "model_timeout",
            "model_patience",
            "prices",
            "max_context_tokens",
            "prompt",
            "hints",
        }
        shaping = set(ModelSettings.model_fields) - other
        return CachedModel(
            priced, Path(run.cache), settings.model_dump(mode="json", include=shaping)
        )

    def ask_for_benchmark(self, request: ModelRequest, on_retry: Callable[[str], None]) -> Reply:
        """Return a model's reply to a request of the benchmark. Raises `ModelError`, and `UsageError` if no model is
        named for its role."""
        if (model := self._asides.get(request.role)) is None:
            msg = f"the benchmark asks a model ({request.role}): name one with --role {request.role}=PROFILE"
            raise UsageError(msg)
        patience_s, budget = self.spec.settings.model_patience, self.budget
        retry = ModelRetry(
            patience_s, stop=self.context.stop, budget=budget.retries, spending=budget.spending
        )
        return retry.ask(lambda: model.reply_to(request), on_retry)

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
        return replace(
            declared, operations=tuple(one for one in declared.operations if not one.finds)
        )

    def check_models(self) -> None:
        """Raise `UsageError` if an endpoint lists its models and one differs from the named one like a slip of the pen.

        Other names may be presets, aliases or deployments, which endpoints do not list.
        """
        solve_settings = self.spec.settings.role.get("solve", self.spec.settings)
        for endpoint in self.endpoints:
            models = endpoint.listed_models()
            if endpoint.name == solve_settings.model:
                self.listed_context_tokens = context_tokens_of(endpoint.name, models)
            listed = [model.model_id for model in models]
            named = endpoint.name.casefold()
            if listed and not any(
                named in name.casefold() or name.casefold() in named for name in listed
            ):
                hint = did_you_mean(endpoint.name, listed, most=5)
                msg = f"the endpoint has no model {endpoint.name!r}{hint}; name one of its models with --model"
                if "; did you mean" in hint:
                    raise UsageError(msg)

    def sandbox_server(self) -> ForkServer:
        """Return the server of sandbox processes; the first call starts it."""
        with self._lock:
            if self._server is None:
                self._server = ForkServer(self._modules, self.opened.function_modules)
            return self._server

    @property
    def _modules(self) -> tuple[str, ...]:
        return (*judging_modules(self.rule_sets), *self.opened.worker_modules)

    def notice_once(self, text: str) -> None:
        """Tell the user a text that holds for the whole run, once in this process."""
        if text not in self._notices:
            self._notices.add(text)
            self.on_notice(text)

    def worker_of(self, trial: Trial) -> Worker:
        """Return the process in which a trial's calls and judgements compute; it starts on first use."""
        limits = self.opened.worker_limits
        worker = Worker(
            self.sandbox_server(), limits=limits, isolation=self._isolation, is_shared=True
        )
        if trial.use_worker is not None and self.opened.worker_modules:
            trial.use_worker(worker)
        return worker

    def functions_of(self, session: TrialSession) -> Sandbox:
        """Return what runs the functions of a trial's environment, unless its solver's own sandbox does; its process
        starts on first use."""
        return sandbox_of(session, self.sandbox_server(), self._limits, self._isolation)

    def _server_for_scripts(self) -> ForkServer:
        self._runs_scripts = True
        if self.solver is not None:  # The solver asks for it after the run has begun.
            self.check_isolation()
        return self.sandbox_server()

    def launch_server(self) -> None:
        """Start the server that forks the processes of scripts, if scripts run here, without waiting for it."""
        if self._runs_scripts:
            self.sandbox_server().launch(with_kernel=Layer.KERNEL in self._isolation)

    def check_isolation(self) -> None:
        """Raise `UsageError` if a layer that a model's scripts need does not work; waits for the sandbox's server."""
        players = (*PLAYERS, *self.opened.recordings, *self.opened.players)
        if self._runs_scripts and (self.model is None or self.spec.settings.model not in players):
            check_isolation(self.sandbox_server(), self._isolation)

    def playable_tasks(self, names: Sequence[str]) -> tuple[str, ...]:
        """Return the tasks or families to play of these names, or of all if there are no names.

        Without a model, they are those that the benchmark's player has rules for; the recorded model
        plays what was recorded. Raises `UsageError` for a name that cannot be played.
        """
        if self.recording is not None:
            return self.recorded_tasks(names)
        families = self.player_families
        if not families:
            return tuple(names)
        if not names:
            return families

        description = self.describe()
        known_families = {family_of(task.task_id) for task in description.tasks}
        known_families.update(description.numbered_families)
        for name in names:
            family = name if name in known_families else family_of(name)
            if family in known_families and family not in families:
                msg = (
                    f"the rule-based player has no rules for {name!r}; "
                    f"name a model: {self._command_with_model(names)} (docs/models.md)"
                )
                raise UsageError(msg)
        return tuple(names)  # The benchmark refuses names that it does not know.

    def tell_player_families(self) -> None:
        """Tell the user how many of the benchmark's tasks its player has rules for, if not all."""
        families = self.player_families
        if not families:
            return
        tasks = self.describe().tasks
        playable = [task for task in tasks if family_of(task.task_id) in families]
        if len(playable) < len(tasks):
            self.notice_once(
                f"the rule-based player has rules for {len(playable)} of {len(tasks)} tasks; "
                "only these are played and count in the mean score; "
                f"the others need a model: {self._command_with_model(())} (docs/models.md)"
            )

    @property
    def player_families(self) -> tuple[str, ...]:
        """The families to which a run without a model is limited; empty if it is not."""
        is_without_model = self.model is not None and self.spec.settings.model == ""
        return self.opened.player_families if is_without_model else ()

    def _command_with_model(self, names: Sequence[str]) -> str:
        """Return the command that plays the same tasks with a model."""
        benchmark = self.spec.settings.benchmark
        words = ["run", *names]
        if benchmark != RunSettings.model_fields["benchmark"].default:
            words += ["--benchmark", benchmark]
        return invocation(*words, "--model", "NAME")

    def recorded_tasks(self, names: Sequence[str]) -> tuple[str, ...]:
        """Return the recorded tasks with these names or families, all without names; without a recording, the names.

        Raises `UsageError` for a name of nothing recorded, and for several worlds.
        """
        if self.recording is None:
            return tuple(names)
        tasks = {task: (task, task.rpartition(".")[0]) for task in self.recording.scores}
        known = sorted({family for _, family in tasks.values()})
        if unknown := next(
            (name for name in names if not any(name in own for own in tasks.values())), ""
        ):
            msg = f"the recorded model played no {unknown!r}{did_you_mean(unknown, known, most=20)}"
            raise UsageError(msg)
        if self.spec.settings.worlds > 1:
            msg = "the recorded model knows one world of each task: leave out --worlds"
            raise UsageError(msg)
        return tuple(
            task for task, own in tasks.items() if not names or not set(own).isdisjoint(names)
        )

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
        if self._server is not None:
            self._server.close()
        for endpoint in self.endpoints:
            endpoint.close()
        self.benchmark.close()

    def _bindings(self) -> SolverBindings | None:
        given = self.opened.bindings
        return given() if callable(given) else given

    def __enter__(self) -> RunResources:
        return self

    def __exit__(self, *failure: object) -> None:
        self.close()


def local_model(
    settings: RunSettings,
    benchmark: Benchmark,
    *,
    script: str | None = None,
    plays_scripts: bool = True,
    players: Mapping[str, Model] = MappingProxyType({}),
) -> Model | None:
    """Return the scripted model or the player that the settings name; None if they name a model at an endpoint.

    `players` are the benchmark's models that play by a name of their own.

    `script` is the text of the file of replies, if known; `plays_scripts` says whether a player can play. Raises
    `UsageError`.
    """
    name = settings.model
    if name in PLAYERS or name in players:
        if not plays_scripts:
            msg = (
                f"the solver {settings.agent!r} runs no scripts, which is all that a player by rules writes: name "
                "a model with --model or MODEL_ID, or scripted:FILE"
            )
            raise UsageError(msg)
        if name in players:
            return players[name]
        player = benchmark.player() or (named_modules.embedded_player() if name else None)
        if player is None:
            msg = (
                f"the benchmark {settings.benchmark!r} has no player of its own: name a model with --model or "
                "MODEL_ID (and its endpoint with OPENAI_BASE_URL, its key with OPENAI_API_KEY), or scripted:FILE"
            )
            raise UsageError(msg)
        return player
    if name in ("scripted", "scripted:"):
        msg = "--model scripted needs the file of its replies: --model scripted:FILE"
        raise UsageError(msg)
    return scripted_model(name, script) if name.startswith("scripted:") else None


def scripted_model(name: str, script: str | None = None) -> ScriptedModel:
    """Return the model that `scripted:FILE` names. Raises `UsageError`."""
    try:
        return ScriptedModel.from_file(Path(with_home(name.removeprefix("scripted:"))), script)
    except ValueError as error:
        raise UsageError(str(error)) from error


class RetryingModel(Model):
    """A model for solvers that are not ours: it replies to sessions alone, and retries transient failures."""

    def __init__(self, model: Model, retry: ModelRetry, on_retry: Callable[[str], None]) -> None:
        self.name = model.name
        self._model, self._retry, self._on_retry = model, retry, on_retry

    def reply_to(self, request: ModelRequest) -> Reply:
        permit = request.permit
        if permit is None or not permit.use():
            msg = "one reply is asked for with session.ask(...), which counts and records it"
            raise RuntimeError(msg)
        return self._retry.ask(lambda: self._model.reply_to(request), self._on_retry)


def _check_price(settings: ModelSettings, limit: str) -> None:
    """Raise `UsageError` if the price of replies is unknown, so that the limit in USD could not be kept."""
    host = urlsplit(settings.base_url).hostname or ""
    states_cost = host.endswith("openrouter.ai")
    if (
        not states_cost
        and (settings.prices or public_price(settings.model, settings.base_url)) is None
    ):
        msg = f"{limit}: the price of {settings.model} is unknown, so the limit cannot be kept; {PRICE_REMEDY}"
        raise UsageError(msg)


@contextlib.contextmanager
def opened_model(settings: ModelSettings) -> Iterator[Model]:
    """Open the model that the settings name, for requests outside of trials. Raises `UsageError`."""
    if settings.model.startswith("scripted:"):
        yield scripted_model(settings.model)
        return
    with contextlib.closing(open_endpoint(settings)) as endpoint:
        yield PricedModel(endpoint, base_url=settings.base_url, prices=settings.prices)


def open_endpoint(settings: ModelSettings, capabilities: Iterable[Capabilities] = ()) -> Endpoint:
    """Return the endpoint that the settings name. `capabilities` were learned earlier. Raises `UsageError`."""
    # These import an HTTP client, which is slow.
    from controlplane.agent.endpoint import Endpoint, EndpointSettings

    headers, secrets = _headers(settings.model_headers)
    endpoint_settings = EndpointSettings(
        model=settings.model,
        base_url=settings.base_url or None,
        api_key=_api_key(settings),
        api=settings.api,
        reply_mode=None if settings.reply_mode == "auto" else ReplyMode(settings.reply_mode),
        max_output_tokens=settings.max_output_tokens,
        temperature=settings.temperature,
        top_p=settings.top_p,
        seed=settings.sampling_seed,
        reasoning_effort=settings.reasoning_effort,
        thinking_back=settings.thinking_back,
        timeout_s=settings.model_timeout,
        headers=headers,
        secrets=secrets,
        body=settings.model_body,
    )
    learned = {(one.endpoint, one.model): one for one in capabilities}
    try:
        return Endpoint(
            endpoint_settings, learned.get((endpoint_settings.shown_url, endpoint_settings.model))
        )
    except ValueError as error:
        raise UsageError(str(error)) from error


def _headers(written: Mapping[str, str]) -> tuple[dict[str, str], tuple[str, ...]]:
    """Return headers with variables replaced by their values, and these secret values. Raises `UsageError`."""
    headers, secrets = dict(written), []
    for name, value in written.items():
        if variable := variable_in(value):
            headers[name] = os.environ.get(variable, "").strip()
            if not (headers[name] and headers[name].isascii() and headers[name].isprintable()):
                msg = f"the header {name} needs {value}: set {variable} in the environment to a header's value"
                raise UsageError(msg)
            secrets.append(headers[name])
    return headers, tuple(secrets)


def _api_key(settings: ModelSettings) -> str:
    key = os.environ.get(settings.api_key_env, "").strip()
    if not (key.isascii() and key.isprintable()):
        msg = (
            f"{settings.api_key_env} holds characters that no key has (a line break, a letter beyond ASCII); "
            "set it again"
        )
        raise UsageError(msg)
    if not key and not settings.base_url:
        meant = (
            "; or did you mean 'baseline'?" if nearest_name(settings.model, ["baseline"]) else ""
        )
        msg = (
            f"the model {settings.model!r} needs a key in {settings.api_key_env}, "
            f"or OPENAI_BASE_URL of an endpoint without keys{meant}"
        )
        raise UsageError(msg)
    return key


def parse_gates(text: str) -> dict[str, Enforcement]:
    """Return the overrides of `all`, `none`, `1,4,8` (these alone) or `6=off,6/unmade-change=off,ecom/return=ask`.

    Raises `ValueError` that names the first invalid part.
    """
    parts = [part.strip() for part in text.split(",")]
    chosen = {part for part in parts if "=" not in part}
    overrides: dict[str, Enforcement] = {}
    if chosen - {"all"}:
        numbers = set(map(str, ALL_GATES))
        if not chosen <= numbers | {"none"} or ("none" in chosen and len(chosen) > 1):
            unknown = sorted(chosen - numbers - {"all", "none"})
            if not unknown:
                msg = f"{text!r} is not a gate, nor a list of gates such as 1,4,8: give all or none alone"
                raise ValueError(msg)
            near_name = nearest_name(unknown[0], ["all", "none"], least=0.5)
            hint = f"; did you mean {near_name!r}?" if near_name else ""
            msg = (
                f"{unknown[0]!r} is not a gate: give all, none, or gates from 1 to 8 as 1,4,8{hint}"
            )
            raise ValueError(msg)
        overrides |= dict.fromkeys(sorted(numbers - chosen), "off")
    for part in parts:
        key, equals, value = part.partition("=")
        if not equals:
            continue
        enforcement = next((known for known in ENFORCEMENTS if known == value), None)
        if enforcement is None or not key:
            near_name = nearest_name(value, ENFORCEMENTS, least=0.5)
            hint = f"; did you mean {near_name!r}?" if near_name else ""
            msg = f"{part!r} sets no enforcement: write NAME=block, NAME=ask or NAME=off{hint}"
            raise ValueError(msg)
        overrides[key] = enforcement
    return overrides


def gate_policy(gates: str, rules: str, rule_sets: Iterable[str] = ()) -> GatePolicy:
    """Return the enforcement of gates, rules and rule sets under the settings `gates` and `rule_sets`. Raises
    `UsageError` for a malformed text, and for an unknown gate, rule or rule set."""
    rule_sets = tuple(rule_sets)
    load_rule_sets([name for name in rule_sets if not is_product_rule_set(name)])
    overrides: dict[str, Enforcement] = {}
    for name, text in (
        ("gates", gates),
        ("rule-sets", ",".join(["all", *(part for part in _parts(rules) if "=" in part)])),
    ):
        with as_usage_error(f"--{name}", ValueError):
            changes = parse_gates(text)
        if not changes:
            continue
        from controlplane.gates.rules import rule_keys

        keys = sorted(rule_keys(load_rule_sets(rule_sets)))
        if unknown := next((key for key in changes if key not in keys), ""):
            msg = f"--{name}: there is no gate or rule {unknown!r}{did_you_mean(unknown, keys)}"
            raise UsageError(msg)
        overrides |= changes
    return GatePolicy(overrides)


def rule_set_names(
    rules: str, of_benchmark: Callable[[], Iterable[str]], gates: str = "all"
) -> tuple[str, ...]:
    """Return the rule sets that the setting `rule_sets` names; `of_benchmark` returns the benchmark's, which the
    setting `gates` switches off with all gates. An enforcement (`ecom=ask`, `ecom/checklist=off`) also names its rule
    set."""
    named = [part for part in _parts(rules) if "=" not in part]
    is_off = "none" in named or (gates == "none" and set(named) <= {"auto"})
    rule_sets = [] if is_off else [*of_benchmark()] if "auto" in named or not named else []
    rule_sets += [part for part in named if part not in ("auto", "none")]
    set_for = (part.partition("=")[0].partition("/")[0] for part in _parts(rules) if "=" in part)
    return tuple(
        dict.fromkeys([*rule_sets, *(name for name in set_for if is_product_rule_set(name))])
    )


def _parts(rules: str) -> list[str]:
    return [part.strip() for part in rules.split(",") if part.strip()]


def context_tokens_of(name: str, models: Sequence[ListedModel]) -> int | None:
    """Return the tokens of a model's context by an endpoint's list; None if the list does not say.

    A server of one model, such as llama.cpp, takes any name for it.
    """
    if len(models) == 1:
        return models[0].context_tokens
    for model in models:
        if model.model_id == name:
            return model.context_tokens
    return None


def loop_settings(settings: RunSettings) -> LoopSettings:
    """Return the settings of every trial. Raises `UsageError`."""
    with as_usage_error("--isolation", ValueError):
        isolation = parse_isolation(settings.isolation)
    is_asked = settings.benchmark.partition(":")[0] == "files"  # a person waits, who can read prose
    return LoopSettings(
        budget=BudgetLimits(
            settings.max_steps,
            extra_steps=min(5, settings.max_steps // 7),
            prose_replies=2 if is_asked else 10,
            same_scripts=settings.same_scripts,
            trial_time_s=settings.trial_time,
        ),
        context_tokens=settings.role.get("solve", settings).max_context_tokens,
        initial_prompt_chars=settings.initial_prompt_chars,
        limits=Limits(step_wall_s=min(settings.step_time, settings.trial_time)),
        isolation=isolation,
        patience_s=settings.model_patience,
        switches_reply_mode=settings.reply_mode == "auto",
        replies_in_fences=settings.role.get("solve", settings).reply_mode == "text",
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


def check_isolation(server: ForkServer, isolation: frozenset[Layer]) -> None:
    """Wait for the server; raise `UsageError` unless every layer of `isolation` works, `Unreachable` if it does not
    start."""
    try:
        missing = missing_layer(server, isolation)
    except SandboxBroken as error:
        raise Unreachable(str(error)) from error
    if missing:
        raise UsageError(missing)


def rule_sets_here(journal: Journal, *, is_trusted: bool = False) -> tuple[str, ...]:
    """Return the rule sets of a journal's run that may be imported: without trust, only the product's own rule sets of
    somebody else's journal."""
    rule_sets = journal.opened.rule_sets
    return (
        rule_sets
        if journal.is_own or is_trusted
        else tuple(name for name in rule_sets if is_product_rule_set(name))
    )


def recorded_prompts(journal: Journal) -> Prompts | None:
    """Return the prompt texts that a journal's run started with; None if its solver asked no model. Prompts that only
    this version has are the product's own."""
    recorded = (event.texts for event in journal.events_of_run() if isinstance(event, RunPrompts))
    texts = {prompt.name: prompt.text for prompt in next(recorded, ())}
    hints = texts.pop(HINTS, "")
    return Prompts(texts={**default_prompts().texts, **texts}, hints=hints) if texts else None
