"""Every module of some weight has its tests at its own place: `a/b/c.py` in `tests/a/b/test_c.py`."""

import re
from pathlib import Path

import pytest

from tests.support.import_graph import ROOT, paths

LINES = 60
"""A module of more lines that has functions is one of some weight."""
FUNCTION = re.compile(r"^ *def ", re.MULTILINE)

PLAYED = "tests/benchmarks/ecom/player/test_scores.py"
FAMILIES = "tests/benchmarks/ecom/test_families.py"
ATTACKED = "tests/sandbox/test_attacks.py"
ORDINARY = "tests/sandbox/test_ordinary.py"

TESTED_ELSEWHERE = {
    # One table has every function find what is true in worlds of every family that it serves.
    "benchmarks/shop/findings/": "tests/benchmarks/shop/findings/test_findings.py",
    "benchmarks/shop/layout/": "tests/benchmarks/shop/layout/test_shop_layout.py",
    # One table plays every family, every mistake and every reference solution in many worlds.
    "benchmarks/ecom/solutions/": FAMILIES,
    "benchmarks/ecom/tasks/baskets.py": FAMILIES,
    "benchmarks/ecom/tasks/money.py": FAMILIES,
    "benchmarks/ecom/tasks/office.py": FAMILIES,
    "benchmarks/ecom/tasks/products.py": FAMILIES,
    "benchmarks/ecom/tasks/task.py": FAMILIES,
    "benchmarks/ecom/tasks/statements.py": "tests/benchmarks/ecom/tasks/test_messages.py",
    # What benchmarks share is looked at in the embedded one.
    "benchmarks/local/end_state_grader.py": "tests/benchmarks/ecom/tasks/test_grader.py",
    "benchmarks/local/local_environment.py": "tests/benchmarks/ecom/runtime/test_shop_environment.py",
    "benchmarks/local/local_benchmark.py": "tests/benchmarks/ecom/test_ecom_benchmark.py",
    "benchmarks/files/": "tests/benchmarks/files/test_files_benchmark.py",
    "controlplane/mcp/server_specs.py": "tests/controlplane/mcp/test_tool_environment.py",
    "controlplane/mcp/tool_server.py": "tests/controlplane/mcp/test_tool_environment.py",
    "controlplane/view/asked_answer.py": "tests/controlplane/commands/test_ask.py",
    # What the player knows and does shows in the scores of all families.
    "benchmarks/ecom/player/skills/": PLAYED,
    "benchmarks/ecom/player/conclusions.py": PLAYED,
    "benchmarks/ecom/player/conversation.py": "tests/benchmarks/ecom/player/test_turns.py",
    "benchmarks/ecom/player/knowledge.py": "tests/benchmarks/ecom/player/test_turns.py",
    # Parts of one world are looked at where they are put together.
    "benchmarks/ecom/runtime/workspace.py": "tests/benchmarks/ecom/runtime/test_shop_environment.py",
    "benchmarks/ecom/world/company.py": "tests/benchmarks/ecom/world/test_generator.py",
    "benchmarks/ecom/world/names.py": "tests/benchmarks/ecom/world/test_generator.py",
    "benchmarks/ecom/world/shop_records.py": "tests/benchmarks/ecom/world/test_generator.py",
    # What a server says is asked for over HTTP, through all of its layers.
    "benchmarks/bitgn/server/ecom_service.py": "tests/benchmarks/bitgn/server/test_wire_app.py",
    "benchmarks/bitgn/server/wire_codec.py": "tests/benchmarks/bitgn/server/test_wire_app.py",
    "benchmarks/bitgn/server/server_options.py": "tests/benchmarks/bitgn/server/test_fault_layer.py",
    "benchmarks/bitgn/wire/remote_runtimes.py": "tests/benchmarks/bitgn/client/test_remote_environment.py",
    "benchmarks/shop/preflight/request_refusals.py": "tests/benchmarks/shop/preflight/test_early_answers.py",
    "benchmarks/shop/solver_bindings.py": "tests/benchmarks/shop/preflight/test_early_answers.py",
    # Whole trials of a solver, turn by turn.
    "agent/loop/turn_loop.py": "tests/agent/loop/test_cited_loop.py",
    # A step that is recorded, run again and compared.
    "agent/loop/script_runs.py": "tests/controlplane/replay/test_verification.py",
    "agent/evidence/step_record.py": "tests/agent/evidence/test_recorder.py",
    # Types and events, whose few functions work wherever they are written and read.
    "agent/events/": "tests/controlplane/journal/test_journal_reader.py",
    "agent/model/model_protocol.py": "tests/agent/model/test_scripted_model.py",
    # The lines of a journal and what is made of them.
    # What a command does with runs is looked at where it is typed.
    "controlplane/replay/forking.py": "tests/controlplane/commands/test_run.py",
    "controlplane/view/result_json.py": "tests/controlplane/commands/test_show.py",
    # A run on workers, through the channel and back.
    "controlplane/workers/channel.py": "tests/controlplane/workers/test_dispatcher.py",
    "controlplane/workers/worker.py": "tests/controlplane/workers/test_dispatcher.py",
    # A run that is begun, stopped and gone on with, by the commands that do so.
    "controlplane/command_line.py": "tests/controlplane/commands/test_options.py",
    "controlplane/commands/resume.py": "tests/controlplane/test_resume.py",
    "controlplane/commands/session.py": "tests/controlplane/lifecycle/test_run_lifecycle.py",
    # Runs in a script's own process alone: corpora of attacks and of ordinary programs go through all of it.
    "sandbox/child/": ORDINARY,
    "sandbox/library/pinned_clock.py": "tests/sandbox/test_determinism.py",
    "sandbox/interface/script_objects.py": ORDINARY,
    # Each wall alone stands before the whole corpus of attacks.
    "sandbox/walls/kernel_wall.py": ATTACKED,
    "sandbox/walls/attribute_names.py": "tests/sandbox/library/test_attribute_guard.py",
    "sandbox/files/file_paths.py": "tests/sandbox/files/test_file_tree.py",
}
"""Modules, and folders of them, whose promises are tested in a file of another name."""


def mirror_of(path: Path) -> Path:
    name = "main" if path.stem == "__main__" else path.stem
    return ROOT / "tests" / path.relative_to(ROOT).parent / f"test_{name}.py"


def weighty() -> list[Path]:
    texts = {path: path.read_text(encoding="utf-8") for path in paths().values() if path.name != "__init__.py"}
    return [path for path, text in texts.items() if FUNCTION.search(text) and len(text.splitlines()) > LINES]


def exception_for(path: Path) -> str:
    place = str(path.relative_to(ROOT))
    return next(
        (each for each in TESTED_ELSEWHERE if place == each or (each[-1] == "/" and place.startswith(each))), ""
    )


@pytest.mark.parametrize("path", weighty(), ids=lambda path: str(path.relative_to(ROOT)))
def test_a_module_of_weight_has_its_mirror(path: Path) -> None:
    mirror = mirror_of(path)
    assert mirror.exists() or exception_for(path), f"write {mirror.relative_to(ROOT)}"


def test_every_exception_is_about_a_module_and_leads_to_tests() -> None:
    places = [str(path.relative_to(ROOT)) for path in paths().values()]
    for place, tests in TESTED_ELSEWHERE.items():
        assert any(each == place or (place[-1] == "/" and each.startswith(place)) for each in places), place
        assert "def test_" in (ROOT / tests).read_text(encoding="utf-8"), tests
