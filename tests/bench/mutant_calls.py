"""Keeps which functions each test calls, while neither the test nor any file without tests changes."""

from __future__ import annotations

import hashlib
import pickle
from collections.abc import Iterable
from pathlib import Path

from tests.bench.mutant_trials import OURS, Observed


def kept_calls(file: Path, root: Path) -> dict[str, Observed]:
    """Return by its name what is known of each test whose files have not changed."""
    if not file.exists():
        return {}
    sources, by_file = pickle.loads(file.read_bytes())
    if sources != _hash_of_sources(root):
        return {}
    same = (rows for test, (content, rows) in by_file.items() if content == _hash_of(root / test))
    return {each.name: each for rows in same for each in rows}


def keep_calls(file: Path, root: Path, observed: Iterable[Observed]) -> None:
    """Write down what is known of each test that passes."""
    by_file: dict[str, tuple[str, list[Observed]]] = {}
    for each in (each for each in observed if each.passes):
        by_file.setdefault(each.file, (_hash_of(root / each.file), []))[1].append(each)
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(pickle.dumps((_hash_of_sources(root), by_file)))


def _hash_of_sources(root: Path) -> str:
    files = sorted(file for package in OURS for file in (root / package).rglob("*.py"))
    contents = (_hash_of(file) for file in files if not file.name.startswith(("test_", "gate_survivors")))
    return hashlib.sha256("".join((str(root), *contents)).encode()).hexdigest()


def _hash_of(file: Path) -> str:
    return hashlib.sha256(file.read_bytes()).hexdigest() if file.exists() else ""
