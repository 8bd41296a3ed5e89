"""Plain Python functions as tools that scripts call.

A benchmark declares a `Tool`: a function with a description of its effect. A trial
turns it into a `DeclaredTool`: the operation that scripts call, with the conversion of
arguments and results.
"""

from __future__ import annotations

import copy
import fnmatch
import hashlib
import inspect
import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, wraps
from typing import Any, Final, Literal, get_type_hints

from pydantic import TypeAdapter, ValidationError
from pydantic_core import ArgsKwargs, to_jsonable_python

from controlplane.gates.submission import encodable
from controlplane.sandbox.interface import (
    REQUIRED,
    CallError,
    Effect,
    Operation,
    Parameter,
    Plain,
    ResultField,
    error_codes,
    schema_fault,
)
from controlplane.schema_dialects import in_json_schema
from controlplane.script_names import is_adapted, script_name

RESERVED: Final = ("answer", "tools")
"""Names that no tool can have, as scripts already call `harness.answer` and
`harness.tools`."""
ENDED: Final = "ended"
"""A result field. It is true if the environment ended the trial with this call."""
NOTE: Final = "note"
"""A result field. It says why a call that was made has no value."""
MAX_RESULT_CHARS: Final = 900_000
"""The largest result in characters. A message to a script's process cannot carry
more."""
MAX_FAULT_CHARS: Final = 500
SHOWN_VALUE_CHARS: Final = 200
DIGEST_CHARS: Final = 10
"""The number of hexadecimal digits in a result's path. With ten, two results of a trial
practically never have the same path."""


@dataclass(frozen=True)
class Tool:
    """A function that scripts call as `harness.NAME(...)`.

    Its parameters come from its signature; pydantic then converts arguments to the
    types in it. With `schema`, the parameters come from there, and arguments are passed
    unconverted. The function gets copies of the arguments, without those that a script
    leaves out.

    The returned value is converted to JSON's types (pydantic models, dataclasses,
    dates, `Decimal`, `bytes` and sets included). If it cannot be converted, a call that
    only reads fails. A call that acts has already been made, so it succeeds with the
    value None and a note.

    `ValueError`, `LookupError`, `RuntimeError`, `OSError` and similar exceptions mean
    that the tool refuses this call; scripts see the exception's text. A `CallError`
    also keeps its code. Any other exception is a fault of the benchmark.
    """

    function: Callable[..., object]
    effect: Literal["returns", "acts", ""] = ""
    """`returns` if a call only reads. `acts` if it may change something: such a call is
    recorded before it is made, and repeated when a trial is resumed. There is no
    default, and a tool without an effect is refused."""
    name: str = ""
    """The tool's name; empty for the function's own name. A name that is not valid in
    scripts is adapted, and the prompt says so."""
    description: str = ""
    """The tool's purpose, in one line of the prompt; if empty, the docstring's first
    paragraph."""
    schema: Mapping[str, Any] | None = None
    """The JSON schema of the arguments, an object. It may also be a tool definition of
    OpenAI's API, with the schema, the name and the description under `function`. None:
    the function's signature. Python's type names (`dict`, `float`) are accepted,
    too."""
    longest_s: float = 0.0
    """The seconds that a call may take in addition to the 60 s of its script. 0: a call
    is short, and its time counts as time of the script."""
    is_undeclared: bool = False
    """True if nobody knows whether a call changes something, and the effect `acts` is
    only a precaution."""
    keys: tuple[str, ...] = ()
    """The arguments by which the tool looks up a record, such as `ticket_id`.

    A script may have found the value of an argument in a text, where anyone could have
    written it. If this tool finds a record by it, the value counts as one of the
    record's own from then on."""
    is_strict: bool = False
    """With `schema`: refuse a value that does not fit the schema. By default, the call
    is made, and the script is told about the misfit."""
    first_turn: int = 0
    """The turn of the conversation with a user, from 0, in which the tool becomes
    available."""
    last_turn: int | None = None
    """The last turn in which the tool is available; None if it stays available."""

    def __post_init__(self) -> None:
        """Fill in empty fields from `schema`, if it is a tool definition, and from the
        function."""
        name = self.name
        api_tool = _api_tool(self.schema)
        if api_tool is not None:
            name = name or api_tool.name
            # A frozen dataclass can set its own fields only in this way.
            object.__setattr__(
                self, "description", self.description or api_tool.description
            )
            object.__setattr__(self, "schema", api_tool.schema)
        function_name = getattr(self.function, "__name__", "tool")
        object.__setattr__(self, "name", name or function_name)

    @classmethod
    def of(cls, source: object, *, reads: Sequence[str] = ()) -> list[Tool]:
        """Return a tool for each public method of an object, in the order of its class.

        Methods whose names match a pattern of `reads`, as in `reads=("get_*",
        "list_*")`, only read. All others act. Raises `ValueError` if a pattern matches
        no method.
        """
        names = []
        for owner in reversed(type(source).__mro__[:-1]):  # without `object`
            for name in vars(owner):
                is_public = not name.startswith("_")
                if (
                    is_public
                    and name not in names
                    and inspect.isroutine(getattr(source, name))
                ):
                    names.append(name)

        for pattern in reads:
            if not fnmatch.filter(names, pattern):
                msg = f"{type(source).__name__} has no method {pattern!r}: {', '.join(names)}"
                raise ValueError(msg)

        tools = []
        for name in names:
            only_reads = any(fnmatch.fnmatchcase(name, pattern) for pattern in reads)
            tools.append(
                cls(getattr(source, name), "returns" if only_reads else "acts", name)
            )
        return tools

    def declared(self, taken: set[str]) -> DeclaredTool:
        """Return the tool as scripts call it, under a name that is not in `taken`.

        The name is added to `taken`. Raises `ValueError` for a signature that scripts
        cannot call, or for a schema that does not describe an object.
        """
        arguments = arguments_in_scripts(self.argument_schema())
        name = script_name(self.name, taken, RESERVED)  # Adds the name to `taken`.
        takes_misfits = self.schema is not None and not self.is_strict
        operation = Operation(
            name,
            arguments.parameters,
            summary=self._summary(name),
            # The result.
            fields=(ResultField("value"), ResultField("call_path")),
            parsed_field="value",  # The value is JSON.
            ends_trial=ENDED,
            # The effect.
            effect=Effect(self.effect) if self.effect else Effect.UNDECLARED,
            is_undeclared=self.is_undeclared,
            subject="",  # The tool does not act on a path of the trial's files.
            # The arguments.
            has_own_defaults=True,  # The function fills in the arguments that a script leaves out.
            judges_arguments=takes_misfits,  # Values that do not fit the schema are passed, too.
            keys=self.keys,
            # When it can be called, and for how long.
            is_later=self.first_turn > 0,
            longest_s=self.longest_s,
        )
        return DeclaredTool(self, operation, arguments.own_names)

    def _summary(self, name_in_scripts: str) -> str:
        """Return the tool's purpose in one line, without a full stop."""
        documentation = self.description or inspect.getdoc(self.function) or ""
        first_paragraph = documentation.split("\n\n")[0]
        summary = " ".join(first_paragraph.split())
        if name_in_scripts != self.name:
            summary = f"{summary} (called {self.name} elsewhere)".strip()
        return summary.rstrip(".")

    def is_there(self, turn: int) -> bool:
        """Return True if scripts can call the tool in this turn of the conversation."""
        if self.last_turn is not None and turn > self.last_turn:
            return False
        return turn >= self.first_turn

    def argument_schema(self) -> Mapping[str, Any]:
        """Return the JSON schema of the arguments. Raises `ValueError` if there is
        none."""
        if self.schema is None:
            return self._signature_schema()
        try:
            schema = in_json_schema(self.schema)
        except ValueError as error:
            msg = f"the schema of the tool {self.name}: {error}"
            raise ValueError(msg) from None
        is_object = schema.get("type", "object") == "object" and "$ref" not in schema
        if not is_object or not isinstance(schema.get("properties", {}), Mapping):
            shown = repr(self.schema)[:SHOWN_VALUE_CHARS]
            msg = f"the schema of the tool {self.name} describes no object of arguments: {shown}"
            raise ValueError(msg)
        return schema

    def _signature_schema(self) -> Mapping[str, Any]:
        """Return the JSON schema of the arguments in the function's signature.

        Scripts pass arguments by name. Raises `ValueError` if the function cannot be
        called like that.
        """
        if inspect.iscoroutinefunction(self.function):
            msg = f"the tool {self.name} is async: give a function that returns its result"
            raise ValueError(msg)
        unnamed_kinds = (
            inspect.Parameter.VAR_POSITIONAL,
            inspect.Parameter.VAR_KEYWORD,
            inspect.Parameter.POSITIONAL_ONLY,
        )
        for parameter in inspect.signature(self.function).parameters.values():
            if parameter.kind in unnamed_kinds:
                msg = (
                    f"the tool {self.name} takes {parameter}: name its parameters, or give it a "
                    "schema"
                )
                raise ValueError(msg)
        schema = self.converter.json_schema()
        for property_schema in schema["properties"].values():
            property_schema.pop("title", None)
        return schema

    @cached_property
    def converter(self) -> TypeAdapter[Any]:
        """Converts arguments to the types in the function's signature, without calling
        it.

        Pydantic's adapter of a function converts the arguments and then calls the
        function. So the adapter gets another function, which has the same signature and
        returns its arguments.
        """

        def return_arguments(**arguments: object) -> dict[str, object]:
            return arguments

        with_same_signature: Any = wraps(self.function)(return_arguments)
        # Pydantic cannot see the names of the function's module, so it gets types for
        # them.
        types = get_type_hints(self.function, include_extras=True)
        with_same_signature.__annotations__ = types
        return TypeAdapter(with_same_signature)


@dataclass(frozen=True, slots=True)
class _ApiTool:
    """A tool definition in the form of a model's API."""

    name: str
    description: str
    schema: Mapping[str, Any]
    """The JSON schema of its arguments."""


def _api_tool(schema: Mapping[str, Any] | None) -> _ApiTool | None:
    """Return the tool definition in `schema`, or None if `schema` is a JSON schema.

    OpenAI's forms are `{"function": {"name", "description", "parameters"}}` and the
    inner mapping alone. Anthropic's form has `input_schema` in place of `parameters`.
    """
    if schema is None:
        return None
    function = schema.get("function")
    definition = function if isinstance(function, Mapping) else schema
    parameters = definition.get("parameters", definition.get("input_schema"))
    if not isinstance(parameters, Mapping):
        return None
    return _ApiTool(
        definition.get("name", ""),
        definition.get("description") or "",
        schema=parameters,
    )


@dataclass(frozen=True, slots=True)
class DeclaredTool:
    """A tool as scripts call it.

    A trial's environment has one for each `Tool`. It converts the arguments and the
    result of each call.
    """

    tool: Tool
    operation: Operation
    own_names: Mapping[str, str]
    """The tool's own name of each parameter, by its name in scripts: `from_` ->
    `from`."""

    def arguments(self, script_arguments: Mapping[str, Plain]) -> dict[str, Any]:
        """Return converted copies of a call's arguments, as the function takes them.

        Raises `CallError` for a value that does not fit the function's signature.
        """
        parameters = {
            parameter.name: parameter for parameter in self.operation.parameters
        }
        arguments: dict[str, Any] = {}
        for name, value in script_arguments.items():
            if not _is_left_out(value, parameters[name]):
                arguments[self.own_names[name]] = copy.deepcopy(value)
        has_schema = self.tool.schema is not None
        if has_schema:
            return arguments  # Only a signature has types to convert to.

        try:
            call = ArgsKwargs((), arguments)  # All arguments are passed by name.
            converted = self.tool.converter.validate_python(call)
        except ValidationError as error:
            fault = error.errors(include_url=False)[0]
            place = ".".join(map(str, fault["loc"]))
            message = f"{self.operation.name}: {place}: {fault['msg']}"
            raise CallError(error_codes.INVALID_ARGUMENT, message) from None
        # Leave out the defaults that pydantic has added. The function fills them in
        # itself.
        return {name: converted[name] for name in arguments}

    def result(
        self, arguments: Mapping[str, object], value: object
    ) -> dict[str, Plain]:
        """Return the fields of the result of a call that returned `value`.

        The fields are `value`, as JSON, and `call_path`, by which an answer can cite
        the result.

        The value may be too long, or impossible as JSON. If the call only read, this
        raises `CallError`. If it may have changed something, it counts as made: its
        value is null, and a note says why.
        """
        name = self.operation.name
        folder = f"/calls/{name}"
        try:
            text = self._json_text(value)
            return citable_result(name, folder, arguments, value=text)
        except CallError as error:
            if self.operation.effect is Effect.RETURNS:  # The call only read.
                raise
            note = f"the call was made, and its result cannot be shown: {error.message}"
            result = citable_result(name, folder, arguments, value="null")
            result[NOTE] = note[:MAX_FAULT_CHARS]
            return result

    def _json_text(self, value: object) -> str:
        """Return a value as JSON.

        Raises `CallError` with the tool's name for a value that JSON cannot express.
        """
        try:
            data = _jsonable(value)
            return encodable(
                json.dumps(data, ensure_ascii=False, separators=(",", ":"))
            )
        except (ValueError, RecursionError) as error:
            kind = type(value).__name__
            fault = f"{self.tool.name} returned {kind}, which is no data: {error}"
            shown = " ".join(fault.split())[:MAX_FAULT_CHARS]
            raise CallError(error_codes.INTERNAL, shown) from None


def _jsonable(value: object) -> object:
    """Return a value in JSON's types. Bytes become text, or URL-safe base64 if they are
    not UTF-8.

    Raises `ValueError` and `RecursionError`.
    """
    try:
        return to_jsonable_python(value, bytes_mode="utf8")
    except UnicodeDecodeError:
        return to_jsonable_python(value, bytes_mode="base64")


def _is_left_out(value: Plain, parameter: Parameter) -> bool:
    """Return True if a script passes None to leave an argument out, as models often do.

    If the schema of the parameter allows null, None is a value.
    """
    if value is not None:
        return False
    fault_of_null = schema_fault(None, parameter.schema or {})
    return bool(fault_of_null)


@dataclass(frozen=True, slots=True)
class ArgumentsInScripts:
    """The parameters of a tool as scripts pass them."""

    parameters: tuple[Parameter, ...]
    """The parameters, with the required ones first."""
    own_names: Mapping[str, str]
    """The tool's own name of each parameter, by its name in scripts: `from_` ->
    `from`."""


def arguments_in_scripts(
    schema: Mapping[str, Any], max_parameters: int | None = None
) -> ArgumentsInScripts:
    """Return the parameters that a JSON schema declares, each with a name that is valid
    in scripts.

    Parameters after the first `max_parameters` are left out.
    """
    # Anyone may have written the schema, so any part of it may have another type.
    properties = schema.get("properties")
    property_schemas: dict[str, Any] = {}
    if isinstance(properties, Mapping):
        property_schemas = dict(list(properties.items())[:max_parameters])
    required = schema.get("required")
    required_properties = set(required) if isinstance(required, Iterable) else set()
    # The definitions that a `$ref` in the schema of a parameter may refer to.
    definitions = {
        key: schema[key] for key in ("$defs", "definitions") if schema.get(key)
    }

    names_in_scripts = _names_in_scripts(property_schemas)
    required_parameters = []
    optional_parameters = []
    own_names = {}
    for own_name, property_schema in property_schemas.items():
        name = names_in_scripts[own_name]
        own_names[name] = str(own_name)
        complete_schema = (
            dict(property_schema) if isinstance(property_schema, Mapping) else {}
        )
        default = complete_schema.get("default")
        complete_schema.update(definitions)
        if own_name in required_properties:
            required_parameters.append(
                Parameter(name, "any", REQUIRED, schema=complete_schema)
            )
        else:
            optional_parameters.append(
                Parameter(name, "any", default, schema=complete_schema)
            )
    return ArgumentsInScripts((*required_parameters, *optional_parameters), own_names)


def _names_in_scripts(own_names: Iterable[str]) -> dict[str, str]:
    """Return the name in scripts for each own name of a parameter: `from` -> `from_`.

    A parameter whose own name is valid in scripts keeps it. Only then are the others
    named, so that `from` does not get the name of a parameter `from_`.
    """
    own_names = list(own_names)
    valid_names = [name for name in own_names if not is_adapted(name)]
    invalid_names = [name for name in own_names if is_adapted(name)]
    taken: set[str] = set()
    names_in_scripts = {}
    for own_name in (*valid_names, *invalid_names):
        names_in_scripts[own_name] = script_name(
            str(own_name), taken
        )  # Adds it to `taken`.
    return names_in_scripts


def citable_result(
    operation: str, folder: str, arguments: Mapping[str, object], **fields: str
) -> dict[str, Plain]:
    """Return the fields of a call's result, with the path to cite it by as `call_path`.

    The path contains a digest of arguments and result, below `folder`:
    `/calls/find_order/3f9a0c12be`. The same call with the same result has the same
    path. Raises `CallError` if the fields are too long for a script.
    """
    size = sum(len(text) for text in fields.values())
    if size > MAX_RESULT_CHARS:
        msg = (
            f"{operation} returned {size:,} characters, and at most {MAX_RESULT_CHARS:,} are passed "
            "on: ask it for less"
        )
        raise CallError(error_codes.FAILED_PRECONDITION, msg)
    content = json.dumps([arguments, *fields.values()], sort_keys=True, default=str)
    digest = hashlib.sha256(content.encode("utf-8", "replace")).hexdigest()[
        :DIGEST_CHARS
    ]
    result: dict[str, Plain] = {"call_path": f"{folder}/{digest}"}
    for name, text in fields.items():
        result[name] = encodable(text)
    return result
