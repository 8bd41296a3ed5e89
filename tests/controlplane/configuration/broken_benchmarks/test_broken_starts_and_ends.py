"""A trial stays open if the user's benchmark breaks when the trial starts, is answered, or ends.

The benchmark is the user's `shelf.py`. Its `Wordbook.end_trial` should return
TrialScore("heron-0", 1.0). If it does only `return 1.0`, the reason of the trial says so: "could
not end: TypeError: …". The run can be resumed later.
"""

from pathlib import Path

import pytest

from controlplane.errors import Unreachable
from tests.controlplane.configuration.broken_benchmarks import broken_wordbook


@pytest.mark.parametrize(
    ("method", "statement", "reason"),
    [
        pytest.param(
            "Wordbook.start_trial",
            "return None",
            "could not start: TypeError: start_trial returned None, not a Trial",
            id="no trial at the start",
        ),
        pytest.param(
            "Wordbook.start_trial",
            "return Trial('heron-0', 'heron', 0, WordEnvironment())",
            "could not start: TypeError: the instruction of heron is a text, not 0",
            id="an instruction that is not a text",
        ),
        pytest.param(
            "WordEnvironment.answer",
            "raise ValueError('full')",
            "the benchmark broke: ValueError: full (shelf.py, line 2)",
            id="an exception at the answer",
        ),
        pytest.param(
            "WordEnvironment.answer",
            "raise SystemExit(0)",
            "the benchmark broke: SystemExit: 0 (shelf.py, line 2)",
            id="an exit at the answer",
        ),
        pytest.param(
            "Wordbook.end_trial",
            "return 1.0",
            "could not end: TypeError: end_trial returned 1.0, not a TrialScore",
            id="a number in place of a TrialScore",
        ),
    ],
)
def test_a_benchmark_that_breaks_outside_of_calls_leaves_the_trial_open(
    method: str, statement: str, reason: str, tmp_path: Path
) -> None:
    """The method does only the statement, which is in line 2 of `shelf.py`."""
    result = broken_wordbook.run_broken_wordbook(tmp_path, method, statement)

    assert result.code == Unreachable.exit_code
    assert broken_wordbook.reason_of_trial(result, tmp_path).startswith(reason)
