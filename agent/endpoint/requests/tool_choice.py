"""Which tool a model must call: a certain one, any one, or none.

Some endpoints refuse such demands. Then the closest one that they accept is sent:

| choice | the endpoint has refused | sent |
|---|---|---|
| `read` | nothing | `read` |
| `read` | to demand a certain tool | `required`: any tool |
| `read` | this, and `required` | None: the model need not call a tool |
"""

from __future__ import annotations

from typing import Final

from controlplane.agent.model import Capabilities

REQUIRED: Final = "required"
"""The tool choice that lets the model choose the tool, but not reply without one."""


def accepted_choice(choice: str | None, capabilities: Capabilities) -> str | None:
    """Return a tool choice, or the closest one that the endpoint has not refused."""
    names_tool = choice is not None and choice != REQUIRED
    if names_tool and not capabilities.takes_named_tool:
        choice = REQUIRED
    if choice == REQUIRED and not capabilities.takes_required_tool:
        choice = None
    return choice
