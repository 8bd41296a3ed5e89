"""What scripts, the sandbox and its users share: declarations, results and errors."""

from controlplane.sandbox.interface import error_codes
from controlplane.sandbox.interface.argument_binding import (
    argument_notes,
    bound_arguments,
)
from controlplane.sandbox.interface.error_codes import CallError
from controlplane.sandbox.interface.executables import (
    Executable,
    ExecutableKind,
    FileArguments,
)
from controlplane.sandbox.interface.file_operations import FILE_OPERATIONS
from controlplane.sandbox.interface.first_message import (
    DEFAULT_RANKED_CHARS,
    EachOf,
    InitialCall,
    NamedFiles,
)
from controlplane.sandbox.interface.json_documents import parse_json, well_formed
from controlplane.sandbox.interface.operations import (
    Effect,
    Operation,
    ResultField,
    operation_of,
)
from controlplane.sandbox.interface.parameters import REQUIRED, Parameter
from controlplane.sandbox.interface.plain_data import Plain
from controlplane.sandbox.interface.record_declarations import (
    DocumentDates,
    RecordOwners,
)
from controlplane.sandbox.interface.records import Tree
from controlplane.sandbox.interface.results import (
    ResultFields,
    check_result,
    fresh_result,
    guarded,
    parsed_result,
    plain_result,
)
from controlplane.sandbox.interface.schemas import is_same, schema_fault
from controlplane.sandbox.interface.signatures import signature
from controlplane.sandbox.interface.tool_schema import ToolSchema
