"""Scores and states of the trials of a run, from the JSON that it has printed.

For example:

    scores_of(result)    ->    [1.0, 1.0, 0.0]
    states_of(result)    ->    ["answered", "open", "waiting"]
"""

from tests.support.command import CommandResult


def scores_of(result: CommandResult) -> list[float]:
    """Return the scores of a run's trials from the JSON that the command has printed."""
    return [trial["score"] for trial in result.json["trials"]]


def states_of(result: CommandResult) -> list[str]:
    """Return the states of a run's trials: "answered", "fallback", "open" (begun) or "waiting"."""
    return [trial["state"] for trial in result.json["trials"]]
