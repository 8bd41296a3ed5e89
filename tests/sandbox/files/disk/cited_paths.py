"""Paths that a script over a folder may cite after it has done something."""

from pathlib import Path

from tests.sandbox.sandbox_command import run_script_over_folder


def paths_after_citation(folder: Path, action: str, path: str) -> list[str]:
    """Run a script that does `action` and then tries to cite `path`; return the cited paths.

    `paths_after_citation(folder, "harness.read('/docs/a.txt')", "/docs/a.txt")` -> ["/docs/a.txt"]
    A citation that is refused leaves no path: [].
    """
    script = f"""
{action}
try:
    scratchpad.cite({path!r}, "long enough")
except CitationError:
    pass
print(*scratchpad.get("refs_why", []))
"""
    return run_script_over_folder(folder, script)["output"].split()
