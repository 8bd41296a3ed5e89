"""An environment's declaration: its operations, its tools, what the initial prompt shows; how a call binds its
arguments.

`harness`, its reference in the prompt and the evidence that a call leaves are all derived from one `ToolSchema`, so an
environment with other operations needs no change anywhere else. The file operations are declared here too.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, Final, NamedTuple, TypeAlias

from controlplane.sandbox.interface import bounds
from controlplane.sandbox.interface.error_codes import INVALID_ARGUMENT, CallError
from controlplane.sandbox.interface.json_schema import schema_fault, type_text

Plain: TypeAlias = "bool | int | float | str | list[Plain] | dict[str, Plain] | None"
"""Data between script and parent: JSON's own types."""


class Effect(StrEnum):
    """The effect of a call on the evidence at the path that its subject parameter names."""

    READS = "reads"
    WRITES = "writes"
    DELETES = "deletes"
    EXECUTES = "executes"
    LISTS = "lists"
    MOVES = "moves"
    """It deletes at its path and writes at the path that the `target` parameter names."""
    NONE = "none"
    RETURNS = "returns"
    """It only reads, and its result is evidence at the result's `call_path`."""
    ACTS = "acts"
    """It may change something, and its result is evidence at the result's `call_path`."""
    UNDECLARED = "undeclared"
    """The declaration does not say: a call is taken for one that may change something, and a run says so."""


class Required:
    """The type of `REQUIRED`, the default of a parameter that every call has to give."""

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
    """One of `TYPES`; any other text accepts every plain value that fits the schema."""
    default: Plain | Required = REQUIRED
    schema: Mapping[str, Any] | None = None
    """Its JSON schema, which prompts and tools show and which a value must fit; None: `type` says it all. Its
    `description` is shown too."""

    @property
    def is_required(self) -> bool:
        """True if every call has to give it."""
        return self.default is REQUIRED

    @property
    def json_schema(self) -> Mapping[str, Any]:
        """Its schema, or that of its type; empty if every plain value is right."""
        return self.schema or TYPES.get(self.type, {})

    @property
    def description(self) -> str:
        """What its schema says about it, on one line; may be empty."""
        return " ".join(str((self.schema or {}).get("description", "")).split())


CHECK: Final = Parameter("check", "bool", False)
"""An argument that scripts may pass to every operation with an exit code."""


class ResultField(NamedTuple):
    """One attribute of an operation's result; `items` names the attributes of each element of a list."""

    name: str
    items: tuple[str, ...] = ()


class Operation(NamedTuple):
    """One call that a script may make as `harness.<name>(...)`."""

    name: str
    parameters: tuple[Parameter, ...]
    fields: tuple[ResultField, ...]
    summary: str
    """One line for the prompt, without a full stop."""
    effect: Effect = Effect.UNDECLARED
    """What a call does: `returns` if it only reads, `acts` if it may change something, an effect at a path, or `none`
    if it matters to nothing."""
    subject: str = "path"
    """The parameter that holds the path to which the effect applies."""
    json_field: str = ""
    """If set, the result has `.json()`, which parses this field."""
    drawn_as_tree: bool = False
    """The result prints as an indented tree of `.name` and `.children`."""
    exit_field: str = ""
    """If set, this result field is an exit code: if it is not 0, the solver is told, and `check=True` raises."""
    finds: str = ""
    """If set, the function (`module:name`) that computes the result from its reads by further calls. Scripts call it as
    `harness.tools.<name>(...)`."""
    example: str = ""
    """With `finds`, a call of it for the prompt, without `harness.tools.`."""
    parsed_field: str = ""
    """If set, this result field holds JSON: scripts get the parsed value instead, and an object's keys as further
    attributes."""
    target: str = ""
    """With the effect `moves`, the parameter that holds the file's new path."""
    from_line: str = ""
    """If set, the parameter for the first line to read: a result's `.json()` reads on where a text was cut off."""
    is_undeclared: bool = False
    """With the effect `acts`: nobody declares whether the call changes something, as of a server's bare tool."""
    has_own_defaults: bool = False
    """An optional argument that a script leaves out is left out of the call, so that None is a value."""
    longest_s: float = 0.0
    """Seconds that a call may take, beside the time of its step; 0: it counts towards the step's time."""
    ends_trial: str = ""
    """If set, this result field says that the environment has ended the trial, which then needs no answer."""
    telling: tuple[str, ...] = ()
    """The only arguments whose origin matters, for a call that may change something; empty for all."""
    is_trusted: bool = False
    """Its results are data: no text in them was written by somebody whom the user need not trust."""
    is_talk: bool = False
    """It talks with the user: its results are part of what is asked, and its arguments may come from anywhere."""

    @property
    def takes_check(self) -> bool:
        """True if scripts may pass `check`, which never leaves their process."""
        return bool(self.exit_field) and all(
            parameter.name != CHECK.name for parameter in self.parameters
        )

    def as_data(self) -> dict[str, Any]:
        """Return the declaration in JSON's own types, without what has its default."""
        parts = {
            "parameters": [_told(parameter) for parameter in self.parameters],
            "fields": [_told(field) for field in self.fields],
        }
        return _told(self) | parts


def _told(declared: Operation | Parameter | ResultField) -> dict[str, Any]:
    """Return the fields of a declaration that do not have their default."""
    defaults = declared._field_defaults
    return {
        name: value
        for name, value in declared._asdict().items()
        if defaults.get(name, REQUIRED) != value
    }


def operation_of(data: dict[str, Any]) -> Operation:
    """Return the declaration that `data` holds. Raises `ValueError`, `KeyError` or `TypeError` for other data."""
    parsed = {
        "parameters": tuple(Parameter(**given) for given in data["parameters"]),
        "fields": tuple(
            ResultField(given["name"], tuple(given.get("items", ()))) for given in data["fields"]
        ),
        "effect": Effect(data.get("effect", Effect.UNDECLARED)),
        "telling": tuple(data.get("telling", ())),
    }
    return Operation(**(data | parsed))


class UnboundArguments(CallError, TypeError):
    """The arguments of a call do not fit its declaration; the message shows the signature."""

    def __init__(self, operation: Operation, fault: str) -> None:
        super().__init__(INVALID_ARGUMENT, signature(operation) + fault)
        self.args = (self.message,)


def bound_arguments(
    operation: Operation, given: Sequence[Any], named: dict[str, Any], *, with_check: bool = False
) -> dict[str, Plain]:
    """Return the arguments by parameter name, defaults filled in. Raises `UnboundArguments`.

    `with_check` binds `check` too, if the operation has it.
    """
    parameters = operation.parameters
    if with_check and operation.takes_check:
        parameters = (*parameters, CHECK)
    if len(given) > len(parameters):
        raise UnboundArguments(
            operation, f" takes {len(parameters)} arguments, {len(given)} were given"
        )
    arguments: dict[str, Any] = {
        parameter.name: value for parameter, value in zip(parameters, given, strict=False)
    }
    for name, value in named.items():
        if name in arguments:
            raise UnboundArguments(operation, f" got two values for {name!r}")
        arguments[name] = value
    bound: dict[str, Any] = {
        one.name: arguments.pop(one.name, one.default)
        for one in parameters
        if one.name in arguments or one.is_required or not operation.has_own_defaults
    }
    for unknown in arguments:
        raise UnboundArguments(
            operation, f" has no argument {unknown[: bounds.SHOWN_FAULT_CHARS]!r}"
        )
    for one in (one for one in parameters if one.name in bound):
        name, value = one.name, bound[one.name]
        if value is REQUIRED:
            raise UnboundArguments(operation, f" needs {name!r}")
        if issubclass(type(value), list):
            value = bound[name] = list(list.__iter__(value))
        if (
            isinstance(value, dict)
            and one.type == "str"
            and (operation.finds or name == operation.subject)
        ):
            value = bound[name] = dict.get(
                value, "path"
            )  # A reference of a function result, or a result with a path.
        if value is one.default and not isinstance(value, tuple):
            continue
        if fault := schema_fault(value, one.json_schema):
            remedy = (
                f"; write [{value!r:.80}]"
                if one.type == "list[str]" and isinstance(value, str)
                else ""
            )
            raise UnboundArguments(
                operation, f": {name}{fault}"[: bounds.SHOWN_FAULT_CHARS] + remedy
            )
        if isinstance(value, tuple):
            bound[name] = list(value)
        elif one.type == "int" and isinstance(value, float):
            bound[name] = int(value)
    return bound


NONZERO_EXIT: Final = "nonzero_exit"
"""The code of the failure of a checked call whose tool did not end with exit code 0."""


def check_exit(
    operation: Operation, arguments: Mapping[str, Plain], result: Mapping[str, Plain]
) -> None:
    """Raise `CallError` if the result of a call has another exit code than 0."""
    code = result.get(operation.exit_field)
    if code:
        said = str(result.get("stderr") or result.get("stdout") or "").strip()[
            : bounds.SHOWN_FAULT_CHARS
        ]
        what = f"{arguments.get(operation.subject)} ended with exit code {code}"
        raise CallError(NONZERO_EXIT, f"{what}: {said}" if said else what)


def signature(operation: Operation) -> str:
    """Return the call as a script writes it: `harness.find(name, root='/', kind='all', limit=10)`."""
    parameters = (*operation.parameters, *([CHECK] if operation.takes_check else []))
    parts = [
        f"{one.name}{f': {type_text(one.schema)}' if one.schema else ''}"
        + (
            ""
            if one.is_required
            else f"={one.default!r}"
            if not one.schema
            else f" = {one.default!r}"
        )
        for one in parameters
    ]
    called = f"tools.{operation.name}" if operation.finds else operation.name
    return f"harness.{called}({', '.join(parts)})"


FILE_OPERATIONS: Final = (
    Operation(
        "read",
        (
            Parameter("path", "str"),
            Parameter("start_line", "int", 0),
            Parameter("end_line", "int", 0),
        ),
        (
            ResultField("path"),
            ResultField("content"),
            ResultField("truncated"),
            ResultField("sha256"),
        ),
        "a file's text, or those lines",
        Effect.READS,
        json_field="content",
        from_line="start_line",
    ),
    Operation(
        "list",
        (Parameter("path", "str", "/"),),
        (ResultField("entries", ("name", "path", "is_dir")),),
        "what a directory holds",
        Effect.LISTS,
    ),
    Operation(
        "tree",
        (Parameter("root", "str", "/"), Parameter("level", "int", 2)),
        (
            ResultField("name"),
            ResultField("is_dir"),
            ResultField("children", ("name", "is_dir", "children")),
        ),
        "what is below, level deep (0: all)",
        Effect.LISTS,
        subject="root",
        drawn_as_tree=True,
    ),
    Operation(
        "find",
        (
            Parameter("name", "str"),
            Parameter("root", "str", "/"),
            Parameter("kind", "str", "all"),
            Parameter("limit", "int", 10),
        ),
        (ResultField("paths"), ResultField("truncated")),
        "paths whose base name fits a glob; kind: all, files, dirs",
        Effect.LISTS,
        subject="root",
    ),
    Operation(
        "search",
        (Parameter("pattern", "str"), Parameter("root", "str", "/"), Parameter("limit", "int", 10)),
        (ResultField("matches", ("path", "line", "text")), ResultField("truncated")),
        "lines that match an RE2 pattern",
        Effect.LISTS,
        subject="root",
    ),
    Operation(
        "stat",
        (Parameter("path", "str"),),
        (
            ResultField("path"),
            ResultField("is_dir"),
            ResultField("content_type"),
            ResultField("writable"),
        ),
        "what a path is",
        Effect.LISTS,
    ),
    Operation(
        "write",
        (
            Parameter("path", "str"),
            Parameter("content", "str"),
            Parameter("if_match_sha256", "str", ""),
        ),
        (ResultField("path"),),
        "make or replace a file, if it has that hash",
        Effect.WRITES,
    ),
    Operation(
        "delete",
        (Parameter("path", "str"),),
        (ResultField("path"),),
        "remove a file",
        Effect.DELETES,
    ),
    Operation(
        "exec",
        (
            Parameter("path", "str"),
            Parameter("args", "list[str]", []),
            Parameter("stdin", "str", ""),
        ),
        (ResultField("stdout"), ResultField("stderr"), ResultField("exit_code")),
        "run a tool; check: raise unless it exits with 0",
        Effect.EXECUTES,
        exit_field="exit_code",
    ),
)
"""The file operations as declared by every environment with files."""


_SHADOWED: Final = frozenset(name for name in dir(dict) if not name.startswith("_"))


class Record(dict[str, Any]):
    """A result: a dict whose keys are attributes too."""

    __slots__ = ()

    def __getattribute__(self, name: str) -> Any:
        if name in _SHADOWED and dict.__contains__(
            self, name
        ):  # A key such as `items` goes before the method.
            return self[name]
        return super().__getattribute__(name)

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


class FoundText(Record):
    """A function result, which prints as its value if that is a text of which nothing is uncertain."""

    __slots__ = ()

    def __str__(self) -> str:
        value = self.get("value")
        return value if isinstance(value, str) and not self.get("notes") else dict.__repr__(self)


def _tree_lines(node: Any, indent: str) -> list[str]:
    lines = [
        indent
        + str(node.get("name", ""))
        + ("/" if node.get("is_dir") and node.get("name") != "/" else "")
    ]
    for child in node.get("children") or ():
        lines.extend(_tree_lines(child, indent + "  "))
    return lines


class ExecutableKind(StrEnum):
    """The effect of running an executable: `reads` leaves the world unchanged, `changes` alters it, `unknown` may."""

    READS = "reads"
    CHANGES = "changes"
    UNKNOWN = "unknown"


class GivenArguments(NamedTuple):
    """The arguments of one run, without its options."""

    before: tuple[str, ...]
    files: tuple[str, ...]
    behind: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class FileArguments:
    """The arguments of a tool that name files to open; `-` among them is stdin."""

    first: int = 0
    """The number of arguments before the files, such as a filter. Options are not counted."""
    count: int | None = None
    """Max files that the tool takes; None: all following arguments. The tool looks up later ones in these files."""
    options: tuple[str, ...] = ()
    """Options without a value that change neither which files are opened nor which words are printed."""

    def split(self, words: Sequence[str]) -> GivenArguments | None:
        """Return the arguments apart, or None if one of them is an undeclared option."""
        options = [word for word in words if word.startswith("-") and word != "-"]
        if any(option not in self.options for option in options):
            return None
        rest = tuple(word for word in words if word not in options)
        end = len(rest) if self.count is None else self.first + self.count
        return GivenArguments(rest[: self.first], rest[self.first : end], rest[end:])


@dataclass(frozen=True, slots=True)
class Executable:
    """A tool of the environment, run through the operation whose effect is `executes`."""

    path: str
    kind: ExecutableKind = ExecutableKind.UNKNOWN
    summary: str = ""
    files: FileArguments | None = None
    """The files that the tool reads; None: a run makes only the tool itself citable."""


@dataclass(frozen=True, slots=True)
class EachOf:
    """Repeats an initial call once for every value that another call lists."""

    operation: str
    arguments: Mapping[str, Plain]
    field: str
    """The result field that lists the values; an element that is a mapping counts by its `path`."""


@dataclass(frozen=True, slots=True)
class InitialCall:
    """One call whose result the initial prompt shows. With `each_of`, one call per listed value, put into `subject`."""

    operation: str
    arguments: Mapping[str, Plain] = field(default_factory=dict)
    each_of: EachOf | None = None
    most_chars: int | None = None
    """Max characters of its text that the initial prompt shows; None: as many as the limits allow; 0: only whether it
    fails."""
    fitting_chars: int | None = None
    """With `each_of`: the initial prompt shows the texts that fit the instruction best, at most this many characters
    in total,
    and names the others; None: it shows all of them."""
    longest_listing: int | None = None
    """In a tree, a folder with more files is drawn as their number and the first; None: all are drawn."""


@dataclass(frozen=True, slots=True)
class NamedFiles:
    """Files that the initial prompt shows because of their names.

    They are the files that the instruction or the output of an tool that is called first names, those that these name
    in turn, and those that hold such a name. A tree among the initial calls tells which files exist.
    """

    roots: tuple[str, ...]
    """The folders that hold them."""
    records: str = ""
    """The one of `roots` whose files are records of the kinds that its folders name; empty: none."""
    read: str = "read"
    """The operation that reads such a file, by its subject."""
    search: str = ""
    """The operation that finds files with a name, by `pattern`, `root` and `limit`; empty: nothing is searched."""
    most: int = 12
    """Max files that are read for their names."""
    chars: int = 3_000
    """Max characters of all these files."""
    each_chars: int = 600
    """Max characters of one file."""


@dataclass(frozen=True, slots=True)
class ToolSchema:
    """Everything an environment declares about itself."""

    operations: tuple[Operation, ...]
    executables: tuple[Executable, ...] = ()
    rules_document: str = ""
    """The path of the document that holds the workspace's rules; empty if there is none."""
    initial_calls: tuple[InitialCall, ...] = ()
    named_files: NamedFiles | None = None
    """The files that the initial prompt shows because of their names; None: none."""
    checks: tuple[Operation, ...] = ()
    """Operations with `finds` that only a solver's own stages call; neither scripts nor models are offered them."""
    reads_side_by_side: bool = False
    """Calls that only read may be made from several threads at once; the initial prompt then does so."""
    trusted_roots: tuple[str, ...] = ()
    """Folders whose files are written by the owner of the workspace, such as its policies: their texts are trusted."""
    pre_call_check: str = ""
    """`RULE_SET/CHECK`: while the rule of this name asks, the check judges each call that may change something by its
    operation and arguments before it is made; empty for none."""
    citations: str = "asked"
    """`asked` if an answer cites what it rests on; `none` where there are no documents: prompt and gates then leave
    citations out, and an answer may be empty."""
    _by_name: dict[str, Operation] = field(init=False, repr=False, compare=False)
    _by_path: dict[str, Executable] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        declared = (*self.operations, *self.checks)
        object.__setattr__(
            self, "_by_name", {operation.name: operation for operation in reversed(declared)}
        )
        object.__setattr__(
            self, "_by_path", {tool.path: tool for tool in reversed(self.executables)}
        )

    def operation(self, name: str) -> Operation | None:
        """Return the operation or check called `name`, or None if the environment does not declare it."""
        return self._by_name.get(name)

    @property
    def undeclared(self) -> list[str]:
        """The operations that do not say what they do."""
        return [
            one.name for one in self.operations if one.effect is Effect.UNDECLARED and not one.finds
        ]

    def ends_trial(self, operation: str, result: Mapping[str, Plain] | None) -> bool:
        """Say whether the result of a call says that the environment has ended the trial."""
        declared = self.operation(operation)
        return bool(
            declared and declared.ends_trial and (result or {}).get(declared.ends_trial) is True
        )

    def executable(self, path: str) -> Executable:
        """Return the declaration of the tool at `path`; one of unknown kind if the tool is not declared."""
        return self._by_path.get(path) or Executable(path)

    def executable_kind(self, path: str) -> ExecutableKind:
        """Return the declared kind of the tool at `path`; `unknown` if the tool is not declared."""
        return self.executable(path).kind

    def may_change(self, operation: str, arguments: Mapping[str, Plain]) -> bool:
        """Say whether a call may alter the world: every call except declared reads, runs of tools that only read, and a
        tool's `--help`."""
        declared = self.operation(operation)
        if declared is None:
            return True
        if declared.effect is Effect.EXECUTES:
            reads = (
                self.executable_kind(str(arguments.get(declared.subject))) is ExecutableKind.READS
            )
            return not reads and arguments.get("args") != ["--help"]
        return declared.effect in _CHANGING and not declared.finds


_CHANGING: Final = frozenset(
    {Effect.WRITES, Effect.DELETES, Effect.MOVES, Effect.ACTS, Effect.UNDECLARED}
)


Surface, OpeningCall = ToolSchema, InitialCall
"""Their names in earlier versions, which benchmarks of users import."""
