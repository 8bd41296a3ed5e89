"""The ids of runs, such as `ecom-s7-n100-0a1b2c3d`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import re2

from controlplane.benchmark import BenchmarkError
from controlplane.gates.surrogates import encodable
from controlplane.sandbox.interface.error_codes import NOT_FOUND

RUN_ID: Final = re2.compile(
    r"(?P<benchmark>[a-z0-9-]+?)"  # ecom
    r"-s(?:0|-?[1-9]\d*)"  # -s7: the seed
    r"-n(?P<trials>[1-9]\d*)"  # -n100: the number of trials
    r"-(?P<token>[0-9a-f]{8})"  # -0a1b2c3d: random, to distinguish the run from others
)
"""The id of a run, such as `ecom-s7-n100-0a1b2c3d`."""
MAX_COUNT_DIGITS: Final = 18
"""More digits of a number of trials are ignored: anyone may have
written the id, and Python refuses to convert thousands of digits."""


@dataclass(frozen=True, slots=True)
class RunId:
    """The parts of a run's id."""

    text: str
    """The whole id."""
    trials: int
    """The number of trials in the run."""
    token: str
    """Its random part, which the ids of the run's trials contain, too."""

    @classmethod
    def of(cls, text: str, benchmark: str) -> RunId:
        """Return the parts of a run's id. Raises `BenchmarkError` for another text."""
        match = RUN_ID.fullmatch(encodable(text))
        if match is None or match["benchmark"] != benchmark:
            raise BenchmarkError(NOT_FOUND, f"{text!r} is not a run of {benchmark}")
        trials = int(match["trials"][:MAX_COUNT_DIGITS])
        return cls(match[0], trials, match["token"])
