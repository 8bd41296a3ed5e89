"""The families of tasks that a benchmark's player, a program with fixed rules, can play."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from controlplane.benchmark import Benchmark
from controlplane.configuration.run_settings import RunSettings
from controlplane.errors import UsageError
from controlplane.lifecycle.resources.benchmark_description import describe_benchmark
from controlplane.program_invocation import invocation
from controlplane.task_families import family_of


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
