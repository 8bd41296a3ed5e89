"""Opens the models of a run: the solver's, and those that the benchmark and the gates ask."""

from __future__ import annotations

from dataclasses import dataclass

from controlplane.agent.model import (
    BENCHMARK_ROLES,
    REVIEWER,
    Model,
    RoleModels,
    ScriptedModel,
)
from controlplane.benchmark import OpenedBenchmark
from controlplane.configuration.run_settings import RunSettings
from controlplane.errors import UsageError
from controlplane.lifecycle.resources.models.players import (
    PLAYERS,
    model_without_endpoint,
)
from controlplane.lifecycle.resources.models.run_models import RunModels
from controlplane.lifecycle.resources.run_spec import RunSpec
from controlplane.solver import SolverSpec


@dataclass(frozen=True, slots=True)
class SolverModels:
    """Opens the models that `--model` and `--role` name, for one solver.

    A role is a kind of request to a model, such as `solve`, `check_draft` or `grade`. `--role` names
    another model for one role, by a profile: `--role check_draft=fast`. `--model` is for all others.
    """

    spec: RunSpec
    opened: OpenedBenchmark
    models: RunModels
    """Opens the model that settings describe."""
    solver: SolverSpec
    """What the solver declares, such as its own roles."""

    @property
    def settings(self) -> RunSettings:
        return self.spec.settings

    def open_main_model(self, recording: ScriptedModel | None) -> Model:
        """Return the model that `--model` names. Raises `UsageError`.

        It is a player (a program that writes scripts by rules), the `recording` of a
        model's replies, or a model at an endpoint.
        """
        runs_scripts = self.solver.plays_scripts
        if recording is not None and not runs_scripts:
            msg = f"the recorded model writes scripts, which the solver {self.settings.agent!r} does not run"
            raise UsageError(msg)
        model = model_without_endpoint(
            self.settings,
            self.opened.benchmark,
            script=self.spec.script,
            plays_scripts=runs_scripts,
            players=self.opened.players,
        )
        return model or recording or self.models.open_model(self.settings)

    def open_roles_of_solver(self, main_model: Model) -> Model:
        """Return a model for the solver that passes requests in some roles to other models.

        Without such roles, it is the main model. Raises `UsageError`.
        """
        by_role = {}
        for role, settings in self.settings.role.items():
            if role in self.solver.roles:
                by_role[str(role)] = self.models.open_model(settings)
        return RoleModels(main_model, by_role) if by_role else main_model

    def open_side_models(self, main_model: Model | None) -> dict[str, Model]:
        """Return the models for others than the solver, by role. Raises `UsageError`.

        The benchmark's grader and simulated user ask the main model, unless `--role`
        names others. A second reader reviews answers if `--role` names one, and the
        solver has no reviewer of its own.
        """
        by_role: dict[str, Model] = {}
        if main_model is not None and not self._is_played_by_rules:
            by_role.update(dict.fromkeys(BENCHMARK_ROLES, main_model))

        settings_by_role = self.settings.role
        for role, settings in settings_by_role.items():
            if role in BENCHMARK_ROLES:
                by_role[role] = self.models.open_model(settings)
        # The user writes `review` for both kinds of reviewers. If the solver has the role
        # itself, `open_roles_of_solver` has opened the model.
        if "review" in settings_by_role and "review" not in self.solver.roles:
            by_role[REVIEWER] = self.models.open_model(settings_by_role["review"])
        return by_role

    @property
    def _is_played_by_rules(self) -> bool:
        """True if `--model` names a player, a program that can only write scripts."""
        name = self.settings.model
        return name in PLAYERS or name in self.opened.players
