"""Makes the `ValueMarker` of a trial, which marks each value of its answer with its support."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from controlplane.gates.evidence import Evidence
from controlplane.gates.support.sources.places import UNKNOWN_NUMBERS, LineNumbers
from controlplane.gates.support.sources.sources import Source
from controlplane.gates.support.value_support import ValueMarker
from controlplane.gates.trial.script_runs import ScriptRun


def marker_of(
    evidence: Evidence,
    question: str,
    cited: Iterable[str],
    context_texts: Sequence[str],
    steps: Sequence[ScriptRun],
) -> ValueMarker:
    """Return a marker for the answer of a trial, from the record of what it read and wrote.

    `context_texts` are given texts such as the clock. `steps` are the trial's scripts,
    with what they printed and stored. The marker searches each value of the answer, such as the
    300 of "The fee is 300", in these texts:

    | text               | what it is                                    | support    |
    | ------------------ | --------------------------------------------- | ---------- |
    | `sources`          | files, and parts of files, that were read     | `found`    |
    | `quoted`           | lines of `sources` that citations quote       | `found`    |
    | `steps`            | what scripts printed and stored               | `computed` |
    | `query_results`    | what queries and tools returned               | `computed` |
    | `function_results` | what functions of the benchmark returned      | `computed` |
    | `question`         | the request                                   | `given`    |
    | `context_texts`    | the clock, rules                              | `given`    |
    | `names`            | the paths of files and folders                | `given`    |
    | `written`          | cited files that the trial itself wrote       | `written`  |
    """
    texts = _given_texts(evidence)
    cited_paths = frozenset(cited)
    return ValueMarker(
        texts.sources,
        question,
        context_texts,
        names=_names_by_line(evidence),
        steps=steps,
        function_results=evidence.function_results,
        query_results=texts.query_results,
        cited=cited_paths,
        quoted=_quoted(evidence, texts.sources),
        written=_written_files(evidence, cited_paths),
    )


def _names_by_line(evidence: Evidence) -> str:
    """Return the paths of all files and folders that were accessed or listed, one a line.

    They are one text, because values are searched in texts.
    """
    names = list(evidence.directories)
    # All known paths of files are here, by their spelling in lower case.
    for paths in evidence.paths_by_spelling.values():
        names += paths
    return "\n".join(names)


def _quoted(evidence: Evidence, sources: Sequence[Source]) -> list[Source]:
    """Return the lines that citations quote."""
    quoted: list[Source] = []
    for source in sources:
        for quotation in evidence.quoted.get(source.path, ()):
            quoted += source.quoted_parts(quotation)
    return quoted


@dataclass(frozen=True, slots=True)
class _GivenTexts:
    """The texts that the environment gave to a trial."""

    whole_files: list[Source] = field(default_factory=list)
    excerpts: list[Source] = field(default_factory=list)
    query_results: list[Source] = field(default_factory=list)
    """Results of queries and tools, which have no lines in a file."""

    @property
    def sources(self) -> list[Source]:
        """Files and parts of files, whole files first."""
        return self.whole_files + self.excerpts


def _given_texts(evidence: Evidence) -> _GivenTexts:
    """Return the texts that the environment gave to a trial, in which values are searched.

    Leaves out texts that are no proof of a value, because the script may have written them.
    """
    texts = _GivenTexts()
    for access in evidence.accesses.values():
        for seen in access.given_texts:
            # What a tool printed about a text of the script may be shown, but proves nothing.
            if not seen.is_proof:
                continue
            source = Source(access.path, seen.text, LineNumbers(tuple(seen.lines)))
            # The result of a query or tool has no lines in a file.
            if source.line_numbers == UNKNOWN_NUMBERS:
                texts.query_results.append(source)
            elif seen.is_excerpt:
                texts.excerpts.append(source)
            else:
                texts.whole_files.append(source)
    return texts


def _written_files(evidence: Evidence, cited: frozenset[str]) -> list[Source]:
    """Return the cited files that the trial wrote, with the last text that it wrote.

    Leaves out a file that was deleted afterwards, or has its first text again: such changes are
    not among `present_changes`.
    """
    # Of several changes at a path, the last one stays in the map.
    last_actions = {change.path: change.action for change in evidence.present_changes}
    sources: list[Source] = []
    for path, action in last_actions.items():
        if action != "write" or path not in cited or path not in evidence.accesses:
            continue
        seen_texts = evidence.accesses[path].seen
        written = [seen for seen in seen_texts if seen.is_whole and not seen.is_proof]
        if written:
            sources.append(Source(path, written[-1].text))
    return sources
