"""Errors in a user's own files and settings name where they stand."""

import ast
import sys
from pathlib import Path

import pytest

from tests.support.command import ROOT, Type, check_line, inside, python
from tests.support.phonebook import PLAYED as PHONEBOOK

SOLVER = """from controlplane.benchmark import SolverSpec


class Broken:
    def solve(self, session):
        return {}["x"]


SOLVER = SolverSpec(lambda tools: Broken(), roles=())
"""


WORDBOOK = Path("docs/examples/wordbook.py").read_text(encoding="utf-8")
CALL = '        if arguments["word"] not in WORDS:\n'
ANSWER = "        self.answered = (message, outcome)\n"


@pytest.mark.parametrize(
    ("line", "fault", "code", "says"),
    [
        (CALL, "        {}['call']\n", 1, "KeyError: 'call' (shelf.py, line 11)"),
        (CALL, "        raise SystemExit(0)\n", 1, "SystemExit: 0 (shelf.py, line 11)"),
        (CALL, "        raise GeneratorExit('over')\n", 1, "GeneratorExit: over (shelf.py, line 11)"),
        (ANSWER, "        raise ValueError('full')\n", 3, "ValueError: full (shelf.py, line 15)"),
        (ANSWER, "        raise SystemExit(0)\n", 3, "SystemExit: 0 (shelf.py, line 15)"),
        (
            "        return None\n",
            "        raise ValueError('no clock')\n",
            0,
            "ValueError: no clock (shelf.py, line 17)",
        ),
    ],
)
def test_a_fault_in_a_call_of_ones_own_benchmark_is_told_with_its_line_in_why(
    line: str, fault: str, code: int, says: str, tmp_path: Path
) -> None:
    assert line in WORDBOOK
    (tmp_path / "shelf.py").write_text(WORDBOOK.replace(line, fault + line), encoding="utf-8")
    sys.modules.pop("shelf", None)
    replies = Path("docs/examples/wordbook.toml").resolve()
    words = ("run", "--benchmark", "shelf", "--limit", "1", "--model", f"scripted:{replies}", "--json")
    done = inside(*words, cwd=tmp_path)
    assert done.code == code
    assert done.json["trials"][0]["reason"].startswith(f"the benchmark broke: {says}")


@pytest.mark.parametrize(
    ("right", "wrong", "says"),
    [
        (
            '{"meaning": WORDS[arguments["word"]]}',
            "None",
            "the benchmark broke: TypeError: define broke: it returned Non",
        ),
        (
            'WORDS[arguments["word"]]}',
            "object()}",
            "the benchmark broke: TypeError: define broke: its result cannot be",
        ),
        ("float(right)", 'float("nan")', "could not end: ValueError: the score of heron-0 is a finite number"),
        ("float(right)", "1e16", "could not end: ValueError: the score of heron-0 is a finite number"),
        ("float(right)", '"good"', "could not end: ValueError: the score of heron-0 is a finite number"),
        (
            "self.scores.setdefault(trial_id, TrialScore(trial_id, float(right)))",
            "1.0",
            "could not end: TypeError: end_",
        ),
        ("return Trial(", "Trial(", "could not start: TypeError: start_trial returned None, not a Trial"),
        ('f"What does {word!r} mean? Answer with the meaning only."', "None", "could not start: TypeError: the instr"),
    ],
)
def test_a_benchmark_that_returns_no_plain_data_is_named_in_why(
    right: str, wrong: str, says: str, tmp_path: Path
) -> None:
    assert right in WORDBOOK
    (tmp_path / "untyped.py").write_text(WORDBOOK.replace(right, wrong), encoding="utf-8")
    sys.modules.pop("untyped", None)
    replies = Path("docs/examples/wordbook.toml").resolve()
    words = ("run", "--benchmark", "untyped", "--limit", "1", "--model", f"scripted:{replies}", "--json")
    done = inside(*words, cwd=tmp_path)
    assert done.code != 0
    assert done.json["trials"][0]["reason"].startswith(says)
    assert inside("show", "last", "--json", cwd=tmp_path).json["trials"]


@pytest.mark.parametrize("flag", ["--benchmark", "--agent", "--rule-sets"])
@pytest.mark.parametrize(("text", "says"), [("raise SystemExit(0)", "SystemExit: 0"), ("{}['x']", "KeyError: 'x'")])
def test_a_module_that_ends_or_fails_at_its_import_is_told(flag: str, text: str, says: str, tmp_path: Path) -> None:
    sys.modules.pop("leaving", None)
    (tmp_path / "leaving.py").write_text(f"{text}\n", encoding="utf-8")
    name = "leaving:RULE_SET" if flag == "--rule-sets" else "leaving"
    check_line(inside("run", flag, name, "--limit", "1", cwd=tmp_path), 2, f"{says} (leaving.py, line 1)")


def test_a_solver_that_cannot_solve_is_refused_before_the_run_begins(tmp_path: Path) -> None:
    text = "from controlplane.benchmark import SolverSpec\nSOLVER = SolverSpec(lambda tools: None, roles=())\n"
    (tmp_path / "forgetful_solver.py").write_text(text, encoding="utf-8")
    says = "the agent 'forgetful_solver' opens None, which has no solve(session)"
    check_line(inside("run", "--limit", "1", "--agent", "forgetful_solver", cwd=tmp_path), 2, says)


BREAKING = """
from tests.support.phonebook import *

def open_benchmark(argument, settings, context):
    opened = Phonebook(0.0)
    opened.end_trial = lambda trial_id: 1 / 0
    return opened
"""


RAISE = "(_ for _ in ()).throw(Exception('\\x1b[31m\\u061c'))"


@pytest.mark.parametrize("text", [BREAKING.replace("1 / 0", RAISE), f"def open_benchmark(*_): {RAISE}"])
def test_a_traceback_does_not_steer_the_terminal(text: str, type_in: Type, tmp_path: Path) -> None:
    name = "marked_" + str(len(text))
    (tmp_path / f"{name}.py").write_text(text)
    shown = type_in("run", "ada", "--benchmark", name, *PHONEBOOK[2:], "--debug").err
    assert "Traceback" in shown
    assert not {"\x1b", "\u061c"} & {*shown}


START = (
    "import sys, os, runpy; {}; sys.argv = ['controlplane', 'run']; runpy.run_module('controlplane', None, '__main__')"
)
WRONG_SYSTEMS = [
    (["-c", START.format("sys.version_info = (3, 10, 4); sys.version = '3.10.4 (main)'")], "Python 3.10.4", "./start"),
    (["-c", START.format("del os.fork")], "cannot fork", "Windows", "WSL"),
    (["-S", "-m", "controlplane", "run"], "the package", "is not installed here", "./start"),
]


@pytest.mark.parametrize(("arguments", "says"), [(system[0], system[1:]) for system in WRONG_SYSTEMS])
def test_a_system_that_will_not_do_is_told_at_once(arguments: list[str], says: tuple[str, ...], tmp_path: Path) -> None:
    check_line(python(*arguments, cwd=tmp_path), 2, *says)


def test_an_old_python_gets_as_far_as_being_told_so() -> None:
    for name in ("controlplane/__init__.py", "controlplane/__main__.py"):
        tree = ast.parse((ROOT / name).read_text(), feature_version=(3, 8))
        imported = [each for each in tree.body if isinstance(each, ast.Import | ast.ImportFrom)]
        names = {
            alias.name if isinstance(each, ast.Import) else each.module for each in imported for alias in each.names
        }
        assert names <= sys.stdlib_module_names - {"tomllib"} | {"controlplane"}
