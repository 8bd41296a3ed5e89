"""The objects of a script: `scratchpad`, `console`, the results of calls, and their exceptions."""

from __future__ import annotations

import json
import posixpath
from collections.abc import Callable
from typing import Any, Final

from sandbox.interface.operations import Operation
from sandbox.interface.scratchpad_values import encode

Ask = Callable[[str, list[Any]], Any]
"""Asks the parent: takes the kind of request and its parts, returns the parent's answer or raises its refusal."""


class HarnessError(Exception):
    """A call failed; `code` says how, `message` why."""

    def __init__(self, code: str = "unknown", message: str = "") -> None:
        super().__init__(f"{code}: {message}")
        self.code = code
        self.message = message


class CitationError(Exception):
    """A path that cannot be cited, or a reason that is too short."""


class GateRejection(Exception):
    """An answer that the gates rejected; the text says what to mend."""


EXCEPTIONS: Final = {kind.__name__: kind for kind in (HarnessError, CitationError, GateRejection)}


class Record(dict[str, Any]):
    """A result: a dict whose keys are attributes too."""

    __slots__ = ()

    def __missing__(self, key: Any) -> Any:
        msg = f"the result has no {key!r}; it has {', '.join(map(str, self))}"
        raise KeyError(msg)

    def __getattr__(self, name: str) -> Any:
        try:
            return self[name]
        except KeyError as error:
            raise AttributeError(error.args[0]) from None

    def __setattr__(self, name: str, value: object) -> None:
        msg = f"results are not assigned to by attribute; use result[{name!r}] = ..."
        raise AttributeError(msg)


class Tree(Record):
    """A result that prints as an indented tree."""

    __slots__ = ()

    def __str__(self) -> str:
        return "\n".join(_tree_lines(self, ""))

    __repr__ = __str__


def _tree_lines(node: Any, indent: str) -> list[str]:
    lines = [indent + str(node.get("name", "")) + ("/" if node.get("is_dir") and node.get("name") != "/" else "")]
    for child in node.get("children") or ():
        lines.extend(_tree_lines(child, indent + "  "))
    return lines


def result_type(operation: Operation) -> type[Record]:
    """Return the type of an operation's results: a tree, a result whose `.json()` parses a field, or a plain result."""
    field = operation.json_field
    if operation.drawn_as_tree or not field:
        return Tree if operation.drawn_as_tree else Record

    class Result(Record):
        """A result one of whose fields may hold JSON."""

        __slots__ = ()

        def json(self) -> Any:
            """Return the parsed content. Raises `ValueError` that names the path if it is not JSON."""
            text = self.get(field, "")
            try:
                return json.loads(text)
            except ValueError as error:
                where = self.get("path", "the result")
                cut = " (it was truncated)" if self.get("truncated") else ""
                msg = f"{where} is no JSON{cut}: {error}"
                raise ValueError(msg) from None

    Result.__name__ = Result.__qualname__ = "Result"
    return Result


def wrapped(value: Any, kind: type[Record] = Record) -> Any:
    """Return a call's plain result with attribute access at every level."""
    if type(value) is dict:
        below = Tree if kind is Tree else Record
        return kind({key: wrapped(item, below) for key, item in value.items()})
    if type(value) is list:
        return [wrapped(item, kind if kind is Tree else Record) for item in value]
    return value


def parsed(result: dict[str, Any], operation: Operation) -> dict[str, Any]:
    """Return a call's plain result with its JSON field parsed, and with an object's keys beside the other keys."""
    field = operation.parsed_field
    if not field:
        return result
    data = json.loads(result[field]) if result.get(field) else None
    return {**(data if type(data) is dict else {}), **result, field: data}


class Scratchpad(dict[str, Any]):
    """The dict that survives between steps. It refuses at once what it cannot keep, and names the key."""

    __slots__ = ("_ask", "_keep")
    _ask: Ask
    _keep: Callable[[], None]

    def __missing__(self, key: Any) -> Any:
        held = f"has {', '.join(map(repr, self))}" if self else "is empty"
        msg = f"the scratchpad has no {key!r}; it {held}"
        raise KeyError(msg)

    def __getattr__(self, name: str) -> Any:
        msg = f"the scratchpad has no attribute {name!r}; what it keeps are items: scratchpad[{name!r}]"
        raise AttributeError(msg)

    def __setitem__(self, key: str, value: Any) -> None:
        if not isinstance(key, str):
            msg = f"a key of the scratchpad is a string, not {type(key).__name__}"
            raise TypeError(msg)
        encode(value, f"scratchpad[{key!r}]")
        super().__setitem__(str.__str__(key), value)

    def update(self, *given: Any, **named: Any) -> None:
        """Set several keys, each judged as by assignment."""
        for key, value in dict(*given, **named).items():
            self[key] = value

    def setdefault(self, key: str, default: Any = None) -> Any:
        """Return the value of a key, setting it first if it is missing."""
        if key not in self:
            self[key] = default
        return self[key]

    def _updated(self, other: Any) -> Scratchpad:
        self.update(other)
        return self

    __ior__: Any = _updated

    def copy(self) -> dict[str, Any]:
        """Return a plain dict with the same values."""
        return dict(self)

    def cite(self, path: Any, reason: Any = None, quote: Any = "") -> Any:
        """Cite a path that was read, with the reason: `cite(path, reason)`; return the spelling that is cited.

        A `quote` must be in what was read there, blanks and case aside. `cite([path, ...], reason)` and
        `cite({path: reason, ...})` cite several and return a list; a `CitationError` then names every path that cannot
        be cited, and the others are cited.
        """
        if isinstance(path, str) and isinstance(reason, str) and isinstance(quote, str):
            return self._cite(path, reason, quote)
        if quote:
            msg = "cite(path, reason, quote) takes three strings; a quotation goes with one path"
            raise TypeError(msg)
        if isinstance(path, dict) and reason is None:
            pairs = list(dict.items(path))
        else:
            pairs = [(one, reason) for one in (path if isinstance(path, (list, tuple)) else [path])]
        if not all(isinstance(one, str) and isinstance(why, str) for one, why in pairs):
            msg = "cite(path, reason) takes two strings; several paths are a list of strings, or a map to their reasons"
            raise TypeError(msg)
        spellings, faults = [], []
        for one, why in pairs:
            try:
                spellings.append(self._cite(one, why))
            except CitationError as error:
                faults.append(str(error))
        if faults:
            cited = f"\nThe other {len(spellings)} are cited." if spellings else ""
            raise CitationError("\n".join(faults) + cited)
        return spellings

    def _cite(self, path: str, reason: str, quote: str = "") -> str:
        spelling: str = self._ask("cite", [path, [reason, quote] if quote else reason])
        refs = self.get("refs_why")
        if not isinstance(refs, dict):
            refs = {}
            self["refs_why"] = refs
        refs[spelling] = reason
        self._keep()
        return spelling

    def cite_all(self, finding: Any) -> Any:
        """Cite the references of a finding, or of several: what `harness.tools` returned."""
        several = finding if isinstance(finding, (list, tuple)) else [finding]
        try:
            return self.cite({ref["path"]: ref["reason"] for one in several for ref in one["refs"]})
        except (TypeError, KeyError):
            msg = "cite_all(finding) takes what a function of harness.tools returned"
            raise TypeError(msg) from None

    def uncite(self, *paths: str) -> bool:
        """Take citations back; return whether each of `paths`, in any spelling of its slashes and case, was cited."""
        refs = self.get("refs_why")
        if not isinstance(refs, dict):
            return False
        found = [_cited_as(path, refs) for path in paths]
        for spelling in found:
            refs.pop(spelling, None)
        self._keep()
        return all(spelling is not None for spelling in found)

    def __init_subclass__(cls) -> None:
        msg = "the scratchpad cannot be subclassed"
        raise TypeError(msg)


def _cited_as(path: Any, refs: dict[str, Any]) -> str | None:
    """Return the spelling under which `refs` holds `path`, if it holds the path."""
    if not isinstance(path, str):
        msg = "uncite(path) takes strings"
        raise TypeError(msg)
    alike = [known for known in refs if isinstance(known, str) and _folded(known) == _folded(path)]
    return path if path in refs else alike[0] if len(alike) == 1 else None


def _folded(path: str) -> str:
    return posixpath.normpath("/" + path.strip().lstrip("/")).casefold()


def lend(scratchpad: Scratchpad, ask: Ask, keep: Callable[[], None] = lambda: None) -> None:
    """Let `scratchpad` cite by `ask`; `keep` sends its content to the parent."""
    scratchpad._ask, scratchpad._keep = ask, keep


class Console:
    """Output in order, which is a step's `sys.stdout` and `sys.stderr`; `log` and its kin are `print`."""

    __slots__ = ("_write",)
    encoding = "utf-8"

    def __init__(self, write: Callable[[str], None]) -> None:
        self._write = write

    def write(self, text: str) -> int:
        """Print a text as it is."""
        if not isinstance(text, str):
            msg = f"write() argument must be str, not {type(text).__name__}"
            raise TypeError(msg)
        self._write(str.__str__(text))
        return len(text)

    def writelines(self, lines: Any) -> None:
        """Print several texts as they are."""
        for line in lines:
            self.write(line)

    def isatty(self) -> bool:
        """Return False: the output is not a terminal."""
        return False

    def reconfigure(self, **options: Any) -> None:
        """Do nothing: the output is text, without an encoding to choose."""

    def flush(self) -> None:
        """Do nothing: output keeps its order by itself."""

    log = info = warn = warning = error = debug = staticmethod(print)
