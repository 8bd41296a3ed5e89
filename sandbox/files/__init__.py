"""Files as a world for scripts: the in-memory tree, a folder on disk, and tools in a worker."""

from controlplane.sandbox.files.disk_files import (
    PERMISSIONS,
    open_parent,
    read_whole,
    remove_file,
    write_whole,
)
from controlplane.sandbox.files.file_tree import ListedFiles, WorldFiles, sha256_of
from controlplane.sandbox.files.line_search import compiled_pattern
from controlplane.sandbox.files.tool_world import TOOL_WORLD, Tools, WorkerTools
