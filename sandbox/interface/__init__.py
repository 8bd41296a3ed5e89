"""What scripts, the sandbox and its users share: declarations, results and errors."""

from controlplane.sandbox.interface import error_codes
from controlplane.sandbox.interface.argument_binding import (
    argument_notes,
    bound_arguments,
    signature,
)
from controlplane.sandbox.interface.error_codes import CallError
from controlplane.sandbox.interface.file_operations import FILE_OPERATIONS
from controlplane.sandbox.interface.json_documents import parse_json, well_formed
from controlplane.sandbox.interface.operations import (
    DEFAULT_RANKED_CHARS,
    REQUIRED,
    EachOf,
    Effect,
    InitialCall,
    NamedFiles,
    Operation,
    Parameter,
    Plain,
    ResultField,
    operation_of,
)
from controlplane.sandbox.interface.records import Tree
from controlplane.sandbox.interface.results import (
    ResultFields,
    check_result,
    fresh_result,
    guarded,
    is_truncated,
    parsed_result,
    plain_result,
)
from controlplane.sandbox.interface.schemas import is_same, schema_fault
from controlplane.sandbox.interface.tool_schema import (
    DocumentDates,
    Executable,
    ExecutableKind,
    FileArguments,
    RecordOwners,
    ToolSchema,
)
