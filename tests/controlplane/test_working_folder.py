"""Modules beside the user that are called like ours break nothing, and those of his own are found."""

import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.command import ROOT, Result, environment

pytestmark = pytest.mark.second_tier

NAMESAKES = ("agent.py", "gates.py", "sandbox.py", "benchmarks/__init__.py", "controlplane/notes.py")
BREAKING = "raise RuntimeError('a namesake was imported')\n"


def put(folder: Path, *names: str) -> None:
    for name in names:
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text(BREAKING)


def python(*words: str, cwd: Path) -> Result:
    done = subprocess.run(
        [sys.executable, *words], cwd=cwd, env=environment(), capture_output=True, text=True, timeout=120, check=False
    )
    return Result(done.returncode, done.stdout, done.stderr)


def test_a_run_and_its_replay_work_beside_namesakes(tmp_path: Path) -> None:
    put(tmp_path, *NAMESAKES, "click.py", "logging.py", "typing.py", "re.py", "signal.py", "traceback.py")
    ran = python("-m", "controlplane", "run", "--limit", "1", "--json", cwd=tmp_path)
    assert (ran.code, ran.json["trials_scored"]) == (0, 1), ran.err
    assert python("-m", "controlplane", "replay", "last", "--verify", cwd=tmp_path).code == 0


def test_no_module_of_the_working_folder_is_imported_unless_the_user_names_it(tmp_path: Path) -> None:
    put(tmp_path, "brotli.py", "h2.py", "trio.py", "pandas.py", "zstandard.py", "sniffio.py", "uvloop.py")
    endpoint = ("--base-url", "http://127.0.0.1:9/v1", "--model-patience", "0")
    ran = python("-m", "controlplane", "run", "--limit", "1", "--model", "m", *endpoint, cwd=tmp_path)
    assert (ran.code, "namesake" in ran.err) == (3, False), ran.err
    listed = "import sys; from controlplane.__main__ import main; sys.argv[1:] = ['runs']\ntry: main()\nfinally: "
    shown = python("-c", f"{listed}print(sys.path)", cwd=tmp_path)
    assert (str(tmp_path) in shown.out, "''" in shown.out) == (False, False)


def test_a_library_finds_no_module_of_the_folder_even_beside_a_named_one(tmp_path: Path) -> None:
    put(tmp_path, "brotli.py", "trio.py")
    (tmp_path / "mine.py").write_text((ROOT / "docs/examples/wordbook.py").read_text() + "\nimport httpx2._decoders\n")
    run = ("run", "--benchmark", "mine", "--model", f"scripted:{ROOT / 'docs/examples/wordbook.toml'}", "--json")
    assert python("-m", "controlplane", *run, cwd=tmp_path).json["score"] == 1.0


def test_a_completion_imports_no_module_of_the_folder(tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text("open('ran', 'w').close()\n")
    wanted = {"_CONTROLPLANE_COMPLETE": "bash_complete", "COMP_CWORD": "4"}
    wanted["COMP_WORDS"] = "controlplane run --benchmark mine "
    program = "import sys; sys.argv[0] = 'controlplane'; from controlplane.__main__ import main; main()"
    words = [sys.executable, "-c", program]
    done = subprocess.run(words, cwd=tmp_path, env=environment() | wanted, capture_output=True, timeout=60, check=False)
    assert (done.stderr, list(tmp_path.iterdir())) == (b"", [tmp_path / "mine.py"])


def test_a_benchmark_beside_the_user_is_found_and_may_import_its_neighbours(tmp_path: Path) -> None:
    put(tmp_path, *NAMESAKES)
    (tmp_path / "mine.py").write_text("from words import *\n")
    (tmp_path / "words.py").write_text((ROOT / "docs/examples/wordbook.py").read_text())
    script = ROOT / "docs/examples/wordbook.toml"
    words = ("run", "--benchmark", "mine", "--model", f"scripted:{script}", "--json")
    ran = python("-m", "controlplane", *words, cwd=tmp_path)
    assert (ran.code, ran.json["score"]) == (0, 1.0), ran.err


def test_the_installed_command_works_beside_a_package_of_its_name(tmp_path: Path) -> None:
    put(tmp_path, *NAMESAKES, "controlplane/__init__.py")
    command = "import sys; sys.argv[0] = 'controlplane'; from controlplane.__main__ import main; main()"
    ran = python("-P", "-c", command, "run", "--limit", "1", cwd=tmp_path)
    assert ran.code == 0, ran.err
