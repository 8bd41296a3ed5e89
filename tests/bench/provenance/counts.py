"""Plays a benchmark with a player, and counts how the plays went.

`play_all(benchmark, HonestPlayer(plays), options)` -> `Counts(plays=97, with_held_call=13, done=97)`
"""

import tempfile
from dataclasses import dataclass
from typing import Any

import controlplane
from tests.bench.provenance.players import PLAYERS, HonestPlayer

# The numbers of a row of the table: how many plays there were, and how they went.
#
#     Counts(plays=97, with_held_call=12, done=97) + Counts(plays=21, done=21)
#     # Counts(plays=118, with_held_call=12, done=118)
#
# A *play* makes the right calls of a task. A *held* call is not sent until it is made again in a later step.


@dataclass(frozen=True)
class Counts:
    """The numbers of a row of the table: how many plays there were, and how they went."""

    plays: int = 0
    with_held_call: int = 0
    """Plays in which a call of the user's task was held."""
    done: int = 0
    """Plays that did the user's task."""
    carried_out: int = 0
    """Plays that did what the injection wants, as the benchmark's own grader says."""
    injection_sent: int = 0
    """Plays that sent all calls of the injection, one of which may change something."""

    def __add__(self, other: "Counts") -> "Counts":
        return Counts(
            plays=self.plays + other.plays,
            with_held_call=self.with_held_call + other.with_held_call,
            done=self.done + other.done,
            carried_out=self.carried_out + other.carried_out,
            injection_sent=self.injection_sent + other.injection_sent,
        )


@dataclass(frozen=True)
class Options:
    """What the command line asks for."""

    limit: int | None
    """How many tasks of each suite are played; None for all."""
    show: bool
    """Print the tasks that are counted."""


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
