"""The script's own check of its answer: the `verify` of `harness.answer(scratchpad, verify)`.

The parent asks for two calls of `verify`: one with the scratchpad as it is, and one
without the submitted values. A check that says yes to both checks nothing.
"""

from __future__ import annotations

from inspect import signature
from typing import Any

from controlplane.sandbox.interface.operations import Plain


def blank_submission() -> dict[str, Plain]:
    """Return the blank values that replace the submitted ones in the second call."""
    return {"answer": "", "outcome": "", "refs_why": {}}


def is_yes(reply: Any) -> bool:
    """Return True if a reply of `verify` is a yes: `True`, or a mapping whose `ok` is `True`."""
    if isinstance(reply, dict):
        return reply.get("ok") is True
    return reply is True


def takes_one_argument(function: Any) -> bool:
    """Return True if `function` can be called with one positional argument; True if unknown."""
    try:
        signature(function).bind(None)
    except TypeError:
        return False
    except BaseException:  # noqa: BLE001 - the object may have a `__signature__` of the script
        return True
    return True
