"""The key by which a stopped call is recognised when it is made again.

Two *checks* may object to a call before it is sent, and stop it. If the model makes the same call
again, it insists, and the call is usually sent. So the stopped calls are kept by their keys. A
key does not depend on the order of the arguments:

    stop_key("check", "move", {"from": "/b", "to": "/a"})
        -> ("check", '["move", {"from": "/b", "to": "/a"}]')
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, Final, Literal, TypeAlias

CheckName: TypeAlias = Literal["check", "provenance"]
"""The name of a check in events."""
ENVIRONMENT_CHECK: Final = "check"
"""The environment's pre-call check, a function that knows the environment's rules."""
ORIGIN_RULE: Final = "provenance"
"""The check of origins, which objects to values that only running text has."""
StopKey: TypeAlias = tuple[CheckName, str]
"""The check that stopped a call, and the call as text."""


def stop_key(check: CheckName, operation: str, arguments: Mapping[str, Any]) -> StopKey:
    """Return the key of a call that a check has stopped, or may have stopped."""
    return check, json.dumps([operation, arguments], sort_keys=True)
