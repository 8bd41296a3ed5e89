"""The arguments with which scripts cite: paths, lists of paths, and results of calls."""

from __future__ import annotations

import posixpath
from typing import Any


def path_of_result(result: dict[Any, Any]) -> Any:
    """Return the path of a read's result, its item `path`; any other dict as it is."""
    path = result.get("path")
    return path if isinstance(path, str) else result


def reasons_of_results(result: Any) -> dict[Any, Any]:
    """Return the references of one or several results of `harness.tools` functions.

    A result has them as `refs`: `[{"path": "/a.md", "reason": "states the limit"}]`
    becomes `{"/a.md": "states the limit"}`. Raises `TypeError` or `KeyError` for
    anything else.
    """
    results = result if isinstance(result, (list, tuple)) else [result]
    reasons = {}
    for function_result in results:
        for reference in function_result["refs"]:
            reasons[reference["path"]] = reference["reason"]
    return reasons


def paths_with_reasons(paths: Any, reason: Any) -> list[tuple[str, str]]:
    """Return pairs of a path and a reason for all forms of arguments of `cite`.

    `["/a.md", "/b.md"], "rules"` -> `[("/a.md", "rules"), ("/b.md", "rules")]`, and a
    mapping of paths to reasons becomes its items. Raises `TypeError` for anything else.
    """
    if isinstance(paths, dict) and reason is None:
        # Not `paths.items()`: a result may have a key `items`, which would be returned.
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


def cited_spelling(path: Any, refs: dict[str, Any]) -> str | None:
    """Return the spelling in which a path is cited: for `Docs/a.md`, perhaps `/docs/a.md`.

    None if it is not cited, or if it could stand for several cited paths.
    """
    if not isinstance(path, str):
        msg = "uncite(path) takes strings"
        raise TypeError(msg)
    if path in refs:
        return path

    similar_refs = []
    for ref in refs:
        if isinstance(ref, str) and _folded_path(ref) == _folded_path(path):
            similar_refs.append(ref)
    return similar_refs[0] if len(similar_refs) == 1 else None


def _folded_path(path: str) -> str:
    """Return a path for comparison: ` Docs//a.md` -> `/docs/a.md`."""
    return posixpath.normpath("/" + path.strip().lstrip("/")).casefold()
