"""Adds the texts that a trial receives to what it knows of origins, once they are needed.

They are indexed to find where the arguments of a changing call come from, such as the account
in `send_money(recipient="GB33...")`. Indexing is slow, and a trial that only reads mails never
needs it. So results wait until the first changing call:

    received.add_later(declared, call, policy)    # `read("/mail/7.md")`, with its result
    received.add_waiting(policy)                  # now `provenance` has the text of the mail
"""

from __future__ import annotations

from typing import Final

from controlplane.agent.events import CallRecord
from controlplane.agent.evidence.origins.origin import Origin
from controlplane.agent.evidence.origins.provenance import Provenance
from controlplane.agent.evidence.origins.provenance_policy import ProvenancePolicy
from controlplane.agent.evidence.origins.results.declared_texts import declared_texts
from controlplane.agent.evidence.origins.results.outcome_learner import OutcomeLearner
from controlplane.agent.evidence.texts.result_texts import ResultText
from controlplane.sandbox.interface import Operation, ToolSchema

MOST_WAITING_CHARS: Final = 1_000_000
"""How many characters of results may wait. Beyond that, they take too much memory."""


class ReceivedTexts:
    """The texts that one trial gets from its environment: declarations and results of calls.

    Each method takes the user's setting, `policy`, which says whose results are trusted.
    """

    def __init__(
        self, tool_schema: ToolSchema, outcomes: OutcomeLearner, provenance: Provenance
    ) -> None:
        self._tool_schema = tool_schema
        self._outcomes = outcomes
        """Adds the results and errors of calls to `provenance`."""
        self._provenance = provenance
        self._has_declarations = False
        """True once the texts that declare the operations are in `provenance`."""
        self._waiting: list[tuple[Operation, CallRecord]] = []
        """The calls whose results wait, with their declarations, in the order of the calls."""
        self._waiting_chars = 0
        """The size of these results, in characters."""

    def add_later(
        self, declared: Operation, call: CallRecord, policy: ProvenancePolicy
    ) -> None:
        """Let the result of a call wait. If the results get too long, add them all."""
        self._waiting.append((declared, call))
        self._waiting_chars += len(str(call.result))
        if self._waiting_chars > MOST_WAITING_CHARS:
            self.add_waiting(policy)

    def add_waiting(self, policy: ProvenancePolicy) -> None:
        """Add the results that wait, and before the first ones, the declarations."""
        if not self._has_declarations:
            self._has_declarations = True
            texts = declared_texts(self._tool_schema)
            declarations = [ResultText(text, is_data=True) for text in texts]
            self._provenance.add("the declared tools", declarations, Origin.RECORD)

        waiting = self._waiting
        self._waiting = []
        self._waiting_chars = 0
        for declared, call in waiting:
            self._outcomes.add(declared, call, policy)

    def add_now(
        self, declared: Operation, call: CallRecord, policy: ProvenancePolicy
    ) -> None:
        """Add the result or the error of a call that did not wait."""
        self._outcomes.add(declared, call, policy)
