"""Notes for the model after a script that repeated a failure, did not submit, or misused `find`."""

from __future__ import annotations

import ast
import json
from collections.abc import Mapping
from typing import Final

from controlplane.gates.python_syntax import parse_program
from controlplane.sandbox import Ending
from controlplane.sandbox.interface import Plain

SET_OUTCOME: Final = 'scratchpad["outcome"] = "OUTCOME_OK"'
MAX_LITERAL_CHARS: Final = 300
"""A longer answer is not repeated in a note."""


def is_failure(ending: str) -> bool:
    """Return True if an ending means that the script was refused, raised an error, or was
    stopped."""
    return ending != Ending.FINISHED


def fault_of(ending: str, error: str) -> str:
    """Return the last line of an error, which names it; without an error, the ending of the
    script."""
    lines = error.strip().splitlines()
    return lines[-1].strip() if lines else ending


def repeated_failure_note(ending: str, error: str) -> str:
    """Return the note about a script that failed with the same error as the script before."""
    return (
        f"<note>\nThis script failed like the one before: {fault_of(ending, error)}\n"
        "Change the line that failed, or find the answer in another way.\n</note>\n"
    )


def unsubmitted_note(before: Mapping[str, Plain], after: Mapping[str, Plain], output: str) -> str:
    """Return the note about an answer that is in the scratchpad but was not submitted; else empty.

    `before` and `after` are the scratchpad before and after the script. If an earlier script has
    set the answer, the note is repeated only after a script without output.
    """
    answer = after.get("answer")
    is_new = answer != before.get("answer")
    if not answer or (output and not is_new):
        return ""
    cites = "" if after.get("refs_why") else "cite the files that support it, and "
    lines: list[str] = []
    if not after.get("outcome"):
        lines.append(SET_OUTCOME)
    lines += _submitting_lines(answer)
    code = "\n".join(lines)
    return (
        '<note>\nscratchpad["answer"] is set, but nothing was submitted. '
        f"If it is right, {cites}submit it:\n{code}\n</note>\n"
    )


def idle_note(code: str) -> str:
    """Return the note about a script that had no effect: no output, calls, changes or submission.

    If the script assigned a text to the variable `answer`, the note has the code that submits it.
    """
    answer = _text_named_answer(code)
    if not answer:
        return (
            "<note>\nThis script printed nothing and submitted nothing, and its names are gone. "
            "Print what you want to see, or submit the answer.\n</note>\n"
        )
    lines = [f'scratchpad["answer"] = {_literal(answer)}', SET_OUTCOME, *_submitting_lines(answer)]
    submission = "\n".join(lines)
    return (
        "<note>\nNothing was submitted: the name `answer` ended with the script. "
        f"If it is right, submit it:\n{submission}\n</note>\n"
    )


def _submitting_lines(answer: Plain) -> list[str]:
    """Return the lines of code that submit the scratchpad's answer."""
    return [
        "def verify(sp):",
        f'    return sp["answer"] == {_literal(answer)}',
        "harness.answer(scratchpad, verify)",
    ]


def _text_named_answer(code: str) -> str:
    """Return the text that a script last assigns to `answer` at its top level; empty without
    one."""
    try:
        tree = parse_program(code)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return ""
    text = ""
    for statement in tree.body:
        match statement:
            case ast.Assign(targets=[ast.Name(id="answer")], value=ast.Constant(value=str(value))):
                text = value
    return text


def _literal(answer: Plain) -> str:
    """Return an answer as Python code. A long answer becomes a variable name, for the model to fill
    in."""
    literal = json.dumps(answer, ensure_ascii=False)
    return literal if len(literal) <= MAX_LITERAL_CHARS else "expected"


def find_note(
    operation: str, arguments: Mapping[str, Plain], result: Mapping[str, Plain], can_read: bool
) -> str:
    """Return the note about a `find` for a path instead of a file's name, which finds nothing; else
    empty."""
    name = arguments.get("name")
    if operation != "find" or not isinstance(name, str) or result.get("paths") != []:
        return ""
    folder, slash, base_name = name.rpartition("/")
    if not slash or not base_name:
        return ""
    note = f"find fits base names, so {name[:200]!r} fits nothing"
    has_pattern = any(character in name for character in "*?[")
    if can_read and not has_pattern:
        return f'{note}: write harness.read("/{name[:200].lstrip("/")}").'
    root = "/" + folder[:200].strip("/")
    return f'{note}: write harness.find("{base_name[:200]}", root="{root}").'
