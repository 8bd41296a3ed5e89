"""A benchmark that counts what its agents change, to show that no change is lost or made twice.

    benchmark = EffectCounterBenchmark(trials=5)
    ...  # serve it, and run `RUN_EFFECT_COUNTER` while connections to the server break
    benchmark.check_each_effect_happened_once()

`--set trials=N` sets the number of tasks, which are called `tally.0`, `tally.1`, ...
"""

from collections import Counter
from collections.abc import Mapping
from pathlib import Path

from controlplane import Benchmark, BenchmarkContext, BenchmarkOption
from tests.support.counted_runs import CountedRuns
from tests.support.counting_environment import EACH_EFFECT_ONCE

RUN_EFFECT_COUNTER = (
    "run",
    "--benchmark",
    "bitgn:tally",
    "--model",
    f"scripted:{Path(__file__).with_suffix('.toml')}",
    "--rule-sets",
    "none",
    "--quiet",
)
"""The words behind `controlplane` that play this benchmark.

The benchmark is called `tally`. A server that speaks BitGN's protocol, which the test starts,
serves it. In place of a model, the file `effect_counter.toml` has the replies: scripts that make
every change once.
"""

OPTIONS = (BenchmarkOption("trials", "how many tasks there are"),)
"""What `--set` can change: `--set trials=4`."""


class EffectCounterBenchmark(CountedRuns):
    """The benchmark with the tasks `tally.0`, `tally.1`, ..., and what their agents have changed."""

    @property
    def effects(self) -> dict[str, Counter[str]]:
        """Return the effects of each trial that has started: `{"run1-0": Counter(write=1, ...)}`."""
        return {trial_id: world.effects for trial_id, world in self.worlds.items()}

    def check_each_effect_happened_once(self, *, missing: int = 0) -> None:
        """Assert that every trial that could start had each effect once, and was scored 1.0.

        `missing` is the number of trials that could not start.
        """
        wrong_effects: dict[str, dict[str, int]] = {}
        for trial_id, trial_effects in self.effects.items():
            if trial_effects != EACH_EFFECT_ONCE:
                wrong_effects[trial_id] = dict(trial_effects)
        scores = [score.score for score in self.scores.values()]

        assert wrong_effects == {}
        assert scores == [1.0] * (len(self.tasks) - missing)
        assert self.submits == 1


def open_benchmark(
    argument: str, settings: Mapping[str, str], context: BenchmarkContext
) -> Benchmark:
    """Return the benchmark for a run; the product finds this function by its name."""
    return EffectCounterBenchmark(int(settings.get("trials", "10")))
