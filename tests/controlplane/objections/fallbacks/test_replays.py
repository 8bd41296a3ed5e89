"""A replay of a trial that ended with a fallback does not mention an opening that there was not.

Some benchmarks open a trial with calls of their own, which a replay shows at the top. The phone book
does not. A fallback is the answer of the product if none of the model's was accepted.
"""

from pathlib import Path

import pytest

from tests.controlplane.objections.fallbacks.fallback_runs import (
    run_without_accepted_answer,
)
from tests.support.command import run_in_process


@pytest.mark.parametrize(
    "options",
    [
        pytest.param((), id="last answer"),
        pytest.param(("--fallback", "internal"), id="internal error"),
    ],
)
def test_a_replay_does_not_mention_an_opening_that_a_benchmark_does_not_have(
    options: tuple[str, ...], tmp_path: Path
) -> None:
    """Some benchmarks open a trial with calls of their own, which a replay shows at the top.
    The phone book does not, so that the note "What is shown above" would be wrong."""
    run_without_accepted_answer(tmp_path, *options)

    replay = run_in_process("replay", "last", "--trial", "ada", cwd=tmp_path)

    assert "What is shown above" not in replay.out
