"""How the script of a step ended: it finished, failed, or was refused before it ran.

| the script | `ending` | `was_refused` | `failure_of` |
|---|---|---|---|
| `print(4)` | `finished` | False | |
| `row["fee"]` | `raised` | False | `KeyError: 'fee'` |
| `print(4` | `syntax` | True | `line 1, column 6: '(' was never closed: print(4` |
| `from math import *` | `refused` | True | `line 1, column 1: "*" imports are not allowed.` |
"""

from __future__ import annotations

from controlplane.agent.events import StepDone
from controlplane.sandbox import Ending


def was_refused(ending: str) -> bool:
    """Return True if the script was refused before it ran."""
    return ending in (Ending.SYNTAX, Ending.REFUSED)


def failure_of(script: StepDone) -> str:
    """Return the last line of a script's error; empty without a script, or if it finished.

    If it was stopped without an error, this is the ending: `killed`.
    """
    if not script.code or script.ending == Ending.FINISHED:
        return ""
    lines = script.error.strip().splitlines()
    return lines[-1].strip() if lines else script.ending
