"""Errors in a user's own files and settings name where they stand."""

from pathlib import Path

import pytest

from tests.support.command import Type, check_line

BROKEN = "import json\n\n\ndef open_benchmark(argument, settings, context):\n    return json.loads('{')\n"
SOLVER = """from controlplane.solver import SolverSpec


class Broken:
    def solve(self, session):
        return {}["x"]


SOLVER = SolverSpec(lambda tools: Broken(), roles=())
"""


def test_a_benchmark_that_fails_inside_a_library_names_its_own_line(type_in: Type, tmp_path: Path) -> None:
    (tmp_path / "broken_shelf.py").write_text(BROKEN, encoding="utf-8")
    check_line(type_in("run", "--benchmark", "broken_shelf"), 2, "(broken_shelf.py, line 5)")


def test_a_solver_that_fails_names_its_line(type_in: Type, tmp_path: Path) -> None:
    (tmp_path / "broken_solver.py").write_text(SOLVER, encoding="utf-8")
    done = type_in("run", "--limit", "1", "--agent", "broken_solver")
    assert "the trial broke: KeyError: 'x' (broken_solver.py, line 6)" in done.err


@pytest.mark.parametrize(
    ("line", "says"),
    [
        ('gates = "1,99"', "gates: '99' is not a gate"),
        ('benchmark = "ecmo"', "benchmark: no benchmark 'ecmo'"),
        ('walls = "nope"', "walls: 'nope' names no walls"),
        ('rules = "nope"', "rules: no rule pack"),
        ('agent = "nope"', "agent: no agent 'nope'"),
        ('model = "scripted:none.toml"', "model: cannot read the script of replies none.toml"),
        ('set = {seedd = "1"}', "set seedd: the benchmark 'ecom' has no option"),
    ],
)
def test_a_wrong_value_of_the_file_names_key_and_line_and_no_flag(
    line: str, says: str, type_in: Type, tmp_path: Path
) -> None:
    (tmp_path / "controlplane.toml").write_text(f'[run]\nname = "x"\n{line}\n', encoding="utf-8")
    done = type_in("run", "--limit", "1")
    check_line(done, 2, f"controlplane.toml, line 3: {says}")
    assert "--" not in done.err
    check_line(type_in("run", "--gates", "0"), 2, "--gates: '0' is not a gate") if line.startswith("gates") else None
