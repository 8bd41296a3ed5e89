"""The border between scripts, the sandbox and its users: declared operations, their results and errors."""

from sandbox.interface import error_codes
from sandbox.interface.host import guarded, plain_result
from sandbox.interface.operations import (
    FILE_OPERATIONS,
    REQUIRED,
    CallError,
    Effect,
    Operation,
    Parameter,
    Plain,
    ResultField,
    bound_arguments,
    operation_data,
    operation_of,
    signature,
)
from sandbox.interface.script_objects import Tree
from sandbox.interface.surface import (
    EachOf,
    Executable,
    ExecutableKind,
    FileArguments,
    NamedFiles,
    OpeningCall,
    Surface,
)
