"""What crosses between scripts, the sandbox and its users: declared operations, results, limits."""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sandbox.interface import error_codes as error_codes
    from sandbox.interface.arguments import bound_arguments as bound_arguments
    from sandbox.interface.arguments import signature as signature
    from sandbox.interface.file_operations import FILE_OPERATIONS as FILE_OPERATIONS
    from sandbox.interface.operation_json import operation_data as operation_data
    from sandbox.interface.operation_json import operation_of as operation_of
    from sandbox.interface.operations import REQUIRED as REQUIRED
    from sandbox.interface.operations import CallError as CallError
    from sandbox.interface.operations import Effect as Effect
    from sandbox.interface.operations import Operation as Operation
    from sandbox.interface.operations import Parameter as Parameter
    from sandbox.interface.operations import Plain as Plain
    from sandbox.interface.operations import ResultField as ResultField
    from sandbox.interface.script_objects import Tree as Tree
    from sandbox.interface.surface import EachOf as EachOf
    from sandbox.interface.surface import Executable as Executable
    from sandbox.interface.surface import ExecutableKind as ExecutableKind
    from sandbox.interface.surface import OpeningCall as OpeningCall
    from sandbox.interface.surface import Surface as Surface

_HOMES = {
    "error_codes": ("error_codes",),
    "arguments": (
        "bound_arguments",
        "signature",
    ),
    "file_operations": ("FILE_OPERATIONS",),
    "operation_json": (
        "operation_data",
        "operation_of",
    ),
    "operations": (
        "CallError",
        "Effect",
        "Operation",
        "Parameter",
        "Plain",
        "REQUIRED",
        "ResultField",
    ),
    "script_objects": ("Tree",),
    "surface": (
        "EachOf",
        "Executable",
        "ExecutableKind",
        "OpeningCall",
        "Surface",
    ),
}


def __getattr__(name: str) -> object:
    """Import a public name at its first use, so that nobody waits for what is not needed."""
    for home, names in _HOMES.items():
        if name in names:
            module = import_module(f"{__name__}.{home}")
            return module if name == home else getattr(module, name)
    msg = f"module {__name__!r} has no attribute {name!r}"
    raise AttributeError(msg)
