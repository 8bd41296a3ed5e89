"""Keeps what a trial has read, written and executed: its *evidence*.

An answer may only state what its trial has read. Gates, which judge answers, look that up here:

    add_call(read of /docs/fees.md, with the result {"content": "Late return: 7 EUR"})
    view().accesses["/docs/fees.md"]   -> Access: read, with the text "Late return: 7 EUR"
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import chain

from controlplane.agent.events import CallRecord, Citation
from controlplane.agent.evidence.call_results import (
    add_change,
    add_listing,
    add_read,
    add_server_result,
    add_tool_run,
    alias_notes,
    learn_from_failure,
)
from controlplane.agent.evidence.citations import Citations
from controlplane.agent.evidence.evidence_parts import EvidenceParts
from controlplane.agent.evidence.paths import (
    AccessedPaths,
)
from controlplane.agent.evidence.texts.passed_texts import (
    CallArguments,
    ReturnedCall,
)
from controlplane.agent.failure_codes import failure_of
from controlplane.gates.evidence import Evidence
from controlplane.gates.paths import canonical, spelling_key
from controlplane.gates.trial import (
    Access,
)
from controlplane.sandbox.interface import (
    Effect,
    Plain,
    ToolSchema,
)

# Keeps the evidence of a trial as the gates see it, until a script or a call adds something.
#
# To collect it takes long, and each citation and each answer is compared with it:
#
#     view()         collects it
#     view()         returns the same object
#     invalidate()   is called before something is added, such as the text of a read file
#     view()         collects it again, with this text

# The paths of a trial's calls, as they are given to the gates (the rules for answers).
#
# A file may have several paths: a script has read `/Loans.md`, and got the file `/docs/Loans.md`. An
# answer has to cite the latter. The function `path_to_cite`, which is passed to this module, returns
# it for both paths. Then the gates get:
#
#     collected_accesses(...)     {"/docs/Loans.md": Access(read, with its text)}
#     cited_path_by_alias(...)    {"/Loans.md": "/docs/Loans.md"}
#     paths_by_spelling(...)      {"/docs/loans.md": ("/docs/Loans.md",)}


def _collected_accesses(
    accessed_paths: AccessedPaths, path_to_cite: Callable[[str], str]
) -> dict[str, Access]:
    """Return what calls did at each file, by the path to cite."""
    accesses: dict[str, Access] = {}
    for path, accessed in accessed_paths.items():
        cited_path = path_to_cite(path)
        actions = frozenset(accessed.actions)
        seen = tuple(accessed.texts)
        if cited_path in accesses:  # The file was reached by another path, too.
            actions |= accesses[cited_path].actions
            seen = accesses[cited_path].seen + seen
        accesses[cited_path] = Access(cited_path, actions, seen)
    return accesses


def _cited_path_by_alias(
    paths: Iterable[str], path_to_cite: Callable[[str], str]
) -> dict[str, str]:
    """Return the path to cite for each of these paths that is cited by another one."""
    cited_paths = {path: path_to_cite(path) for path in paths}
    return {path: cited for path, cited in cited_paths.items() if cited != path}


def paths_by_spelling(
    listed_paths: Mapping[str, tuple[str, ...]], cited_paths: Iterable[str]
) -> dict[str, tuple[str, ...]]:
    """Return all known paths by their key, which all spellings share: `/a.md` for `/A.md`.

    `listed_paths` has those of listings by their keys already; `cited_paths` are added to them.
    """
    paths_by_key = dict(listed_paths)
    for path in cited_paths:
        key = spelling_key(path)
        spellings = paths_by_key.get(key, ())
        if path not in spellings:
            paths_by_key[key] = (*spellings, path)
    return paths_by_key


# Puts the evidence of a trial together for the gates, the rules that each answer must pass.
#
# A script has listed `/docs`, which has `Fees.md` and `Loans.md`, and has called `read("/Fees.md")`,
# which has reached `/docs/Fees.md`. The gates get:
#
#     Evidence(
#         # An answer may cite this file, for the text that the call has read.
#         accesses={"/docs/Fees.md": Access(..., actions={"read"}, seen=(SeenText("fee: 7"),))},
#         # An answer that cites `/Fees.md` is told the listed path.
#         aliases={"/Fees.md": "/docs/Fees.md"},
#         # An answer may spell the path in any case.
#         paths_by_spelling={"/docs/fees.md": ("/docs/Fees.md",), ...},
#         # An answer cites files, and not this folder.
#         folders={"/docs"},
#         # Nothing was changed, so an answer may not say so.
#         changes=(),
#     )


def _collected_evidence(parts: EvidenceParts) -> Evidence:
    """Return the evidence so far. Each file is at the path by which an answer has to cite it."""
    accessed = parts.accessed  # what calls did at each path
    aliases = parts.known_paths.aliases
    listings = parts.known_paths.listings

    path_to_cite = aliases.path_to_cite
    accesses = _collected_accesses(accessed, path_to_cite)
    used_paths = chain(aliases.file_of_alias, accessed)
    return Evidence(
        has_trace=True,  # All calls of the trial are known, since they were added here.
        # The files
        accesses=accesses,
        aliases=_cited_path_by_alias(used_paths, path_to_cite),
        paths_by_spelling=paths_by_spelling(listings.paths.by_key, accesses),
        folders=frozenset(listings.folders.paths),
        quotations={path: tuple(texts) for path, texts in parts.quotations.items()},
        # The changes
        changes=parts.changes.at_cited_paths(path_to_cite),
        unclear_tools=tuple(map(path_to_cite, parts.changes.unclear_tools)),
        has_failures=parts.environment_has_failed,
        # Where else the values of an answer may come from
        function_results=tuple(parts.function_results.values),
        script_runs=tuple(parts.scripts.runs),
    )


# Adds the calls of a trial to its evidence, whether they succeeded or failed.
#
# An answer may only state what calls have shown. But a script could have a tool store a text, and
# read it back. So the log also learns the words that scripts pass to calls that may change something:
#
# | call | what is added |
# |---|---|
# | one that the environment does not declare | nothing: it is not known what its result means |
# | `write("/a.md", "fee is 7")` | the words `fee`, `is` and `7`, as the script's own, and a change |
# | `read("/c.md")`, which fails by `not_found` | there is no `/c.md` |
# | `total_fee("L-4") -> {"value": 21}` | the value of a function |
# | `read("/b.md") -> {"content": "late: 21"}` | a text that an answer may cite |


def _add_call(parts: EvidenceParts, record: CallRecord) -> tuple[str, ...]:
    """Add a call that has ended or was interrupted. Return notes for the model."""
    declared = parts.tool_schema.operation(record.operation)
    if declared is None:
        return ()
    arguments = CallArguments(declared, record.arguments)
    call = ReturnedCall(arguments, record.result or {}, record.shown_chars)
    if record.may_change:
        # Even a failed call may have stored these words. A later result proves none of them.
        parts.own_words.add(arguments.input_texts)
        parts.changes.has_changing_calls = True
    if record.error is not None:
        code = record.error.code
        if failure_of(code).is_environment_fault:
            parts.environment_has_failed = True
        learn_from_failure(parts.known_paths, call, code, may_change=record.may_change)
        return ()
    if record.result is None:
        return ()  # The call was interrupted, so it has neither.
    if declared.is_function:
        # The calls that the function itself has made are added one by one.
        parts.function_results.add(record.operation, record.arguments, record.result)
        return ()
    return _add_result(parts, call)


# Adds the results of calls to the evidence, by the effect that each operation declares.
#
# An answer may only cite what a call has shown, and at the path where it has shown it:
#
# | call | effect | what an answer may cite |
# |---|---|---|
# | `now()` | `NONE` | nothing |
# | `wiki.search("fees")`, `mail.send(...)` | `RETURNS`, `ACTS`, `UNDECLARED` | the result, at its own path |
# | `grep("fee")`, `list("/docs")` | `LISTS` | the lines that `grep` found; of `list`, nothing |
# | one of those below without a path | | nothing |
# | `exec("/bin/jq", ...)` | `EXECUTES` | the output, at `/bin/jq` |
# | `read("/docs/fees.md")` | `READS` | the text, at `/docs/fees.md` |
# | `write("/report.md", ...)` | `WRITES`, `DELETES`, `MOVES` | `/report.md`, as changed |


def _add_result(parts: EvidenceParts, call: ReturnedCall) -> tuple[str, ...]:
    """Add the result of a call, and return notes on it for the model.

    Example of a note: “`/Loans.md` is `/docs/Loans.md`: cite it by that path.”
    """
    used_paths: Sequence[str] = ()
    match call.declared.effect:
        case Effect.NONE:
            pass
        case Effect.RETURNS | Effect.ACTS | Effect.UNDECLARED:
            add_server_result(parts, call)
        case Effect.LISTS:
            used_paths = add_listing(parts, call)
        case _ if not call.requested_path:
            pass  # The effects below need a path, or an answer could not cite the result.
        case Effect.EXECUTES:
            return add_tool_run(parts, call)  # with notes on failures
        case Effect.READS:
            used_paths = add_read(parts, call)
        case Effect.WRITES | Effect.DELETES | Effect.MOVES:
            used_paths = add_change(parts, call)
    return alias_notes(used_paths, parts.known_paths.aliases)


class EvidenceLog:
    """The evidence of one trial. At most `most_text_bytes` of texts are kept; 0 for the default."""

    def __init__(self, tool_schema: ToolSchema, most_text_bytes: int = 0) -> None:
        self.tool_schema = tool_schema
        """The declared operations: what is learnt from a call depends on its declaration."""
        self._parts = EvidenceParts(tool_schema, most_text_bytes)
        self._collected: Evidence | None = None
        """The evidence as the gates see it, which takes long to collect. None if something was
        added since."""
        self.citations = Citations(self.view, self._parts.cited_paths)
        """Checks the citations of scripts. Those that are accepted come to `add_citation`."""

    def view(self) -> Evidence:
        """Return the evidence so far. Later calls do not change it."""
        if self._collected is None:
            self._collected = _collected_evidence(self._parts)
        return self._collected

    def add_call(self, call: CallRecord) -> tuple[str, ...]:
        """Add a call with its outcome, and return notes on it for the model."""
        self._collected = None
        return _add_call(self._parts, call)

    def add_function_result(
        self, function: str, arguments: Mapping[str, Plain], result: Mapping[str, Plain]
    ) -> None:
        """Add the value that a function of the benchmark returned. It may support an answer."""
        self._collected = None
        self._parts.function_results.add(function, arguments, result)

    def add_script(self, code: str, printed: str) -> None:
        """Add a script and its output so far."""
        self._collected = None
        self._parts.scripts.add(code, printed)

    def add_printed(self, text: str) -> None:
        """Add further output of the last script."""
        self._collected = None
        self._parts.scripts.add_printed(text)

    def add_citation(self, citation: Citation) -> None:
        """Add the quotation of a citation that was accepted, if it has one."""
        if citation.quote and citation.spelling:
            path = self.view().find(citation.spelling).path  # without a fragment
            self._parts.add_quotation(path, citation.quote)
            self._collected = None  # after `view`, which has collected the evidence

    def add_given_text(self, text: str) -> None:
        """Learn that scripts were given a text, such as the task. They have not made up its words."""
        self._parts.given_words.add_text(text)

    def listed_path(self, path: str) -> str:
        """Return the path that listings show for a file: `/DOCS/loans.md` -> `/docs/Loans.md`."""
        return self._parts.known_paths.aliases.path_to_cite(canonical(path))

    def is_own(self, path: str) -> bool:
        """Return True if the path may be of a file that the trial wrote: `/A.md` after `/a.md`."""
        return self._parts.known_paths.is_own(canonical(path))
