"""The border between scripts, the sandbox and its users: declared operations, their results and errors."""

from controlplane.sandbox.interface import error_codes
from controlplane.sandbox.interface.error_codes import CallError
from controlplane.sandbox.interface.frames import parse_json
from controlplane.sandbox.interface.host import ResultFields, fresh_result, guarded, plain_result
from controlplane.sandbox.interface.json_schema import is_same, schema_fault
from controlplane.sandbox.interface.operations import (
    FILE_OPERATIONS,
    REQUIRED,
    EachOf,
    Effect,
    Executable,
    ExecutableKind,
    FileArguments,
    InitialCall,
    NamedFiles,
    OpeningCall,
    Operation,
    Parameter,
    Plain,
    ResultField,
    Surface,
    ToolSchema,
    Tree,
    bound_arguments,
    operation_of,
    signature,
)
