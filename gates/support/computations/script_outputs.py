"""Collects the texts that the scripts of a trial printed or stored, with the forms of each.

The form of a text is a template of known words and *gaps*, which expressions filled. It tells
which expression wrote the 3 that an answer states:

    print(f"{len(rows)} rows")  ->  3 rows      a gap of `len(rows)`, then the word ` rows`
"""

from __future__ import annotations

import ast
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
from controlplane.gates.support.scripts.script_names import Definitions
from controlplane.gates.support.scripts.script_storing import collect_stored
from controlplane.gates.support.scripts.script_syntax import parsed
from controlplane.gates.support.scripts.stored_expressions import StoredExpressions
from controlplane.gates.trial.script_runs import ScriptRun

ANSWER_KEY: Final = "answer"
"""The key under which a script stores its answer in the scratchpad, the dictionary of results."""


@dataclass(frozen=True, slots=True)
class WrittenTexts:
    """What the scripts of a trial wrote, and what is known of how they did it."""

    outputs: list[Output]
    """What each script printed, then each text and number that the scratchpad held."""
    stored: StoredExpressions
    """The expressions that the scripts stored in the scratchpad."""
    path_calls: list[PathCall]
    """The calls of the environment that name a path."""


def written_texts(script_runs: Sequence[ScriptRun]) -> WrittenTexts:
    """Read what the scripts of a trial printed and stored, and which paths they called.

    `scratchpad["fee"] = 300` and `print(f"{n} rows")` give two outputs: `3 rows` with its
    template, a gap and ` rows`, and `300`. A script that cannot be parsed is left out.
    """
    outputs: list[Output] = []
    stored = StoredExpressions()
    calls: list[PathCall] = []
    for run in script_runs:
        tree = parsed(run.code)
        if tree is None:
            continue
        definitions = definitions_of(tree)
        outputs.append(_printed_output(run.printed, tree, definitions))
        collect_stored(tree, definitions, stored)  # adds to `stored`
        calls += path_calls(tree)

    # A text of the scratchpad may be stored by another script than the one after which it was
    # seen, so these outputs need `stored` of all scripts.
    outputs += _stored_outputs(script_runs, stored)
    return WrittenTexts(outputs, stored, calls)


def _printed_output(text: str, tree: ast.Module, definitions: Definitions) -> Output:
    """Return what a script printed, with its template, if one is known."""
    template = template_of_script(tree, definitions)
    templates = [] if template is None else [template]
    return Output(text, templates, fallback=fallback_template(tree, definitions))


def _stored_outputs(
    script_runs: Sequence[ScriptRun], stored: StoredExpressions
) -> list[Output]:
    """Return the texts that the scratchpad held after any of the scripts.

    Most stay the same from script to script. Each is returned once for its key.
    """
    output_by_key_and_text: dict[tuple[str, str], Output] = {}
    for run in script_runs:
        for key, value in run.stored.items():
            for text in _texts_in(value):
                if (key, text) not in output_by_key_and_text:
                    output_by_key_and_text[key, text] = stored_output(key, text, stored)
    return list(output_by_key_and_text.values())


def _texts_in(data: object) -> list[str]:
    """Return the texts and numbers in a value of the scratchpad: `{"a": [1, "x"]}` -> `1`, `x`."""
    match data:
        case dict():
            return [text for value in data.values() for text in _texts_in(value)]
        case list():
            return [text for value in data for text in _texts_in(value)]
    return [str(data)]


def stored_output(key: str, text: str, stored: StoredExpressions) -> Output:
    """Return a text that the scratchpad held under a key, with its templates.

    `stored` has the expressions that all scripts stored:

        scratchpad["answer"] = f"{n} rows"      the template: a gap, then ` rows`
        scratchpad["answer"] += more            the text was changed: no template is known
        scratchpad[name] = more                 changed, too, if `name` is "answer"

    If no template is known or fits, the text counts as a single gap: any expression that was
    stored under the key may have written any part of it.
    """
    templates = [template_of_value(value) for value in stored.whole_values_of(key)]
    single_gap = OutputTemplate.of_unknown_form(stored.of(key))
    return Output(text, templates, fallback=single_gap)
