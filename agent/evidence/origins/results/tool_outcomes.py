"""Reads the result of a tool that works on no file, such as `get_user(id="u7")`.

If it has found a user, there is a user `u7`. So a later call with this id has it from a record,
even if a mail was the first to mention it, and even if the result does not repeat it.
"""

from __future__ import annotations

from collections.abc import Sequence

from controlplane.agent.evidence.origins.results.outcome import Outcome
from controlplane.agent.evidence.origins.results.received_call import ReceivedCall
from controlplane.agent.evidence.origins.results.result_fields import text_fields
from controlplane.agent.evidence.texts.result_texts import texts_of_result
from controlplane.sandbox.interface import Plain


def outcome_of_tool(call: ReceivedCall) -> Outcome:
    """Return what a call of a tool has brought in."""
    texts = texts_of_result(text_fields(call.result))
    found_values: Sequence[Plain] = ()
    # A tool that may change something returns “done”, which is no record.
    if texts and not call.may_change:
        names = call.policy.lookup_arguments_of(call.declared)  # `id`; most have none
        found_values = [call.record.arguments.get(name) for name in names]
    return Outcome(
        call.place,
        texts,
        call.origin,
        passed_keys=call.passed_keys,
        found_values=found_values,
    )
