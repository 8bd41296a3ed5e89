"""The sandbox silences few checks, and takes no private name of the standard library."""

import ast
import re
import sys

from tests.support.command import ROOT

SOURCES = {path: path.read_text(encoding="utf-8") for path in (ROOT / "sandbox").rglob("*.py")}


def test_at_most_fifteen_lines_are_silenced():
    found = [
        line for text in SOURCES.values() for line in re.findall(r".*#\s*(?:ruff: )?(?:noqa|type: ignore).*", text)
    ]
    assert 0 < len(found) <= 15, found


def test_no_private_module_of_the_standard_library_is_taken():
    found = set()
    for text in SOURCES.values():
        for node in ast.walk(ast.parse(text)):
            names = [each.name for each in node.names] if isinstance(node, ast.Import) else []
            if isinstance(node, ast.ImportFrom) and node.module != "__future__" and not node.level:
                names = [node.module, *(f"{node.module}.{each.name}" for each in node.names)]
            for name in names:
                is_private = any(part.startswith("_") for part in name.split("."))
                if is_private and name.partition(".")[0] in sys.stdlib_module_names:
                    found.add(name)
    assert not found


def test_private_attributes_of_library_modules_are_not_touched():
    found = []
    for path, text in SOURCES.items():
        tree = ast.parse(text)
        modules = {
            (name.asname or name.name).partition(".")[0]
            for node in ast.walk(tree)
            if isinstance(node, ast.Import)
            for name in node.names
            if name.name.partition(".")[0] in sys.stdlib_module_names
        }
        found += [
            f"{path.name}: {node.value.id}.{node.attr}"
            for node in ast.walk(tree)
            if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id in modules
            if re.match("_[a-z]", node.attr)
        ]
    assert sorted(set(found)) == [
        "fork_server_process.py: os._exit",
        "script_process.py: zoneinfo._common",
        "script_step.py: os._exit",
    ]
