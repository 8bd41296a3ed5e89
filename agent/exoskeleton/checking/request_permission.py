"""Which changes a request permits, by a check of the benchmark.

A question such as "How many loans are late?" permits none, so no reply of the model can change
something by mistake. The check is a function of the benchmark. For "Renew loan l-12":

    permission = request_permission(session, "permitted_changes", intent)
        -> Permission(files=True, tools=False)
    permission_text(session, "permitted_changes", permission)
        -> "This request may change something. Beside the tools above there are: ..."
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from pydantic import ValidationError

from controlplane.agent.exoskeleton.checking.check_call import check_result
from controlplane.agent.exoskeleton.checks import Permission
from controlplane.agent.exoskeleton.tools.changing_tools import change_reference
from controlplane.agent.loop.session.trial_session import TrialSession

EVERYTHING_PERMITTED: Final = Permission()
"""For a benchmark that does not check its requests, or whose check fails. A permission too many
only lets a mistake happen. Without one that it needs, a request could not be carried out."""


def request_permission(
    session: TrialSession, check: str | None, intent: Mapping[str, Any]
) -> Permission:
    """Run the check of this name, and return the changes that it permits.

    Without a check, or if it returns no usable value, everything is permitted. `intent` is how
    a small model describes the request: `{"kind": "renew", "loan": "l-12"}`.
    """
    if not check:
        return EVERYTHING_PERMITTED
    try:
        value = check_result(session, check, intent).get("value", {})
        return Permission.model_validate(value)
    except ValidationError:
        return EVERYTHING_PERMITTED


def permission_text(
    session: TrialSession, check: str | None, permission: Permission
) -> str:
    """Return the permitted calls that change something, as a text for the model.

    It is empty if none is permitted, and without a check: the system prompt then lists all.
    """
    return change_reference(session.tool_schema, permission) if check else ""
