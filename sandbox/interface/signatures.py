"""Operations as a script writes their calls: `harness.find(name, root='/', limit=10)`."""

from __future__ import annotations

from controlplane.sandbox.interface.operations import Operation
from controlplane.sandbox.interface.parameters import CHECK, Parameter
from controlplane.sandbox.interface.schemas import type_text


def signature(operation: Operation) -> str:
    """Return the call of an operation, with its parameters and their defaults."""
    parameters = list(operation.parameters)
    if operation.takes_check:
        parameters.append(CHECK)
    name = f"tools.{operation.name}" if operation.is_function else operation.name
    parameter_texts = [_parameter_text(parameter) for parameter in parameters]
    return f"harness.{name}({', '.join(parameter_texts)})"


def _parameter_text(parameter: Parameter) -> str:
    """Return a parameter as Python writes it: `limit=10`, or with its type `limit: int = 10`."""
    if parameter.schema:
        text = f"{parameter.name}: {type_text(parameter.schema)}"
        return text if parameter.is_required else f"{text} = {parameter.default!r}"
    if parameter.is_required:
        return parameter.name
    return f"{parameter.name}={parameter.default!r}"
