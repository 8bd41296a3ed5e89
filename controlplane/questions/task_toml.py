"""The file task.toml of a question that is saved as a task: what is asked, and what is expected.

The answer that was accepted becomes the expected one: its values, its citations and its changes.
"""

from __future__ import annotations

import json
from collections.abc import Mapping

from controlplane.view.answer.asked_answer import AskedAnswer


def task_toml(
    answer: AskedAnswer,
    options: Mapping[str, str],
    sources: set[str],
    file_of_change: Mapping[str, str | None],
) -> bytes:
    """Return the contents of task.toml.

    - `options`: those of the question's benchmark, such as `write`, the folder that may change.
    - `sources`: the paths of the files that the question covers.
    - `file_of_change`: for each changed path, the file with its new text; None for a deletion.
    """
    lines = [f"instruction = {toml_text(answer.summary.instruction)}"]
    if answer.now:
        lines.append(f'clock = "{answer.now}"')

    lines.append("[question]  # Scripts may call what `ask` offers.")
    # The folder in which files may change, and the earlier questions of the dialogue.
    for name in ("write", "earlier"):
        if options.get(name):
            lines.append(f"{name} = {toml_text(options[name])}")
    for server in answer.servers:
        lines.append(f"[mcp.{server}]")

    # The files that were read but not cited.
    tolerated = (answer.read.keys() & sources) - answer.cited
    lines += [
        "[expected]",
        f"outcome = {toml_text(answer.summary.outcome)}",
        "# The values of this answer must be in an answer, in any words. "
        "For other demands see docs/benchmarks.md.",
        f"states = {toml_text(answer.summary.answer.strip())}",
        f"references = {toml_text(sorted(answer.cited & sources))}",
        f"tolerated = {toml_text(sorted(tolerated))}",
    ]
    for path, file in file_of_change.items():
        lines.append("[[expected.change]]")
        lines.append(f"path = {toml_text(path)}")
        if file is None:
            lines.append("deleted = true")
        else:
            lines.append(f"file = {toml_text(file)}")
    return ("\n".join(lines) + "\n").encode(errors="replace")


def toml_text(value: object) -> str:
    """Return a text, or a list of texts, as TOML: `["a", "b"]`. TOML has the same escapes as JSON."""
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
