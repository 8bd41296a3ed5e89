"""How much of each trial's first request is the beginning of an earlier one's: what a provider's cache can keep.

`python -m tests.bench.shared_prefix [SEED]` prints the mean share with the trial before, and with the best of all
before it, over the embedded benchmark.
"""

import os
import sys
from statistics import fmean

from agent.loop import InitialPromptLimits, preview_turn_one
from controlplane.benchmark import BenchmarkContext
from controlplane.configuration.named_modules import open_benchmark
from controlplane.task_selection import TaskSelection, start_selected_run


def first_requests(seed: int, tasks: int | None = None) -> list[str]:
    """Return the first request of each task: the system prompt and turn one."""
    opened = open_benchmark("ecom", {}, BenchmarkContext()).benchmark
    try:
        started = start_selected_run(opened, TaskSelection(limit=tasks), name="measured", seed=seed)
        requests = []
        for head in started.trials:
            trial = opened.start_trial(head.trial_id)
            prompt = preview_turn_one(trial.instruction, trial.environment, InitialPromptLimits())
            requests.append("".join((prompt.system, *prompt.pieces)))
            opened.end_trial(head.trial_id)
        return requests
    finally:
        opened.close()


def shared(one: str, other: str) -> float:
    """Return the share of `one` that is the beginning of `other`."""
    return len(os.path.commonprefix((one, other))) / len(one)  # noqa: RUF071 - characters are meant


def main() -> None:
    requests = first_requests(int(sys.argv[1]) if len(sys.argv) > 1 else 0)
    pairs = list(enumerate(requests))[1:]
    before = fmean(shared(each, requests[at - 1]) for at, each in pairs)
    best = fmean(max(shared(each, other) for other in requests[:at]) for at, each in pairs)
    sizes = fmean(map(len, requests))
    print(f"{len(requests)} first requests of {sizes:.0f} characters on average")
    print(f"shared with the trial before: {before:.3f}; with the best of all before: {best:.3f}")


if __name__ == "__main__":
    main()
