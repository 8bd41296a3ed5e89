"""The file of a sweep, `s.toml`, says which settings the runs of a sweep have.

It has the settings of all runs in [base], values to combine in [axes], and single runs in [[runs]]:

    name = "s"
    [axes]                       three runs: "base", "max_steps=5" and "max_steps=9"
    max_steps = [5, 9]

The runs are compared by what they do to the same tasks, so they may not differ in the seed.
"""

from pathlib import Path

import pytest

from controlplane.errors import UsageError
from controlplane.sweep.sweep_runs import read_sweep

TWO_AXES = """
name = "s"
tasks = ["calendar-date"]
[base]
seed = 3
gates = "all"
[axes]
gates = ["none", "all"]
max_steps = [5, 9]
"""
"""A sweep file: the tasks, the settings of the base run, and values of two other settings, which
are combined. The value "all" of gates is that of the base run already."""


def runs_of_sweep(folder: Path, text: str) -> list[str]:
    """Return the labels of the runs that a sweep file of this text asks for."""
    (folder / "s.toml").write_text(text, encoding="utf-8")
    return list(read_sweep(folder / "s.toml"))


def test_a_sweep_combines_its_axes_without_repeating_a_run(tmp_path: Path) -> None:
    """Gates are none or those of the base; steps are 5, 9 or those of the base: six runs."""
    assert runs_of_sweep(tmp_path, TWO_AXES) == [
        "base",
        "max_steps=5",
        "max_steps=9",
        "gates=none",
        "gates=none, max_steps=5",
        "gates=none, max_steps=9",
    ]


class TestWrongFiles:
    """A sweep file has a mistake, which is named with the file and the key.

    The file is `s.toml`. A message suggests the key that was meant, if it is spelled nearly
    the same.
    """

    @pytest.mark.parametrize(
        ("lines", "message_part"),
        [
            pytest.param(
                ["[axes]", 'gats = ["none"]'],
                "[axes] there is no setting 'gats'; did you mean 'gates'",
                id="no such setting to vary",
            ),
            pytest.param(
                ["[base]", "sed = 1", "[axes]", 'gates = ["none"]'],
                "[base] there is no setting 'sed'",
                id="no such setting of all runs",
            ),
            pytest.param(
                ["[[runs]]", 'gats = "none"'],
                "[runs] there is no setting 'gats'",
                id="no such setting of a run",
            ),
            pytest.param(
                ["axis = 1", "[axes]", 'gates = ["none"]'],
                "axis: there is no such key; did you mean 'axes'",
                id="no such key",
            ),
            pytest.param(
                ["[axes]", "seed = [1, 2]"],
                "seed is not allowed there: the runs of a sweep share it",
                id="seeds to vary",
            ),
            pytest.param(
                ["[[runs]]", "seed = 2"],
                "the runs of a sweep share it",
                id="a seed of one run",
            ),
            pytest.param(
                ["[base]", 'name = "x"', "[axes]", 'gates = ["none"]'],
                "name is not allowed there: the sweep sets it",
                id="a name for all runs",
            ),
            pytest.param(
                [],
                "a sweep needs variations: give [axes] or [[runs]]",
                id="nothing to vary",
            ),
            pytest.param(["[axes]"], "a sweep needs variations", id="no axis"),
            pytest.param(
                ["[axes]", "max_steps = [0]"],
                "s.toml, max_steps=0: --max-steps",
                id="a wrong value",
            ),
        ],
    )
    def test_a_fault_in_a_sweep_file_is_refused_by_file_and_key(
        self, lines: list[str], message_part: str, tmp_path: Path
    ) -> None:
        """`lines` is what the file has below its first line, `name = "s"`."""
        with pytest.raises(UsageError) as refusal:
            runs_of_sweep(tmp_path, "\n".join(['name = "s"', *lines]))

        assert "s.toml" in str(refusal.value)
        assert message_part in str(refusal.value)

    def test_a_sweep_whose_name_cannot_be_that_of_a_file_is_refused(
        self, tmp_path: Path
    ) -> None:
        """The journals of its runs are called after it."""
        text = 'name = "a/b"\n[axes]\ngates = ["none"]'

        with pytest.raises(UsageError, match=r"s\.toml.*letters, digits"):
            runs_of_sweep(tmp_path, text)

    def test_a_sweep_file_that_is_not_toml_is_refused(self, tmp_path: Path) -> None:
        with pytest.raises(UsageError, match=r"s\.toml.*is not TOML"):
            runs_of_sweep(tmp_path, "name = ")
