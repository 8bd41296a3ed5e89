"""A client's call, as the reply of a model that wants to run the call's script.

A trial's loop asks a model for scripts. If a program takes the model's place, its calls of
`execute_script(code)` are passed to the loop as such replies, with the usage that it reports.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, Final

from controlplane.agent.model import Reply
from controlplane.mcp.serving.call_queue import WaitingCall

# Larger numbers, which cannot be true, are ignored: they would spoil the run's totals.
MOST_REPORTED_TOKENS: Final = 10**12
MOST_REPORTED_USD: Final = 10**9


def reply_with_script(waiting: WaitingCall) -> Reply:
    """Return the reply of a model that wants to run the script of a call.

    Its text is `{"state": "", "plan": [], "done": false, "code": "print(1)"}`.
    """
    # A model's reply has these four fields. The loop only uses the code.
    turn = {"state": "", "plan": [], "done": False, "code": waiting.script}
    usage_fields = _reported_usage(waiting.call.arguments)
    return Reply.model_validate({"text": json.dumps(turn), **usage_fields})


def _reported_usage(arguments: Mapping[str, Any]) -> dict[str, Any]:
    """Return the tokens and the cost that a program reports, as fields of a reply.

    `{"tokens": 900, "cost_usd": 0.02}` -> `{"usage": {"prompt_tokens": 900}, "cost_usd": 0.02, …}`.
    Programs may report anything, so a value that is no possible number is left out.
    """
    tokens = arguments.get("tokens")
    cost_usd = arguments.get("cost_usd")
    fields: dict[str, Any] = {}
    if isinstance(tokens, int) and 0 <= tokens < MOST_REPORTED_TOKENS:
        fields["usage"] = {"prompt_tokens": tokens}
    if isinstance(cost_usd, int | float) and 0 <= cost_usd < MOST_REPORTED_USD:
        fields["cost_usd"] = float(cost_usd)
        fields["cost_source"] = "vendor"
    return fields
