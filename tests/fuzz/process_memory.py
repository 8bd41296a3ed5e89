"""The memory of this process: `resident_mib()` is 48.2, for example."""

from pathlib import Path


def resident_mib() -> float:
    """Return the memory of this process in MiB; 0 on systems without `/proc`."""
    try:
        pages = int(Path("/proc/self/statm").read_text().split()[1])
    except OSError:
        return 0.0
    bytes_in_use = pages * 4096  # the size of a page
    return bytes_in_use / (1 << 20)
