"""A tool as scripts call it: the conversion of arguments and results.

The function `def pay(amount: Decimal, due: date)` gets a `Decimal` and a `date`, while
a script passes `harness.pay(12.5, "2027-05-01")`. What the function returns becomes JSON.
"""

from __future__ import annotations

import copy
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from pydantic import ValidationError
from pydantic_core import ArgsKwargs

from controlplane.sandbox.interface import (
    CallError,
    Effect,
    Operation,
    Plain,
    error_codes,
    schema_fault,
)
from controlplane.tools.tool_parameters import ToolParameters
from controlplane.tools.tool_result import (
    MAX_FAULT_CHARS,
    citable_result,
    json_text,
    result_path,
)

if TYPE_CHECKING:
    from controlplane.tools.function_tool import Tool

NOTE: Final = "note"
"""A result field. If a call was made, but its result cannot be passed on, it says why."""


@dataclass(frozen=True, slots=True)
class DeclaredTool:
    """A tool as scripts call it: converts the arguments and the result of each call."""

    tool: Tool
    operation: Operation
    """What scripts and prompts see of it: its name there, its parameters and its fields."""
    parameters: ToolParameters
    """Its parameters, with both names of each: the tool's own, and the one in scripts."""

    def arguments(self, script_arguments: Mapping[str, Plain]) -> dict[str, Any]:
        """Return converted copies of a call's arguments, as the function takes them.

        Raises `CallError` for a value that does not fit the function's signature.
        """
        passed = {}
        for name, value in script_arguments.items():
            if value is not None or self._allows_null(name):
                passed[name] = copy.deepcopy(value)
        arguments = self.parameters.with_own_names(passed)
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
        """Return the fields of a result whose value is the JSON `text`."""
        name = self.operation.name
        path = result_path(f"/calls/{name}", arguments, text)
        return citable_result(name, path, value=text)
