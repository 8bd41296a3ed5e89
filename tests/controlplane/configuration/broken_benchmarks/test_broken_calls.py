"""A trial ends if the benchmark that the user has written breaks at a call or at its clock.

The user's `shelf.py` has `WordEnvironment.call`, which looks a word up for a script: {"meaning": "a
grey bird"}. If it raises, the reason of the trial is "the benchmark broke: KeyError: 'call'
(shelf.py, line 2)".
"""

from pathlib import Path

import pytest

from tests.controlplane.configuration.broken_benchmarks.broken_wordbook import (
    reason_of_trial,
    run_broken_wordbook,
)


@pytest.mark.parametrize(
    ("statement", "reason"),
    [
        pytest.param(
            "{}['call']",
            "the benchmark broke: KeyError: 'call' (shelf.py, line 2)",
            id="an exception",
        ),
        pytest.param(
            "raise SystemExit(0)",
            "the benchmark broke: SystemExit: 0 (shelf.py, line 2)",
            id="an exit",
        ),
        pytest.param(
            "raise GeneratorExit(7)",
            "the benchmark broke: GeneratorExit: 7 (shelf.py, line 2)",
            id="an exception that is no Exception",
        ),
        pytest.param(
            "return None",
            "the benchmark broke: TypeError: define broke: it returned None",
            id="no result",
        ),
        pytest.param(
            "return {'a': id}",
            "the benchmark broke: TypeError: define broke: its result cannot be",
            id="a result that cannot be recorded",
        ),
    ],
)
def test_a_benchmark_that_breaks_at_a_call_ends_the_trial(
    statement: str, reason: str, tmp_path: Path
) -> None:
    """The model's script calls `harness.define("heron")`, and the benchmark makes the call."""
    result = run_broken_wordbook(tmp_path, "WordEnvironment.call", statement)

    assert result.code == 1  # A trial has no answer.
    assert reason_of_trial(result, tmp_path).startswith(reason)


def test_a_benchmark_whose_clock_breaks_gives_a_fallback(tmp_path: Path) -> None:
    """The clock is asked before the first step. The trial ends at once with a *fallback*, an
    answer of the product's own."""
    result = run_broken_wordbook(
        tmp_path, "WordEnvironment.now", "raise ValueError('now')"
    )

    assert result.code == 0
    reason = "the benchmark broke: ValueError: now (shelf.py, line 2)"
    assert reason_of_trial(result, tmp_path).startswith(reason)
