"""Questions with an MCP server, `ask "Until when?" notes.md --mcp "loans=python server.py"`.

    ask_with_tools(folder, script).json["answer"]    ->    "Until 2026-03-01."

The model's only reply is the script. The server has 10,000 loans, of which every twelfth is kept until
2026-03-01, and the third one first.
"""

import json
import sys
from pathlib import Path

from tests.support.command import ROOT, CommandResult, run_in_process

PLAIN_LOANS = ROOT / "tests/support/plain_loans.py"
"""The program of the server."""


def question_words(folder: Path, script: str, server: Path = PLAIN_LOANS) -> list[str]:
    """Return the words of a question to a model whose only reply is this script."""
    (folder / "notes.md").write_text("nothing\n")
    reply = f"[[reply]]\ncode = {json.dumps(script)}\n"
    (folder / "replies.toml").write_text(reply)
    mcp = f"--mcp=loans={sys.executable} {server}"
    return ["ask", "Until when?", "notes.md", mcp, "--model=scripted:replies.toml"]


def ask_with_tools(folder: Path, script: str) -> CommandResult:
    return run_in_process(*question_words(folder, script), "--json", cwd=folder)
