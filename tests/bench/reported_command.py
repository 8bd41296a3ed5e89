"""Runs the command line in this process, and writes what the process took to a file.

    python -m tests.bench.reported_command /tmp/figures.json show run.jsonl

runs `controlplane show run.jsonl`, and writes `{"peak_kb": 43120, "cpu_s": 0.41}`.
"""

import json
import re
import resource
import runpy
import sys
from pathlib import Path


def figures() -> dict[str, float]:
    """Return the most memory that this process has had, and its CPU seconds so far."""
    # `ru_maxrss` would count the memory that the process had before it became this program.
    status = Path("/proc/self/status").read_text()
    peak = re.search(r"VmHWM:\s+(\d+) kB", status)
    assert peak is not None
    usage = resource.getrusage(resource.RUSAGE_SELF)
    return {"peak_kb": int(peak[1]), "cpu_s": usage.ru_utime + usage.ru_stime}


def main() -> None:
    report_file = Path(sys.argv.pop(1))
    sys.argv[0] = "controlplane"
    try:
        runpy.run_module("controlplane", run_name="__main__", alter_sys=True)
    finally:
        report_file.write_text(json.dumps(figures()))


if __name__ == "__main__":
    main()
