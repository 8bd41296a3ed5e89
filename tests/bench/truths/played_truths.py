"""Plays of a public benchmark by its own ground truth, and what happened to them.

A *ground truth* is the calls and the answer that a benchmark's authors call right, and to play it is
a *right play*. `play_truth(suite, "ask", 20, "/tmp/runs")` is, for example,
`RightPlays(number=20, with_stopped_call=3, with_rejected_answer=0, lost=0)`.
"""

from __future__ import annotations

import importlib
import sys
import warnings
from typing import Final

import controlplane
from controlplane import ToolBenchmark
from tests.bench.truths.right_play_counts import RightPlays, counted_plays
from tests.bench.truths.truth_suites import Suite, silence_tau2

STEP_TIME_S: Final = 1_800.0
"""Seconds that a script may take.

The default, 60, is not enough on a machine with a high load, and right plays should not depend on
the load.
"""


def play_truth(
    suite: Suite, policy: str, limit: int, runs_dir: str
) -> RightPlays | None:
    """Play the ground truth of a suite under a policy, one of `POLICIES`.

    This is called in a process of its own. None if the suite's package is not installed.
    """
    warnings.simplefilter("ignore")
    silence_tau2()
    try:
        module = importlib.import_module(f"docs.examples.{suite.module}")
    except ImportError as error:
        print(f"{suite.title}: left out, {error}", file=sys.stderr)
        return None
    benchmark_class = getattr(module, suite.class_name)
    benchmark: ToolBenchmark = benchmark_class(suite.argument, {}, None)
    run = controlplane.run(
        benchmark,
        limit=min(limit, suite.limit),
        provenance=policy,
        runs_dir=runs_dir,
        step_time=STEP_TIME_S,
        trial_time=4 * STEP_TIME_S,
        isolation="none",  # The scripts are our own.
    )
    return counted_plays(run)
