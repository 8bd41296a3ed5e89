"""Plays of public benchmarks by their own ground truth: how many of them this product spoils.

A benchmark of tool use brings a *ground truth* for each task: the calls and the answer that its
authors call right. A trial that makes these calls and gives this answer is a *right play*. The table
counts what the product did to right plays:

- a call held: some call was not sent at once, because the user has to confirm it
- an answer sent back: some answer was rejected by a gate, a check of answers
- lost: the play did not get the full score

An answer that is sent back, or a lost play, is a fault of the product.
"""

from __future__ import annotations

import sys
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from typing import Final

from tests.bench.truths.played_truths import play_truth
from tests.bench.truths.truth_suites import SUITES

POLICIES: Final = ("off", "ask", "block")
"""Values of `--provenance`: what happens to a call whose arguments come from untrusted text."""


def right_plays_table(limit: int, runs_dir: str) -> list[str]:
    """Return the lines of the table, one for each suite and policy, and print them as they come.

    `limit` is the most tasks of a suite that are played.
    """
    lines = [
        "| ground truth of | `--provenance` | plays | a call held | an answer sent back | lost |",
        "|---|---|---|---|---|---|",
    ]
    # A fork would copy the threads that the benchmarks' packages start, so each process is a new
    # interpreter instead.
    with ProcessPoolExecutor(mp_context=get_context("spawn")) as processes:
        begun_plays = []
        for suite in SUITES:
            for policy in POLICIES:
                future = processes.submit(play_truth, suite, policy, limit, runs_dir)
                begun_plays.append((suite, policy, future))
        for suite, policy, future in begun_plays:
            plays = future.result()
            if plays is None:  # The package of the suite is not installed.
                continue
            line = (
                f"| {suite.title} | `{policy}` | {plays.number} | {plays.with_stopped_call} | "
                f"{plays.with_rejected_answer} | {plays.lost} |"
            )
            print(line, file=sys.stderr, flush=True)
            lines.append(line)
    return lines
