"""Keeps the texts that a trial receives until it is asked where a value comes from.

A changing call, `send_money(recipient="GB33...")`, is looked up in the texts that the trial has
received. To add a text to these is slow, and a trial that only reads mails never needs them. So
the results wait until the first changing call:

    waiting.add(call)      # `read("/mail/7.md")`, with its result
    waiting.learn_all()    # now `provenance` has the text of the mail
"""

from __future__ import annotations

from typing import Final

from controlplane.agent.evidence.origins.declared_texts import declared_texts
from controlplane.agent.evidence.origins.origin import Origin
from controlplane.agent.evidence.origins.provenance import Provenance
from controlplane.agent.evidence.origins.results.outcome_learner import OutcomeLearner
from controlplane.agent.evidence.origins.results.received_call import ReceivedCall
from controlplane.agent.evidence.texts.result_text import ResultText
from controlplane.sandbox.interface import ToolSchema

MAX_WAITING_CHARS: Final = 1_000_000
"""How many characters of results may wait. Beyond that, they take too much memory."""


class WaitingTexts:
    """The texts of one trial that wait: declarations of operations, and results of calls."""

    def __init__(
        self, tool_schema: ToolSchema, outcomes: OutcomeLearner, provenance: Provenance
    ) -> None:
        self._tool_schema = tool_schema
        self._declarations_wait = True
        """False once `provenance` has the texts that declare the operations."""
        self._calls: list[ReceivedCall] = []
        """The calls whose results wait, in their order."""
        self._result_chars = 0
        """The size of these results, in characters."""
        self._outcomes = outcomes
        """Adds the results and errors of calls to `provenance`."""
        self._provenance = provenance

    def add(self, call: ReceivedCall) -> None:
        """Let the result of a call wait. If the results get too long, learn them all."""
        self._calls.append(call)
        self._result_chars += len(str(call.record.result))
        if self._result_chars > MAX_WAITING_CHARS:
            self.learn_all()

    def learn_all(self) -> None:
        """Add all texts that wait to `provenance`, first the declarations. None waits then."""
        if self._declarations_wait:
            self._declarations_wait = False
            texts = declared_texts(self._tool_schema)
            declarations = [ResultText(text, is_data=True) for text in texts]
            self._provenance.add("the declared tools", declarations, Origin.RECORD)

        calls = self._calls
        self._calls = []
        self._result_chars = 0
        for call in calls:
            self._outcomes.add(call)
