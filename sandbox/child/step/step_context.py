"""What the steps of a process share."""

from __future__ import annotations

from collections.abc import Mapping
from types import ModuleType
from typing import Any, NamedTuple

from controlplane.sandbox.child.language.script_modules import Modules
from controlplane.sandbox.interface.isolation_layers import Layer
from controlplane.sandbox.interface.messages.frames import FrameReader
from controlplane.sandbox.interface.messages.parent_messages import Setting


class StepContext(NamedTuple):
    """What the steps of a process share."""

    reader: FrameReader
    setting: Setting
    modules: Modules
    functions: Mapping[str, ModuleType]
    """The loaded modules of the benchmark's functions, by name."""
    harness: Any
    """The object by which scripts make calls: `harness.read("/a.md")`."""

    @property
    def has_language_policy(self) -> bool:
        """True if scripts may use only a part of Python."""
        return Layer.LANGUAGE in self.setting.isolation

    @property
    def has_process_limits(self) -> bool:
        """True if the time and memory of this process are limited."""
        return Layer.PROCESS in self.setting.isolation
