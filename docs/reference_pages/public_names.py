"""The public names, each with its signature, its docstring, and its fields and methods.

They are read from the source, by griffe, since only the source has the docstrings of fields.
"""

import importlib
from functools import cache
from pathlib import Path
from typing import Any

import griffe

from docs.reference_pages.markdown import cell, code, table

PUBLIC_NAMES = {
    "Running": {
        "controlplane": "run solve open_run RunReport TrialSummary Spent inspect_agent",
    },
    "Tasks": {
        "controlplane": (
            "Task Tool TaskEnvironment ToolBenchmark Truth ModelUser Grade EnvironmentCall"
        ),
    },
    "Benchmarks": {
        "controlplane": (
            "Benchmark BenchmarkContext BenchmarkOption OpenedBenchmark Description ListedTask"
            " RunRequest TaskTry StartedRun PlannedTrial Trial TrialScore RunResult RunState"
            " ScoreScale BenchmarkError"
        ),
    },
    "Environments": {
        "controlplane.agent.evidence": "Environment",
        "controlplane.sandbox.interface": (
            "ToolSchema Operation Parameter ResultField Effect Executable CallError"
        ),
        "controlplane.sandbox.interface.outcomes": "Outcomes Outcome OutcomeKind",
    },
    "Models": {
        "controlplane.agent.model": "Model ModelRequest Reply ToolCall ModelError",
    },
    "Gates": {
        "controlplane.gates.submission": "Submission Case",
        "controlplane.gates.evidence": "Evidence",
        "controlplane.gates.rules": "RuleSet Rule",
    },
    "Journals": {
        "controlplane": "open_journal Journal RecordedTrial",
    },
}
"""The names by heading and by the module from which they are imported."""


def public() -> str:
    """Return the text on every public name."""
    lines: list[str] = []
    for heading, modules in PUBLIC_NAMES.items():
        lines += [f"### {heading}", ""]
        for module, names in modules.items():
            for name in names.split():
                lines += documented(module, name)
    return "\n".join(lines)


def documented(module: str, name: str) -> list[str]:
    """Return the lines on a class or a function.

    A data class is described by its fields alone. Anything else also has its signature, which is
    empty for a class without an `__init__` of its own.
    """
    imported = getattr(importlib.import_module(module), name)
    source = source_of(imported)
    lines = [f"#### {module}.{name}", ""]
    if "dataclass" not in source.labels and source.signature():
        lines += [code(source.signature()), ""]
    lines += [source.docstring.value, ""]

    rows = []
    if source.is_class:
        for member_name, member in source.members.items():
            if not member_name.startswith("_"):
                rows.append((code(cell(declaration(member))), member_text(member)))
    if rows:
        lines += [*table(("member", "what"), rows).splitlines(), ""]
    return lines


def source_of(imported: Any) -> Any:
    """Find what griffe knows about a class or a function, where it is defined."""
    return visited_module(imported.__module__)[imported.__name__]


@cache
def visited_module(name: str) -> Any:
    """Return what griffe finds in the source of a module. It reads no other module."""
    path = Path(str(importlib.import_module(name).__file__))
    return griffe.visit(name, filepath=path, code=path.read_text(encoding="utf-8"))


def declaration(member: Any) -> str:
    """Return how a member is declared: `limit: int = 10`, or a method's signature."""
    if member.is_function:
        return str(member.signature())
    text = str(member.name)
    if member.annotation is not None:
        text += f": {member.annotation}"
    if "class-attribute" in member.labels and member.value:
        text += f" = {member.value}"
    return text


def member_text(member: Any) -> str:
    if member.docstring is None:
        return ""
    return cell(member.docstring.value)
