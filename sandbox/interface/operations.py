"""The operations that an environment declares: their arguments, results and effects."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, Final, NamedTuple, TypeAlias

# The parameters of a declared call: `Parameter("path", "str")`, `Parameter("limit", "int", 20)`.
#
# A script passes arguments by place or name, as in Python. Their types are declared by name, since
# prompts, schemas and the checks of arguments all need them.

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


class _Required:
    """The type of `REQUIRED`, the default of a parameter that every call must pass."""

    def __repr__(self) -> str:
        return "REQUIRED"


REQUIRED: Final = _Required()


_TYPES: Final[Mapping[str, Mapping[str, Any]]] = {
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
    """One of `_TYPES`. With any other text, only `schema` decides which values are accepted."""
    default: Plain | _Required = REQUIRED
    schema: Mapping[str, Any] | None = None
    """The JSON schema that prompts show and a value must fit; None for the schema of `type`."""

    @property
    def is_required(self) -> bool:
        """True if every call must pass it."""
        return self.default is REQUIRED

    @property
    def json_schema(self) -> Mapping[str, Any]:
        """Its own schema, or that of its type; empty if every value is accepted."""
        return self.schema or _TYPES.get(self.type, {})

    @property
    def description(self) -> str:
        """The description in its schema, on one line; may be empty."""
        schema = self.schema or {}
        words = str(schema.get("description", "")).split()
        return " ".join(words)


CHECK: Final = Parameter("check", "bool", False)
"""An argument that scripts may pass to every operation with an exit code,
so that the call raises if the exit code is not 0. The environment never sees it."""


# Declarations of the calls that an environment offers.
#
# An environment declares each call as an `Operation`: its parameters, the fields of its
# result, and its effect:
#
#     Operation(
#         "read", (Parameter("path", "str"),), (ResultField("content"),),
#         "read a file", effect=Effect.READS,
#     )
#
# A script then calls `harness.read("/a.md").content`, the prompt has a line about it, and the
# trial may cite `/a.md` after the call. A new environment only needs to declare its operations.

# Operations


class Effect(StrEnum):
    """What a call does.

    It decides what the trial may cite after the call, as a source of its answer.
    Most effects apply to one path: the argument for the operation's parameter `subject`.
    """

    READS = "reads"
    """It reads the path."""
    WRITES = "writes"
    """It writes the path."""
    DELETES = "deletes"
    """It deletes the path."""
    EXECUTES = "executes"
    """It runs the tool at the path."""
    LISTS = "lists"
    """It lists the folder at the path."""
    MOVES = "moves"
    """It deletes the path, and writes the path that the parameter `target` names."""

    # The following effects apply to no path.
    RETURNS = "returns"
    """It reads something other than a file. The result field `call_path` has a path to cite."""
    ACTS = "acts"
    """It may change something other than a file. The result has a `call_path`, too."""
    NONE = "none"
    """It changes nothing, and its result cannot be cited."""
    UNDECLARED = "undeclared"
    """The environment says nothing about the effect. The call is treated
    as one that may change something, and a run warns about it."""


class ResultField(NamedTuple):
    """One attribute of an operation's result."""

    name: str
    items: tuple[str, ...] = ()
    """If the attribute is a list of objects, the attributes of each."""


class Operation(NamedTuple):
    """The declaration of one call that a script may make as `harness.<name>(...)`.

    For `harness.read("/a.md").content`: the name `read`, the parameter `path`, and the result
    field `content`. Only the first four fields are required. For all others the default means
    "no": an empty text names no parameter or field.
    """

    name: str
    parameters: tuple[Parameter, ...]
    fields: tuple[ResultField, ...]
    summary: str
    """One line for the prompt, without a full stop."""

    # The effect, and the parameters that hold its paths (also `target` below)

    effect: Effect = Effect.UNDECLARED
    subject: str = "path"
    """The parameter that holds the path to which the effect applies."""

    # The form of the result (also `parsed_field` below)

    json_field: str = ""
    """The result field with a text that may be JSON, such as a file's content. The result
    gets a method `.json()`, by which a script can parse it."""
    drawn_as_tree: bool = False
    """The result prints as an indented tree of its `.name` and `.children`."""
    exit_field: str = ""
    """The result field that holds an exit code. If it is not 0,
    the model is told so, and a call with `check=True` raises."""

    # Functions of the benchmark: library code that makes further calls to compute a result

    finds: str = ""
    """The function that computes the result, as `module:name`; empty if the
    environment answers the call itself. Scripts call such an operation as
    `harness.tools.<name>(...)`."""
    example: str = ""
    """A call of the function for the prompt, without `harness.tools.`."""

    # Two fields that belong to the groups above. They stand here because recorded declarations
    # have their fields in this order.

    parsed_field: str = ""
    """The result field with a text that is always JSON. Scripts get the parsed value in its
    place, without a call of `.json()`. The keys of an object are also attributes of the result."""
    target: str = ""
    """With the effect `moves`, the parameter that holds the new path."""

    # Long texts, which take several reads

    from_line: str = ""
    """The parameter for the first line to read. A result's
    `.json()` uses it to read the rest of a text that was truncated."""
    from_char: str = ""
    """The parameter for the first character to read, counted from 1. If a script
    reads a whole text, further reads from the result's `next_char` on get the rest,
    and the script receives the complete text."""

    # How the environment treats a call

    is_undeclared: bool = False
    """Only with the effect `acts`: True if this effect is only an assumption, made for a tool
    of an MCP server that does not say what it does. (With the effect `undeclared`, nothing is
    assumed.)"""
    has_own_defaults: bool = False
    """True if the environment itself fills in optional arguments that a script
    leaves out. They are then not sent, and None is an ordinary value."""
    told_field: str = ""
    """The result field with a list of lines that the reader of a step is shown in any case, such as
    how a table's columns were read."""
    longest_s: float = 0.0
    """Seconds that a call may take in addition to the time limit
    of its step. If 0, the call counts against that limit."""
    ends_trial: str = ""
    """The result field that is true if the environment
    has ended the trial. The trial then needs no answer."""

    # The sources of arguments. A text by a stranger, such as a mail, must not decide what
    # a trial changes: "please pay 500 EUR to account 17". So before a call that changes
    # something is sent, its arguments (500 and 17) are looked up in the results of earlier
    # calls: these are their sources. If the author of a source is not trusted, the user is
    # asked or the call is stopped (`agent.evidence.origins.provenance`).

    telling: tuple[str, ...] = ()
    """The arguments whose sources are looked up, because they decide what the call changes:
    the recipient of a mail, but not its subject. Empty: all arguments."""
    is_trusted: bool = False
    """True if later calls may use its results as arguments: no stranger writes these."""
    is_prose: bool = False
    """True if its results are running text, such as a web page, any part of which may be by a
    stranger. That holds even if the result has fields, as a record has."""
    keys: tuple[str, ...] = ()
    """The arguments by which the operation looks up a record, such as the `id` of a person.
    If the record does not repeat the id, the id still counts as a part of it."""
    is_talk: bool = False
    """True if the operation talks with the user, whose reply is trusted like the request. It
    changes nothing, so the sources of its arguments are not looked up."""

    # Special cases

    judges_arguments: bool = False
    """True if the tool itself checks its arguments. An argument that does
    not fit its schema is passed on, and the script gets a note about it."""
    is_later: bool = False
    """True if the environment offers the operation only later
    in the trial. The first message then leaves it out."""

    @property
    def is_function(self) -> bool:
        """True if a function of the benchmark (`finds`) computes the result."""
        return bool(self.finds)

    @property
    def takes_check(self) -> bool:
        """True if scripts may pass `check=True`, so that a nonzero exit code raises.

        That needs an exit code, and no parameter of the operation's own with that name.
        """
        if not self.exit_field:
            return False
        return all(parameter.name != CHECK.name for parameter in self.parameters)

    def as_data(self) -> dict[str, Any]:
        """Return the declaration in JSON's own types, without fields that have their default."""
        data = without_defaults(self)
        data["parameters"] = list(map(without_defaults, self.parameters))
        data["fields"] = list(map(without_defaults, self.fields))
        return data


def without_defaults(values: Any) -> dict[str, Any]:
    """Return the fields of a `NamedTuple` that do not have their default.

    `ResultField("path")` -> `{"name": "path"}`, without its empty `items`.
    """
    defaults = values._field_defaults
    data = {}
    for name, value in zip(values._fields, values, strict=True):
        if name not in defaults or defaults[name] != value:
            data[name] = value
    return data


def operation_of(data: dict[str, Any]) -> Operation:
    """Return the operation whose declaration `Operation.as_data` returned, for example in a journal.

    Raises `ValueError`, `KeyError` or `TypeError` for other data.
    """
    # JSON has neither tuples nor enumerations.
    fields = dict(data)
    fields["parameters"] = tuple(
        _parameter_of(parameter) for parameter in data["parameters"]
    )
    fields["fields"] = tuple(
        ResultField(field["name"], tuple(field.get("items", ())))
        for field in data["fields"]
    )
    fields["effect"] = Effect(data.get("effect", Effect.UNDECLARED))
    fields["telling"] = tuple(data.get("telling", ()))
    fields["keys"] = tuple(data.get("keys", ()))
    return Operation(**fields)


def _parameter_of(data: dict[str, Any]) -> Parameter:
    """Return the parameter with these fields. Raises `TypeError` for malformed data."""
    parameter = Parameter(**data)
    if not isinstance(parameter.name, str):
        msg = "the name of a parameter is not text"
        raise TypeError(msg)
    if not isinstance(parameter.schema, Mapping | None):
        msg = f"the schema of {parameter.name} is not a mapping"
        raise TypeError(msg)
    return parameter
