"""Grades the trials of a Harbor benchmark when they have ended, and removes their containers.

If grading fails, such as when the run is stopped, the container stays, and a resumed run
grades the trial again.
"""

from __future__ import annotations

from dataclasses import dataclass

from controlplane.benchmark import BenchmarkContext, BenchmarkError
from controlplane.benchmarks.containers.runtime_program import (
    CommandInterrupted,
    ContainerError,
)
from controlplane.benchmarks.harbor.harbor_settings import HarborSettings
from controlplane.benchmarks.harbor.players import SolutionPlayer
from controlplane.benchmarks.harbor.task_network import network_of
from controlplane.benchmarks.harbor.tasks.harbor_task import HarborTask
from controlplane.benchmarks.harbor.trial_containers import (
    TrialContainer,
    TrialContainers,
)
from controlplane.benchmarks.harbor.verifier import grade_of
from controlplane.local_benchmark.generated_trial import Grade
from controlplane.sandbox.interface import error_codes


@dataclass(frozen=True, slots=True)
class TrialGrading:
    """Grades trials by the verifiers of their tasks. Many threads share it."""

    settings: HarborSettings
    containers: TrialContainers
    solution_player: SolutionPlayer
    """Knows the tasks whose own solution was run, in place of a model."""
    context: BenchmarkContext

    def grade(self, task: HarborTask, opened: TrialContainer) -> Grade:
        """Run the verifier of a trial that has ended, and remove the container.

        Raises `BenchmarkError` with the code FAILED_PRECONDITION: a resumed run grades again.
        """
        container_settings = self.settings.containers
        network = network_of(task, container_settings)
        try:
            network.switch_for_verifier(opened.container)
        except ContainerError as error:
            raise BenchmarkError(error_codes.FAILED_PRECONDITION, str(error)) from error
        except CommandInterrupted as error:
            msg = "the verifier did not start: a resumed run starts it"
            raise BenchmarkError(error_codes.FAILED_PRECONDITION, msg) from error
        place = opened.command_place(task.file.verifier, container_settings)
        grade = grade_of(
            opened.container, task, place, self.settings.reward, self.settings.scale
        )
        if task.task_id in self.solution_player.played:
            self._tell_of_failed_solution(task, grade)
        self.containers.end(opened.container)
        return grade

    def _tell_of_failed_solution(self, task: HarborTask, grade: Grade) -> None:
        """Tell the user if a task's own solution does not get the full reward."""
        if grade.score is None:
            score = f"no score: {grade.details[0]}"
        elif grade.score < 1:
            score = f"the reward {grade.score:g}"
        else:
            return
        self.context.notify(f"{task.task_id}: its own solution gets {score}")
