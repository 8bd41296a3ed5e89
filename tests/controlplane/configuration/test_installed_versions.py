"""Hashes of the source tell one version of the program from another."""

import json
import shutil
import subprocess
import sys
from pathlib import Path

from controlplane.configuration.installed_versions import source_digest
from tests.support.command import ROOT

PACKAGES = sorted(each.parent.name for each in ROOT.glob("*/__init__.py"))
CHANGE_EACH = """
import json, sys
from pathlib import Path
from controlplane.configuration.installed_versions import current_versions, source_digest

def digests():
    return source_digest("ecom"), current_versions(("ecom",)).gates

before, changed = digests(), {}
for package in sys.argv[1:]:
    source = Path(package, "__init__.py")
    text = source.read_text(encoding="utf-8")
    source.write_text(text + "# another version", encoding="utf-8")
    changed[package] = [one != other for one, other in zip(before, digests())]
    source.write_text(text, encoding="utf-8")
print(json.dumps(changed))
"""


def test_the_source_of_the_benchmark_counts_and_its_argument_does_not() -> None:
    assert source_digest("ecom") == source_digest("ecom")
    assert source_digest("tests.support.many_trials:3") == source_digest("tests.support.many_trials:4")
    assert source_digest("ecom") != source_digest("tests.support.many_trials")


def test_a_benchmark_that_is_not_installed_has_no_source() -> None:
    assert source_digest("nowhere.at_all") == source_digest("nowhere_either")


def test_every_package_counts_and_of_the_rules_all_that_they_use(tmp_path: Path) -> None:
    for each in (*PACKAGES, "prompts"):
        shutil.copytree(ROOT / each, tmp_path / each, ignore=shutil.ignore_patterns("__pycache__"))
    words = [sys.executable, "-c", CHANGE_EACH, *PACKAGES]
    made = subprocess.run(words, cwd=tmp_path, capture_output=True, text=True, check=True)
    assert len(PACKAGES) >= 6
    assert json.loads(made.stdout) == {each: [True, each in ("gates", "toolkit")] for each in PACKAGES}
