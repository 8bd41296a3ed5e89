"""What children need from the process that forks them: everything imported, and what to serve.

A fork server forks one of two kinds of children: processes that run *scripts* of a model, or
*workers*, which call functions of a benchmark. A child has no files, so it could import nothing
itself. Forked from a process that has imported everything, it starts within milliseconds.
"""

import codecs
import socket
import sys
from importlib import import_module
from typing import Final, Protocol

from controlplane.sandbox.child.walls.kernel import Kernel

_CODECS: Final = (
    "ascii latin-1 utf-8-sig utf-16-le utf-16-be utf-7 unicode_escape raw-unicode-escape cp437 "
    "cp850 cp1250 cp1251 cp1252 cp1253 cp1254 cp1255 cp1256 iso8859-2 iso8859-5 iso8859-7 iso8859-9 "
    "iso8859-15 koi8-r koi8-u mac-roman shift_jis cp932 euc_jp iso2022_jp gbk gb2312 gb18030 big5 "
    "euc_kr"
)
"""Encodings that files and messages of users are in. Python loads
an encoding at its first use, from a file, and the children have no files."""

_C_MODULES_HIDDEN_FROM_SCRIPTS: Final = ("_hashlib", "_datetime", "_zoneinfo")
"""Modules in C whose import fails in scripts, so that the library uses its Python code instead.
The Python code gets the time from the module `time`, where it is pinned (the same in
every replay). The C code would get the real time from the machine."""


class ChildServer(Protocol):
    """What a child does after it was forked, prepared in this process."""

    def serve(self, connection: socket.socket, kernel: Kernel | None) -> None:
        """Serve the parent over the connection until the parent closes it."""
        ...


def import_for_children(modules: tuple[str, ...], for_workers: bool) -> ChildServer:
    """Import everything that children need, and return what they do. Raises `ImportError`."""
    for codec in _CODECS.split():
        codecs.lookup(codec)

    process_module = "controlplane.sandbox.child.worker_process"
    if not for_workers:
        process_module = "controlplane.sandbox.child.script_process"
        for name in _C_MODULES_HIDDEN_FROM_SCRIPTS:
            sys.modules[name] = None  # type: ignore[assignment] # An import of it fails now.

    # This import isn't at the top of this module: it loads modules of the library, such
    # as `datetime`, which load their C part unless it has been hidden before.
    process = import_module(process_module)
    # `prepare` imports `modules`, and returns the object that serves the parent in a child.
    server: ChildServer = process.prepare(modules)
    return server
