"""What the steps of a process share."""

from __future__ import annotations

from collections.abc import Mapping
from types import ModuleType
from typing import Any, NamedTuple

from controlplane.sandbox.child.language.script_modules import Modules
from controlplane.sandbox.interface.frames import FrameReader
from controlplane.sandbox.interface.host import Layer
from controlplane.sandbox.interface.parent_messages import Setting


class StepContext(NamedTuple):
    """What the steps of a process share."""

    reader: FrameReader
    setting: Setting
    modules: Modules
    functions: Mapping[str, ModuleType]
    """The loaded modules of the benchmark's functions, by name."""
    harness: Any

    @property
    def has_language_policy(self) -> bool:
        return Layer.LANGUAGE in self.setting.isolation

    @property
    def has_process_limits(self) -> bool:
        return Layer.PROCESS in self.setting.isolation
