"""Opens the solver of a run, and the models that it and the benchmark ask."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from controlplane.agent.loop import LoopSettings, ModelRetry, Prompts
from controlplane.agent.model import (
    BENCHMARK_ROLES,
    REVIEWER,
    Model,
    ModelRequest,
    Reply,
    RoleModels,
    ScriptedModel,
)
from controlplane.agent.retry.run_budget import RunBudget
from controlplane.benchmark import OpenedBenchmark
from controlplane.configuration import named_modules
from controlplane.configuration.run_settings import RunSettings
from controlplane.errors import UsageError
from controlplane.lifecycle.resources.notices import Notices
from controlplane.lifecycle.resources.run_models import (
    PLAYERS,
    RetryingModel,
    RunModels,
    model_without_endpoint,
)
from controlplane.lifecycle.resources.run_prompts import prompts_named_by
from controlplane.lifecycle.resources.run_spec import RunSpec
from controlplane.sandbox import ForkServer
from controlplane.solver import SOLVERS, Solver, SolverSpec, SolverTools, chosen_parts

if TYPE_CHECKING:
    from controlplane.agent.exoskeleton import SolverBindings


class SideModels:
    """The models that others than the solver ask.

    They are those of the benchmark's grader, of its simulated user, and of the second
    reader of answers.
    """

    def __init__(self, new_retry: Callable[[], ModelRetry]) -> None:
        self._new_retry = new_retry
        self._by_role: dict[str, Model] = {}

    def add(self, role: str, model: Model) -> None:
        """Let `model` answer requests in this role, such as `grade`, in place of an earlier one."""
        self._by_role[role] = model

    @property
    def has_reviewer(self) -> bool:
        """True if a second reader reads answers."""
        return REVIEWER in self._by_role

    def ask(self, request: ModelRequest, on_retry: Callable[[str], None]) -> Reply:
        """Return the reply to a request.

        Raises `ModelError`, or `UsageError`
        if the user has named no model for the role.
        """
        model = self._by_role.get(request.role)
        if model is None:
            msg = f"the benchmark asks a model ({request.role}): name one with --role {request.role}=PROFILE"
            raise UsageError(msg)
        return self._new_retry().ask(lambda: model.reply_to(request), on_retry)


@dataclass(frozen=True, slots=True)
class SolverSetup:
    """The solver of a run, with what was opened for it."""

    solver: Solver
    model: Model | None
    """The model that the solver asks; None if it asks none."""
    prompts: Prompts | None
    """The prompt texts; None if it asks no model."""
    side_models: SideModels
    offers_functions: bool
    """False if the user has switched off the part that offers the benchmark's functions."""


@dataclass(frozen=True, slots=True)
class SolverOpener:
    """Opens the solver of a run. `open_setup` is called once."""

    spec: RunSpec
    opened: OpenedBenchmark
    models: RunModels
    loop: LoopSettings
    budget: RunBudget
    notices: Notices
    new_retry: Callable[[], ModelRetry]
    script_server: Callable[[], ForkServer]
    """Returns the server that starts the processes of scripts."""

    @property
    def settings(self) -> RunSettings:
        return self.spec.settings

    def open_setup(self, recording: ScriptedModel | None) -> SolverSetup:
        """Open the models, and then the solver, which gets them. Raises `UsageError`.

        `recording` is a model that gives recorded replies, if the settings name one.
        """
        self._check_servers()
        declared = self.spec.solver or named_modules.find_solver(self.settings.agent)
        parts = chosen_parts(self.settings.parts, declared.parts, self.settings.agent)

        loop = self.loop
        prompts = self.spec.prompts
        model = None
        side_models = SideModels(self.new_retry)
        if declared.roles:
            prompts = prompts or prompts_named_by(self.settings)
            loop = replace(loop, prompts=prompts)
            main_model = self._main_model(declared, recording)
            self._lend_to_benchmark(main_model, side_models)
            model = self._model_for_solver(main_model, declared)
        self._open_side_models(side_models, declared)

        tools = SolverTools(
            model=model,
            loop=loop,
            sandbox_server=self.script_server,
            budget=self.budget,
            parts=parts,
            find_bindings=self._bindings,
        )
        return SolverSetup(
            solver=self._opened_solver(declared, tools),
            model=model,
            prompts=prompts,
            side_models=side_models,
            offers_functions=_offers_functions(declared, parts),
        )

    def _check_servers(self) -> None:
        """Raise `UsageError` if the tasks use an MCP server that the user has not named."""
        tools = self.spec.tools
        named = tools.servers if tools is not None else {}
        for name in self.opened.servers:
            if name not in named:
                msg = f"tasks use the MCP server {name}: name it with --mcp {name}=COMMAND, or in controlplane.toml"
                raise UsageError(msg)

    def _opened_solver(self, declared: SolverSpec, tools: SolverTools) -> Solver:
        solver = declared.open(tools)
        if not callable(getattr(solver, "solve", None)):
            msg = f"the agent {self.settings.agent!r} opens {solver!r}, which has no solve(session)"
            raise UsageError(msg)
        return solver

    def _bindings(self) -> SolverBindings | None:
        """Return the benchmark's description of its workspace; None if it has none."""
        bindings = self.opened.bindings
        return bindings() if callable(bindings) else bindings

    # The solver's model

    def _main_model(
        self, declared: SolverSpec, recording: ScriptedModel | None
    ) -> Model:
        """Return the model that `--model` names. Raises `UsageError`.

        It is a player (a program that writes scripts by rules), recorded replies, or a
        model at an endpoint.
        """
        if recording is not None and not declared.plays_scripts:
            msg = f"the recorded model writes scripts, which the solver {self.settings.agent!r} does not run"
            raise UsageError(msg)
        model = model_without_endpoint(
            self.settings,
            self.opened.benchmark,
            script=self.spec.script,
            plays_scripts=declared.plays_scripts,
            players=self.opened.players,
        )
        return model or recording or self.models.open_model(self.settings)

    def _model_for_solver(self, main_model: Model, declared: SolverSpec) -> Model:
        """Return the model that the solver gets. Raises `UsageError`.

        With `--role`, it passes requests in some roles, such as `check_draft`, to other
        models. For a user's own solver, it retries failed requests.
        """
        by_role = {}
        for role, settings in self.settings.role.items():
            if role in declared.roles:
                by_role[str(role)] = self.models.open_model(settings)
        model = RoleModels(main_model, by_role) if by_role else main_model

        retries_itself = self.settings.agent in SOLVERS
        if retries_itself:
            return model
        return RetryingModel(model, self.new_retry(), self.notices.show)

    # The models of the grader, the simulated user and the second reader of answers

    def _lend_to_benchmark(self, model: Model, side_models: SideModels) -> None:
        """Let the grader and the simulated user ask the main model, unless `--role` names others.

        A player can be neither of them, as it is a program that only writes scripts.
        """
        name = self.settings.model
        is_player = name in PLAYERS or name in self.opened.players
        if not is_player:
            for role in BENCHMARK_ROLES:
                side_models.add(role, model)

    def _open_side_models(self, side_models: SideModels, declared: SolverSpec) -> None:
        """Open the models that `--role` names for others than the solver. Raises `UsageError`.

        These are the benchmark's grader and simulated user, and the reader that reviews
        answers, unless the solver has a reviewer of its own.
        """
        settings_by_role = self.settings.role
        for role, settings in settings_by_role.items():
            if role in BENCHMARK_ROLES:
                side_models.add(role, self.models.open_model(settings))
        if "review" in settings_by_role and "review" not in declared.roles:
            reviewer = self.models.open_model(settings_by_role["review"])
            side_models.add(REVIEWER, reviewer)


def _offers_functions(declared: SolverSpec, parts: frozenset[str]) -> bool:
    """Return False if the part of the solver that offers the benchmark's functions is off."""
    return not declared.functions_part or declared.functions_part in parts
