"""The environment of one trial in the shop. The environment does not know the truth."""

from __future__ import annotations

from datetime import datetime
from typing import Final

from benchmarks.ecom.runtime.shop_surface import surface_of
from benchmarks.ecom.runtime.workspace import Workspace
from benchmarks.local.local_environment import Files, FirstFiles, LocalEnvironment
from benchmarks.shop import declarations

AIDE_MODULES: Final = ("benchmarks.ecom.runtime.shop_runtime", *declarations.AIDE_MODULES)
"""The first module makes the world."""


class EcomEnvironment(LocalEnvironment):
    """The shop that a trial's scripts work in. The reads of turn one depend on the world's paths."""

    def __init__(self, workspace: Workspace) -> None:
        files = FirstFiles(
            workspace.files,
            AIDE_MODULES[0],
            workspace.directories,
            workspace.facts(),
            serves_whole_files=not workspace.limits.read_lines,
        )
        super().__init__(surface_of(workspace.security_document, workspace.uploads), files)
        self.workspace = workspace

    def now(self) -> datetime | None:
        """Return the world's clock, which `/bin/date` prints."""
        return self.workspace.clock

    def files_here(self) -> Files:
        """Return the shop's runtime in this process."""
        from benchmarks.ecom.runtime.shop_runtime import ShopRuntime

        return ShopRuntime(self.workspace)
