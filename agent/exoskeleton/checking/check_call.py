"""Runs a *check*: a function of the benchmark that looks at a request before the model is asked.

For the request "Renew loan l-12", which a small model has described by `{"change": true}`:

    permitted_changes(request="Renew loan l-12", intent='{"change": true}')
        -> {"value": {"files": True, "tools": False}, "refs": []}
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from controlplane.agent.loop.session.trial_session import TrialSession
from controlplane.sandbox.interface import CallError, Plain


def check_result(
    session: TrialSession, check: str, intent: Mapping[str, Any]
) -> dict[str, Plain]:
    """Run the check of this name and return its result; empty if it cannot read its files.

    `intent` is how the small model describes the request; empty without one.
    """
    arguments: dict[str, Plain] = {
        "request": session.instruction,
        "intent": json.dumps(intent, default=str),
    }
    try:
        return session.call(check, arguments)
    except CallError:
        return {}
