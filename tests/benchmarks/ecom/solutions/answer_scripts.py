"""The script of a model that makes given calls in the shop, and submits a given answer.

    script_of([("read", {"path": "/docs/stock.md"})], Answer("4", OK, {"/docs/stock.md": "Rules: ..."}))

returns a text that a trial can run:

    harness.read(path='/docs/stock.md')
    scratchpad["answer"] = '4'
    ...
    harness.answer(scratchpad, verify)
"""

from collections.abc import Sequence

from controlplane.sandbox.interface import Plain
from tests.benchmarks.ecom.solutions.answers import Answer


def script_of(calls: Sequence[tuple[str, dict[str, Plain]]], answer: Answer) -> str:
    """Return a script that makes these calls and submits this answer."""
    lines = []
    for operation, arguments in calls:
        keywords = ", ".join(f"{name}={value!r}" for name, value in arguments.items())
        lines.append(f"harness.{operation}({keywords})")

    lines.append(f'scratchpad["answer"] = {answer.message!r}')
    lines.append(f'scratchpad["outcome"] = {answer.outcome!r}')
    # `cite` fills the key `refs_why`. A script that cites nothing has to say so.
    for path, reason in answer.citations.items():
        lines.append(f"scratchpad.cite({path!r}, {reason!r})")
    if not answer.citations:
        lines.append("scratchpad['refs_why'] = {}")

    # The script may declare texts of its message (tokens), and the changes that it has made. Both
    # are then checked.
    if answer.tokens:
        lines.append(f"scratchpad['tokens'] = {list(answer.tokens)!r}")
    if answer.changes:
        changes = [{"path": path, "action": action} for path, action in answer.changes]
        lines.append(f"scratchpad['changes'] = {changes!r}")

    # Each script must check its own answer: `harness.answer` submits it only if `verify` is true.
    checks = [
        f'sp["outcome"] == {answer.outcome!r}',
        f'sp["answer"] == {answer.message!r}',
        f'len(sp["refs_why"]) == {len(answer.citations)}',
    ]
    lines += [
        "",
        "def verify(sp):",
        f"    return {' and '.join(checks)}",
        "",
        "harness.answer(scratchpad, verify)",
        "",
    ]
    return "\n".join(lines)
