"""The families of tasks that a benchmark's player, a program with fixed rules, can play."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from controlplane.benchmark import Benchmark, BenchmarkError, Description
from controlplane.configuration.named_modules import as_command_error
from controlplane.configuration.run_settings import RunSettings
from controlplane.errors import UsageError
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


@dataclass(frozen=True, slots=True)
class PlayerRules:
    """What the player of a benchmark has rules for."""

    families: tuple[str, ...]
    benchmark: Benchmark
    benchmark_name: str
    """The name by which the user called the benchmark."""

    def check(self, names: Sequence[str]) -> None:
        """Raise `UsageError` for a name of a task or family that the player has no rules for.

        Unknown names pass here, since the benchmark refuses them.
        """
        description = describe_benchmark(self.benchmark, self.benchmark_name)
        known_families = {family_of(task.task_id) for task in description.tasks}
        # Families with a task for every number, such as `plan.1` to `plan.9999`. The benchmark
        # lists only some of these tasks, or none.
        known_families.update(description.numbered_families)
        for name in names:
            is_family = name in known_families  # else a task, such as `plan.3`
            family = name if is_family else family_of(name)
            if family in known_families and family not in self.families:
                msg = (
                    f"the rule-based player has no rules for {name!r}; "
                    f"name a model: {self._command_with_model(names)} (docs/models.md)"
                )
                raise UsageError(msg)

    def limit_notice(self) -> str:
        """Return a notice of how many tasks the player has rules for; empty if all."""
        tasks = describe_benchmark(self.benchmark, self.benchmark_name).tasks
        playable = [task for task in tasks if family_of(task.task_id) in self.families]
        if len(playable) == len(tasks):
            return ""
        return (
            f"the rule-based player has rules for {len(playable)} of {len(tasks)} tasks; "
            "only these are played and count in the mean score; "
            f"the others need a model: {self._command_with_model(())} (docs/models.md)"
        )

    def _command_with_model(self, names: Sequence[str]) -> str:
        """Return the command that plays the same tasks with a model."""
        words = ["run", *names]
        if self.benchmark_name != RunSettings.model_fields["benchmark"].default:
            words += ["--benchmark", self.benchmark_name]
        return invocation(*words, "--model", "NAME")
