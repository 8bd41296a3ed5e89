"""The results of calls as scripts get them: dicts whose keys can also be read as attributes.

With `result = harness.read("/a.md")`, `result.content` is `result["content"]`. The
subclasses of `Record` differ only in how a result prints.
"""

from __future__ import annotations

from typing import Any, Final

_METHODS_OF_DICT: Final = frozenset(
    name for name in dir(dict) if not name.startswith("_")
)


class Record(dict[str, Any]):
    """A result, and every mapping inside a result."""

    __slots__ = ()

    # `result.name` calls `__getattribute__`, and if that finds nothing, `__getattr__`.

    def __getattribute__(self, name: str) -> Any:
        """Return a method of `dict`, or the value of a key that has the same name as the method.

        For `{"items": [1, 2]}`, `result.items` is the list.
        """
        if name in _METHODS_OF_DICT and dict.__contains__(self, name):
            return self[name]
        return super().__getattribute__(name)

    def __getattr__(self, name: str) -> Any:
        """Return the value of a key."""
        try:
            return self[name]
        except KeyError as error:
            message = error.args[0] + _remedy_for_text_method(self, name)
            raise AttributeError(message) from None

    def __missing__(self, key: Any) -> Any:
        """Raise the error for `result[key]` without such a key."""
        msg = f"the result has no {key!r}; it has {', '.join(map(str, self))}"
        raise KeyError(msg + _remedy_for_field_of_file(self, key))

    def __setattr__(self, name: str, value: object) -> None:
        msg = f"results are not assigned to by attribute; use result[{name!r}] = ..."
        raise AttributeError(msg)


def _remedy_for_field_of_file(record: Record, key: object) -> str:
    """Return what to write if a script looks for a field of a JSON file in the wrong object.

    That object may be the file's entry in a listing,
    `harness.list("/loans").entries[0]["due"]`, or the result of the read,
    `harness.read("/loans/1.json")["due"]`.
    """
    if not isinstance(key, str):
        return ""
    if "path" in record and "is_dir" in record:
        return f"; of a JSON file write harness.read(entry.path).json()[{key!r}]"
    if "path" in record and "content" in record:
        return f"; of a JSON file write harness.read(path).json()[{key!r}]"
    return ""


def _remedy_for_text_method(record: Record, name: str) -> str:
    """Return what to write if a method of texts is looked for in a result that holds a text.

    For `harness.read(path).split`: `; write .content.split(...)`. Empty if it is not one.
    """
    if not hasattr(str, name):
        return ""
    for field in ("content", "stdout"):
        if isinstance(record.get(field), str):
            return f"; write .{field}.{name}(...)"
    return ""


class Tree(Record):
    """A result that prints as an indented tree."""

    __slots__ = ()

    def __str__(self) -> str:
        return "\n".join(_tree_lines(self, ""))

    __repr__ = __str__


def _tree_lines(node: Any, indent: str) -> list[str]:
    """Return the line of a node and the lines below it: `["docs/", "  a.md"]`.

    A folder's name ends with a slash.
    """
    name = str(node.get("name", ""))
    if node.get("is_dir") and name != "/":
        name += "/"

    lines = [indent + name]
    for child in node.get("children") or ():
        lines.extend(_tree_lines(child, indent + "  "))
    return lines


class FoundText(Record):
    """The result of a benchmark's function, with the fields `value`, `refs` and `notes`.

    If the value is a text and there are no notes, it prints as this text.
    """

    __slots__ = ()

    def __str__(self) -> str:
        value = dict.get(self, "value")
        if isinstance(value, str) and not dict.get(self, "notes"):
            return value
        return dict.__repr__(self)


CALL_PATH: Final = "call_path"
"""The field with the path under which a result may be cited."""


class ToolResult(Record):
    """The result of a tool that returns one value. It prints as that value.

        {"value": 12, "call_path": "/count/1"}                   prints as 12
        {"value": 12, "call_path": ..., "truncated": true}       prints whole: it has a note

    A note is a further field, which says something about the value. Scripts cite the result by
    its `call_path`.
    """

    __slots__ = ()

    def __str__(self) -> str:
        if self._has_note():
            return dict.__repr__(self)
        return str(dict.get(self, "value"))

    def __repr__(self) -> str:
        if self._has_note():
            return dict.__repr__(self)
        return repr(dict.get(self, "value"))

    def _has_note(self) -> bool:
        """Return True if a field says something about the value.

        If the value is an object, such as `{"id": 7}`, its keys are also fields of the result
        (`Operation.parsed_field`), so they are not notes.
        """
        # As `dict.get(self, ...)`, because `self.get` is a key of the result if it has one.
        expected = {"value", CALL_PATH}
        value = dict.get(self, "value")
        if isinstance(value, dict):
            expected.update(dict.keys(value))
        unexpected = dict.keys(self) - expected
        return bool(unexpected)
