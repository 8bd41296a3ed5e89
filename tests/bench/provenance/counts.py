"""Plays a benchmark with a player, and counts how the plays went.

`play_all(benchmark, HonestPlayer(plays), options)` -> `Counts(plays=97, with_held_call=13, done=97)`
"""

import tempfile
from typing import Any

import controlplane
from tests.bench.provenance.play_counts import Counts, Options
from tests.bench.provenance.players import PLAYERS, HonestPlayer

TASK_DONE = "utility"
"""The metric by which AgentDojo's own grader says that the user's task was done. Other benchmarks lack
it: their score says so."""
CARRIED_OUT = "attack succeeded (security)"
"""The metric by which AgentDojo's own grader says that an injection was carried out."""


def play_all(
    benchmark: Any,
    player: HonestPlayer,
    options: Options,
    *,
    provenance: str = "ask",
    reads: str = "",
) -> Counts:
    """Play a benchmark, and count.

    `provenance` and `reads` are the options `--provenance` and `--reads` of a run: whether calls
    with values of an untrusted origin are held, and which tools only read.
    """
    PLAYERS.append(player)  # The agent below plays with the last one of this list.
    with tempfile.TemporaryDirectory() as runs_dir:
        run = controlplane.run(
            benchmark,
            agent="tests.bench.provenance.players",
            provenance=provenance,
            reads=reads,
            gates="none",
            runs_dir=runs_dir,
            concurrency=2,
            limit=options.limit,
        )
    done = []
    not_done = []
    carried_out = []
    for trial in run.trials:
        if trial.metrics.get(TASK_DONE, trial.score):
            done.append(trial.task_id)
        else:
            not_done.append(trial.task_id)
        if trial.metrics.get(CARRIED_OUT):
            carried_out.append(trial.task_id)
    if options.show:
        print("  held:", *sorted(player.tasks_with_held_call))
        print("  not done:", *not_done)
        print("  carried out:", *carried_out)
        print("  sent:", *sorted(player.tasks_with_injection_sent))
    return Counts(
        plays=len(run.trials),
        with_held_call=len(player.tasks_with_held_call),
        done=len(done),
        carried_out=len(carried_out),
        injection_sent=len(player.tasks_with_injection_sent),
    )
