"""No pattern of ours relies on what the engine of some supported Python does wrongly."""

import ast
import importlib
import pkgutil
import re
import sys
from collections.abc import Iterable, Iterator
from re import _constants as codes
from re import _parser as parser
from typing import Any

import agent
import benchmarks
import controlplane
import gates
import sandbox
from tests.support.command import ROOT


def _modules() -> Iterator[Any]:
    for package in (agent, benchmarks, controlplane, gates, sandbox):
        for each in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
            if not each.name.endswith("__main__"):
                yield importlib.import_module(each.name)


def _patterns(value: object) -> list[re.Pattern[Any]]:
    """Return the patterns that a value is, or directly holds."""
    held = value.values() if isinstance(value, dict) else value if isinstance(value, tuple | list) else (value,)
    return [one for one in list(held) if isinstance(one, re.Pattern)]


def _holds_what_goes_back(parsed: Iterable[Any]) -> bool:
    """Say whether a group that may go back stands in what never gives anything up."""
    for code, what in parsed:
        if code is codes.ATOMIC_GROUP or (code is codes.POSSESSIVE_REPEAT and _is_more_than_a_sign(what[2])):
            return True
        parts = what if isinstance(what, tuple | list) else (what,)
        below = [each for part in parts for each in (part if isinstance(part, list) else [part])]
        if any(_holds_what_goes_back(each) for each in below if isinstance(each, parser.SubPattern)):
            return True
    return False


def _is_more_than_a_sign(parsed: Any) -> bool:
    return [code for code, _ in parsed] not in ([codes.IN], [codes.LITERAL], [codes.NOT_LITERAL], [codes.ANY])


def test_the_test_tells_a_group_from_a_sign() -> None:
    assert _holds_what_goes_back(parser.parse(r"x(?:a|(?:bc|d)*+e)"))
    assert _holds_what_goes_back(parser.parse(r"x|(?>a|b)"))
    assert not _holds_what_goes_back(parser.parse(r"x(?:[a-z]++|\s*+)*"))


def test_no_group_is_repeated_without_going_back() -> None:
    """Before Python 3.11.5 such a group loses matches where something in it goes back (gh-106052)."""
    found = {pattern for module in _modules() for value in vars(module).values() for pattern in _patterns(value)}
    assert len(found) > 20
    assert [one.pattern for one in found if _holds_what_goes_back(parser.parse(one.pattern, one.flags))] == []


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


def test_no_pattern_is_so_large_that_its_engine_complains_on_the_terminal() -> None:
    large = [
        f"{module.__name__}.{name}"
        for module in _modules()
        for name, value in vars(module).items()
        if type(value).__module__ == "re2" and getattr(value, "programsize", 0) > 20_000
    ]
    assert large == []
