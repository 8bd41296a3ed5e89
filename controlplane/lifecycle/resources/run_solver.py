"""Opens the solver of a run, with the models and prompts that it uses."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from controlplane.agent.loop import LoopSettings, ModelRetry, Prompts
from controlplane.agent.model import Model, ScriptedModel
from controlplane.agent.retry.run_budget import RunBudget
from controlplane.benchmark import OpenedBenchmark
from controlplane.configuration import named_modules
from controlplane.errors import UsageError
from controlplane.lifecycle.resources.models.retrying_model import RetryingModel
from controlplane.lifecycle.resources.models.run_models import RunModels
from controlplane.lifecycle.resources.models.side_models import SideModels
from controlplane.lifecycle.resources.models.solver_models import SolverModels
from controlplane.lifecycle.resources.notices import Notices
from controlplane.lifecycle.resources.run_prompts import prompts_named_by
from controlplane.lifecycle.resources.run_spec import RunSpec
from controlplane.sandbox import ForkServer
from controlplane.solver import SOLVERS, Solver, SolverSpec, SolverTools, chosen_parts

if TYPE_CHECKING:
    from controlplane.agent.exoskeleton import SolverBindings


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
    """Opens the solver of a run, from what the run has opened before it.

    `open_setup` is called once.
    """

    spec: RunSpec
    opened: OpenedBenchmark
    """The benchmark, and what it declares, such as its own players."""
    models: RunModels
    """Opens models, and closes them at the end of the run."""
    loop: LoopSettings
    """How solvers work on a trial: limits of steps and time, isolation, prompts."""
    budget: RunBudget
    notices: Notices
    retry: ModelRetry
    """Repeats requests to models, within the run's budget."""
    script_server: Callable[[], ForkServer]
    """Returns the server that starts the processes of scripts."""

    def open_setup(self, recording: ScriptedModel | None) -> SolverSetup:
        """Open the models, and then the solver, which gets them. Raises `UsageError`.

        `recording` is a model that gives recorded replies; None unless the settings name one.
        """
        # 1. What the solver declares: its parts, which a user may switch off, and its roles,
        #    for each of which it asks a model.
        settings = self.spec.settings
        _check_servers(self.opened, self.spec)
        declared = self.spec.solver or named_modules.find_solver(settings.agent)
        parts = chosen_parts(settings.parts, declared.parts, settings.agent)

        # 2. The models of these roles, and the prompts for them. A solver without roles, such
        #    as an external program, asks no model and needs no prompts.
        solver_models = SolverModels(self.spec, self.opened, self.models, declared)
        loop = self.loop
        prompts = self.spec.prompts
        main_model = None
        model = None
        if declared.roles:
            prompts = prompts or prompts_named_by(settings)
            loop = replace(loop, prompts=prompts)
            main_model = solver_models.open_main_model(recording)
            model = solver_models.open_roles_of_solver(main_model)
            # The product's own solvers repeat failed requests themselves.
            is_own_solver = settings.agent in SOLVERS
            if not is_own_solver:
                model = RetryingModel(model, self.retry, self.notices.show)

        # 3. The models beside the solver, such as one that reads accepted answers
        side_models = SideModels(solver_models.open_side_models(main_model), self.retry)

        # 4. The solver, which gets all this
        tools = SolverTools(
            model=model,
            loop=loop,
            sandbox_server=self.script_server,
            budget=self.budget,
            parts=parts,
            find_bindings=lambda: _bindings_of(self.opened),
        )
        return SolverSetup(
            solver=_opened_solver(declared, tools, settings.agent),
            model=model,
            prompts=prompts,
            side_models=side_models,
            offers_functions=_offers_functions(declared, parts),
        )


def _check_servers(opened: OpenedBenchmark, spec: RunSpec) -> None:
    """Raise `UsageError` if the tasks use an MCP server that the user has not named."""
    named = spec.tools.servers if spec.tools is not None else {}
    for name in opened.servers:
        if name not in named:
            msg = f"tasks use the MCP server {name}: name it with --mcp {name}=COMMAND, or in controlplane.toml"
            raise UsageError(msg)


def _opened_solver(declared: SolverSpec, tools: SolverTools, agent: str) -> Solver:
    """Open the solver that the setting `agent` names. Raises `UsageError`."""
    solver = declared.open(tools)
    if not callable(getattr(solver, "solve", None)):
        msg = f"the agent {agent!r} opens {solver!r}, which has no solve(session)"
        raise UsageError(msg)
    return solver


def _bindings_of(opened: OpenedBenchmark) -> SolverBindings | None:
    """Return the benchmark's description of its workspace; None if it has none."""
    bindings = opened.bindings
    return bindings() if callable(bindings) else bindings


def _offers_functions(declared: SolverSpec, parts: frozenset[str]) -> bool:
    """Return False if the part of the solver that offers the benchmark's functions is off."""
    return not declared.functions_part or declared.functions_part in parts
