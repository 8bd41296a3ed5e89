"""The ids of trials, such as `orders.3-r0-0a1b2c3d-c2`.

An id names the task, the world and the run, so that any process can start the trial by it. A
process of the same run needs only two of these parts: see `TrialId`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import re2

from controlplane.benchmark import TaskTry
from controlplane.gates.surrogates import encodable

TRIAL_ID: Final = re2.compile(
    r"(?P<task>.+)"  # orders.3
    r"-r\d+"  # -r0: the number of the world
    r"-(?P<token>[0-9a-f]{8})"  # -0a1b2c3d: the token of the run
    r"(?:-c\d+)?"  # -c2: the number of the copy, for further tries in the same world
)
"""The id of a trial, such as `orders.3-r0-0a1b2c3d-c2`."""
TOKEN_BYTES: Final = 4
"""The number of random bytes in a run's token. Each byte becomes two hexadecimal digits."""
UNPLAYED_TOKEN: Final = "0" * 2 * TOKEN_BYTES
"""The token in ids of worlds that belong to no run, and are created only to look at."""


@dataclass(frozen=True, slots=True)
class TrialId:
    """What the id of a trial says."""

    task_id: str
    """Such as `orders.3`."""
    token: str
    """The random digits of the trial's run, which tell the runs of a benchmark apart."""

    @classmethod
    def parsed(cls, text: str) -> TrialId | None:
        """Return the parts of an id; None for another text."""
        match = TRIAL_ID.fullmatch(encodable(text))
        if match is None:
            return None
        return cls(match["task"], match["token"])


def trial_id_of(task_try: TaskTry, token: str) -> str:
    """Return the id of the trial for a try of a task."""
    trial_id = f"{task_try.task_id}-r{task_try.number}-{token}"
    if task_try.copy:
        trial_id += f"-c{task_try.copy}"
    return trial_id
