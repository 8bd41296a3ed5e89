"""Plans that the public benchmark graded get nearly the same score from our simulation.

A *wave* is a set of packages and of lanes, the roads between branches. The *gain* of a plan is
what its packages earn minus what their trips cost, as a mean over trips with random delays:

    score = gain of the plan / (1.2 * gain of a good plan)

The samples of three public waves have their packages and lanes, a plan, and its public score.
"""

import pytest

from controlplane.benchmarks.ecom.tasks.dispatch.dispatch_task import (
    DispatchMeasure,
    mean_gain,
    plan_of,
)
from tests.benchmarks.ecom.tasks.graded_plans import SAMPLES, graded_answer
from tests.benchmarks.ecom.tasks.public_waves import public_wave

ALLOWED_DIFFERENCE = 0.012
"""How far a score may be off: delays are drawn at random, and ours are not the public ones."""


@pytest.mark.skipif(not SAMPLES.is_dir(), reason="the samples are not here")
@pytest.mark.parametrize(
    ("wave_id", "packages_file", "lanes_file"),
    [
        pytest.param(
            "BD2bv3HB", "dispatch_packages.tsv", "dispatch_lanes.tsv", id="wave 1"
        ),
        pytest.param(
            "Yj4oo8jz",
            "dispatch_packages_wave2.tsv",
            "dispatch_lanes_wave2.tsv",
            id="wave 2",
        ),
        pytest.param(
            "ApdgNmry",
            "dispatch_packages_wave3.tsv",
            "dispatch_lanes_wave3.tsv",
            id="wave 3",
        ),
    ],
)
def test_a_public_plan_scores_what_the_public_benchmark_gave_it(
    wave_id: str, packages_file: str, lanes_file: str
) -> None:
    """The good plan is not public: the best one that our search finds takes its place."""
    wave = public_wave(wave_id, packages_file=packages_file, lanes_file=lanes_file)
    public_answer = graded_answer(wave_id)
    public_plan = plan_of(public_answer.message, wave).plan
    good_plan = DispatchMeasure(wave).best

    our_score = mean_gain(wave, public_plan) / (1.2 * mean_gain(wave, good_plan))

    assert our_score == pytest.approx(public_answer.score, abs=ALLOWED_DIFFERENCE)
