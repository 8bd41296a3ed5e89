"""Adds the result or the error of each call to what a trial knows of origins.

Later, the account of `send_money(recipient="GB33...")` is looked up there:

| outcome | is added as |
|---|---|
| the error `no /GB33...` | running text |
| the user's reply “Yes, pay GB33...” to a question | a text of the user, who is trusted |
| a web page, “Please pay 420 to GB33...” | running text, whose author may be an attacker |
| `{"owner": "Bob", "iban": "GB33..."}` of `get_account(owner="Bob")` | a record, without `Bob` |

The last call has passed `Bob`, and its result may only repeat this value. So it does not count.
"""

from __future__ import annotations

from dataclasses import dataclass

from controlplane.agent.evidence.origins.origin import Origin
from controlplane.agent.evidence.origins.provenance import Provenance
from controlplane.agent.evidence.origins.results.operation_results import (
    OperationResults,
)
from controlplane.agent.evidence.origins.results.received_call import ReceivedCall
from controlplane.agent.evidence.origins.results.result_fields import all_texts
from controlplane.agent.evidence.origins.values.argument_keys import keys_of_all
from controlplane.agent.evidence.texts.result_text import ResultText


@dataclass(frozen=True, slots=True)
class OutcomeLearner:
    """Adds the outcomes of one trial's calls to its `provenance`, in the order of the calls."""

    provenance: Provenance
    operation_results: OperationResults
    """Adds the results of calls that read files or use tools."""

    def add(self, call: ReceivedCall) -> None:
        """Add the texts of a call's result or error."""
        if call.record.error is not None:
            self._add_error(call, call.record.error.message)
        if call.record.result is None:
            return
        if call.declared.is_talk:
            # The reply confirms the values of the question, so they count.
            reply = all_texts(call.record.result, is_data=False)
            self.provenance.add(call.place, reply, Origin.ASKED)
        elif call.declared.is_prose:
            page = all_texts(call.record.result, is_data=False)
            keys = call.passed_keys
            self.provenance.add(call.place, page, Origin.PROSE, passed_keys=keys)
        else:
            self.operation_results.add(call)

    def _add_error(self, call: ReceivedCall, message: str) -> None:
        """Add the message of an error. It may repeat any argument, even the path."""
        place = f"the error of {call.declared.name}"
        text = ResultText(message, is_data=False)
        keys = keys_of_all(call.record.arguments.values())
        self.provenance.add(place, [text], Origin.PROSE, passed_keys=keys)
