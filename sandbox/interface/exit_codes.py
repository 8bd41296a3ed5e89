"""The exit code of a call's tool, which raises for a call with `check=True`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from controlplane.sandbox.interface import bounds
from controlplane.sandbox.interface.error_codes import CallError
from controlplane.sandbox.interface.operations import Operation
from controlplane.sandbox.interface.parameters import Plain

_NONZERO_EXIT: Final = "nonzero_exit"
"""The error code of a call with `check=True` whose tool ended with an exit code other than 0."""


def check_exit(
    operation: Operation, arguments: Mapping[str, Plain], result: Mapping[str, Plain]
) -> None:
    """Raise `CallError` if the result of a call has an exit code other than 0."""
    code = result.get(operation.exit_field)
    if not code:
        return
    message = f"{arguments.get(operation.subject)} ended with exit code {code}"
    printed_text = str(result.get("stderr") or result.get("stdout") or "").strip()
    if printed_text:
        message += f": {printed_text[: bounds.SHOWN_FAULT_CHARS]}"
    raise CallError(_NONZERO_EXIT, message)
