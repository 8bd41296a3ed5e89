"""The JSON schema of an action: the script of one turn, and remarks about it.

It is sent to endpoints that constrain the output of a model by a schema:

    {"state": "reading the rules", "plan": ["answer"], "done": false, "code": "print(1)"}
"""

from __future__ import annotations

from typing import Final

from controlplane.agent.model import object_schema
from controlplane.agent.reply.lenient_fields import MAX_PLAN_STEPS

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
