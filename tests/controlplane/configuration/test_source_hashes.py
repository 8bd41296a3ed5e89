"""Hashes of the product's source, which a journal records as versions.

The hash "source" covers all packages, the hash "gates" only the checks that judge answers. A later
version of the product can tell from them what has changed since a run was played: a new line in
`agent/` changes the first hash, and a new line in `gates/` changes both.
"""

import importlib.util
import shutil
from pathlib import Path

from controlplane.configuration.installed_versions import EVIDENCE_MODULES
from tests.support.command import ROOT, run_python

PRINT_HASHES_AFTER_CHANGES = """
import json, sys
from pathlib import Path
from controlplane.configuration.installed_versions import current_versions, playing_digest

def current_hashes():
    return {
        "source": playing_digest(benchmark="ecom"),
        "gates": current_versions(rule_sets=("ecom",)).gates,
    }

hashes = {"unchanged": current_hashes()}
for package in sys.argv[1:]:
    file = Path(package, "__init__.py")
    text = file.read_text(encoding="utf-8")
    file.write_text(text + "# another version", encoding="utf-8")
    hashes[package] = current_hashes()
    file.write_text(text, encoding="utf-8")
print(json.dumps(hashes))
"""
"""A program for a copy of the product. It adds a comment to one package after the other, and prints
the hashes with each: `{"unchanged": {"source": "3f9a...", "gates": "91bc..."}, "agent": ...}`."""


def test_the_hash_of_the_source_covers_every_package(tmp_path: Path) -> None:
    """A change in any package changes the hash "source"; only one in `gates` changes "gates"."""
    # The packages in the repository: agent, gates, sandbox and others.
    packages = sorted(path.parent.name for path in ROOT.glob("*/__init__.py"))

    for folder in (*packages, "prompts"):
        shutil.copytree(
            ROOT / folder,
            tmp_path / folder,
            symlinks=True,
            ignore=shutil.ignore_patterns("__pycache__"),
        )

    program = ("-c", PRINT_HASHES_AFTER_CHANGES, *packages)
    hashes = run_python(*program, cwd=tmp_path, PYTHONPATH="").json

    assert len(packages) >= 5, "the packages are elsewhere now"
    unchanged = hashes["unchanged"]
    for package in packages:
        assert hashes[package]["source"] != unchanged["source"], package
        gates_differ = hashes[package]["gates"] != unchanged["gates"]
        assert gates_differ == (package == "gates"), package


def test_every_module_whose_hash_is_recorded_exists() -> None:
    """`EVIDENCE_MODULES` names the modules whose hash is the version "evidence" in a journal.

    The hash of a module that is not found would silently cover nothing.
    """
    for module in EVIDENCE_MODULES:
        assert importlib.util.find_spec(module) is not None
