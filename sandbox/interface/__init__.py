"""The border between scripts, the sandbox and its users: declared operations, their results and errors."""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sandbox.interface import error_codes
    from sandbox.interface.error_codes import CallError, guarded
    from sandbox.interface.frames import parse_json
    from sandbox.interface.host import fresh_result, plain_result
    from sandbox.interface.operations import (
        FILE_OPERATIONS,
        REQUIRED,
        EachOf,
        Effect,
        Executable,
        ExecutableKind,
        FileArguments,
        NamedFiles,
        OpeningCall,
        Operation,
        Parameter,
        Plain,
        ResultField,
        Surface,
        Tree,
        bound_arguments,
        operation_of,
        signature,
    )

_HOMES = {
    "error_codes": ("CallError", "guarded"),
    "frames": ("parse_json",),
    "host": ("fresh_result", "plain_result"),
    "operations": (
        "FILE_OPERATIONS",
        "REQUIRED",
        "EachOf",
        "Effect",
        "Executable",
        "ExecutableKind",
        "FileArguments",
        "NamedFiles",
        "OpeningCall",
        "Operation",
        "Parameter",
        "Plain",
        "ResultField",
        "Surface",
        "Tree",
        "bound_arguments",
        "operation_of",
        "signature",
    ),
}


def __getattr__(name: str) -> object:
    """Import a public name at its first use."""
    for home, names in _HOMES.items():
        if name in names:
            return getattr(import_module(f"{__name__}.{home}"), name)
    msg = f"module {__name__!r} has no attribute {name!r}"
    raise AttributeError(msg)
