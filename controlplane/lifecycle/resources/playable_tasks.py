"""The tasks of a benchmark that a run can play.

A model can play all of them. A player (a program with fixed rules) plays the
families of tasks that it has rules for. A recording (of a model's replies) plays
the tasks that were recorded.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from controlplane.agent.model import ScriptedModel
from controlplane.configuration.run_settings import RunSettings
from controlplane.errors import UsageError, did_you_mean
from controlplane.lifecycle.resources.player_rules import PlayerRules


@dataclass(frozen=True, slots=True)
class PlayableTasks:
    """The tasks that a run can play, by its settings."""

    settings: RunSettings
    player_rules: PlayerRules | None
    """The families of tasks that the run's player has rules for.
    None for a player of all tasks, and for a run with a model."""
    recording: ScriptedModel | None
    """The recording that plays the run; None if something else does."""

    def chosen_by(self, names: Sequence[str]) -> tuple[str, ...]:
        """Return the names of tasks and families to play. An empty result means all tasks.

        `names` are those of the user. Without any, a model plays all tasks, and a player or a
        recording those that it knows. Raises `UsageError` for a name that cannot be played.
        """
        if self.recording is not None:
            chosen = _recorded_tasks(self.recording, names)
            if self.settings.worlds > 1:
                msg = "the recorded model knows one world of each task: leave out --worlds"
                raise UsageError(msg)
            return chosen
        if self.player_rules is None:
            return tuple(names)
        if not names:
            return self.player_rules.families
        self.player_rules.check(names)
        return tuple(names)

    def limit_notice(self) -> str:
        """Return a notice of how many tasks the benchmark's player has rules for; empty if all."""
        if self.player_rules is None:
            return ""
        return self.player_rules.limit_notice()


def _recorded_tasks(recording: ScriptedModel, names: Sequence[str]) -> tuple[str, ...]:
    """Return the recorded tasks with these names or families; without names, all of them.

    Raises `UsageError` for a name that was not recorded.
    """
    _check_names(recording, names)
    chosen: list[str] = []
    for task_id in recording.scores:
        if not names or task_id in names or _recorded_family(task_id) in names:
            chosen.append(task_id)
    return tuple(chosen)


def _check_names(recording: ScriptedModel, names: Sequence[str]) -> None:
    """Raise `UsageError` for a name of a task or family that was not recorded."""
    families = {_recorded_family(task_id) for task_id in recording.scores}
    for name in names:
        if name not in recording.scores and name not in families:
            hint = did_you_mean(name, sorted(families), most=20)
            msg = f"the recorded model played no {name!r}{hint}"
            raise UsageError(msg)


def _recorded_family(task_id: str) -> str:
    """Return the family of a recorded task: `plan.3` -> `plan`."""
    return task_id.rpartition(".")[0]
