"""The environment of one trial: its files and their changes, a clock, and one answer. It knows nothing of the truth.

Its calls compute in the trial's aide if it was given one, else in this process.
"""

from __future__ import annotations

import threading
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Final

from benchmarks.ecom.runtime.shop_surface import EXECUTABLES, surface_of
from benchmarks.ecom.runtime.workspace import Workspace
from benchmarks.local.end_state_grader import GivenAnswer
from benchmarks.shop.findings.declarations import FINDING_MODULES
from benchmarks.shop.solver_bindings import CHECK_MODULES
from sandbox.interface import CallError, Plain, Surface, error_codes

if TYPE_CHECKING:
    from benchmarks.ecom.runtime.shop_runtime import ShopRuntime
    from sandbox import Aide
    from sandbox.files import AidedFiles

AIDE_MODULES: Final = ("benchmarks.ecom.runtime.shop_runtime", *FINDING_MODULES, *CHECK_MODULES)
"""The first makes the world."""


class EcomEnvironment:
    """The world that a trial's scripts work in. Changes stay within the trial. Calls may come from any thread."""

    def __init__(self, workspace: Workspace) -> None:
        self.workspace = workspace
        self.submission: GivenAnswer | None = None
        self._surface = surface_of(workspace.security_document, workspace.uploads)
        self._files: AidedFiles | ShopRuntime | None = None
        self._lock = threading.Lock()
        self._is_open = True

    @property
    def surface(self) -> Surface:
        """The operations, tools, rules document and opening calls; what turn one reads depends on the world's paths."""
        return self._surface

    @property
    def first_files(self) -> Mapping[str, str]:
        """The files by path as the trial found them."""
        return self.workspace.files

    @property
    def changes(self) -> Mapping[str, str | None]:
        """What was written (path to text) and deleted (path to None) since the start, by path."""
        return {} if self._files is None else self._files.changes

    def use_aide(self, aide: Aide) -> None:
        """Have every further call computed in this process, which has not begun, with the changes of those before."""
        from sandbox.files import AidedFiles

        with self._lock:
            workspace, earlier = self.workspace, self.changes
            self._files = AidedFiles(
                aide, AIDE_MODULES[0], workspace.files, directories=workspace.directories, data=workspace.facts()
            )
            self._files.serves_whole_files = not workspace.limits.read_lines
            self._files.changes.update(earlier)

    def now(self) -> datetime | None:
        """Return the world's clock, which `/bin/date` prints."""
        return self.workspace.clock

    def call(self, operation: str, arguments: Mapping[str, Plain]) -> dict[str, Plain]:
        """Make one call of a declared operation and return its result fields. Raises `CallError`."""
        with self._lock:
            self._refuse_when_ended()
            if self._files is None:
                from benchmarks.ecom.runtime.shop_runtime import ShopRuntime

                self._files = ShopRuntime(self.workspace)
            return self._files.call(operation, arguments)

    def knows_file(self, path: str) -> bool:
        """Say whether a file stands at exactly `path`, or stood there at the start."""
        is_first = path in self.workspace.files or any(path == each.path for each in EXECUTABLES)
        return is_first or self.changes.get(path) is not None

    def answer(self, message: str, outcome: str, refs: Sequence[str]) -> None:
        """Submit the trial's one answer. Raises `CallError`: `already_exists` for a second one."""
        with self._lock:
            self._refuse_when_ended()
            if self.submission is not None:
                raise CallError(error_codes.ALREADY_EXISTS, "this trial has its answer already")
            self.submission = GivenAnswer(message, outcome, tuple(refs))

    def close(self) -> None:
        """End the trial: every later call fails with `failed_precondition`."""
        with self._lock:
            self._is_open = False

    def _refuse_when_ended(self) -> None:
        if not self._is_open:
            raise CallError(error_codes.FAILED_PRECONDITION, "this trial has ended")
