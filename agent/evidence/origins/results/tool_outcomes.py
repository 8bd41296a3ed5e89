"""Reads the result of a tool that works on no file, such as `get_user(id="u7")`.

If the tool has found a user, the id `u7` is real. So it is trusted in later calls, even if only a
mail mentions it, whose author may want to trick the model, and the result does not repeat it.
"""

from __future__ import annotations

from collections.abc import Sequence

from controlplane.agent.evidence.origins.results.outcome import Outcome
from controlplane.agent.evidence.origins.results.received_call import ReceivedCall
from controlplane.agent.evidence.origins.results.result_fields import text_fields
from controlplane.agent.evidence.texts.result_texts import texts_of_result
from controlplane.sandbox.interface import Plain


def outcome_of_tool(call: ReceivedCall) -> Outcome:
    """Return what a call of a tool has returned, and the values by which it has found a record."""
    texts = texts_of_result(text_fields(call.result))
    found_values: Sequence[Plain] = ()
    # No text means that nothing was found. A tool that may change something returns “done”.
    has_found_record = bool(texts) and not call.may_change
    if has_found_record:
        names = call.policy.lookup_arguments_of(call.declared)  # `id`; most have none
        found_values = [call.record.arguments.get(name) for name in names]
    return Outcome(
        call.place,
        texts,
        call.origin,
        passed_keys=call.passed_keys,
        found_values=found_values,
    )
