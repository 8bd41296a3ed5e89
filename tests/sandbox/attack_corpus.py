"""The corpus of attacks, and how one is run: it got past the language wall where its output says LEAK."""

from __future__ import annotations

from functools import cache

from tests.sandbox.script_world import HERE, blocks, runs_here

_EXPRESSION = """\
try:
    _found = {expression}
    print("LEAK", type(_found))
except Exception as _error:
    print("held", type(_error).__name__)
"""


def language_attacks() -> list[tuple[str, str]]:
    """Return (title, script) of every attack on the language wall."""
    found: list[tuple[str, str]] = []
    family = ""
    for line in (HERE / "attacks/expressions.txt").read_text(encoding="utf-8").splitlines():
        if line.startswith("# --- "):
            family = line.removeprefix("# --- ")
        else:
            found.append((f"{family}: {line}", _EXPRESSION.format(expression=line)))
    return [
        *found,
        *blocks(
            *("attacks/roads.txt", "attacks/tricks.txt", "attacks/handed.txt", "attacks/reached.txt"),
            *("attacks/newer.txt", "attacks/deputies.txt", "attacks/asked.txt"),
            *("attacks/compared.txt", "attacks/memory.txt"),
        ),
    ]


def attacks_over_steps() -> list[tuple[str, list[str]]]:
    """Return (title, steps) of every attack by which one step would reach into a later one."""
    return [
        (title, text.split("# === next step\n")) for title, text in blocks("attacks/steps.txt", "attacks/lasting.txt")
    ]


@cache
def fallen() -> frozenset[str]:
    """Return the titles of the attacks that get past the language wall alone, which the other walls contain."""
    lines = (HERE / "attacks/fallen.txt").read_text(encoding="utf-8").splitlines()[1:]
    return frozenset(line for line in lines if line and not line.startswith("# --- ") and runs_here(line))
