"""What the URL of a call refers to: the server, or the runtime of one trial.

Calls about runs and trials are sent to `http://HOST/SERVICE/METHOD`, calls of a trial's
runtime to `http://HOST/trials/ID/SERVICE/METHOD`.
"""

from __future__ import annotations

from collections.abc import MutableMapping
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import Any, Final, NamedTuple, TypeAlias

from controlplane.sandbox.interface.outcomes import GENERAL_OUTCOMES, Outcomes
from controlplane.task_selection import TaskSelection

# The options of serving a benchmark.

OPEN: Final = "open"
BLIND: Final = "blind"


@dataclass(frozen=True, slots=True)
class ServerOptions:
    """Options of serving a benchmark."""

    host: str = "127.0.0.1"
    port: int = 0
    """0 for a free port."""
    policy: str = OPEN
    """`open` shows scores and hints; `blind` hides both."""
    reveal_after_s: float | None = None
    """Seconds until clients see a submitted run's scores. None: 0 if open, never if blind."""
    api_key: str = field(default="", repr=False)
    """The key that StartRun requires; empty accepts any."""
    selection: TaskSelection = field(default_factory=TaskSelection)
    """The trials of each run."""
    seed: int = 0
    """The seed of each run."""
    body_bytes: int = 2 * 1024 * 1024
    """The most bytes of a request body, both as sent and decompressed."""
    idle_s: float = 3600.0
    """Seconds without a call after which a run ends."""
    worker_modules: tuple[str, ...] = ()
    """Modules with the functions that a trial's worker process runs. Empty for no workers."""
    outcomes: Outcomes = GENERAL_OUTCOMES
    """The outcomes of trials whose tool schema declares none. Clients know those of the platform alone."""

    @property
    def eval_policy(self) -> str:
        """The policy as the protocol names it: `EVAL_POLICY_OPEN` or `EVAL_POLICY_BLIND`."""
        return f"EVAL_POLICY_{self.policy.upper()}"


Scope: TypeAlias = MutableMapping[str, Any]
"""What ASGI tells about a request: its `path`, `headers` and so on."""
_TRIAL_PREFIX: Final = "/trials/"
"""The URL path of a trial's runtime is this prefix and the trial's id."""


def trial_url(address: str, trial_id: str) -> str:
    """Return the URL of a trial's runtime. `address` is the base URL that the client used."""
    return f"{address}{_TRIAL_PREFIX}{trial_id}"


class _CallTarget(NamedTuple):
    """What the URL of a call refers to: the server itself, or the runtime of a trial."""

    address: str
    """The base URL that the client used for the server, such as `http://127.0.0.1:8080`."""
    path_prefix: str
    """The path before the service and method: `/trials/ID`, or empty."""

    @property
    def trial_id(self) -> str:
        """The trial whose runtime is called; empty for calls about runs and trials."""
        if self.path_prefix.startswith(_TRIAL_PREFIX):
            return self.path_prefix.removeprefix(_TRIAL_PREFIX)
        return ""


CURRENT_TARGET: Final[ContextVar[_CallTarget]] = ContextVar("target")
"""The target of the request that the current asyncio task handles.

The application sets it for the endpoints, because `connectrpc` does not pass them the URL.
"""


def target_of(scope: Scope, own_host: str) -> _CallTarget:
    """Return the target of a request.

    `own_host`, such as `127.0.0.1:8080`, is used if the client names no host.
    """
    host = own_host
    for name, value in scope["headers"]:
        if name == b"host" and value:
            host = value.decode("latin-1")
            break
    address = f"{scope.get('scheme', 'http')}://{host}"
    # The path ends with `/SERVICE/METHOD`.
    path_prefix = scope["path"].rsplit("/", 2)[0]
    return _CallTarget(address, path_prefix)
