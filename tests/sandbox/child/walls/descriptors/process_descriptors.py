"""Descriptors of a process, the numbers by which it knows its open files and sockets."""

from pathlib import Path


def open_descriptors(pid: int) -> list[int]:
    """Return the descriptors of a process, which Linux lists in `/proc/<pid>/fd`: `[0, 3]`."""
    return [int(path.name) for path in Path(f"/proc/{pid}/fd").iterdir()]


def limits_of_descriptors(pid: int) -> dict[str, str]:
    """Return how many descriptors a process may have: `{"soft limit": "64", "hard limit": "4096"}`.

    The soft limit counts. A process may raise it by itself, up to its hard limit.
    """
    for line in Path(f"/proc/{pid}/limits").read_text().splitlines():
        # "Max open files            64                   64                   files"
        if line.startswith("Max open files"):
            _max, _open, _files, soft_limit, hard_limit, _unit = line.split()
            return {"soft limit": soft_limit, "hard limit": hard_limit}
    raise AssertionError("/proc does not name the limit of open files")
