"""A run imports only what its trials need, and nothing that could compute for minutes.

A short run plays one trial. `modules_loaded_by_run` returns the names of the modules that are
loaded then in the process that plays it: `["sys", "controlplane.command_line", …]`.
"""

from pathlib import Path

from tests.imports.loaded_modules import modules_loaded_by_run

SCRIPT_WITH_SEARCHES = """
harness.search("a.c", "/docs")
print(harness.exec("/bin/sql", stdin="select count(*) from products").stdout)
print(harness.exec("/bin/jq", ["."], stdin="{}").stdout)
try:
    harness.read("/docs/chekout.md")
except FileNotFoundError as error:
    print(error)
scratchpad["answer"], scratchpad["outcome"], scratchpad["refs_why"] = "no", "OUTCOME_NONE_UNSUPPORTED", {}
harness.answer(scratchpad, lambda sp: sp["answer"] == "no")
"""
"""A model's script: a search, SQL, a filter by jq, and a read of a misspelt path, whose error names
the most similar path. Each could compute for minutes on a hostile text."""


def test_a_run_imports_nothing_for_other_kinds_of_runs(
    modules_of_run: list[str],
) -> None:
    """The run plays one trial of the embedded benchmark on a thread."""
    assert "controlplane.lifecycle.run_lifecycle" in modules_of_run
    modules_of_other_runs = (
        "controlplane.agent.exoskeleton",  # for `--agent exoskeleton`
        "controlplane.mcp",  # for tools of MCP servers
        "controlplane.mcp.tool_environment",
        "controlplane.mcp.tool_environment",
        "controlplane.replay",  # for the command `replay --verify`
        "controlplane.workers",  # for workers of a cluster
    )
    for module in modules_of_run:
        assert not module.startswith(modules_of_other_runs), module


def test_slow_computations_are_left_to_worker_processes(tmp_path: Path) -> None:
    """A worker process can be killed after a time limit; the process that plays trials
    cannot."""
    replies = tmp_path / "replies.toml"
    replies.write_text(f"[[reply]]\ncode = '''{SCRIPT_WITH_SEARCHES}'''\n")

    loaded_modules = modules_loaded_by_run(
        "--model",
        f"scripted:{replies}",
        "--isolation",
        "process",
        "--runs-dir",
        tmp_path,
    )

    # The script has run up to its answer.
    assert "controlplane.agent" in loaded_modules
    # The modules for similar paths and for SQL, whose time can grow faster than their input.
    slow_computations = {"difflib", "controlplane.benchmarks.ecom.records_sql"}
    assert slow_computations.isdisjoint(loaded_modules)
