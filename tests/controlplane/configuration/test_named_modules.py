import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from controlplane import BenchmarkContext
from controlplane.configuration.named_modules import (
    find_solver,
    load_packs,
    open_benchmark,
    options_of,
)
from controlplane.errors import UsageError
from tests.support.command import ROOT

PACKAGES = sorted(path.parent.name for path in ROOT.glob("*/__init__.py"))
CHANGE_EACH = """
import json, sys
from pathlib import Path
from controlplane.configuration.named_modules import current_versions, source_digest

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


def test_every_package_counts_and_of_the_rules_all_that_they_use(tmp_path: Path) -> None:
    for package in (*PACKAGES, "prompts"):
        shutil.copytree(ROOT / package, tmp_path / package, ignore=shutil.ignore_patterns("__pycache__"))
    words = [sys.executable, "-c", CHANGE_EACH, *PACKAGES]
    made = subprocess.run(words, cwd=tmp_path, capture_output=True, text=True, check=True)
    assert len(PACKAGES) >= 6
    assert json.loads(made.stdout) == {package: [True, package in ("gates", "toolkit")] for package in PACKAGES}


@pytest.mark.parametrize(
    ("spec", "settings", "said"),
    [
        ("ecom", {"polcy": "open"}, "the benchmark 'ecom' has no option 'polcy'; did you mean 'policy'?"),
        ("ecom", {"policy": "blnd"}, "--set policy: there is no 'blnd'; did you mean 'blind'?"),
        ("ecom", {"policy": ""}, "--set policy: there is no ''; known: open, blind"),
        ("bitgn:x", {"hots": "http://x"}, "did you mean 'host'?"),
        ("bitgn:x", {"call_timeout": "3"}, "did you mean 'call_timeout_s'?"),
        ("bitgn:x", {"api_key": "canary"}, "set BITGN_API_KEY"),
        ("bitgn:x", {"BITGN_API_KEY": "canary"}, "set BITGN_API_KEY"),
        ("docs.examples.wordbook", {"size": "3"}, "has no option 'size'; it takes none"),
    ],
)
def test_an_option_that_a_benchmark_does_not_declare_is_refused(spec: str, settings: dict[str, str], said: str) -> None:
    with pytest.raises(UsageError) as refused:
        open_benchmark(spec, settings, BenchmarkContext())
    assert said in str(refused.value)
    assert "canary" not in str(refused.value)


def test_the_options_of_a_benchmark_are_listed_without_its_secrets() -> None:
    choices = {option.name: option.choices for option in options_of("ecom")}
    assert choices["policy"] == ("open", "blind")
    assert choices.keys() == {"policy", "profile", "names", "wordings"}
    names = [option.name for option in options_of("bitgn:x")]
    assert "host" in names
    assert "api_key" not in names
    assert all(option.description for option in options_of("bitgn"))
    assert options_of("docs.examples.wordbook") == ()


@pytest.mark.parametrize(
    ("package", "finds"),
    [
        ("agent", lambda: find_solver("agent.mine")),
        ("benchmarks", lambda: open_benchmark("benchmarks.mine:x", {}, BenchmarkContext())),
        ("gates", lambda: load_packs(["ecom", "gates.mine:PACK"])),
    ],
)
def test_a_package_that_ours_hides_is_told_of_with_the_remedy(tmp_path, monkeypatch, package, finds):
    (tmp_path / package).mkdir()
    (tmp_path / package / "mine.py").touch()
    monkeypatch.chdir(tmp_path)
    with pytest.raises(
        UsageError, match=f"package '{package}' hides the one in this folder; rename yours, as my_{package}"
    ):
        finds()
