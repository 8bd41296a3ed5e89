"""Reads the result of a tool that works on no file, such as `get_user(id="u7")`.

    {"name": "Ada", "iban": "GB33..."}

The fields are texts. But the result also shows that there is a user u7, even if no field repeats
the id. A later call with this id has it from a record, which is trusted.
"""

from __future__ import annotations

from controlplane.agent.evidence.origins.origin import Origin
from controlplane.agent.evidence.origins.results.received_call import ReceivedCall
from controlplane.agent.evidence.origins.results.result_content import ResultContent
from controlplane.agent.evidence.origins.results.result_fields import text_fields
from controlplane.agent.evidence.texts.result_texts import texts_of_result
from controlplane.sandbox.interface import ToolSchema


def read_record(
    call: ReceivedCall, tool_schema: ToolSchema, origin: Origin | None
) -> ResultContent:
    """Return what the result of such a tool says, and which values it has found.

    | the call | values that it has found |
    |---|---|
    | returns no text | none |
    | may have changed something | none: “done” is no record |
    | `get_user(id="u7")`, which looks up a record by `id` | `u7` |
    """
    texts = texts_of_result(text_fields(call.returned.result))
    if not texts or tool_schema.may_change(call.declared.name, call.record.arguments):
        return ResultContent(call.place, texts, origin)
    return ResultContent(call.place, texts, origin, found_values=call.lookup_values)
