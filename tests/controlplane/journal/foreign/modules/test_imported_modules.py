"""A stranger's journal may name a module of Python, which is imported only with `--trust`.

A journal says in which modules the benchmark, the agent and the rules of its run are. To import a
module is to run its code. Here it is `evil`, in the working folder, which leaves the file `imported`
if it is imported.
"""

import sys
from pathlib import Path
from typing import Any

import pytest

from controlplane.errors import UsageError
from tests.controlplane.journal.foreign.forgeries import events_of
from tests.support.command import run_in_process
from tests.support.journals import chained_lines


def name_module_evil(run_opened: dict[str, Any]) -> None:
    """Change the event that opens a run: its benchmark, agent and rules are in the module `evil`.

    The event names them in fields of its own and in its settings, a list such as
    `[{"name": "agent", "value": "evil"}]`.
    """
    run_opened["benchmark"] = "evil"
    run_opened["rule_sets"] = ["evil:RULE_SET"]
    evil_settings = {
        "benchmark": "evil",
        "agent": "evil",
        "rule_sets": "evil:RULE_SET",
    }
    for setting in run_opened["settings"]:
        name = setting["name"]
        if name in evil_settings:
            setting["value"] = evil_settings[name]


@pytest.fixture
def journal_naming_evil(
    own_journal: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Path:
    """A stranger's journal that names the module `evil`, which is beside it.

    The module leaves the file `imported` if it is imported.
    """
    monkeypatch.delitem(sys.modules, "evil", raising=False)  # of another test
    (tmp_path / "evil.py").write_text(
        "from pathlib import Path\nPath('imported').touch()\n", encoding="utf-8"
    )
    events = events_of(own_journal.read_bytes())
    (run_opened,) = [event for event in events if event["type"] == "run_opened"]
    name_module_evil(run_opened)
    path = tmp_path / "foreign.jsonl"
    path.write_bytes(chained_lines(events))
    return path


@pytest.mark.parametrize(
    ("command", "expected_code", "message"),
    [
        pytest.param(("show",), 0, "", id="show"),
        pytest.param(
            ("replay", "--verify"),
            0,
            "rules of evil:RULE_SET, which only --trust imports",
            id="replay",
        ),
        pytest.param(("judge",), UsageError.exit_code, "", id="judge"),
        pytest.param(("export", "--to", "otel.jsonl"), 0, "", id="export"),
    ],
)
def test_no_module_that_a_strangers_journal_names_is_imported(
    command: tuple[str, ...],
    expected_code: int,
    message: str,
    journal_naming_evil: Path,
    tmp_path: Path,
) -> None:
    """The module `evil` leaves the file `imported` if it is imported. `show`, `replay` and
    `export` work without it; `judge` judges answers by the rules in it, and is refused."""
    verb, *options = command

    result = run_in_process(
        verb, journal_naming_evil, *options, cwd=tmp_path, PYTHONPATH=str(tmp_path)
    )

    assert result.code == expected_code, result.err
    assert message in result.out
    assert not (tmp_path / "imported").exists()


@pytest.mark.parametrize("command", [("replay", "--verify"), ("judge",)], ids=" ".join)
def test_a_module_that_a_trusted_journal_names_is_imported(
    command: tuple[str, ...], journal_naming_evil: Path, tmp_path: Path
) -> None:
    """The option `--trust` allows it. The module `evil` leaves the file `imported`."""
    verb, *options = command

    run_in_process(
        verb,
        journal_naming_evil,
        *options,
        "--trust",
        cwd=tmp_path,
        PYTHONPATH=str(tmp_path),
    )

    assert (tmp_path / "imported").exists()
