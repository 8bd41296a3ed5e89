"""The numbers of a row of the table: how many plays there were, and how they went.

    Counts(plays=97, with_held_call=12, done=97) + Counts(plays=21, done=21)
    # Counts(plays=118, with_held_call=12, done=118)

A *play* makes the right calls of a task. A *held* call is not sent until it is made again in a later step.
"""

from dataclasses import dataclass


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
