"""Finds the tool call of a reply that holds the action: the script of one turn.

Models are offered one tool for this, and call it with the fields of the action:

    execute_script({"state": "reading", "plan": [], "done": false, "code": "print(1)"})
"""

from __future__ import annotations

from typing import Final

from controlplane.agent.model import TOOL_NAME, Reply, ToolCall, object_schema
from controlplane.agent.reply.lenient_fields import MAX_PLAN_STEPS
from controlplane.agent.reply.objects import is_clear_action, read_object

# The JSON schema of an action: the script of one turn, and remarks about it.
#
# It is sent to endpoints that constrain the output of a model by a schema:
#
#     {"state": "reading the rules", "plan": ["answer"], "done": false, "code": "print(1)"}

SCHEMA: Final = object_schema(
    {
        "state": {"type": "string", "maxLength": 400},
        "plan": {
            "type": "array",
            "items": {"type": "string", "maxLength": 200},
            "maxItems": MAX_PLAN_STEPS,
        },
        "done": {"type": "boolean"},
        "code": {"type": "string"},
    }
)
"""State and plan have length limits, because small models would fill them without end. Code has no
limit: code that an endpoint cuts off at a limit may look complete."""


_NO_ARGUMENTS: Final = ("", "null", "{}")
"""What models write as the arguments of a call without any."""


def action_call(reply: Reply) -> ToolCall | None:
    """Return the call that holds the action; None if no call of the reply does.

    | calls | returned |
    |---|---|
    | `execute_script({"code": "1"})` | the call |
    | `read({...})` and `functions.execute_script({"code": "1"})` | the second one |
    | `run({"state": "", "code": "1"})`, a tool that the model invented | the call |
    | `read({"path": "/a"})` | None |
    """
    for call in reply.tool_calls:
        has_arguments = call.arguments.strip() not in _NO_ARGUMENTS
        if has_arguments and _calls_script_tool(call):
            return call
    if len(reply.tool_calls) == 1 and _is_clear_action(reply.tool_calls[0]):
        return reply.tool_calls[0]
    return None


def _calls_script_tool(call: ToolCall) -> bool:
    """Return True for a call of `execute_script`, or of a tool without a name."""
    name = call.name.rpartition(".")[2]  # Some models put a namespace before it.
    return name in (TOOL_NAME, "")


def _is_clear_action(call: ToolCall) -> bool:
    """Return True if the arguments of a call are clearly an action, whatever its name is."""
    arguments = read_object(call.arguments)
    return arguments is not None and is_clear_action(arguments)
