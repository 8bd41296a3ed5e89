"""The reply of a worker to a call: the result of its function, or the error.

A function raises `CallError` on purpose, for example for a file that does not exist. Any other
exception may have left its data half changed, and a result that is too large may have filled the
memory. Then the worker's process is not used again.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import ModuleType

from controlplane.sandbox.child.parent_connection import encode_message
from controlplane.sandbox.interface import bounds
from controlplane.sandbox.interface.error_codes import (
    INTERNAL,
    RESOURCE_EXHAUSTED,
    CallError,
)
from controlplane.sandbox.interface.messages.worker_messages import (
    FunctionCall,
    FunctionError,
    FunctionResult,
)


def function_reply(
    modules: Mapping[str, ModuleType], call: FunctionCall, max_bytes: int
) -> bytes:
    """Run a function of the modules, and return the encoded message with its result or its error."""
    # `call.function` is, for example, `package.files:read`.
    module_name, _, function_name = call.function.partition(":")
    try:
        function = getattr(modules[module_name], function_name)
        value = function(*call.arguments)
        reply = encode_message(FunctionResult(value))
    except CallError as error:
        message = error.message[: bounds.MOST_REFUSAL_CHARS]
        return encode_message(
            FunctionError(error.code, message, process_must_end=False)
        )
    except MemoryError:
        message = "this needs more memory than a call may use"
        return _unexpected_error(RESOURCE_EXHAUSTED, message)
    except RecursionError:
        return _unexpected_error(RESOURCE_EXHAUSTED, "the data is nested too deeply")
    except Exception as error:  # noqa: BLE001 - an exception of a function fails this one call
        return _unexpected_error(INTERNAL, f"{type(error).__name__}: {error}")

    if len(reply) > max_bytes:
        message = f"the result is larger than {max_bytes} bytes"
        return _unexpected_error(RESOURCE_EXHAUSTED, message)
    return reply


def _unexpected_error(code: str, message: str) -> bytes:
    """Return the encoded message for an error after which this process cannot be used again."""
    message = message[: bounds.MOST_REFUSAL_CHARS]
    return encode_message(FunctionError(code, message, process_must_end=True))
