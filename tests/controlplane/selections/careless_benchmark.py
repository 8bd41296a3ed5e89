"""A phone book that makes the trials of its argument, whatever it is asked for.

For example:

    benchmark = CarelessBenchmark([PlannedTrial("1", "ada")])
    start_selected_run(benchmark, TaskSelection(limit=2), name="", seed=0)    raises BenchmarkError
"""

from controlplane import PlannedTrial, RunRequest, StartedRun
from tests.support.phonebook import Phonebook


class CarelessBenchmark(Phonebook):
    """A phone book that makes the trials of its argument, whatever it is asked for."""

    def __init__(self, trials: list[PlannedTrial]) -> None:
        super().__init__(delay_s=0.0)
        self.trials = tuple(trials)

    def start_run(self, request: RunRequest) -> StartedRun:
        return StartedRun("careless", self.trials)
