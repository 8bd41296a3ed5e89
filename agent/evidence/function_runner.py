"""Declares the interface of what runs a benchmark's functions, in another process.

A benchmark may declare `total_fee`, which the function of this name in its module `library`
computes. If a script calls `harness.tools.total_fee("L-4")`, this reaches the sandbox, which
implements the interface (`sandbox.Sandbox`):

    compute("library:total_fee", {"loan": "L-4"})   -> {"value": 21}
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Protocol

from controlplane.sandbox.interface import Plain
from controlplane.sandbox.interface.messages.parent_messages import KnownCall


class FunctionRunner(Protocol):
    """Runs the functions that a benchmark declares."""

    def compute(
        self,
        function: str,
        arguments: Mapping[str, Plain],
        known_calls: Sequence[KnownCall] = (),
    ) -> Mapping[str, Plain]:
        """Return the result of a function, given as `module:name`. Raises `CallError`.

        The function cannot reach the environment. If it calls `read("/a.md")`, the trial makes
        this call for it, and sends the result to its process. For `known_calls`, the process has
        the results from the start, and does not ask.
        """
        ...
