"""The public names of `sandbox`, which its `__init__` takes from here at their first use.

`Sandbox` runs the scripts of one trial in an untrusted process.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from datetime import datetime
from typing import Final

from controlplane.sandbox.files.file_paths import content_type, normal_path
from controlplane.sandbox.files.file_tree import FileTree
from controlplane.sandbox.interface.error_codes import Refusal
from controlplane.sandbox.interface.host import (
    Ending,
    Host,
    StepResult,
    Verify,
    VerifyReply,
)
from controlplane.sandbox.interface.limits import (
    ALL_LAYERS,
    Layer,
    Limits,
    WorkerLimits,
    parse_isolation,
)
from controlplane.sandbox.interface.messages import (
    KnownCall,
    RunFunction,
    ScriptSetting,
)
from controlplane.sandbox.interface.operations import Plain
from controlplane.sandbox.interface.tool_schema import ToolSchema
from controlplane.sandbox.parent.child_process import (
    SandboxBroken,
    TrialProcess,
)
from controlplane.sandbox.parent.conversation import TrialState
from controlplane.sandbox.parent.fork_server import (
    ForkServer,
    IsolationReport,
    missing_layer,
    working_layers,
)
from controlplane.sandbox.parent.step import Step
from controlplane.sandbox.parent.worker import Worker

_DEFAULT_LIMITS: Final = Limits()


class Sandbox(AbstractContextManager["Sandbox"]):
    """Runs the scripts of one trial, one after another, in an untrusted process (the child).

    Each script is one step. It begins without the variables of the one before, and keeps
    values in its scratchpad, a dict. `sandbox.run("print(1 + 1)").output` is `2` with a line
    feed. A context manager for one thread.
    """

    def __init__(  # noqa: PLR0913 - the parts of a trial; all but the first two are passed by name
        self,
        tool_schema: ToolSchema,
        host: Host,
        *,
        now: datetime | None,
        seed: int,
        limits: Limits = _DEFAULT_LIMITS,
        isolation: frozenset[Layer] = ALL_LAYERS,
        server: ForkServer | None = None,
    ) -> None:
        """Fix the time of scripts at `now` (None: there is no clock), and their `seed`.

        `host` answers the calls that `tool_schema` declares. The child comes from `server`; without
        one, the sandbox starts its own.
        """
        self._own_server: ForkServer | None = None
        if server is None:
            self._own_server = ForkServer()
            server = self._own_server
        self._steps = 0
        """The number of the last step."""
        self._running_step: Step | None = None
        """The step whose script runs now; None between the steps."""
        self.on_script: Callable[[str, str], None] | None = None
        """Called as `on_script(code, "")` when a script begins: its output is empty so far."""
        self.on_print: Callable[[str], None] | None = None
        """Called with each text that a script prints."""

        executables = {tool.path: tool.summary for tool in tool_schema.executables}
        setting = ScriptSetting(
            isolation,
            limits,
            tool_schema.operations,
            _microseconds(now),
            seed,
            executables,
        )
        self._process = TrialProcess(server, setting)
        self._state = TrialState(tool_schema, host, limits)

    def keep_time(
        self, remaining_s: Callable[[], float], end_calls_at: Callable[[float], None]
    ) -> None:
        """Let no step take longer than what is left of the trial, and no call longer than its step.

        `remaining_s` returns the seconds that are left, at the begin of each step. `end_calls_at` is
        called before each call of a script, with the moment on `time.monotonic()` by which the call
        has to end, so that the host can give up a slow one in time. After the call it gets infinity.
        """
        self._state.remaining_s = remaining_s
        self._state.end_calls_at = end_calls_at

    def __exit__(self, *failure: object) -> None:
        self.close()

    @property
    def scratchpad(self) -> dict[str, Plain]:
        """The last scratchpad of the scripts, in encoded form: `{"due": {"$": "date", ...}}`."""
        return self._state.scratchpad

    @property
    def flat_scratchpad(self) -> dict[str, Plain]:
        """The last scratchpad of the scripts, in JSON's own types: `{"due": "2026-01-01"}`."""
        return self._state.flat_scratchpad

    def restore(self, scratchpad_tagged: dict[str, Plain]) -> None:
        """Give the next script a scratchpad of an earlier process, for example of a resumed run.

        `scratchpad_tagged` is in encoded form (`tagged_values`), such as `{"due": {"$":
        "date", "v": "2026-01-01"}}`. If it is not a mapping but, for example, a date,
        `flat_scratchpad` is empty. Raises `Damaged` for another form.
        """
        self._state.restore_scratchpad(scratchpad_tagged)

    def run(self, code: str, *, step: int | None = None) -> StepResult:
        """Run one script, and return its output and how it ended: its errors are not raised.

        `step` is its number, from 1, which pins its randomness. The default is the next one.
        """
        self._steps = self._steps + 1 if step is None else step
        if self.on_script is not None:
            self.on_script(code, "")
        # Forget why the last script was interrupted, if it was.
        self._process.interruption = ""
        self._running_step = Step(self._state, self._process, self.on_print)
        try:
            return self._running_step.run(self._steps, code)
        finally:
            self._running_step = None

    @property
    def peak_memory_bytes(self) -> int | None:
        """The most memory, in bytes, that the process of the last script has used so far.

        It may have ended since, as after a `MemoryError`. None before the first process, or if the
        system does not report it.
        """
        return self._process.peak_memory_bytes

    def interrupt(self, reason: str) -> None:
        """End the running script, if there is one, as if it had passed a limit.

        Any thread may call this.
        """
        if self._running_step is not None:
            self._process.interrupt(reason)

    def compute(
        self,
        function: str,
        arguments: Mapping[str, Plain],
        known_calls: Sequence[KnownCall] = (),
    ) -> dict[str, Plain]:
        """Run a function of the benchmark (`module:name`), and return the fields of its result.

        The function runs in the trial's child, and makes calls as a script does. It gets the
        results of the `known_calls` without making them again. Raises `CallError` and
        `SandboxBroken`.
        """
        calls = []
        for call in known_calls:
            calls.append([call.operation, dict(call.arguments), dict(call.result)])
        task = RunFunction(function, [], dict(arguments), calls)

        # 1. A script has called the function: the host got the call, and calls this method,
        #    while the script waits in the same child.
        if self._running_step is not None:
            return self._running_step.compute(task, is_alone=False)

        # 2. No script runs: the agent itself wants the result.
        return Step(self._state, self._process, None).compute(task, is_alone=True)

    def ready_child(self) -> None:
        """Start the trial's child if there is none, so that the next step need not wait for it.

        Raises `Closed` and `SandboxBroken`.
        """
        self._process.ready()

    def close(self) -> None:
        """End the child, and the server if it is the sandbox's own."""
        self._process.end()
        if self._own_server is not None:
            self._own_server.close()


def _microseconds(now: datetime | None) -> int | None:
    """Return the microseconds since 1970; None if there is no clock."""
    if now is None:
        return None
    if now.tzinfo is None:
        msg = "now must be timezone-aware"
        raise ValueError(msg)
    return int(now.timestamp()) * 1_000_000 + now.microsecond
