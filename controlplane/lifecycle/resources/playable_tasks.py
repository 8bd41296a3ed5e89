"""The tasks of a benchmark that a run can play.

A model can play all of them. A player (a program with fixed rules) plays the
families of tasks that it has rules for. A recording (of a model's replies) plays
the tasks that were recorded.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from controlplane.agent.model import ScriptedModel
from controlplane.benchmark import Benchmark, BenchmarkError, Description
from controlplane.configuration.named_modules import as_command_error
from controlplane.configuration.run_settings import RunSettings
from controlplane.errors import UsageError, did_you_mean
from controlplane.program_invocation import invocation
from controlplane.task_selection import family_of

if TYPE_CHECKING:
    from controlplane.lifecycle.resources.run_resources import RunResources

# Asks a benchmark what it is: its tasks, rule sets and the version of its worlds.


def describe_benchmark(benchmark: Benchmark, name: str) -> Description:
    """Return the description of the benchmark called `name`.

    Raises `UsageError` and `Unreachable`.
    """
    try:
        description: object = benchmark.describe()
    except BenchmarkError as error:
        raise as_command_error(error) from error
    if isinstance(description, Description):
        return description
    msg = f"describe() of the benchmark {name!r} returned {description!r}, not a Description"
    raise UsageError(msg)


def check_world(resources: RunResources, recorded_version: str, refusal: str) -> None:
    """Raise `UsageError` if the benchmark's worlds are no longer those of a recorded run.

    The message begins with `refusal`.
    """
    version = resources.opened.world_version
    if recorded_version == version:
        return
    recorded = "a version that its journal does not name"
    if recorded_version:
        recorded = f"version {recorded_version!r}"
    msg = (
        f"{refusal}: it began in {recorded} of the worlds of "
        f"{resources.settings.benchmark}, and this is version {version!r}, "
        "where its trials would continue in other worlds; start a new run"
    )
    raise UsageError(msg)


# The tasks to play: those that the user names, as far as what plays the run knows them.


def chosen_tasks(resources: RunResources, names: Sequence[str]) -> tuple[str, ...]:
    """Return the names of tasks and families to play. An empty result means all tasks.

    `names` are those of the user. Without any, a model plays all tasks, and a player or a
    recording those that it knows. Raises `UsageError` for a name that cannot be played.
    """
    if resources.recording is not None:
        chosen = _recorded_tasks(resources.recording, names)
        if resources.settings.worlds > 1:
            msg = "the recorded model knows one world of each task: leave out --worlds"
            raise UsageError(msg)
        return chosen
    if resources.player_families and not names:
        return resources.player_families
    if resources.player_families:
        # Raise `UsageError` for a name of a task or family that the player has no rules for.
        description = resources.describe()
        known_families = {family_of(task.task_id) for task in description.tasks}
        # Families with a task for every number, such as `plan.1` to `plan.9999`. The benchmark
        # lists only some of these tasks, or none.
        known_families.update(description.numbered_families)
        for name in names:
            is_family = name in known_families  # else a task, such as `plan.3`
            family = name if is_family else family_of(name)
            if family in known_families and family not in resources.player_families:
                command = _command_with_model(resources.settings, names)
                msg = (
                    f"the rule-based player has no rules for {name!r}; "
                    f"name a model: {command} (docs/models.md)"
                )
                raise UsageError(msg)
    return tuple(names)


def limit_notice(resources: RunResources) -> str:
    """Return a notice of how many tasks the benchmark's player has rules for; empty if all."""
    families = resources.player_families
    if not families:
        return ""
    tasks = resources.describe().tasks
    playable = [task for task in tasks if family_of(task.task_id) in families]
    if len(playable) == len(tasks):
        return ""
    command = _command_with_model(resources.settings, ())
    return (
        f"the rule-based player has rules for {len(playable)} of {len(tasks)} tasks; "
        "only these are played and count in the mean score; "
        f"the others need a model: {command} (docs/models.md)"
    )


def _command_with_model(settings: RunSettings, names: Sequence[str]) -> str:
    """Return the command that plays the same tasks with a model."""
    words = ["run", *names]
    if settings.benchmark != RunSettings.model_fields["benchmark"].default:
        words += ["--benchmark", settings.benchmark]
    return invocation(*words, "--model", "NAME")


def _recorded_tasks(recording: ScriptedModel, names: Sequence[str]) -> tuple[str, ...]:
    """Return the recorded tasks with these names or families; without names, all of them.

    Raises `UsageError` for a name that was not recorded.
    """
    families = {family_of(task_id) for task_id in recording.scores}
    for name in names:
        if name not in recording.scores and name not in families:
            hint = did_you_mean(name, sorted(families), most=20)
            msg = f"the recorded model played no {name!r}{hint}"
            raise UsageError(msg)
    chosen: list[str] = []
    for task_id in recording.scores:
        if not names or task_id in names or family_of(task_id) in names:
            chosen.append(task_id)
    return tuple(chosen)
