"""The numbers of all limits of a trial in which a model takes turns.

In each turn, the model is asked once, and its reply is carried out as one *step*.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class BudgetLimits:
    """The numbers of all limits of one trial."""

    # The steps: first a warning, then the nudge (a message to answer now), then the end.

    max_steps: int = 35
    """Steps before the nudge."""
    extra_steps: int = 5
    """Steps after the nudge."""
    warn_before: int = 5
    """The warning comes this many steps before the nudge."""

    # Steps that do not count, because nothing was run

    script_refunds: int = 3
    """Max scripts that cost no step because they were refused before they ran."""
    reply_refunds: int = 2
    """Max unusable replies that cost no step."""

    # Unusable replies: those without a script or another action

    unusable_replies: int = 10
    """The trial ends after this many unusable replies in a row."""
    same_faults: int = 5
    """The trial ends after this many unusable replies in a row with the same fault.
    If the model is asked in another form (JSON, tool call or text), the count starts again."""
    prose_replies: int = 10
    """Replaces `unusable_replies` if the last reply is plain text. It is lower for a
    question of a user, who can read such a reply as an answer."""

    # Repetition, and time

    same_refusals: int = 5
    """The trial ends when the same script is refused,
    or the same submission is rejected, this many times in a row."""
    same_scripts: int = 5
    """The trial ends when the same script runs with the same
    output this many times in a row; 0 for no limit."""
    trial_time_s: float = 900.0
    """Wall-clock seconds of the whole trial."""
