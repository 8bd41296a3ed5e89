"""Finds the origins of the values in one argument of a call.

The account in `send_money(recipient="GB33...")` has the origin of the most trusted text that
contains it: the user's request (`ASKED`), the workspace's rules (`RULES`), a field of data
(`RECORD`), or running text such as a mail (`PROSE`). If no text contains a value, the script
made it (`MADE`), perhaps of parts from elsewhere. So its parts are looked up, too: for
`https://pay.org/?to=GB33...`, the host and the account.
"""

from __future__ import annotations

from collections.abc import Iterable, Set
from dataclasses import dataclass, field
from typing import Final

from controlplane.agent.evidence.origins.finding import Finding
from controlplane.agent.evidence.origins.known_texts import KnownTexts
from controlplane.agent.evidence.origins.origin import Origin
from controlplane.agent.evidence.origins.prose_location import locate
from controlplane.agent.evidence.origins.untrusted_values import UntrustedValues
from controlplane.agent.evidence.origins.values.argument_value import ArgumentValue
from controlplane.agent.evidence.origins.values_without_text import (
    finding_of_the_rest,
    finding_without_text,
    prose_finding,
)
from controlplane.sandbox.interface import bounds

MAX_LOCATED_VALUES: Final = 10
"""How many values of one argument are shown with
their sentences. The search for a sentence is slow."""


@dataclass(slots=True)
class OriginSearch:
    """Finds the origins of the values in one argument: a new one is made for each argument.

    For the text `Pay GB33... for inv-17` of a message, `findings_of` returns

        GB33...    PROSE    only a mail has it
        inv-17     ASKED    it is in the user's request
    """

    texts: KnownTexts
    """The texts that the trial has received."""
    untrusted: UntrustedValues
    """The untrusted values of earlier changing calls. They keep their origins."""
    allowed_keys: Set[str]
    """The keys of values that this call may have, wherever they are from. They are trusted
    like fields of data. Examples: the values of an enum, or of the file that the call changes."""
    _findings: dict[str, Finding] = field(default_factory=dict, init=False)
    """The values with their origins so far, by the main key of each value."""

    def findings_of(self, values: Iterable[ArgumentValue]) -> tuple[Finding, ...]:
        """Return the values with their origins, each once."""
        for number, value in enumerate(values):
            if number == bounds.MOST_TRACED_VALUES:
                finding = finding_of_the_rest(value, number)
                self._findings[finding.value.main_key] = finding
                break
            self._look_up(value)
        return tuple(self._findings.values())

    def _look_up(self, value: ArgumentValue) -> None:
        """Find the origin of a value. If no text has it, find those of its parts, too.

        For `https://pay.org/?to=GB33...`, these are the host and the account.
        """
        if value.main_key in self._findings:
            return
        finding = self._finding_in_texts(value)
        if finding is not None:
            self._findings[value.main_key] = finding
            return
        if value.keys:  # A long text has none: only its parts are looked up.
            self._findings[value.main_key] = finding_without_text(value, self.texts)
        for part in value.parts:
            self._look_up(part)

    def _finding_in_texts(self, value: ArgumentValue) -> Finding | None:
        """Return a value with the origin of its text; None if no text counts for it.

        The first of these cases that fits decides, for the account of `send_money`:

        | GB33... is | origin |
        |---|---|
        | 1. a value that this call may have | `RECORD` |
        | 2. in the request, or in the rules | `ASKED`, `RULES` |
        | 3. an untrusted value of an earlier call | that of the earlier call |
        | 4. in a field of data, or only in a mail | `RECORD`, `PROSE` |
        """
        # 1. This call may have it, such as a value of an enum.
        if not self.allowed_keys.isdisjoint(value.keys):
            return Finding(value, Origin.RECORD)

        # 2. The user or the owner of the workspace wrote it.
        text = self.texts.find(value)
        if text is not None and text.origin in (Origin.ASKED, Origin.RULES):
            return Finding(value, text.origin)

        # 3. It was an untrusted value of an earlier changing call, and keeps that origin. A
        # text that has it now may only repeat it: a list of transfers after `send_money`.
        earlier = self.untrusted.find(value)
        if earlier is not None:
            if earlier.origin is Origin.MADE:
                return None  # No text had it at that time, so none counts now.
            return earlier

        # 4. No text has it, or a field of data, or only running text.
        if text is None:
            return None
        if text.origin is not Origin.PROSE:
            return Finding(value, text.origin)
        if len(self._findings) >= MAX_LOCATED_VALUES:
            return prose_finding(value, text.place)  # without its sentence
        return Finding(value, Origin.PROSE, locate(text, value))
