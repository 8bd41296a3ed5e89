"""Operations on files as they are declared, such as `find(name, root="/", kind="all", limit=10)`."""

from controlplane.sandbox.interface import Operation
from controlplane.sandbox.interface.file_operations import FILE_OPERATIONS


def file_operation(name: str) -> Operation:
    """Return a declared operation: `file_operation("find").name` -> `"find"`."""
    for operation in FILE_OPERATIONS:
        if operation.name == name:
            return operation
    raise LookupError(name)
