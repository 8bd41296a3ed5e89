"""`Sandbox`: runs the scripts of one trial in children of a fork server."""

from __future__ import annotations

from datetime import datetime
from typing import Final, Self

from sandbox.interface.host import Host, StepResult
from sandbox.interface.limits import Limits
from sandbox.interface.operations import Plain
from sandbox.interface.surface import Surface
from sandbox.interface.walls import ALL_WALLS, Wall
from sandbox.parent.fork_server import ForkServer
from sandbox.parent.parent_step import Step
from sandbox.parent.trial_child import Trial
from sandbox.process.child_settings import Setting

DEFAULT_LIMITS: Final = Limits()


class Sandbox:
    """Runs the scripts of one trial, one after another, each with fresh names. A context manager."""

    def __init__(  # noqa: PLR0913 - what a trial is made of; all but two have a default or a name
        self,
        surface: Surface,
        host: Host,
        *,
        now: datetime,
        seed: int,
        limits: Limits = DEFAULT_LIMITS,
        walls: frozenset[Wall] = ALL_WALLS,
        server: ForkServer | None = None,
    ) -> None:
        self._has_own_server = server is None
        setting = Setting(surface.operations, limits, _microseconds(now), seed, walls)
        self._trial = Trial(surface, host, setting, ForkServer() if server is None else server)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *failure: object) -> None:
        self.close()

    @property
    def scratchpad(self) -> dict[str, Plain]:
        """The last snapshot, in the tagged form of `sandbox.interface.scratchpad_values`."""
        return self._trial.scratchpad

    def restore(self, scratchpad_tagged: dict[str, Plain], *, steps_done: int | None = None) -> None:
        """Go on from a scratchpad of an earlier process; `steps_done` sets the number that pins the next step."""
        self._trial.scratchpad = dict(scratchpad_tagged)
        if steps_done is not None:
            self._trial.steps = steps_done

    def run(self, code: str, *, step: int | None = None) -> StepResult:
        """Run one script. `step` (from 1) pins its randomness; without it, the step after the last one."""
        self._trial.steps = self._trial.steps + 1 if step is None else step
        return Step(self._trial, code).run()

    def warm(self) -> None:
        """Have a child ready, so that the first step does not wait for one."""
        self._trial.ready_child()

    def close(self) -> None:
        """End the child, and the server if it is the sandbox's own."""
        self._trial.drop_child()
        if self._has_own_server:
            self._trial.server.close()


def _microseconds(now: datetime) -> int:
    if now.tzinfo is None:
        msg = "now must be timezone-aware"
        raise ValueError(msg)
    whole = now.astimezone(now.tzinfo)
    return int(whole.timestamp()) * 1_000_000 + whole.microsecond
