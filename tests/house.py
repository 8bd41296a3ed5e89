"""Prints the size and the shape of the product: lines, modules, import chains, and what `run` imports.

    python -m tests.house

The figures are for a reader who decides what to cut next. They count the working copy; blank lines and comments count.
"""

import statistics
import subprocess
import sys
import tempfile
from collections.abc import Mapping

import click
from rich.console import Console
from rich.table import Table

from tests.support.import_graph import PACKAGES, ROOT, import_edges, modules

RUN = """
import sys, controlplane.__main__, controlplane.command_line as line
try: line.run_command(["run", "--limit", "1", "--quiet", "--workers", "threads", "--runs-dir", sys.argv[1]])
finally: print(*sorted(name for name in sys.modules if name.partition(".")[0] in {packages}))
"""


def lines_by_module() -> dict[str, int]:
    """Return the lines of every product module that is not the face of its package."""
    return {
        module.name: module.path.read_text(encoding="utf-8").count("\n")
        for module in modules().values()
        if not module.is_face
    }


def all_lines(folder: str) -> int:
    """Return the lines of all Python files below a folder."""
    return sum(path.read_text(encoding="utf-8").count("\n") for path in (ROOT / folder).rglob("*.py"))


def longest_chain(edges: Mapping[str, set[str]]) -> list[str]:
    """Return the longest path through an import graph; a package and its own modules count as one step apart."""
    longest: dict[str, list[str]] = {}

    def from_module(name: str, above: tuple[str, ...]) -> list[str]:
        if name in longest:
            return longest[name]
        inner = (from_module(imported, (*above, name)) for imported in edges.get(name, ()) if imported not in above)
        longest[name] = [name, *max(inner, key=len, default=[])]
        return longest[name]

    return max((from_module(name, ()) for name in edges), key=len)


def modules_of_run(runs: str) -> list[str]:
    """Return the modules of ours that one embedded trial without a model imports in the main process."""
    script = RUN.replace("{packages}", repr(PACKAGES))
    done = subprocess.run([sys.executable, "-c", script, runs], cwd=ROOT, capture_output=True, text=True, check=True)
    return done.stdout.splitlines()[-1].split()


@click.command()
@click.option("--chain", is_flag=True, help="Print the modules of the longest import chain too.")
def main(*, chain: bool) -> None:
    """Print the figures of the house."""
    console = Console(highlight=False)
    sizes = lines_by_module()
    table = Table("part", "lines", "modules", "median", box=None)
    for package in PACKAGES:
        own = [lines for name, lines in sizes.items() if name.partition(".")[0] == package]
        table.add_row(package, f"{all_lines(package):,}", str(len(own)), f"{statistics.median(own):.0f}")
    total = sum(all_lines(package) for package in PACKAGES)
    table.add_row("product", f"{total:,}", str(len(sizes)), f"{statistics.median(sizes.values()):.0f}")
    table.add_row("tests", f"{all_lines('tests'):,}", "", "")
    console.print(table)
    top, late = longest_chain(import_edges(at_load=True)), longest_chain(import_edges())
    console.print(f"longest import chain: {len(top)} modules at load, {len(late)} with late imports")
    with tempfile.TemporaryDirectory() as runs:
        used = modules_of_run(runs)
        console.print(
            f"`run` of one trial without a model: {len(used)} modules, {len(sizes.keys() & set(used))} without faces"
        )
    if chain:
        console.print("\n".join(top))


if __name__ == "__main__":
    main()
