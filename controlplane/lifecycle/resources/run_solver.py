"""Opens the solver of a run, with the models and prompts that it uses."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

from controlplane.agent.evidence import ApproveCall
from controlplane.agent.loop import (
    LoopSettings,
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
from controlplane.benchmark import OpenedBenchmark
from controlplane.configuration import named_modules
from controlplane.configuration.run_settings import RunSettings
from controlplane.errors import UsageError, as_usage_error
from controlplane.journal.run_events import HINTS, RunPrompts
from controlplane.lifecycle.resources.models import (
    PLAYERS,
    RunModels,
    SideModels,
    model_without_endpoint,
)
from controlplane.sandbox import ForkServer
from controlplane.solver import SOLVERS, Solver, SolverSpec, SolverTools, chosen_parts

if TYPE_CHECKING:
    from controlplane.agent.exoskeleton import SolverBindings
    from controlplane.journal.journal_reader import Journal
    from controlplane.mcp.tool_access import ToolAccess

# The model that a user's own solver gets.


class _PermittedModel(Model):
    """Wraps the model that a user's own solver gets, and refuses what would not be counted.

    A solver must ask through `session.ask(...)`, which counts and records requests,
    and adds a permit to each. This model refuses a request without a permit, which
    would be neither counted nor recorded.
    """

    def __init__(self, model: Model) -> None:
        self.name = model.name
        self._model = model

    def reply_to(self, request: ModelRequest) -> Reply:
        """Return the reply.

        Raises `ModelError`, or `RuntimeError` for a request without a permit.
        """
        # `use` returns False for a permit that was used before: it is for one request.
        permit = request.permit
        if permit is None or not permit.use():
            msg = "one reply is asked for with session.ask(...), which counts and records it"
            raise RuntimeError(msg)
        return self._model.reply_to(request)


# The description of a run's resources, from which any process can open them.


@dataclass(frozen=True, slots=True)
class RunSpec:
    """Describes the `RunResources` to open. It has no secrets, which come from the environment."""

    settings: RunSettings
    rule_sets: tuple[str, ...] | None = None
    """The names of the rule sets. None: take them from
    the settings or, failing that, the benchmark."""
    script: str | None = None
    """The text of FILE if the model is `scripted:FILE`. None: read the file."""
    prompts: Prompts | None = None
    """The prompt texts. None: read the files that the settings name."""
    capabilities: tuple[Capabilities, ...] = ()
    """What an earlier process of the run has learned about endpoints,
    such as a parameter that one refuses."""
    tools: ToolAccess | None = None
    """The MCP servers that the user named for this process; never taken from a journal."""
    approve: ApproveCall | None = None
    """Asks the user whether to make a call that `--provenance
    approve` has stopped. None: there is no user to ask."""
    opened: OpenedBenchmark | None = None
    """A benchmark that is already open. None: open the one that the settings name."""
    solver: SolverSpec | None = None
    """A solver given as an object. None: use the one that the settings name."""

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
        return self.tools is not None and self.tools.approve is not None


# The prompt texts of a run: read from the user's files, or from the run's journal.


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
    """Return the prompt texts that a run started with; None if its solver asked no model.

    A journal of an earlier version may lack a text.
    Then the result has the current one.
    """
    for event in journal.events_of_run():
        if isinstance(event, RunPrompts):
            texts = {prompt.name: prompt.text for prompt in event.texts}
            hints = texts.pop(HINTS, "")
            if not texts:
                return None
            return Prompts(texts={**default_prompts().texts, **texts}, hints=hints)
    return None


@dataclass(frozen=True, slots=True)
class SolverSetup:
    """The solver of a run, with what was opened for it."""

    solver: Solver | None = None
    """None if this process plays no trials."""
    model: Model | None = None
    """The model that the solver asks; None if it asks none."""
    prompts: Prompts | None = None
    """The prompt texts; None if it asks no model."""
    side_models: SideModels = field(default_factory=SideModels)
    offers_functions: bool = True
    """False if the user has switched off the part that offers the benchmark's functions."""


def open_solver(
    spec: RunSpec,
    opened: OpenedBenchmark,
    models: RunModels,
    loop: LoopSettings,
    script_server: Callable[[], ForkServer],
    recording: ScriptedModel | None,
) -> SolverSetup:
    """Open the models, and then the solver, which gets them. Raises `UsageError`.

    - `opened`: the benchmark, and what it declares, such as its own players.
    - `models`: opens models, and closes them at the end of the run.
    - `loop`: how solvers work on a trial: limits of steps and time, isolation, prompts.
    - `script_server`: returns the server that starts the processes of scripts.
    - `recording`: a model that gives recorded replies; None unless the settings name one.
    """
    # 1. What the solver declares: its parts, which a user may switch off, and its roles,
    #    for each of which it asks a model.
    settings = spec.settings
    # Raise `UsageError` if the tasks use an MCP server that the user has not named.
    named = spec.tools.servers if spec.tools is not None else {}
    for name in opened.servers:
        if name not in named:
            msg = f"tasks use the MCP server {name}: name it with --mcp {name}=COMMAND, or in controlplane.toml"
            raise UsageError(msg)
    declared = spec.solver or named_modules.find_solver(settings.agent)
    parts = chosen_parts(settings.parts, declared.parts, settings.agent)

    # 2. The models of these roles, and the prompts for them. A solver without roles, such
    #    as an external program, asks no model and needs no prompts. `--role` names another model
    #    for one role, by a profile: `--role check_draft=fast`. A role is a kind of request to a
    #    model, such as `solve`, `check_draft` or `grade`. `--model` is for all others.
    prompts = spec.prompts
    main_model = None
    model = None
    if declared.roles:
        prompts = prompts or prompts_named_by(settings)
        loop = replace(loop, prompts=prompts)
        main_model = _main_model(spec, opened, models, declared, recording)
        model = main_model
        by_role = {}
        for role, role_settings in settings.role.items():
            if role in declared.roles:
                by_role[str(role)] = models.open_model(role_settings)
        if by_role:
            model = RoleModels(main_model, by_role)
        # The product's own solvers ask only by their sessions.
        if settings.agent not in SOLVERS:
            model = _PermittedModel(model)

    # 3. The models beside the solver, such as one that reads accepted answers
    side_models = _side_models(settings, opened, models, declared, main_model)

    # 4. The solver, which gets all this
    tools = SolverTools(
        model=model,
        loop=loop,
        sandbox_server=script_server,
        parts=parts,
        find_bindings=lambda: _bindings_of(opened),
    )
    solver = declared.open(tools)
    if not callable(getattr(solver, "solve", None)):
        msg = f"the agent {settings.agent!r} opens {solver!r}, which has no solve(session)"
        raise UsageError(msg)
    return SolverSetup(
        solver=solver,
        model=model,
        prompts=prompts,
        side_models=side_models,
        offers_functions=not declared.functions_part
        or declared.functions_part in parts,
    )


def _main_model(
    spec: RunSpec,
    opened: OpenedBenchmark,
    models: RunModels,
    declared: SolverSpec,
    recording: ScriptedModel | None,
) -> Model:
    """Return the model that `--model` names. Raises `UsageError`.

    It is a player (a program that writes scripts by rules), the `recording` of a
    model's replies, or a model at an endpoint.
    """
    settings = spec.settings
    if recording is not None and not declared.plays_scripts:
        msg = f"the recorded model writes scripts, which the solver {settings.agent!r} does not run"
        raise UsageError(msg)
    model = model_without_endpoint(
        settings,
        opened.benchmark,
        script=spec.script,
        plays_scripts=declared.plays_scripts,
        players=opened.players,
    )
    return model or recording or models.open_model(settings)


def _side_models(
    settings: RunSettings,
    opened: OpenedBenchmark,
    models: RunModels,
    declared: SolverSpec,
    main_model: Model | None,
) -> SideModels:
    """Return the models for others than the solver. Raises `UsageError`.

    The benchmark's grader and simulated user ask the main model, unless `--role`
    names others. A second reader reviews answers if `--role` names one, and the
    solver has no reviewer of its own.
    """
    # A player is a program that can only write scripts.
    is_player = settings.model in (*PLAYERS, *opened.players)
    by_role: dict[str, Model] = {}
    if main_model is not None and not is_player:
        by_role.update(dict.fromkeys(BENCHMARK_ROLES, main_model))
    for role, role_settings in settings.role.items():
        if role in BENCHMARK_ROLES:
            by_role[role] = models.open_model(role_settings)
    # The user writes `review` for both kinds of reviewers. If the solver has the role
    # itself, `open_solver` has opened the model.
    if "review" in settings.role and "review" not in declared.roles:
        by_role[REVIEWER] = models.open_model(settings.role["review"])
    return SideModels(by_role)


def _bindings_of(opened: OpenedBenchmark) -> SolverBindings | None:
    """Return the benchmark's description of its workspace; None if it has none."""
    bindings = opened.bindings
    return bindings() if callable(bindings) else bindings
