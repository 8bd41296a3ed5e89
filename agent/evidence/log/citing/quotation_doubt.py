"""Why a text that has a quotation does not count: its words may be the script's own.

A script could write `fee: 7` to a file, or pass it to a search that answers `no page has fee: 7`,
and then quote the result. Such a quotation is refused, with a message that says what to do:

    doubt_about("fee: 7", SeenText("fee: 7", TextKind.OWN))   -> Doubt.BY_SCRIPT
    message_of_failure("fee: 7", "/a.md", {Doubt.BY_SCRIPT})
        -> "`fee: 7` was written or computed by a script, and not read: cite without a quotation."
"""

from __future__ import annotations

from collections.abc import Collection
from enum import Enum, auto

from controlplane.agent.evidence.log.citing.echoed_quotation import may_be_echo
from controlplane.gates.quoting import quote
from controlplane.gates.trial.seen_text import SeenText


class Doubt(Enum):
    """Why a text that has a quotation does not count."""

    BY_SCRIPT = auto()
    """A script wrote the text, or a tool computed it from what the script passed."""
    ECHO = auto()
    """The script passed words of the quotation to the call, which may only repeat them."""


def doubt_about(quotation: str, seen: SeenText) -> Doubt | None:
    """Return why a text does not count, although it has a quotation; None if it counts."""
    if not seen.is_proof:
        return Doubt.BY_SCRIPT
    if may_be_echo(quotation, seen.unproven_words):
        return Doubt.ECHO
    return None


def message_of_failure(text: str, path: str, doubts: Collection[Doubt]) -> str:
    """Return the message for a script whose quotation was not found, or only in doubtful texts.

    `doubts` are the reasons why texts with the quotation do not count; empty if no text has it.
    """
    if Doubt.ECHO in doubts:
        return (
            f"{quote(text)} may come from the call's own arguments: ask with words that were read before (of "
            "tables, list them first), quote a longer passage, or cite without a quotation."
        )
    if Doubt.BY_SCRIPT in doubts:
        return f"{quote(text)} was written or computed by a script, and not read: cite without a quotation."
    return (
        f"{quote(text)} is not in what was read of {quote(path)}: quote it as it is written there (blanks "
        "and case aside), or cite without a quotation."
    )
