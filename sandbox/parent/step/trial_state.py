"""What the steps of a trial share on the parent's side, such as the scratchpad."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from controlplane.sandbox.interface.host import Host
from controlplane.sandbox.interface.limits import Limits
from controlplane.sandbox.interface.messages.frames import Forged
from controlplane.sandbox.interface.messages.tagged_values import TAG, Damaged, flatten
from controlplane.sandbox.interface.operations import Operation
from controlplane.sandbox.interface.plain_data import Plain
from controlplane.sandbox.interface.tool_schema import ToolSchema


def _ignore_moment(moment: float) -> None:
    """Do nothing. The default of `TrialState.end_calls_at`."""


@dataclass(slots=True)
class TrialState:
    """What the steps of a trial share on the parent's side."""

    tool_schema: ToolSchema
    host: Host
    limits: Limits
    scratchpad: dict[str, Plain] = field(default_factory=dict)
    """The last scratchpad that the child sent, in encoded form (`tagged_values`)."""
    flat_scratchpad: dict[str, Plain] = field(default_factory=dict)
    """The same scratchpad in JSON's own types."""
    has_answered: bool = False
    end_calls_at: Callable[[float], None] = _ignore_moment
    """Tells the host how long its calls may wait: until a moment on `time.monotonic()`.

    It is called twice for each call of the host: before it, with the deadline of the
    step; and after it, with infinity, which removes the limit. A host whose calls need
    no limit ignores it.
    """

    def operation(self, name: str) -> Operation | None:
        """Return the operation that scripts may call by this name; None if there is none.

        The `checks` of the tool schema are not for scripts: our own program calls them.
        """
        operation = self.tool_schema.operation(name)
        if operation is None or operation in self.tool_schema.checks:
            return None
        return operation

    def keep_scratchpad(self, scratchpad: Any) -> None:
        """Keep the scratchpad that the child sent. Raises `Forged` if it is not one."""
        # A tag is a key that names the type of an encoded value, such as a date. A mapping
        # has none, or the tag `dict` if not all of its keys are texts.
        is_mapping = isinstance(scratchpad, dict)
        if not is_mapping or scratchpad.get(TAG) not in (None, "dict"):
            msg = "a scratchpad that is not a mapping"
            raise Forged(msg)
        try:
            flat = flatten(scratchpad)
        except (Damaged, RecursionError) as error:
            raise Forged(str(error)) from error
        assert isinstance(flat, dict)
        self.scratchpad = scratchpad
        self.flat_scratchpad = flat

    def restore_scratchpad(self, scratchpad: dict[str, Plain]) -> None:
        """Continue from a scratchpad in encoded form. Raises `Damaged`."""
        flat = flatten(scratchpad)
        self.scratchpad = dict(scratchpad)
        self.flat_scratchpad = flat if isinstance(flat, dict) else {}
