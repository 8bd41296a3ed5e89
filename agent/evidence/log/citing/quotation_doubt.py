"""Why a text that has a quotation does not count: its words may be the script's own.

A quotation proves that the environment's texts have its words. A script could fake this in two
ways, for example for `fee: 7`:

    it writes `fee: 7` to a file, and reads the file      -> Doubt.BY_SCRIPT
    it searches for `fee: 7`, and the search answers
    `no page has fee: 7`                                  -> Doubt.ECHO
"""

from __future__ import annotations

from enum import Enum, auto

from controlplane.agent.evidence.log.citing.echoed_quotation import may_be_echo
from controlplane.gates.trial.seen_text import SeenText


class Doubt(Enum):
    """Why a text that has a quotation does not count."""

    BY_SCRIPT = auto()
    """A script wrote the text, or a tool computed it from what the script passed."""
    ECHO = auto()
    """The text may only repeat words that the script passed to the call."""


def doubt_about(quotation: str, seen: SeenText) -> Doubt | None:
    """Return why a text does not count, although it has a quotation; None if it counts.

    SeenText("fee: 7", TextKind.OWN)                                 -> Doubt.BY_SCRIPT
    SeenText("no page has fee: 7", unproven_words="fee: 7")          -> Doubt.ECHO
    SeenText("fee: 7")                                               -> None
    """
    is_of_environment = seen.is_proof
    if not is_of_environment:
        return Doubt.BY_SCRIPT
    words_of_script = seen.unproven_words  # which the text may only repeat
    if may_be_echo(quotation, words_of_script):
        return Doubt.ECHO
    return None
