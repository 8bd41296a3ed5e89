"""Plain Python functions as tools that scripts call.

A benchmark declares a `Tool`: a function with a description of its effect. A trial
turns it into a `DeclaredTool`: the operation that scripts call, with the conversion of
arguments and results.
"""

from __future__ import annotations

import copy
import fnmatch
import inspect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final, Literal

from pydantic import TypeAdapter, ValidationError
from pydantic_core import ArgsKwargs

from controlplane.sandbox.interface import (
    CallError,
    Effect,
    Operation,
    Plain,
    ResultField,
    error_codes,
    schema_fault,
)
from controlplane.tools.script_names import script_name
from controlplane.tools.tool_parameters import ToolParameters
from controlplane.tools.tool_result import (
    MAX_FAULT_CHARS,
    citable_result,
    json_text,
    result_path,
)
from controlplane.tools.tool_signature import (
    ApiTool,
    argument_converter,
    check_signature,
    given_schema,
    signature_schema,
)

RESERVED: Final = ("answer", "tools")
"""Names that no tool can have, as scripts already call `harness.answer` and `harness.tools`."""
ENDED: Final = "ended"
"""A result field. It is true if the environment ended the trial with this call."""
NOTE: Final = "note"
"""A result field. It says why a call that was made has no value."""


@dataclass(frozen=True)
class Tool:
    """A function that scripts call as `harness.NAME(...)`.

    Its parameters come from its signature; pydantic then converts arguments
    to the types in it. With `schema`, the parameters come from there, and arguments
    are passed unconverted. The function gets copies of the arguments, without
    those that a script leaves out.

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
    """`returns` if a call only reads. `acts` if it may change something:
    such a call is recorded before it is made, and repeated when a trial is resumed.
    There is no default, and a tool without an effect is refused."""
    name: str = ""
    """The tool's name; empty for the function's own name. A name
    that is not valid in scripts is adapted, and the prompt says so."""
    description: str = ""
    """The tool's purpose, in one line of the prompt; if empty, the docstring's first paragraph."""
    schema: Mapping[str, Any] | None = None
    """The JSON schema of the arguments, an object. It may also be a tool
    definition of OpenAI's API, with the schema, the name and the description
    under `function`. None: the function's signature. Python's type names (`dict`,
    `float`) are accepted, too."""
    longest_s: float = 0.0
    """The seconds that a call may take in addition to the 60 s of its script.
    0: a call is short, and its time counts as time of the script."""
    is_undeclared: bool = False
    """True if it is not known whether a call changes something.
    The effect `acts` is then only a precaution."""
    keys: tuple[str, ...] = ()
    """The arguments by which the tool looks up a record, such as `ticket_id`.

    A script may have found the value of an argument in a text, where anyone could have
    written it. If this tool finds a record by it, the value counts as one of the
    record's own from then on."""
    is_strict: bool = False
    """With `schema`: refuse a value that does not fit the schema.
    By default, the call is made, and the script is told about the misfit."""
    first_turn: int = 0
    """The turn of the conversation with a user, from 0, in which the tool becomes available."""
    last_turn: int | None = None
    """The last turn in which the tool is available; None if it stays available."""

    def __post_init__(self) -> None:
        """Fill in empty fields from a tool definition in `schema`, and from the function."""
        definition = ApiTool.of(self.schema) if self.schema is not None else None
        if definition is not None:
            self._set("name", self.name or definition.name)
            self._set("description", self.description or definition.description)
            self._set("schema", definition.schema)
        if not self.name:
            self._set("name", getattr(self.function, "__name__", "tool"))

    def _set(self, field: str, value: object) -> None:
        """Set a field while the tool is created. A frozen dataclass allows only this."""
        object.__setattr__(self, field, value)

    @classmethod
    def of(cls, source: object, *, reads: Sequence[str] = ()) -> list[Tool]:
        """Return a tool for each public method of an object, in the order of its class.

        Methods whose names match a pattern of `reads`, as in `reads=("get_*",
        "list_*")`, only read. All others act. Raises `ValueError` if a pattern
        matches no method.
        """
        names = _public_methods(source)
        for pattern in reads:
            if not fnmatch.filter(names, pattern):
                msg = f"{type(source).__name__} has no method {pattern!r}: {', '.join(names)}"
                raise ValueError(msg)

        tools = []
        for name in names:
            only_reads = any(fnmatch.fnmatchcase(name, pattern) for pattern in reads)
            effect: Literal["returns", "acts"] = "returns" if only_reads else "acts"
            tools.append(cls(getattr(source, name), effect, name))
        return tools

    def declared(self, taken: set[str]) -> DeclaredTool:
        """Return the tool as scripts call it, under a name that is not in `taken`.

        The name is added to `taken`. Raises `ValueError` for a signature that scripts
        cannot call, or for a schema that does not describe an object.
        """
        parameters = ToolParameters.of_schema(self.argument_schema())
        name = script_name(self.name, taken, RESERVED)
        operation = Operation(
            name,
            parameters.in_scripts,
            fields=(ResultField("value"), ResultField("call_path")),
            summary=self._summary(name),
            effect=Effect(self.effect) if self.effect else Effect.UNDECLARED,
            subject="",  # The tool does not act on a path of the trial's files.
            parsed_field="value",
            ends_trial=ENDED,
            is_undeclared=self.is_undeclared,
            has_own_defaults=True,  # The function fills in what a script leaves out.
            judges_arguments=self.schema is not None and not self.is_strict,
            keys=self.keys,
            is_later=self.first_turn > 0,
            longest_s=self.longest_s,
        )
        return DeclaredTool(self, operation, parameters)

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
        """Return the JSON schema of the arguments. Raises `ValueError` if there is none."""
        if self.schema is not None:
            return given_schema(self.name, self.schema)
        check_signature(self.name, self.function)
        return signature_schema(self.converter)

    @cached_property
    def converter(self) -> TypeAdapter[Any]:
        """Converts arguments to the types in the function's signature."""
        return argument_converter(self.function)


def _public_methods(source: object) -> list[str]:
    """Return the names of an object's public methods, those of base classes first."""
    names: dict[str, None] = {}
    for owner in reversed(type(source).__mro__[:-1]):  # without `object`
        for name in vars(owner):
            if not name.startswith("_") and inspect.isroutine(getattr(source, name)):
                names[name] = None
    return list(names)


@dataclass(frozen=True, slots=True)
class DeclaredTool:
    """A tool as scripts call it: converts the arguments and the result of each call."""

    tool: Tool
    operation: Operation
    parameters: ToolParameters

    def arguments(self, script_arguments: Mapping[str, Plain]) -> dict[str, Any]:
        """Return converted copies of a call's arguments, as the function takes them.

        Raises `CallError` for a value that does not fit the function's signature.
        """
        passed = {}
        for name, value in script_arguments.items():
            if value is not None or self._allows_null(name):
                passed[name] = copy.deepcopy(value)
        arguments = self.parameters.own_arguments(passed)
        if self.tool.schema is not None:
            return arguments  # Only a signature has types to convert to.
        return self._converted(arguments)

    def _allows_null(self, name: str) -> bool:
        """Return True if a parameter accepts None as a value.

        If not, an argument None means that the script leaves the parameter out, as the
        scripts of models often do.
        """
        for parameter in self.parameters.in_scripts:
            if parameter.name == name:
                return not schema_fault(None, parameter.schema or {})
        raise KeyError(name)

    def _converted(self, arguments: dict[str, Any]) -> dict[str, Any]:
        """Return arguments in the types of the function's signature. Raises `CallError`."""
        try:
            call = ArgsKwargs((), arguments)  # All arguments are passed by name.
            converted = self.tool.converter.validate_python(call)
        except ValidationError as error:
            fault = error.errors(include_url=False)[0]
            place = ".".join(map(str, fault["loc"]))
            message = f"{self.operation.name}: {place}: {fault['msg']}"
            raise CallError(error_codes.INVALID_ARGUMENT, message) from None
        # Pydantic adds defaults, which the function fills in itself.
        return {name: converted[name] for name in arguments}

    def result(
        self, arguments: Mapping[str, object], value: object
    ) -> dict[str, Plain]:
        """Return the fields of a call's result: `value` as JSON, and `call_path` to cite it.

        If the value cannot be passed on, a call that only read raises `CallError`. A
        call that may have changed something counts as made: its value is null, and a
        note says why.
        """
        try:
            text = json_text(self.tool.name, value)
            return self._result(arguments, text)
        except CallError as error:
            if self.operation.effect is Effect.RETURNS:  # The call only read.
                raise
            result = self._result(arguments, "null")
            note = f"the call was made, and its result cannot be shown: {error.message}"
            result[NOTE] = note[:MAX_FAULT_CHARS]
            return result

    def _result(self, arguments: Mapping[str, object], text: str) -> dict[str, Plain]:
        name = self.operation.name
        path = result_path(f"/calls/{name}", arguments, text)
        return citable_result(name, path, value=text)
