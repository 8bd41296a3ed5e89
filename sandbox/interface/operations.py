"""The calls that an environment declares, and how the arguments of a call are bound to them.

`harness`, its reference in the prompt and the evidence that a call leaves are derived from these
declarations, so an environment with other operations needs no change anywhere else.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
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
    """The declaration does not say: the call may change something, and a run warns about it."""


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
    """One of `TYPES`; with any other text, `schema` alone decides which values are right."""
    default: Plain | Required = REQUIRED
    schema: Mapping[str, Any] | None = None
    """The JSON schema that prompts and tools show and a value must fit; None for that of `type`."""

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
        """The description in its schema, on one line; may be empty."""
        schema = self.schema or {}
        words = str(schema.get("description", "")).split()
        return " ".join(words)


CHECK: Final = Parameter("check", "bool", False)
"""An argument that scripts may pass to every operation with an exit code."""


class ResultField(NamedTuple):
    """One attribute of an operation's result; `items` names the attributes of a list's elements."""

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
    subject: str = "path"
    """The parameter that holds the path to which the effect applies."""
    json_field: str = ""
    """If set, the result has `.json()`, which parses this field."""
    drawn_as_tree: bool = False
    """The result prints as an indented tree of `.name` and `.children`."""
    exit_field: str = ""
    """If set, this result field is an exit code: if it is not 0, the solver is told, and a call
    with `check=True` raises."""
    finds: str = ""
    """If set, the benchmark's function (`module:name`) that computes the result by further calls.
    Scripts call it as `harness.tools.<name>(...)`."""
    example: str = ""
    """With `finds`, a call for the prompt, without `harness.tools.`."""
    parsed_field: str = ""
    """If set, this result field holds JSON: scripts get the parsed value in its place, and the keys
    of an object as further attributes."""
    target: str = ""
    """With the effect `moves`, the parameter that holds the file's new path."""
    from_line: str = ""
    """If set, the parameter for the first line to read: a result's `.json()` uses it to read the
    rest of a text that was cut off."""
    from_char: str = ""
    """If set, the parameter for the first character to read, counted from 1: a script that reads a
    whole text gets it whole, as further reads from the result's `next_char` on give the rest."""
    is_undeclared: bool = False
    """With the effect `acts`: nobody declares whether the call changes something, as for a bare
    tool of an MCP server."""
    has_own_defaults: bool = False
    """The environment fills in optional arguments that a script leaves out; None is a value."""
    longest_s: float = 0.0
    """Seconds that a call may take beside the time of its step; with 0 it counts as step time."""
    ends_trial: str = ""
    """If set, this result field is true if the environment has ended the trial, which then needs no
    answer."""
    telling: tuple[str, ...] = ()
    """For a call that may change something, the only arguments whose origin matters; empty: all."""
    is_trusted: bool = False
    """Its results are data: they have no text by an author whom the user need not trust."""
    is_prose: bool = False
    """Its results are running text, whatever their form: nobody knows where their parts come from."""
    keys: tuple[str, ...] = ()
    """The arguments by which it looks up a record: a value that found one is a value of that record."""
    is_talk: bool = False
    """It talks with the user: its results are part of what is asked, its arguments may come from
    anywhere, and it is not a change."""
    judges_arguments: bool = False
    """The tool itself decides which values it takes: one that does not fit its schema is passed,
    and the script is told."""
    is_later: bool = False
    """The first message leaves it out, because the environment offers it later in the trial."""

    @property
    def takes_check(self) -> bool:
        """True if scripts may pass `check`, which the environment never sees."""
        if not self.exit_field:
            return False
        return all(parameter.name != CHECK.name for parameter in self.parameters)

    def as_data(self) -> dict[str, Any]:
        """Return the declaration in JSON's own types, without fields that have their default."""
        data = _without_defaults(self)
        data["parameters"] = [_without_defaults(parameter) for parameter in self.parameters]
        data["fields"] = [_without_defaults(field) for field in self.fields]
        return data


def _without_defaults(declaration: Operation | Parameter | ResultField) -> dict[str, Any]:
    """Return the fields of a declaration that do not have their default."""
    defaults = declaration._field_defaults
    data = {}
    for name, value in declaration._asdict().items():
        if name not in defaults or defaults[name] != value:
            data[name] = value
    return data


def operation_of(data: dict[str, Any]) -> Operation:
    """Return the operation that `as_data` wrote.

    Raises `ValueError`, `KeyError` or `TypeError` for other data.
    """
    parameters = [Parameter(**parameter) for parameter in data["parameters"]]
    fields = [ResultField(field["name"], tuple(field.get("items", ()))) for field in data["fields"]]

    arguments = dict(data)
    arguments["parameters"] = tuple(parameters)
    arguments["fields"] = tuple(fields)
    arguments["effect"] = Effect(data.get("effect", Effect.UNDECLARED))
    arguments["telling"] = tuple(data.get("telling", ()))
    arguments["keys"] = tuple(data.get("keys", ()))
    return Operation(**arguments)


def signature(operation: Operation) -> str:
    """Return the call as a script writes it, such as `harness.find(name, root='/', limit=10)`."""
    parameters = list(operation.parameters)
    if operation.takes_check:
        parameters.append(CHECK)
    name = f"tools.{operation.name}" if operation.finds else operation.name
    return f"harness.{name}({', '.join(map(_parameter_text, parameters))})"


def _parameter_text(parameter: Parameter) -> str:
    """Return a parameter as Python writes it: `limit=10`, or with its type `limit: int = 10`."""
    if parameter.schema:
        text = f"{parameter.name}: {type_text(parameter.schema)}"
        return text if parameter.is_required else f"{text} = {parameter.default!r}"
    return parameter.name if parameter.is_required else f"{parameter.name}={parameter.default!r}"


# Binding the arguments of a call


class UnboundArguments(CallError, TypeError):
    """The arguments of a call do not fit its declaration; the message shows the signature."""

    def __init__(self, operation: Operation, fault: str) -> None:
        super().__init__(INVALID_ARGUMENT, signature(operation) + fault)
        self.args = (self.message,)


def bound_arguments(
    operation: Operation,
    positional: Sequence[Any],
    named: Mapping[str, Any],
    *,
    with_check: bool = False,
) -> dict[str, Plain]:
    """Return the arguments by parameter name, with defaults. Raises `UnboundArguments`.

    `with_check` binds `check` too, if the operation takes it.
    """
    parameters = operation.parameters
    if with_check and operation.takes_check:
        parameters = (*parameters, CHECK)
    arguments = _arguments_by_name(operation, parameters, positional, named)

    bound: dict[str, Plain] = {}
    for parameter in parameters:
        if parameter.name in arguments:
            value = arguments[parameter.name]
            bound[parameter.name] = _checked_value(operation, parameter, value)
        elif parameter.is_required:
            raise UnboundArguments(operation, f" needs {parameter.name!r}")
        elif not operation.has_own_defaults:
            bound[parameter.name] = _checked_value(operation, parameter, parameter.default)
    return bound


def _arguments_by_name(
    operation: Operation,
    parameters: Sequence[Parameter],
    positional: Sequence[Any],
    named: Mapping[str, Any],
) -> dict[str, Any]:
    """Return the arguments by name. Raises `UnboundArguments` if there are too many or unknown ones."""
    if len(positional) > len(parameters):
        fault = f" takes {len(parameters)} arguments, {len(positional)} were given"
        raise UnboundArguments(operation, fault)

    arguments: dict[str, Any] = {}
    for parameter, value in zip(parameters, positional, strict=False):
        arguments[parameter.name] = value
    for name, value in named.items():
        if name in arguments:
            raise UnboundArguments(operation, f" got two values for {name!r}")
        arguments[name] = value

    known_names = [parameter.name for parameter in parameters]
    for name in named:
        if name not in known_names:
            shown_name = name[: bounds.SHOWN_FAULT_CHARS]
            raise UnboundArguments(operation, f" has no argument {shown_name!r}")
    return arguments


def _checked_value(operation: Operation, parameter: Parameter, value: Any) -> Any:
    """Return an argument in plain types. Raises `UnboundArguments` if it does not fit its schema."""
    if issubclass(type(value), list):
        # A copy, since a script's own kind of list may iterate in its own way.
        value = list(list.__iter__(value))
    elif isinstance(value, dict) and _takes_path(operation, parameter):
        # A reference of a function result, or another result with a path.
        value = dict.get(value, "path")

    if value is parameter.default and not isinstance(value, tuple):
        return value
    fault = schema_fault(value, parameter.json_schema)
    if fault and not operation.judges_arguments:
        text = f": {parameter.name}{fault}"[: bounds.SHOWN_FAULT_CHARS]
        if parameter.type == "list[str]" and isinstance(value, str):
            text += f"; write [{value!r:.80}]"
        raise UnboundArguments(operation, text)

    if isinstance(value, tuple):
        return list(value)
    if parameter.type == "int" and isinstance(value, float):
        return int(value)
    return value


def argument_notes(operation: Operation, arguments: Mapping[str, Plain]) -> list[str]:
    """Return a note for each argument that does not fit its schema, which the tool was left to
    judge."""
    if not operation.judges_arguments:
        return []
    notes = []
    for parameter in operation.parameters:
        if parameter.name in arguments:
            fault = schema_fault(arguments[parameter.name], parameter.json_schema)
            if fault:
                fault_text = f"{parameter.name}{fault}"[: bounds.SHOWN_FAULT_CHARS]
                notes.append(f"{operation.name} declares that {fault_text}; the tool decided.")
    return notes


def _takes_path(operation: Operation, parameter: Parameter) -> bool:
    """Say whether a parameter takes a text that may be the path of a result."""
    if parameter.type != "str":
        return False
    return bool(operation.finds) or parameter.name == operation.subject


NONZERO_EXIT: Final = "nonzero_exit"
"""Code of the error of a checked call whose tool ended with another exit code than 0."""


def check_exit(
    operation: Operation, arguments: Mapping[str, Plain], result: Mapping[str, Plain]
) -> None:
    """Raise `CallError` if the result of a call has another exit code than 0."""
    code = result.get(operation.exit_field)
    if not code:
        return
    message = f"{arguments.get(operation.subject)} ended with exit code {code}"
    printed_text = str(result.get("stderr") or result.get("stdout") or "").strip()
    if printed_text:
        message += f": {printed_text[: bounds.SHOWN_FAULT_CHARS]}"
    raise CallError(NONZERO_EXIT, message)
