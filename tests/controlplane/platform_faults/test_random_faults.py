"""A run changes each thing exactly once, although its platform fails at random.

The scripts of each trial write a report, delete a draft, check out, and answer. The platform counts:

    platform.benchmark.effects == {"run1-0": {"write": 1, "delete": 1, "checkout": 1, "answer": 1}, ...}
"""

from pathlib import Path

import pytest

from tests.controlplane.platform_faults.faulty_platforms import faulty_platform
from tests.support.command import run_in_process
from tests.support.effect_counter import RUN_EFFECT_COUNTER
from tests.support.relay.faults import Faults


@pytest.mark.second_tier
@pytest.mark.usefixtures("short_backoff")
@pytest.mark.parametrize(
    "faults",
    [
        pytest.param(Faults(seed=3, unavailable=0.2), id="20 % answer 503"),
        pytest.param(
            Faults(seed=4, reset_before=0.02, reset_after=0.02),
            id="4 % reset the connection, before or after the effect",
        ),
        pytest.param(
            Faults(seed=5, stall=0.02, methods=frozenset({"Read", "Write", "Exec"})),
            id="2 % of replies stop in the middle",
        ),
        pytest.param(
            Faults(seed=6, too_many=0.1, retry_after_s=0.1),
            id="10 % answer 429: call again after 0.1 s",
        ),
        # Faults that are so rare may hit none of five trials.
        pytest.param(Faults(), id="no faults", marks=pytest.mark.heavy),
        pytest.param(
            Faults(seed=1, unavailable=0.01),
            id="1 % answer 503",
            marks=pytest.mark.heavy,
        ),
        pytest.param(
            Faults(seed=2, unavailable=0.05),
            id="5 % answer 503",
            marks=pytest.mark.heavy,
        ),
    ],
)
def test_every_effect_happens_once_under_faults(
    faults: Faults, tmp_path: Path, heavy: bool
) -> None:
    trials = 100 if heavy else 5

    with faulty_platform(tmp_path, trials=trials, faults=faults) as platform:
        played = platform.command(
            *RUN_EFFECT_COUNTER,
            "--set=call_timeout_s=1",
            "--set=lifecycle_timeout_s=1",
            "--concurrency=10",
        )
    replayed = run_in_process("replay", "last", "--verify", cwd=tmp_path)

    assert played.code == 0, played.err
    benchmark = platform.benchmark
    once = {"write": 1, "delete": 1, "checkout": 1, "answer": 1}
    assert list(benchmark.effects.values()) == [once] * trials
    assert [score.score for score in benchmark.scores.values()] == [1.0] * trials
    assert benchmark.submits == 1
    # After a 429, the run waits for as long as the reply says.
    assert platform.faults.calls_too_early == 0
    assert replayed.code == 0
