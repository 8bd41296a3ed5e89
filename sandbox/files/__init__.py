"""Files as a world for scripts: the in-memory tree, a folder on disk, search and SQL."""

from typing import TYPE_CHECKING

import sandbox

if TYPE_CHECKING:
    from sandbox.files.aided_tools import TOOL_WORLD, AidedTools
    from sandbox.files.file_tree import LineSearch, ListedFiles, WorldFiles, check_glob, compiled_pattern, sha256_of
    from sandbox.files.pinned_sqlite import pinned_database
    from sandbox.files.tool_world import Tools
    from sandbox.files.whole_files import (
        PERMISSIONS,
        StagedFile,
        open_parent,
        read_whole,
        remove_file,
        write_whole,
    )

__getattr__ = sandbox.lazy_face(__name__, __file__)
