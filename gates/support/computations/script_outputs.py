"""Says which expressions of a trial's scripts wrote the texts that these printed and stored.

    print(f"{len(rows)} rows")         3 rows

`written_texts` reads the scripts of a trial. Each `Output` is one text, such as all
that a script printed. Its `source` is searched for a value, such as 3, and `writers_of`
says which expressions may have written it: `len(rows)`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import accumulate
from typing import Final

from controlplane.gates.support.computations.output_templates import (
    AlignedTemplate,
    OutputTemplate,
    Writers,
)
from controlplane.gates.support.computations.print_templates import (
    fallback_template,
    template_of_script,
)
from controlplane.gates.support.computations.value_templates import template_of_value
from controlplane.gates.support.matching.line_search import Match
from controlplane.gates.support.scripts.environment_calls import PathCall, path_calls
from controlplane.gates.support.scripts.script_definitions import definitions_of
from controlplane.gates.support.scripts.script_syntax import parsed
from controlplane.gates.support.scripts.stored_expressions import StoredExpressions
from controlplane.gates.support.sources.sources import Source
from controlplane.gates.trial.script_runs import ScriptRun
from controlplane.gates.values.number_style import NumberStyle

ANSWER_KEY: Final = "answer"
"""The key of the scratchpad under which a script stores its answer."""


@dataclass(eq=False)
class Output:
    """A text that a script printed or stored."""

    text: str
    templates: Sequence[OutputTemplate]
    """The forms that the text may have; some may not fit it.

    Each is a list of known texts and gaps: `f"{n} rows"` gives a gap and ` rows`.
    """
    fallback: OutputTemplate
    """Used if no template fits: one gap, so that any expression may have written any part."""
    _sources: dict[NumberStyle, Source] = field(default_factory=dict)
    """What `source` has made so far."""

    def source(self, style: NumberStyle) -> Source:
        """Return the text as a source, to be searched for values; made once for each style.

        A style says, for example, whether `1.199` is read as 1199.
        """
        if style not in self._sources:
            self._sources[style] = Source(
                "", self.text, first_line_is_heading=False, style=style
            )
        return self._sources[style]

    def searched_sources(self) -> list[Source]:
        """Return the sources that `source` has made so far."""
        return list(self._sources.values())

    def writers_of(self, start: int, end: int) -> Writers:
        """Return the expressions and known texts that may have written some characters.

        `start` and `end` are their offsets. If several templates fit, those of all count.
        """
        writers = Writers()
        for template in self._aligned_templates:
            writers = writers.joined(template.writers_of(start, end))
        return writers

    def writers_of_match(self, match: Match) -> Writers:
        """Return what may have written a value that a search found on a line of this text."""
        line_start = self._line_starts[match.line]
        if match.value is None:  # a quotation, of which only the first line is known
            line = match.source.lines[match.line]
            return self.writers_of(line_start, line_start + len(line))
        return self.writers_of(
            line_start + match.value.start, line_start + match.value.end
        )

    @cached_property
    def _aligned_templates(self) -> list[AlignedTemplate]:
        """The templates that fit the text, each with its parts placed in it; or the fallback."""
        aligned_templates: list[AlignedTemplate] = []
        for template in self.templates:
            aligned = template.aligned(self.text)
            if aligned is not None:
                aligned_templates.append(aligned)
        if not aligned_templates:
            # The single gap of the fallback fits any text.
            aligned_fallback = self.fallback.aligned(self.text)
            if aligned_fallback is not None:
                aligned_templates.append(aligned_fallback)
        return aligned_templates

    @cached_property
    def _line_starts(self) -> list[int]:
        """The offset at which each line of the text begins."""
        # `+ 1` for the line break
        lengths = [len(line) + 1 for line in self.text.split("\n")]
        return list(accumulate(lengths, initial=0))


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
    """Return a text that was stored under a key of the scratchpad.

    `stored` has the expressions of all scripts:

        scratchpad["answer"] = f"{n} rows"      assigned: the form is a gap and ` rows`
        scratchpad["answer"] += more            changed: the form is unknown
        scratchpad[name] = more                 under any key, maybe this: unknown
    """
    # If the form is unknown, any expression stored under the key may have written any part.
    single_gap = OutputTemplate.of_unknown_form(stored.of(key))
    may_be_changed = bool(stored.changed.get(key)) or bool(stored.under_any_key)
    if may_be_changed:
        return Output(text, templates=[], fallback=single_gap)
    templates = [template_of_value(value) for value in stored.assigned.get(key, ())]
    return Output(text, templates, fallback=single_gap)


def written_texts(steps: Sequence[ScriptRun]) -> WrittenTexts:
    """Read the scripts of a trial."""
    # 1. What each script printed, and which expressions it stored.
    outputs: list[Output] = []
    stored = StoredExpressions()
    calls: list[PathCall] = []
    for step in steps:
        tree = parsed(step.code)
        if tree is None:
            continue
        definitions = definitions_of(tree)
        stored.collect(tree, definitions)
        calls += path_calls(tree)
        template = template_of_script(tree, definitions)
        fallback = fallback_template(tree, definitions)
        outputs.append(Output(step.printed, [template], fallback))

    # 2. What the scratchpad held after each script. Any script may have stored it, so step 1 has
    #    read all of them. Most values repeat, and each is needed once.
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
