"""The parameters of a declared call: `Parameter("path", "str")`, `Parameter("limit", "int", 20)`.

A script passes arguments by place or name, as in Python. Their types are declared by name, since
prompts, schemas and the checks of arguments all need them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final, NamedTuple, TypeAlias

# The data that cross the border between a script and the trial, and that a journal stores.

Plain: TypeAlias = "bool | int | float | str | list[Plain] | dict[str, Plain] | None"
"""Data of JSON's own types: `{"path": "/a.md", "lines": [1, 2], "found": True, "error": None}`."""


# What the first message to a model shows: the results of calls, and files.
#
# For example, an environment has every rule of a folder shown:
#
#     each_rule = EachOf("find", {"name": "*.md", "root": "/rules"}, "paths")
#     InitialCall("read", each_of=each_rule)

DEFAULT_RANKED_CHARS: Final = 7_000
"""About 1,800 tokens: three or four pages and some records."""


@dataclass(frozen=True, slots=True)
class EachOf:
    """A call that lists values, for each of which an initial call is made.

    For example, `find("*.md", root="/rules")` lists paths, and each file is read.
    """

    operation: str
    arguments: Mapping[str, Plain]
    field: str
    """The result field with the list of values. If an element
    of the list is a mapping, its `path` is the value."""


@dataclass(frozen=True, slots=True)
class InitialCall:
    """A call that is made before the first message, which shows its result."""

    operation: str
    arguments: Mapping[str, Plain] = field(default_factory=dict)
    each_of: EachOf | None = None
    """The listing whose values are passed to the call, one after the other, as
    the operation's `subject` (usually the path). None to make the call once."""
    most_chars: int | None = None
    """The most characters of the result that are shown. None: it has no limit of its own.
    With 0, the call only tests a tool: nothing is shown, and if it fails, the model is not
    told of the tool."""
    is_ranked: bool = False
    """True to show only the files that share the most words with the user's request, and how
    many are left out. An environment sets how many characters of such files are shown in all
    (`ToolSchema.ranked_chars`). Needs an `each_of` that lists files."""
    longest_listing: int | None = None
    """Only for a call that returns a tree of folders: a folder with more files than
    this shows their number and the first ones. None to show all."""


@dataclass(frozen=True, slots=True)
class NamedFiles:
    """Says which files the first message shows in addition to the results of the initial calls.

    It shows the files whose names are in the instruction (the user's request). If there
    is room, it also shows the files that share the most words with it. One of the
    initial calls must return a tree, which provides the paths.
    """

    roots: tuple[str, ...]
    """The folders with such files."""
    records: str = ""
    """The folder among `roots` whose files are records, such as `/records`;
    empty if there is none. Each of its folders has one kind of records:
    `/records/loans/l1.json` is one of the `loans`."""
    read: str = "read"
    """The operation that reads such a file. Its `subject` is the path."""
    search: str = ""
    """The operation that finds files with a name, by `pattern`,
    `root` and `limit`; empty if files are not searched."""
    most: int = 12
    """The most files that are read."""
    each_chars: int = 600
    """Characters that are shown of a file that only shares words with the instruction."""
    follows_records: bool = True
    """True to show also the files that a shown record names, as in `"book": "b7"`.
    False if the environment has functions that look such files up."""


# Parameters


class Required:
    """The type of `REQUIRED`, the default of a parameter that every call must pass."""

    def __repr__(self) -> str:
        return "REQUIRED"


REQUIRED: Final = Required()


TYPES: Final[Mapping[str, Mapping[str, Any]]] = {
    "str": {"type": "string"},
    "int": {"type": "integer"},
    "bool": {"type": "boolean"},
    "list[str]": {"type": "array", "items": {"type": "string"}},
}
"""The JSON schemas of the types that have a short name."""


class Parameter(NamedTuple):
    """One parameter of an operation, passed by position or by name."""

    name: str
    type: str
    """One of `TYPES`. With any other text, only `schema` decides which values are accepted."""
    default: Plain | Required = REQUIRED
    schema: Mapping[str, Any] | None = None
    """The JSON schema that prompts show and a value must fit; None for the schema of `type`."""

    @property
    def is_required(self) -> bool:
        """True if every call must pass it."""
        return self.default is REQUIRED

    @property
    def json_schema(self) -> Mapping[str, Any]:
        """Its own schema, or that of its type; empty if every value is accepted."""
        return self.schema or TYPES.get(self.type, {})

    @property
    def description(self) -> str:
        """The description in its schema, on one line; may be empty."""
        schema = self.schema or {}
        words = str(schema.get("description", "")).split()
        return " ".join(words)


CHECK: Final = Parameter("check", "bool", False)
"""An argument that scripts may pass to every operation with an exit code,
so that the call raises if the exit code is not 0. The environment never sees it."""
