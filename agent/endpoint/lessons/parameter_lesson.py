"""The lesson that an endpoint does not know a parameter that requests can do without.

After `'seed' is not supported`, all further requests leave `seed` out.
"""

from __future__ import annotations

from typing import Final

from controlplane.agent.endpoint.lessons.lesson import Lesson
from controlplane.agent.endpoint.lessons.refused_name import RefusedName
from controlplane.agent.endpoint.requests.written_request import WrittenRequest

ALWAYS_SENT: Final = frozenset(
    {"model", "messages", "input", "tools", "tool_choice", "response_format", "text"}
)
"""Parameters that are never left out. Some of them change if another reply mode is used."""


def lesson_about_parameter(name: RefusedName, request: WrittenRequest) -> Lesson | None:
    """Return the lesson if a refused name means a parameter that a request can do without."""
    capabilities = request.capabilities
    for parameter in request.body:
        is_needed = parameter in ALWAYS_SENT or parameter == capabilities.length_field
        if not is_needed and name.means(parameter):
            refused = (*capabilities.refused, parameter)
            changed = capabilities.model_copy(update={"refused": refused})
            return Lesson(changed, f"takes no {parameter}; leaving it out from here on")
    return None
