"""The standard streams of a forked process, which gets new ones in place of those of its parent."""

import io
import os
import sys


def replace_standard_streams(descriptors: list[int]) -> None:
    """Make these descriptors the standard streams, 0, 1 and 2, of the process and of Python.

    Python's own streams are opened anew because they may have buffered something of the server.
    They get the encoding and the buffering that a new Python gives them.
    """
    for standard_number, descriptor in enumerate(descriptors):
        os.dup2(descriptor, standard_number)
        os.close(descriptor)
    sys.stdin = sys.__stdin__ = open(0, closefd=False)  # noqa: SIM115 - it stays open as long as the process
    for number, name in ((1, "stdout"), (2, "stderr")):
        old_stream = getattr(sys, name)
        new_stream = io.TextIOWrapper(
            io.BufferedWriter(io.FileIO(number, "w", closefd=False)),
            old_stream.encoding,
            old_stream.errors,
            line_buffering=name == "stderr" or os.isatty(number),
        )
        setattr(sys, name, new_stream)
        setattr(sys, f"__{name}__", new_stream)
