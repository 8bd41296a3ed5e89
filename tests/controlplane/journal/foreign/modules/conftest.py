"""A stranger's journal that names the Python module `evil`, which leaves a file if it is imported."""

import sys
from pathlib import Path
from typing import Any

import pytest

from tests.controlplane.journal.foreign.forgeries import events_of
from tests.support.journals.chained_lines import chained_lines


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
