"""The tasks of a benchmark that a run can play.

A model can play all of them. A player (a program with fixed rules) plays the
families of tasks that it has rules for. A recording (of a model's replies) plays
the tasks that were recorded.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from controlplane.agent.model import ScriptedModel
from controlplane.benchmark import Description, family_of
from controlplane.configuration.run_settings import RunSettings
from controlplane.errors import UsageError, did_you_mean, invocation


@dataclass(frozen=True, slots=True)
class PlayableTasks:
    """The tasks that a run can play, by its settings."""

    settings: RunSettings
    player_families: tuple[str, ...]
    """If a player plays the run, the families of tasks that it has rules for.
    Empty for a player of all tasks, and for a run with a model."""
    recording: ScriptedModel | None
    """The recording that plays the run; None if something else does."""
    describe: Callable[[], Description]
    """Returns the benchmark's description. Raises `UsageError` and `Unreachable`."""

    def chosen_by(self, names: Sequence[str]) -> tuple[str, ...]:
        """Return the names of tasks and families to play; empty for all tasks of the benchmark.

        They are `names` or, without them, all that the run can play. Raises
        `UsageError` for a name that cannot be played.
        """
        if self.recording is not None:
            return self._recorded_tasks(self.recording, names)
        if self.player_families and not names:
            return self.player_families
        if self.player_families:
            self._check_player_has_rules(names)
        return tuple(names)

    def _check_player_has_rules(self, names: Sequence[str]) -> None:
        """Raise `UsageError` for a name of a task or family that the player has no rules for.

        Unknown names pass here, since the benchmark refuses them.
        """
        description = self.describe()
        known_families = {family_of(task.task_id) for task in description.tasks}
        # These families have a task for every number, and the benchmark may list none of them.
        known_families.update(description.numbered_families)
        for name in names:
            is_family = name in known_families  # else a task, such as `plan.3`
            family = name if is_family else family_of(name)
            if family in known_families and family not in self.player_families:
                msg = (
                    f"the rule-based player has no rules for {name!r}; "
                    f"name a model: {self._command_with_model(names)} (docs/models.md)"
                )
                raise UsageError(msg)

    def limit_notice(self) -> str:
        """Return a notice of how many tasks the benchmark's player has rules for; empty if all."""
        if not self.player_families:
            return ""
        tasks = self.describe().tasks
        playable = [
            task for task in tasks if family_of(task.task_id) in self.player_families
        ]
        if len(playable) == len(tasks):
            return ""
        return (
            f"the rule-based player has rules for {len(playable)} of {len(tasks)} tasks; "
            "only these are played and count in the mean score; "
            f"the others need a model: {self._command_with_model(())} (docs/models.md)"
        )

    def _recorded_tasks(
        self, recording: ScriptedModel, names: Sequence[str]
    ) -> tuple[str, ...]:
        """Return the recorded tasks with these names or families; without names, all of them.

        Raises `UsageError` for a name that was not recorded, and for several worlds.
        """
        family_by_task = {}
        for task_id in recording.scores:
            family, _, _number = task_id.rpartition(".")  # `plan.3`
            family_by_task[task_id] = family
        families = sorted(set(family_by_task.values()))
        for name in names:
            if name not in family_by_task and name not in families:
                hint = did_you_mean(name, families, most=20)
                msg = f"the recorded model played no {name!r}{hint}"
                raise UsageError(msg)
        if self.settings.worlds > 1:
            msg = "the recorded model knows one world of each task: leave out --worlds"
            raise UsageError(msg)

        chosen: list[str] = []
        for task_id, family in family_by_task.items():
            if not names or task_id in names or family in names:
                chosen.append(task_id)
        return tuple(chosen)

    def _command_with_model(self, names: Sequence[str]) -> str:
        """Return the command that plays the same tasks with a model."""
        words = ["run", *names]
        if self.settings.benchmark != RunSettings.model_fields["benchmark"].default:
            words += ["--benchmark", self.settings.benchmark]
        return invocation(*words, "--model", "NAME")
