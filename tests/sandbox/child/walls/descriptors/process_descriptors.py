"""Descriptors of a process, the numbers by which it knows its open files and sockets."""

from pathlib import Path


def open_descriptors(pid: int) -> list[str]:
    """Return the descriptors of a process, which Linux lists in `/proc/<pid>/fd`: `["0", "3"]`."""
    return [path.name for path in Path(f"/proc/{pid}/fd").iterdir()]


def limits_of_descriptors(pid: int) -> list[str]:
    """Return how many descriptors a process may have, its soft and its hard limit: `["64", "64"]`."""
    for line in Path(f"/proc/{pid}/limits").read_text().splitlines():
        # "Max open files            64                   64                   files"
        if line.startswith("Max open files"):
            _max, _open, _files, soft_limit, hard_limit, _unit = line.split()
            return [soft_limit, hard_limit]
    raise AssertionError("/proc does not name the limit of open files")
