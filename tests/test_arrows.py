"""Which part may import which: the arrows of the design."""

import ast
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
OURS = ("controlplane", "agent", "sandbox", "gates", "benchmarks")
ALLOWED = {
    "controlplane": {"controlplane", "agent", "sandbox", "gates"},
    "agent": {"agent", "sandbox", "gates"},
    "sandbox": {"sandbox"},
    "gates": {"gates"},
    "benchmarks": {"benchmarks", "controlplane", "agent", "sandbox", "gates"},
}
THIN_SHELLS = {"gates/__main__.py": {"controlplane", "gates"}}
PLAYER = {"benchmarks.ecom.player", "agent.model.model_protocol"}


def modules(package: str) -> list[Path]:
    return sorted((ROOT / package).rglob("*.py"))


def imported(path: Path) -> set[str]:
    names: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            names.update(each.name for each in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path} imports relatively"
            names.update({node.module or ""} | {f"{node.module}.{each.name}" for each in node.names})
    return {each for each in names if each.split(".")[0] in OURS}


@pytest.mark.parametrize("package", OURS)
def test_arrows_point_one_way(package: str) -> None:
    for path in modules(package):
        allowed = THIN_SHELLS.get(str(path.relative_to(ROOT)), ALLOWED[package])
        wrong = {each for each in imported(path) if each.split(".")[0] not in allowed}
        assert not wrong, f"{path.relative_to(ROOT)} imports {sorted(wrong)}"


def test_benchmarks_do_not_know_each_other() -> None:
    for name, other in (("ecom", "bitgn"), ("bitgn", "ecom")):
        for path in modules(f"benchmarks/{name}"):
            wrong = {each for each in imported(path) if each.startswith(f"benchmarks.{other}")}
            assert not wrong, f"{path.relative_to(ROOT)} imports {sorted(wrong)}"


def test_no_task_solving_word_stands_in_the_control_plane() -> None:
    words = ("basket", "checkout", "discount", "inventory", "catalogue", "customer")
    for path in modules("controlplane"):
        text = path.read_text(encoding="utf-8").lower()
        assert not [each for each in words if each in text], path


def test_importing_any_module_prints_nothing_reads_no_environment_and_starts_nothing() -> None:
    names = [
        ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")
        for package in OURS
        for path in modules(package)
        if path.name != "__main__.py" and "server" not in path.parts and path.stem != "pytest_plugin"
    ]
    code = (
        "import importlib, os, sys, threading\n"
        "class Watched(dict):\n"
        "    def __getitem__(self, key): sys.exit(f'read {key}')\n"
        "import pydantic, httpx2, click, rich.console, rich.table, rich.live, rich.syntax, tenacity, RestrictedPython\n"
        "real = os.environ\n"
        f"for name in {names!r}:\n"
        "    os.environ = Watched()\n"
        "    importlib.import_module(name)\n"
        "os.environ = real\n"
        "assert threading.active_count() == 1\n"
        "assert 'openai' not in sys.modules\n"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=False)
    assert (done.stderr, done.stdout, done.returncode) == ("", "", 0)
