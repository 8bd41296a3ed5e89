"""The ways in which a step ends."""

from enum import StrEnum


class Ending(StrEnum):
    """How a step ended."""

    FINISHED = "finished"
    RAISED = "raised"
    """The script raised, or exited."""
    SYNTAX = "syntax"
    """It is no Python."""
    REFUSED = "refused"
    """The language wall refuses it; nothing of it ran."""
    LIMIT = "limit"
    """A limit of the step or the trial ended it."""
    KILLED = "killed"
    """Its process died."""
