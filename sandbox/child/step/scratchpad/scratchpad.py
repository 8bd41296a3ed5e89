"""`scratchpad`: the dict of a script whose content survives between the steps of a trial.

It also collects the citations of the answer: `scratchpad.cite("/rules.md",
"states the limit")` asks the parent whether the path was read, and then adds it
to `scratchpad["refs_why"]`.
"""

from __future__ import annotations

from collections.abc import Callable, MutableMapping
from typing import Any, Final, TypeAlias

from controlplane.sandbox.child.step.harness.citation_arguments import (
    cited_spelling,
    path_of_result,
    paths_with_reasons,
    reasons_of_results,
)
from controlplane.sandbox.child.step.scratchpad.encoded_values import encode
from controlplane.sandbox.child.step.script_exceptions import CitationError

Cite: TypeAlias = Callable[[str, str, str], str]
"""Asks the parent to cite a path, with a reason and a quotation. Returns the path as the
parent spells it (`docs/a.md` -> `/docs/a.md`), or raises `CitationError`."""


class Scratchpad(dict[str, Any]):
    """The dict that survives between steps. It refuses at once what it cannot keep."""

    __slots__ = ("_request_citation", "_send_to_parent")

    def __init__(
        self, request_citation: Cite, send_to_parent: Callable[[], None]
    ) -> None:
        """`send_to_parent` sends the current content to the parent."""
        self._request_citation = request_citation
        self._send_to_parent = send_to_parent

    def __missing__(self, key: Any) -> Any:
        content = f"has {', '.join(map(repr, self))}" if self else "is empty"
        msg = f"the scratchpad has no {key!r}; it {content}"
        raise KeyError(msg)

    def __getattr__(self, name: str) -> Any:
        msg = (
            f"the scratchpad has no attribute {name!r}; "
            f"what it keeps are items: scratchpad[{name!r}]"
        )
        raise AttributeError(msg)

    def __setitem__(self, key: str, value: Any) -> None:
        if not isinstance(key, str):
            msg = f"a key of the scratchpad is a string, not {type(key).__name__}"
            raise TypeError(msg)
        encode(value, f"scratchpad[{key!r}]")  # Raises if the value cannot be kept.
        super().__setitem__(str.__str__(key), value)

    # The methods of `dict` would not call `__setitem__`, and so not check the values. These do.
    update: Any = MutableMapping.update
    setdefault: Any = MutableMapping.setdefault

    def __ior__(self, other: Any) -> Scratchpad:  # type: ignore[override,misc] # of any mapping
        self.update(other)
        return self

    def copy(self) -> dict[str, Any]:
        """Return a plain dict with the same values."""
        return dict(self)

    def cite(self, path: Any, reason: Any = None, quote: Any = "") -> Any:
        """Cite one path that was read, or several, with the reason.

        The forms of a call:

            cite("/a.md", reason)               returns the path as the parent spells it
            cite("/a.md", reason, quote)        the quotation must be in the text that was read
            cite(harness.read(path), reason)    cites the path of the result
            cite(["/a.md", "/b.md"], reason)    returns a list of paths
            cite({"/a.md": reason, ...})        returns a list of paths

        White space and case of a quotation do not matter. If some of several paths
        cannot be cited, the others are, and a `CitationError` names those that cannot.
        """
        if isinstance(path, dict) and reason is not None:
            path = path_of_result(path)
        if isinstance(path, str) and isinstance(reason, str) and isinstance(quote, str):
            return self._cite_one(path, reason, quote)
        if quote:
            msg = "cite(path, reason, quote) takes three strings; a quotation goes with one path"
            raise TypeError(msg)
        return self._cite_several(paths_with_reasons(path, reason))

    def _cite_one(self, path: str, reason: str, quote: str = "") -> str:
        """Cite one path. Raises `CitationError`."""
        spelling = self._request_citation(path, reason, quote)
        refs = self.get("refs_why")
        if not isinstance(refs, dict):
            refs = {}
            self["refs_why"] = refs
        refs[spelling] = reason
        self._send_to_parent()
        return spelling

    def _cite_several(self, citations: list[tuple[str, str]]) -> list[str]:
        """Cite every path that can be cited. Raises `CitationError` for the others."""
        spellings: list[str] = []
        faults: list[str] = []
        for path, reason in citations:
            try:
                spellings.append(self._cite_one(path, reason))
            except CitationError as error:
                faults.append(str(error))

        if faults:
            message = "\n".join(faults)
            if spellings:
                message += f"\nThe other {len(spellings)} are cited."
            raise CitationError(message)
        return spellings

    def cite_all(self, result: Any) -> Any:
        """Cite the references of one or several results of `harness.tools` functions.

        A result has them as `refs`, such as
        `[{"path": "/a.md", "reason": "states the limit"}]`.
        """
        try:
            # Raises `TypeError`, too, if the paths and reasons are not texts.
            return self.cite(reasons_of_results(result))
        except (TypeError, KeyError):
            msg = "cite_all(result) takes what a function of harness.tools returned"
            raise TypeError(msg) from None

    def uncite(self, *paths: str) -> bool:
        """Remove citations. Returns True if every one of `paths` was cited.

        Slashes and case need not match: `uncite("Docs/a.md")` removes `/docs/a.md`.
        """
        refs = self.get("refs_why")
        if not isinstance(refs, dict):
            return False

        # Look up all paths before removing one: after a `TypeError`, nothing has changed.
        spellings = [cited_spelling(path, refs) for path in paths]
        for spelling in spellings:
            refs.pop(spelling, None)
        self._send_to_parent()
        return None not in spellings  # None stands for a path that was not cited.


SCRATCHPAD_METHODS: Final = ("cite", "cite_all", "uncite")
"""What a script may call as `scratchpad.NAME(...)`, beside the methods of a dict."""
