"""The parts of a trial's evidence, and how they make up the evidence for the gates."""

from __future__ import annotations

from controlplane.agent.evidence.log.call_log import CallLog
from controlplane.agent.evidence.log.call_results import CallResults
from controlplane.agent.evidence.log.failed_calls import FailedCalls
from controlplane.agent.evidence.log.file_changes import FileChanges
from controlplane.agent.evidence.log.file_reads import FileReads
from controlplane.agent.evidence.log.found_quotations import FoundQuotations
from controlplane.agent.evidence.log.printed_files import PrintedFiles
from controlplane.agent.evidence.log.script_runs import FunctionResults, ScriptRuns
from controlplane.agent.evidence.log.server_results import ServerResults
from controlplane.agent.evidence.log.tool_runs import ToolRuns
from controlplane.agent.evidence.log.trial_changes import TrialChanges
from controlplane.agent.evidence.paths.accessed_paths import AccessedPaths
from controlplane.agent.evidence.paths.cited_paths import CitedPaths
from controlplane.agent.evidence.paths.known_paths import KnownPaths
from controlplane.agent.evidence.paths.path_texts import PathTexts
from controlplane.agent.evidence.paths.seen_texts import SeenTexts
from controlplane.agent.evidence.texts.encoded_results import EncodedResults
from controlplane.agent.evidence.texts.own_words import OwnWords
from controlplane.agent.evidence.texts.result_words import ResultWords
from controlplane.gates.evidence import Evidence
from controlplane.sandbox.interface import Effect, ToolSchema


class EvidenceParts:
    """What one trial's scripts and calls have added to its evidence."""

    def __init__(self, tool_schema: ToolSchema, most_text_bytes: int) -> None:
        """`most_text_bytes` is the most memory for kept texts; 0 stands for the usual amount."""
        self.changes = TrialChanges()
        self.scripts = ScriptRuns()
        self.function_results = FunctionResults()
        """The values of the benchmark's functions, which may support an answer."""
        self.quotations = FoundQuotations()

        seen_texts = SeenTexts(most_text_bytes)
        result_words = ResultWords(seen_texts.texts)
        own_words = OwnWords(result_words)
        self.encoded_results = EncodedResults(result_words)
        """Recognises results that may be a script's own text in encoded form."""
        for text in _declared_texts(tool_schema):
            self.encoded_results.add_known_text(text)

        known = KnownPaths()
        accessed = AccessedPaths(seen_texts)
        texts = PathTexts(accessed, known, own_words)
        self.known_paths = known
        self.cited_paths = CitedPaths(accessed, known)

        printed = PrintedFiles(tool_schema, known, accessed, texts, self.changes)
        file_changes = FileChanges(known, accessed, texts, self.changes)
        results = CallResults(
            self.cited_paths,
            FileReads(known, texts, self.scripts),
            file_changes,
            ToolRuns(
                tool_schema,
                known,
                self.cited_paths,
                texts,
                self.changes,
                self.scripts,
                printed,
            ),
            ServerResults(known, texts, self.changes, self.encoded_results),
        )
        self.failures = FailedCalls(known, file_changes)
        self.calls = CallLog(
            tool_schema,
            self.changes,
            own_words,
            self.function_results,
            results,
            self.failures,
        )
        """Adds calls to all other parts."""

    def evidence(self) -> Evidence:
        """Return the evidence so far, with each path in the spelling to cite."""
        path_to_cite = self.cited_paths.path_to_cite
        accesses = self.cited_paths.accesses()
        return Evidence(
            has_trace=True,  # All calls of the trial are known.
            accesses=accesses,
            aliases=self.cited_paths.cited_path_of_alias(),
            paths_by_spelling=self.cited_paths.paths_by_spelling(accesses),
            directories=frozenset(self.known_paths.listings.folders),
            changes=self.changes.at_cited_paths(path_to_cite),
            # Tools that may have changed something.
            unclear_runs=tuple(map(path_to_cite, self.changes.unclear_tools)),
            has_failures=self.failures.are_by_environment,
            function_results=tuple(self.function_results.values),
            steps=tuple(self.scripts.runs),
            quoted=self.quotations.by_path(),
        )


def _declared_texts(tool_schema: ToolSchema) -> list[str]:
    """Return the name, summary and parameter names of each operation whose results have own paths.

    The declarations show these words to scripts,
    so a script that uses them in a call hides nothing.
    """
    texts: list[str] = []
    for operation in tool_schema.operations:
        if operation.effect in (Effect.RETURNS, Effect.ACTS):
            names = [parameter.name for parameter in operation.parameters]
            texts.append(" ".join([operation.name, operation.summary, *names]))
    return texts
