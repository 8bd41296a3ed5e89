"""Checks that a public MCP server answers the question "When is loan-02 due?".

    check_question(folder, "mcp-server-sqlite --db-path loans.db", "result = harness.it.read_query(...)")

The server is named `it`. The script calls a tool of it; its `result` names the day, 2026-04-01.
"""

import json
import os
from pathlib import Path

from tests.support.command import run_controlplane, run_in_process

ANSWER_WITH_DAY = """
scratchpad.cite(result.call_path, "it names the day of loan-02", "2026-04-01")
scratchpad["answer"] = "On 2026-04-01."
scratchpad["outcome"] = "OUTCOME_OK"
harness.answer(scratchpad, lambda sp: "2026-04-01" in sp["answer"])
"""
"""The end of a script: answers with the day in the `result` of a call, and cites the call."""


def check_question(folder: Path, server: str, script: str, *options: str) -> None:
    """Check that a question is answered by a server, from the `result` of this script."""
    (folder / "notes.md").write_text("nothing\n")
    code = f"{script}\nprint(result.text)\n{ANSWER_WITH_DAY}"
    (folder / "replies.toml").write_text(f"[[reply]]\ncode = {json.dumps(code)}\n")

    answer = run_controlplane(
        "ask",
        "When is loan-02 due?",
        "notes.md",
        "--json",
        "--model=scripted:replies.toml",
        f"--mcp=it={server}",
        *options,
        cwd=folder,
        HOME=os.environ.get("HOME", "/"),
    )
    replay = run_in_process("replay", "last", "--verify", cwd=folder)

    assert answer.code == 0, answer.err + answer.out
    quotes = [citation["quote"] for citation in answer.json["citations"]]
    assert quotes == ["2026-04-01"]
    assert replay.code == 0
