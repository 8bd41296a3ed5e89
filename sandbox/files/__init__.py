"""Files as a world for scripts: the in-memory tree, a folder on disk, and tools in a worker."""

from sandbox.files.disk_files import PERMISSIONS, open_parent, read_whole, remove_file, write_whole
from sandbox.files.file_tree import ListedFiles, WorldFiles, compiled_pattern, sha256_of
from sandbox.files.tool_world import TOOL_WORLD, Tools, WorkerTools
