"""A run waits until its platform is back, if the platform is away when trials or the run end.

The scripts of each trial write a report, delete a draft, check out, and answer. The platform counts how
often each of these effects happens in each trial. None is lost, and none happens twice.
"""

from pathlib import Path

import pytest

from tests.controlplane.platform_faults.faulty_platforms import faulty_platform
from tests.controlplane.platform_faults.platform_commands import OK
from tests.support.effect_counter import RUN_EFFECT_COUNTER
from tests.support.relay.faults import Faults, Outage


@pytest.mark.second_tier
@pytest.mark.usefixtures("short_backoff")
@pytest.mark.parametrize(
    ("trials", "seconds"),
    [
        pytest.param(4, 1.0, id="4 trials, a second"),
        pytest.param(20, 60.0, id="20 trials, a minute", marks=pytest.mark.heavy),
    ],
)
@pytest.mark.parametrize(
    "method",
    [
        pytest.param("EndTrial", id="ends of trials"),
        pytest.param("SubmitRun", id="the submission of the run"),
    ],
)
def test_an_outage_of_the_last_calls_is_waited_out(
    method: str, trials: int, seconds: float, tmp_path: Path
) -> None:
    """The outage begins with the first call of the method. For so many seconds, calls get a 503."""
    outage = Faults(outages=(Outage(method, duration_s=seconds),))

    with faulty_platform(tmp_path, trials=trials, faults=outage) as platform:
        played = platform.command(*RUN_EFFECT_COUNTER)

    assert played.code == OK, played.err
    benchmark = platform.benchmark
    each_effect_once = {"write": 1, "delete": 1, "checkout": 1, "answer": 1}
    assert list(benchmark.effects.values()) == [each_effect_once] * trials
    assert [score.score for score in benchmark.scores.values()] == [1.0] * trials
    assert benchmark.submits == 1
