import shutil
from pathlib import Path

import pytest

from controlplane import BenchmarkContext
from controlplane.configuration.named_modules import (
    find_solver,
    load_rule_sets,
    open_benchmark,
)
from controlplane.errors import UsageError
from tests.support.command import ROOT, python

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
    made = python("-c", CHANGE_EACH, *PACKAGES, cwd=tmp_path, PYTHONPATH="")
    assert len(PACKAGES) >= 5
    assert made.json == {package: [True, package == "gates"] for package in PACKAGES}


@pytest.mark.parametrize(
    ("package", "finds"),
    [
        ("agent", lambda: find_solver("agent.mine")),
        ("benchmarks", lambda: open_benchmark("benchmarks.mine:x", {}, BenchmarkContext())),
        ("gates", lambda: load_rule_sets(["ecom", "gates.mine:RULE_SET"])),
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


NAMESAKES = ("agent.py", "gates.py", "sandbox.py", "benchmarks/__init__.py", "controlplane/notes.py")
BREAKING = "raise RuntimeError('a namesake was imported')\n"


def put(folder: Path, *names: str) -> None:
    for name in names:
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text(BREAKING)


@pytest.mark.second_tier
def test_a_run_and_its_replay_work_beside_namesakes(tmp_path: Path) -> None:
    put(tmp_path, *NAMESAKES, "click.py", "logging.py", "typing.py", "re.py", "signal.py", "traceback.py")
    ran = python("-P", "-m", "controlplane", "run", "--limit", "1", "--json", cwd=tmp_path)
    assert (ran.code, ran.json["trials_scored"]) == (0, 1), ran.err
    assert python("-P", "-m", "controlplane", "replay", "last", "--verify", cwd=tmp_path).code == 0


@pytest.mark.second_tier
def test_no_module_of_the_working_folder_is_imported_unless_the_user_names_it(tmp_path: Path) -> None:
    put(tmp_path, "brotli.py", "h2.py", "trio.py", "pandas.py", "zstandard.py", "sniffio.py", "uvloop.py")
    endpoint = ("--base-url", "http://127.0.0.1:9/v1", "--model-patience", "0")
    ran = python("-m", "controlplane", "run", "--limit", "1", "--model", "m", *endpoint, cwd=tmp_path)
    assert (ran.code, "namesake" in ran.err) == (3, False), ran.err
    listed = "import sys; from controlplane.__main__ import main; sys.argv[1:] = ['runs']\ntry: main()\nfinally: "
    shown = python("-c", f"{listed}print(sys.path)", cwd=tmp_path)
    assert (str(tmp_path) in shown.out, "''" in shown.out) == (False, False)


@pytest.mark.second_tier
def test_a_completion_imports_no_module_of_the_folder(tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text("open('ran', 'w').close()\n")
    wanted = {"_CONTROLPLANE_COMPLETE": "bash_complete", "COMP_CWORD": "4"}
    wanted["COMP_WORDS"] = "controlplane run --benchmark mine "
    program = "import sys; sys.argv[0] = 'controlplane'; from controlplane.__main__ import main; main()"
    assert python("-c", program, cwd=tmp_path, **wanted).err == ""
    assert list(tmp_path.iterdir()) == [tmp_path / "mine.py"]


@pytest.mark.second_tier
def test_a_benchmark_beside_the_user_is_found_and_may_import_its_neighbours(tmp_path: Path) -> None:
    put(tmp_path, *NAMESAKES)
    (tmp_path / "mine.py").write_text("from words import *\n")
    (tmp_path / "words.py").write_text((ROOT / "docs/examples/wordbook.py").read_text())
    script = ROOT / "docs/examples/wordbook.toml"
    words = ("run", "--benchmark", "mine", "--model", f"scripted:{script}", "--json")
    ran = python("-m", "controlplane", *words, cwd=tmp_path)
    assert (ran.code, ran.json["score"]) == (0, 1.0), ran.err
