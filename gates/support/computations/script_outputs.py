"""Reads the texts that the scripts of a trial printed and stored.

An answer may state a number of such a text, so it matters which expression wrote it. That is
read from the *template* of the text, which has two kinds of parts: the words that stand in
the script, and *gaps*, which an expression filled:

    print(f"{len(rows)} rows")      3 rows      a gap of `len(rows)`, then the word ` rows`

`written_texts` returns an `Output`, a text with its templates, for all that a script printed,
and for each text in the scratchpad, the dictionary in which scripts keep their results.
`stored_output` makes one for a text of the scratchpad.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from controlplane.gates.support.computations.output_templates import OutputTemplate
from controlplane.gates.support.computations.outputs import Output
from controlplane.gates.support.computations.print_templates import (
    fallback_template,
    template_of_script,
)
from controlplane.gates.support.computations.value_templates import template_of_value
from controlplane.gates.support.scripts.environment_calls import PathCall, path_calls
from controlplane.gates.support.scripts.script_definitions import definitions_of
from controlplane.gates.support.scripts.script_storing import collect_stored
from controlplane.gates.support.scripts.script_syntax import parsed
from controlplane.gates.support.scripts.stored_expressions import StoredExpressions
from controlplane.gates.trial.script_runs import ScriptRun

ANSWER_KEY: Final = "answer"
"""The key of the scratchpad under which a script stores its answer."""


@dataclass(frozen=True, slots=True)
class WrittenTexts:
    """What the scripts of a trial wrote."""

    outputs: list[Output]
    """What each script printed, and the texts and numbers that the scratchpad held."""
    stored: StoredExpressions
    """The expressions that the scripts stored in the scratchpad."""
    path_calls: list[PathCall]
    """The calls of the environment that name a path."""


def stored_output(key: str, text: str, stored: StoredExpressions) -> Output:
    """Return a text that was stored under a key of the scratchpad, with its templates.

    `stored` has the expressions of all scripts, from which the templates follow:

        scratchpad["answer"] = f"{n} rows"      assigned: a gap, then the word ` rows`
        scratchpad["answer"] += more            changed: no template is known
        scratchpad[name] = more                 under any key, maybe this: none is known
    """
    # If no template is known, or none fits, the text counts as a single gap. Any expression that
    # was stored under the key may then have written any part of it.
    single_gap = OutputTemplate.of_unknown_form(stored.of(key))
    may_be_changed = bool(stored.changed.get(key)) or bool(stored.under_any_key)
    if may_be_changed:
        return Output(text, templates=[], fallback=single_gap)
    templates = [template_of_value(value) for value in stored.assigned.get(key, ())]
    return Output(text, templates, fallback=single_gap)


def written_texts(steps: Sequence[ScriptRun]) -> WrittenTexts:
    """Read what the scripts of a trial printed and stored, and which paths they called.

    `scratchpad["fee"] = 300` and `print(f"{n} rows")` give two outputs: `300`, and `3 rows`
    with its template, a gap and ` rows`.
    """
    # 1. From each script: its output, the expressions that it stored, and its calls. The
    #    fallback is used if the output does not fit the template.
    outputs: list[Output] = []
    stored = StoredExpressions()
    calls: list[PathCall] = []
    for step in steps:
        tree = parsed(step.code)
        if tree is None:
            continue
        definitions = definitions_of(tree)
        collect_stored(tree, definitions, stored)
        calls += path_calls(tree)
        template = template_of_script(tree, definitions)
        fallback = fallback_template(tree, definitions)
        outputs.append(Output(step.printed, [template], fallback))

    # 2. What the scratchpad held after each script. An earlier script may have stored it, so all
    #    scripts have been read before. Most values stay the same, and each is needed once.
    output_by_key_and_text: dict[tuple[str, str], Output] = {}
    for step in steps:
        for key, value in step.stored.items():
            for text in _texts_in(value):
                if (key, text) not in output_by_key_and_text:
                    output_by_key_and_text[key, text] = stored_output(key, text, stored)
    outputs += output_by_key_and_text.values()
    return WrittenTexts(outputs, stored, calls)


def _texts_in(data: object) -> list[str]:
    """Return the texts and numbers in a value of the scratchpad: `{"a": [1, "x"]}` -> `1`, `x`."""
    match data:
        case dict():
            return [text for value in data.values() for text in _texts_in(value)]
        case list():
            return [text for value in data for text in _texts_in(value)]
    return [str(data)]
