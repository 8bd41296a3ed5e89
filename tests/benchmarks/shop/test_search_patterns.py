"""Patterns of searches: RE2 reads them, and finds what Python's engine finds."""

import re
from collections.abc import Mapping
from contextlib import suppress

import re2

from agent.evidence import Recorder
from agent.loop import InitialPromptLimits
from agent.loop.initial_prompt import build_initial_prompt
from benchmarks.ecom.runtime.shop_environment import EcomEnvironment
from benchmarks.ecom.tasks.generation import FAMILIES
from benchmarks.shop.declarations import PREFLIGHT
from sandbox.interface import CallError, Plain
from tests.support.function_truths import opened
from tests.support.functions_here import found


def patterns_of_trial(family: str, seed: int) -> tuple[set[str], EcomEnvironment]:
    """Return the patterns that the initial prompt, the checks before the model and the search for products send."""
    task, environment = opened(family, seed)
    recorder = Recorder("t", environment, lambda event: None)
    recorder.begin_step(0)
    build_initial_prompt(task.instruction, recorder, InitialPromptLimits())
    patterns = {str(call.arguments["pattern"]) for call in recorder.calls if call.operation == "search"}

    call = environment.call

    def searched(operation: str, given: Mapping[str, Plain]) -> dict[str, Plain]:
        if operation == "search":
            patterns.add(str(given["pattern"]))
        return call(operation, given)

    environment.call = searched
    stages = {name: {"request": task.instruction, "intent": "{}"} for name in ("permitted_changes", *PREFLIGHT)}
    words = {"description": task.instruction.partition("\n")[0][:80], "must": [], "must_not": [], "below_cents": 0}
    for name, arguments in {**stages, "match_products": words, "branches_in": {"place": "Utrecht"}}.items():
        with suppress(CallError):
            found(environment, name, **arguments)
    return patterns, environment


def test_patterns_of_trials_read_alike_in_re2_and_python(heavy: bool) -> None:
    seen = 0
    for seed in range(60 if heavy else 2):
        for family in FAMILIES if heavy else [*FAMILIES][seed::4]:
            patterns, environment = patterns_of_trial(family, seed)
            lines = [
                line
                for path in [*environment.first_files][::30]
                for line in str(environment.first_files[path]).splitlines()
            ]
            for pattern in patterns:
                assert not re.search(r"\(\?[=!<P]|\\[bBwWdDsSAZ1-9]", pattern), pattern
                python, linear = re.compile(pattern), re2.compile(pattern)
                assert [line for line in lines if python.search(line)] == [
                    line for line in lines if linear.search(line)
                ]
            seen += len(patterns)
    assert seen > len(FAMILIES)
