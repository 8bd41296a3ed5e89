"""Files as a world for scripts: the in-memory tree, a folder on disk, and tools in a worker."""

from controlplane.sandbox.files.disk_files import (
    PERMISSIONS,
    check_writable,
    open_parent,
    open_regular,
    read_whole,
    remove_file,
    write_whole,
)
from controlplane.sandbox.files.file_tree import TextFiles, sha256_of
from controlplane.sandbox.files.search import compiled_pattern
from controlplane.sandbox.files.tool_world import TOOL_WORLD, Tools
from controlplane.sandbox.files.worker_tools import WorkerTools, WorldFiles
