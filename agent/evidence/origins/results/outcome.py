"""What one call has brought in: texts, in which the values of later calls are looked up.

A later `send_money(recipient="GB33...")` may have the account from one of them. A call
`get_user(id="u7")`, with the result `{"name": "Ada", "iban": "GB33..."}`, has the outcome

    Outcome(
        place="call 3 of get_user",
        texts=[the fields `name`, `Ada`, `iban` and `GB33...`],
        passed_keys=("u7",),
        found_values=["u7"],
    )
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from controlplane.agent.evidence.origins.origin import Origin
from controlplane.agent.evidence.texts.result_text import ResultText
from controlplane.sandbox.interface import Plain


@dataclass(frozen=True, slots=True)
class Outcome:
    """The texts of one call's result or error."""

    place: str
    """Where the texts are from, as messages show it: `/mail/7.md`, `call 3 of get_user`."""
    texts: Sequence[ResultText]
    origin: Origin | None = None
    """How far texts by unknown authors are trusted. If it is None, each text says so itself: a
    field of data is a record, and a mail is running text."""
    passed_keys: Sequence[str] = ()
    """The keys of the values that the call has passed. The result may only repeat them, so they
    make no value trusted. (A key is what all spellings of a value share.)"""
    found_values: Sequence[Plain] = ()
    """The values by which the call has found a record. From then on, they are trusted."""
