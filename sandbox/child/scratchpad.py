"""`scratchpad`: the dict that survives between steps, and the citations of an answer in it."""

from __future__ import annotations

import posixpath
from collections.abc import Callable, MutableMapping
from typing import Any, TypeAlias

from controlplane.sandbox.child.script_exceptions import CitationError
from controlplane.sandbox.child.script_values import encode

Ask: TypeAlias = Callable[[str, list[Any]], Any]
"""Asks the parent: takes the kind of request and its parts, returns the parent's answer or raises
its refusal."""


class Scratchpad(dict[str, Any]):
    """The dict that survives between steps. It refuses at once what it cannot keep."""

    __slots__ = ("_ask", "_keep")

    def __init__(self, ask: Ask, keep: Callable[[], None]) -> None:
        """Cite by `ask`; `keep` sends the content to the parent."""
        self._ask = ask
        self._keep = keep

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
        encode(value, f"scratchpad[{key!r}]")
        super().__setitem__(str.__str__(key), value)

    # By assignments, each of which is checked.
    update: Any = MutableMapping.update
    setdefault: Any = MutableMapping.setdefault

    def __ior__(self, other: Any) -> Scratchpad:  # type: ignore[override,misc] # of any mapping
        self.update(other)
        return self

    def copy(self) -> dict[str, Any]:
        """Return a plain dict with the same values."""
        return dict(self)

    def cite(self, path: Any, reason: Any = None, quote: Any = "") -> Any:
        """Cite a path that was read, with the reason: `cite(path, reason)`.

        Returns the spelling that is cited. A `quote` must be in what was read there, blanks and
        case aside. `cite([path, ...], reason)` and `cite({path: reason, ...})` cite several and
        return a list; a `CitationError` then names every path that cannot be cited, and the others
        are cited.
        """
        if isinstance(path, str) and isinstance(reason, str) and isinstance(quote, str):
            return self._cite_one(path, reason, quote)
        if quote:
            msg = "cite(path, reason, quote) takes three strings; a quotation goes with one path"
            raise TypeError(msg)
        return self._cite_several(_paths_with_reasons(path, reason))

    def _cite_one(self, path: str, reason: str, quote: str = "") -> str:
        """Cite one path. Raises `CitationError`."""
        spelling: str = self._ask("cite", [path, [reason, quote] if quote else reason])
        refs = self.get("refs_why")
        if not isinstance(refs, dict):
            refs = {}
            self["refs_why"] = refs
        refs[spelling] = reason
        self._keep()
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
        """Cite the references of a function result, or of several: what `harness.tools` returned."""
        results = result if isinstance(result, (list, tuple)) else [result]
        reasons = {}
        try:
            for function_result in results:
                for reference in function_result["refs"]:
                    reasons[reference["path"]] = reference["reason"]
            return self.cite(reasons)
        except (TypeError, KeyError):
            msg = "cite_all(result) takes what a function of harness.tools returned"
            raise TypeError(msg) from None

    def uncite(self, *paths: str) -> bool:
        """Take citations back; return whether each of `paths` was cited.

        The spelling of slashes and case does not matter.
        """
        refs = self.get("refs_why")
        if not isinstance(refs, dict):
            return False

        # Before any is removed: an unusual argument leaves all citations as they are.
        spellings = [_cited_spelling(path, refs) for path in paths]
        for spelling in spellings:
            refs.pop(spelling, None)
        self._keep()
        return None not in spellings


def _paths_with_reasons(paths: Any, reason: Any) -> list[tuple[str, str]]:
    """Return the citations of a map from paths to reasons, or of paths with one reason.

    Raises `TypeError` for anything else.
    """
    if isinstance(paths, dict) and reason is None:
        citations = list(dict.items(paths))
    elif isinstance(paths, (list, tuple)):
        citations = [(path, reason) for path in paths]
    else:
        citations = [(paths, reason)]

    for path, path_reason in citations:
        if not isinstance(path, str) or not isinstance(path_reason, str):
            msg = (
                "cite(path, reason) takes two strings; "
                "several paths are a list of strings, or a map to their reasons"
            )
            raise TypeError(msg)
    return citations


def _cited_spelling(path: Any, refs: dict[str, Any]) -> str | None:
    """Return the spelling under which a path is cited; None if it is not cited, or not surely."""
    if not isinstance(path, str):
        msg = "uncite(path) takes strings"
        raise TypeError(msg)
    if path in refs:
        return path

    alike = []
    for ref in refs:
        if isinstance(ref, str) and _folded_path(ref) == _folded_path(path):
            alike.append(ref)
    return alike[0] if len(alike) == 1 else None


def _folded_path(path: str) -> str:
    """Return a path without differences of slashes, blanks around it and case."""
    return posixpath.normpath("/" + path.strip().lstrip("/")).casefold()
