"""The files that an answer cites, as a model writes them.

Models write a reference as an object or only as a path. Both are read:

    ["/docs/a.md", {"path": "/loans/l-7.json", "reason": "the loan"}]
        -> CitedPath(path="/docs/a.md"),
           CitedPath(path="/loans/l-7.json", reason="the loan")
"""

from __future__ import annotations

from typing import Annotated

from pydantic import BeforeValidator

from controlplane.agent.model import Received


class CitedPath(Received):
    """A reference: a file that the answer cites, and why."""

    path: str
    reason: str = ""
    quote: str = ""
    """The exact words of the file."""


def _as_references(value: object) -> object:
    """Return references as objects: `["/docs/a.md"]` -> `[{"path": "/docs/a.md"}]`.

    None stands for no references. Anything that is not a list is left to pydantic.
    """
    if value is None:
        return ()
    if not isinstance(value, list):
        return value
    references = []
    for entry in value:
        references.append({"path": entry} if isinstance(entry, str) else entry)
    return references


References = Annotated[tuple[CitedPath, ...], BeforeValidator(_as_references)]
"""References in the arguments of a call."""
