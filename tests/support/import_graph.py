"""The graph of imports in the product, read from the source: who imports what, when, and through which face."""

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parents[2]
PACKAGES = ("controlplane", "agent", "sandbox", "gates", "benchmarks")
MODULE_IN_STRING = re.compile(rf"(?:{'|'.join(PACKAGES)})(?:\.\w+)+(?=$|:\w+$)")

REGISTRIES = {
    "controlplane/configuration/named_modules.py": "benchmarks, by the names that `--benchmark` takes",
    "gates/rules.py": "rule sets, by the names that `--rule-sets` takes",
}


@dataclass(frozen=True)
class Import:
    """One import: a module of ours, the name taken from it (empty for the module itself), and how it is written.

    `from sandbox.interface import error_codes` takes a name from `sandbox.interface`, though the name is a module's.
    """

    module: str
    name: str = ""
    is_for_types: bool = False
    is_in_string: bool = False
    is_late: bool = False

    def __str__(self) -> str:
        return f"{self.module}:{self.name}" if self.name else self.module

    @property
    def imported(self) -> str:
        """The module that is imported in the end."""
        below = f"{self.module}.{self.name}"
        return below if below in paths() else self.module


@dataclass(frozen=True)
class Module:
    """One product file: its dotted name, its path, and its imports of ours."""

    name: str
    path: Path
    imports: tuple[Import, ...] = ()

    @property
    def is_face(self) -> bool:
        return self.path.name == "__init__.py"

    @property
    def place(self) -> str:
        return str(self.path.relative_to(ROOT))


@cache
def paths() -> dict[str, Path]:
    """Return every product file by its dotted name; a package goes by the name of its folder."""
    found = {}
    for package in PACKAGES:
        for path in sorted((ROOT / package).rglob("*.py")):
            parts = path.relative_to(ROOT).with_suffix("").parts
            found[".".join(parts).removesuffix(".__init__")] = path
    return found


@cache
def modules() -> dict[str, Module]:
    """Return every product module by its dotted name."""
    return {name: _read(name, path) for name, path in paths().items()}


def _read(name: str, path: Path) -> Module:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    return Module(name, path, tuple(dict.fromkeys(_imports(tree, is_for_types=False))))


def _imports(node: ast.AST, *, is_for_types: bool, is_late: bool = False) -> Iterator[Import]:
    match node:
        case ast.Import():
            yield from (
                Import(name.name, "", is_for_types, is_late=is_late) for name in node.names if _is_ours(name.name)
            )
        case ast.ImportFrom(module=module, level=level):
            assert level == 0, "an import is relative"
            if module and _is_ours(module):
                yield from (Import(module, name.name, is_for_types, is_late=is_late) for name in node.names)
        case ast.Constant(value=str(text)) if (named := MODULE_IN_STRING.match(text)) and named[0] in paths():
            yield Import(named[0], text.partition(":")[2], is_for_types, is_in_string=True, is_late=True)
        case ast.If(test=ast.Name(id="TYPE_CHECKING")):
            for child in node.body:
                yield from _imports(child, is_for_types=True, is_late=is_late)
            for child in node.orelse:
                yield from _imports(child, is_for_types=is_for_types, is_late=is_late)
        case _:
            in_function = isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda)
            for child in ast.iter_child_nodes(node):
                yield from _imports(child, is_for_types=is_for_types, is_late=is_late or in_function)


def _is_ours(name: str) -> bool:
    return name.partition(".")[0] in PACKAGES


def is_loaded_by_name(module: Module, imported: Import) -> bool:
    """Whether a string names what a registry loads when a user asks for it: a benchmark, a rule set."""
    return imported.is_in_string and module.place in REGISTRIES


def import_edges(*, at_load: bool = False) -> dict[str, set[str]]:
    """Return which modules each module imports when it runs; with `at_load`, only what it imports as it is loaded.

    Imports for types do not count.
    """
    return {
        module.name: {
            found.imported
            for found in module.imports
            if not (found.is_for_types or is_loaded_by_name(module, found) or (at_load and found.is_late))
        }
        for module in modules().values()
    }


def sibling_edges(package: str) -> dict[str, set[str]]:
    """Return which parts of a package import which others; a part is a module or a sub-package right below it."""
    prefix = f"{package}."

    def part(name: str) -> str:
        return name.removeprefix(prefix).partition(".")[0] if name.startswith(prefix) else ""

    edges: dict[str, set[str]] = {}
    for name, imported in import_edges().items():
        if own := part(name):
            edges.setdefault(own, set()).update({part(each) for each in imported} - {"", own})
    return edges
