"""What a provider's prompt cache can keep: all of the turn before, and the beginnings of other trials' requests."""

import itertools
import json
from collections.abc import Sequence

from agent.loop import InitialPromptLimits, preview_turn_one
from controlplane.benchmark import BenchmarkContext
from controlplane.configuration.named_modules import open_benchmark
from controlplane.task_selection import TaskSelection, start_selected_run
from sandbox import ForkServer
from tests.support.phonebook import Phonebook
from tests.support.single_trial import solve, step

MISTAKES = ("print(1", "import os", "not JSON at all", "raise ValueError('no')")


def _shared(one: Sequence[object], other: Sequence[object]) -> int:
    """Return how many items, from the first on, two sequences have in common."""
    return next((at for at, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), min(len(one), len(other)))


def test_every_request_of_35_steps_begins_with_the_whole_one_before(server: ForkServer) -> None:
    replies = [step(f"print({number})") for number in range(45)]
    for place, each in enumerate(MISTAKES):
        replies[5 + 7 * place] = each if "JSON" in each else step(each)
    requests = solve(Phonebook(0.0), "ada-0", replies, server).model.requests
    assert len(requests) >= 35
    texts = [[json.dumps(each).encode() for each in request] for request in requests]
    kept = [
        _shared(b"".join(before), b"".join(after)) / len(b"".join(before))
        for before, after in itertools.pairwise(texts)
    ]
    assert kept == [1.0] * (len(requests) - 1)


def test_shared_text_stands_before_text_that_differs() -> None:
    opened, requests = open_benchmark("ecom", {}, BenchmarkContext()).benchmark, []
    for head in start_selected_run(opened, TaskSelection(limit=2), name="measured", seed=0).trials:
        trial = opened.start_trial(head.trial_id)
        prompt = preview_turn_one(trial.instruction, trial.environment, InitialPromptLimits())
        requests.append("".join((prompt.system, *prompt.turn_one)))
    opened.close()
    one, other = requests
    shared = one[: _shared(one, other)]
    assert '<section title="read /AGENTS.MD">' in shared
    assert one.index('title="read /AGENTS.MD"') < one.index('title="tree /"')
    assert one.index('title="tree /"') < one.index("<instruction>")
