"""The note to the model about a script that had no effect.

It printed nothing, called nothing and submitted nothing: `answer = "14:30"`. The note shows how
the script would submit this answer.
"""

from __future__ import annotations

import ast

from controlplane.agent.loop.script.submitting_code import (
    SET_OUTCOME,
    python_literal,
    submitting_lines,
)
from controlplane.gates.python_syntax import parse_program


def idle_note(code: str) -> str:
    """Return the note about a script that had no effect: no output, calls, changes or submission.

    Some models only set the variable `answer`, which is lost with the script. The note
    then shows how to submit it by `scratchpad`, a dictionary that outlasts the script.
    """
    answer = _text_named_answer(code)
    if not answer:
        return (
            "<note>\nThis script printed nothing and submitted nothing, and its names are gone. "
            "Print what you want to see, or submit the answer.\n</note>\n"
        )
    lines = [
        f'scratchpad["answer"] = {python_literal(answer)}',
        SET_OUTCOME,
        *submitting_lines(answer),
    ]
    submission = "\n".join(lines)
    return (
        "<note>\nNothing was submitted: the name `answer` ended with the script. "
        f"If it is right, submit it:\n{submission}\n</note>\n"
    )


def _text_named_answer(code: str) -> str:
    """Return the last text that a script assigns to the variable `answer`; empty if none.

    Assignments inside of loops, functions and other blocks do not count.
    """
    try:
        tree = parse_program(code)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return ""
    text = ""
    for statement in tree.body:
        match statement:
            case ast.Assign(
                targets=[ast.Name(id="answer")], value=ast.Constant(value=str(value))
            ):
                text = value
    return text
