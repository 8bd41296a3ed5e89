"""Makes the `ValueMarker` of a trial, which marks each value of its answer with its support.

In "The fee is 300", the 300 is "found" if a file states it, "computed" if a script computed
it, "given" if the question states it. Here, the texts in which it is searched are gathered.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from controlplane.gates.evidence import Evidence
from controlplane.gates.support.sources import UNKNOWN_NUMBERS, LineNumbers, Source
from controlplane.gates.support.value_support import ValueMarker
from controlplane.gates.trial import ScriptRun, TextKind


def marker_of(
    evidence: Evidence,
    question: str,
    cited: Iterable[str],
    context_texts: Sequence[str],
    script_runs: Sequence[ScriptRun],
) -> ValueMarker:
    """Return a marker for the answer of a trial.

    `evidence` records what the trial read and wrote, `script_runs` what its scripts printed
    and stored. `cited` are the paths that the answer cites. `context_texts` are texts that the
    trial was given besides the question, such as the clock.
    """
    texts = _proof_texts(evidence)
    cited_paths = frozenset(cited)
    return ValueMarker(
        # A value in one of these texts is "found", or "written" if the trial wrote the text.
        sources=texts.sources,
        cited=cited_paths,
        quoted=_quoted(evidence, texts.sources),
        written=_written_files(evidence, cited_paths),
        # A value from one of these is "computed".
        script_runs=script_runs,
        query_results=texts.query_results,
        function_results=evidence.function_results,
        # A value in one of these texts is "given".
        question=question,
        context_texts=context_texts,
        names=_names_by_line(evidence),
    )


def _names_by_line(evidence: Evidence) -> str:
    """Return the paths of all files and folders that were accessed or listed, one a line.

    They are one text, because values are searched in texts.
    """
    names = list(evidence.folders)
    # All known paths of files are here, by their spelling in lower case.
    for paths in evidence.paths_by_spelling.values():
        names += paths
    return "\n".join(names)


def _quoted(evidence: Evidence, sources: Sequence[Source]) -> list[Source]:
    """Return the lines of `sources` that citations quote."""
    quoted: list[Source] = []
    for source in sources:
        for quotation in evidence.quotations.get(source.path, ()):
            quoted += source.quoted_parts(quotation)
    return quoted


@dataclass(frozen=True, slots=True)
class _ProofTexts:
    """The texts of the environment that a trial saw. They prove the values that they state."""

    whole_files: list[Source] = field(default_factory=list)
    excerpts: list[Source] = field(default_factory=list)
    query_results: list[Source] = field(default_factory=list)
    """Results of queries and tools, which have no lines in a file."""

    @property
    def sources(self) -> list[Source]:
        """Files and parts of files, whole files first."""
        return self.whole_files + self.excerpts


def _proof_texts(evidence: Evidence) -> _ProofTexts:
    """Return the texts that prove values, without those that the script may have written."""
    texts = _ProofTexts()
    for access in evidence.accesses.values():
        for proof in access.proofs:
            line_numbers = LineNumbers(tuple(proof.lines))
            source = Source(access.path, proof.text, line_numbers)
            if line_numbers == UNKNOWN_NUMBERS:  # the result of a query or tool
                texts.query_results.append(source)
            elif proof.kind is TextKind.EXCERPT:
                texts.excerpts.append(source)
            else:
                texts.whole_files.append(source)
    return texts


def _written_files(evidence: Evidence, cited: frozenset[str]) -> list[Source]:
    """Return the cited files that the trial wrote, with the last text that it wrote.

    Leaves out files that it deleted afterwards, and changes that it undid.
    """
    last_actions: dict[str, str] = {}
    for change in evidence.present_changes:  # those that were not undone
        last_actions[change.path] = change.action

    sources: list[Source] = []
    for path, action in last_actions.items():
        if action != "write" or path not in cited or path not in evidence.accesses:
            continue
        seen_texts = evidence.accesses[path].seen
        written = [seen for seen in seen_texts if not (seen.is_cut or seen.is_proof)]
        if written:
            sources.append(Source(path, written[-1].text))
    return sources
