"""What the scripts and calls of a trial have added to its evidence, in parts by subject.

The *evidence* is what a trial has read, changed and executed. The gates, the rules that each
answer must pass, compare it with the answer: an answer may cite `/docs/fees.md` if a call has
read this file, and say that the fee is 7 if the file does.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Final

from controlplane.agent.evidence.paths import (
    AccessedPaths,
    CitedPaths,
    KnownPaths,
    SeenTexts,
    add_own_text,
    looks_like_row,
)
from controlplane.agent.evidence.texts.passed_texts import (
    GivenWords,
    OwnWords,
    ResultWords,
    UnprovenWords,
    words_among,
)
from controlplane.gates.text_folding import fold_text, parts_of
from controlplane.gates.trial import (
    Action,
    Change,
    FunctionResultValue,
    ScriptRun,
    SeenText,
    TextKind,
)
from controlplane.sandbox.interface import (
    Effect,
    ExecutableKind,
    Operation,
    Plain,
    ToolSchema,
    bounds,
)
from controlplane.sandbox.interface.tool_schema import is_change_doubtful

# The texts that a trial's calls have returned, each at the path that an answer cites for it.
#
# An answer may cite `/docs/fees.md` for the fee that this file states. But a script could write
# `fee: 8` to a file, read it back, and cite it. Such a text is no proof:
#
#     read("/note.md"), which the script wrote          no proof
#     read("/docs/fees.md")                             proof
#     exec("/bin/echo", "fee: 9"), prints `fee: 9`      no proof of these words, which it echoes

# Tells which texts a script made up: it wrote them before any call returned them.
#
# If a script writes `fee: 7` to `/note.md`, and a program copies the file to `/docs/note.md`,
# a read of `/docs/note.md` proves nothing. The text is recognised, whichever path it has:
#
#     add_written("fee: 7")
#     "fee: 7" in texts        -> True
#     add_returned("late: 21")            a call has read this in a file
#     add_written("late: 21")             the script copies the file
#     "late: 21" in texts      -> False: the script has not made it up


class _MadeUpTexts:
    """The texts that the scripts of one trial made up, and those that calls returned.

    Texts are recognised by a hash, which takes less memory than the text.
    """

    def __init__(self) -> None:
        self._written: set[int] = set()
        """Hashes of the texts that were written before any call returned them."""
        self._returned: set[int] = set()
        """The hash of each text that a call returned."""

    def add_written(self, text: str) -> None:
        """Add a text that the script wrote.

        If a call returned it before, as for a copied file, the script did not make it up.
        """
        text_hash = _hash_of(text)
        if text.strip() and text_hash not in self._returned:
            self._written.add(text_hash)

    def add_returned(self, text: str) -> None:
        """Add a text that a call returned."""
        self._returned.add(_hash_of(text))

    def __contains__(self, text: str) -> bool:
        """Return True if a script made up the text."""
        return _hash_of(text) in self._written


def _hash_of(text: str) -> int:
    """Return the hash of a text, without the blanks at its ends, to keep less than the text."""
    return hash(text.strip())


# Marks the words in a call's result that may be the script's own, and so prove nothing.
#
# A script could have a tool store the note `fee is 7`, and cite it from the result of a later search.
# So `fee`, `is` and `7` are *own words*: no result had them before the script passed them. A text
# does not support an answer by its `unproven_words`:
#
# | text of a result | its `unproven_words` | its kind |
# |---|---|---|
# | `late: 21 EUR` | none | `WHOLE` |
# | `fee: 7 EUR` | `7`, `fee` | `WHOLE`: it still proves `EUR` |
# | `fee is 7` | `7`, `fee`, `is` | `OWN`, since it has only own words |
# | any text, if there are too many own words to keep | the whole text | `OWN` |


def _mark_own_words(seen: SeenText, own_words: OwnWords) -> SeenText:
    """Return a text with its own words added to `unproven_words`, one in each line."""
    if not own_words.words or not seen.text:
        return seen
    if own_words.is_full:
        # Any word may be an own word, so the text proves nothing.
        return _with_unproven_words(seen, seen.text, seen.kind.as_own)

    folded = fold_text(seen.text)
    found_words = words_among(own_words.words, folded)
    if not found_words:
        return seen
    unproven_words = "\n".join(sorted(found_words))
    has_only_own_words = own_words.words.issuperset(parts_of(folded))
    if has_only_own_words:
        return _with_unproven_words(seen, unproven_words, seen.kind.as_own)
    return _with_unproven_words(seen, unproven_words, seen.kind)


def _with_unproven_words(seen: SeenText, words: str, kind: TextKind) -> SeenText:
    """Return a text of this kind that proves neither these words nor its earlier unproven ones."""
    all_unproven = f"{seen.unproven_words}\n{words}"
    return replace(seen, unproven_words=all_unproven, kind=kind)


# Keeps the values that the functions of the benchmark returned in a trial.
#
# An answer may state a number that no file has, if a function has returned it. So the gates look
# for it here:
#
#     add("total_fee", {"loan": "L-4"}, {"value": 21})
#     values  -> [FunctionResultValue("total_fee", "21", '{"loan": "L-4"}')]

_RESULT_OVERHEAD_CHARS: Final = 100
"""An estimate of the memory that a result takes besides its texts, in characters."""


class _FunctionResults:
    """The values that functions of the benchmark returned, as long as there is room.

    A function may be called any number of times. Later values are left out.
    """

    def __init__(self) -> None:
        self.values: list[FunctionResultValue] = []
        self._room_chars = bounds.MOST_KEPT_CHARS

    def add(
        self, function: str, arguments: Mapping[str, Plain], result: Mapping[str, Plain]
    ) -> None:
        """Add the field `value` of a function's result."""
        if self._room_chars <= 0:
            return
        value = json.dumps(result.get("value"), ensure_ascii=False)
        value = value[: bounds.MOST_COMPARED_CHARS]
        arguments_json = json.dumps(arguments, ensure_ascii=False)
        if len(arguments_json) > bounds.MOST_COMPARED_CHARS:
            arguments_json = "{}"
        self.values.append(FunctionResultValue(function, value, arguments_json))
        self._room_chars -= len(value) + len(arguments_json) + _RESULT_OVERHEAD_CHARS


# Keeps the scripts of a trial with their output.
#
# An answer may state a number that no file has, if a script has computed it. So the gates look
# for it here:
#
#     add("print(3 * 7)", "21")
#     runs  -> [ScriptRun("print(3 * 7)", printed="21")]


class _ScriptRuns:
    """The scripts that ran in a trial. If they take too much memory, the earliest are dropped.

    The last ones matter most: they have computed the answer.
    """

    def __init__(self) -> None:
        self.runs: list[ScriptRun] = []

    def add(self, code: str, printed: str) -> None:
        """Add a script and its output so far.

        `code` is empty for a step without a script: the output then follows the last one.
        """
        if code:
            self.runs.append(ScriptRun(code))
        self.add_printed(printed)

    def add_printed(self, text: str) -> None:
        """Add a text to the output of the last script.

        The initial prompt counts as the output of an empty script that comes first.
        """
        if not self.runs:
            self.runs.append(ScriptRun(""))
        last_run = self.runs[-1]
        self.runs[-1] = replace(last_run, printed=last_run.printed + text)
        self._drop_earliest()

    def _drop_earliest(self) -> None:
        """Drop the earliest scripts until the others fit in the memory for scripts."""
        kept_chars = sum(_size_of(run) for run in self.runs)
        while kept_chars > bounds.MOST_KEPT_CHARS:
            kept_chars -= _size_of(self.runs.pop(0))


def _size_of(run: ScriptRun) -> int:
    """Return how many characters of memory a script takes with its output."""
    return len(run.code) + len(run.printed)


# What the calls of a trial have changed: files, and other things by tools.
#
# The gates compare this with the answer: an answer that says "I have changed nothing" is
# rejected after a write. For some tools it is not known if they change anything. An answer
# may mention these as changes, but need not.
#
#     write("/report.md", ...)   -> Change("/report.md", "write")
#     mail.send(to="Ada")        -> Change("mail.send", "execute", "/calls/send/1")
#     exec("/bin/sync")          -> the unclear tool /bin/sync, if it does not declare what it does


@dataclass(slots=True)
class _TrialChanges:
    """The changes of one trial, in order."""

    made: list[Change] = field(default_factory=list)
    """The changes by calls: files that they wrote or deleted, and actions of tools."""
    unclear_tools: dict[str, None] = field(default_factory=dict)
    """Programs that ran, such as `/bin/sync`, without a declaration that says if they change
    anything. They are keys, in order, so that each is kept once. A trial may run thousands."""
    has_changing_calls: bool = False
    """True once a call was made that may change something.
    From then on, any file may contain text that a script wrote."""

    def add_run(self, path: str, kind: ExecutableKind) -> None:
        """Add a run of a program, such as `/bin/sync`, that does not only read.

        `kind` says if it changes something, or if this is not declared.
        """
        if kind is ExecutableKind.CHANGES:
            self.made.append(Change(path, "execute"))
        else:
            self.unclear_tools[path] = None

    def add_action(self, declared: Operation, result_path: str) -> None:
        """Add a call of a server's tool, such as `mail.send`, as a change.

        Its result can be cited at `result_path`. A tool that only reads, such as `wiki.search`, or
        that asks the user, changes nothing.
        """
        if declared.effect is Effect.RETURNS or declared.is_talk:
            return
        is_optional = is_change_doubtful(declared)  # It does not declare what it does.
        change = Change(declared.name, "execute", result_path, is_optional=is_optional)
        self.made.append(change)

    def at_cited_paths(self, path_to_cite: Callable[[str], str]) -> tuple[Change, ...]:
        """Return the changes, each at the path by which an answer cites the file."""
        changes: list[Change] = []
        for change in self.made:
            changes.append(replace(change, path=path_to_cite(change.path)))
        return tuple(changes)


# The paths and texts that a trial's calls have seen, which is what an answer may cite.
#
# A script could cheat: it writes `fee: 8` to a file, reads it back, and cites it. So a file that the
# trial wrote, deleted or moved is its *own*, and its text is no proof. After these calls, `accessed` has:
#
# | call | is added by | `accessed` |
# |---|---|---|
# | `read("/docs/fees.md")` | `add_file_text` | `/docs/fees.md`: read, with a text that is proof |
# | `write("/note.md", "fee: 8")` | `add_written` | `/note.md`: written |
# | `read("/note.md")` | `add_file_text` | `/note.md`: written, with a text that is no proof |
# | `delete("/old.md")` | `add_deleted` | `/old.md`: deleted |
#
# A script may also write a file of the name `/a.csv#row=7`, which looks like row 7 of `/a.csv`. An answer
# must not name it, so neither the write nor the delete is added.
#
# A script could also make up `fee is 7`, pass it to a tool that stores the note, and cite a later result
# that returns the note. So a word is the script's *own* if the script used it first:
#
#     given_words.add_text("When is the loan L-4 due?")    the task: its words are given
#     own_words.add(["fee is 7"])                          a script stores this: `7` is an own word
#     a later result is "fee is 7"                         `7` stays an own word: it is no proof
#     a result is "21 days", then a script stores "21"     `21` is not an own word: a result had it

_MOST_QUOTATIONS_OF_A_PATH: Final = 100
"""How many different quotations are kept for each path."""


class EvidenceParts:
    """The evidence of one trial, which grows with each script and call. All paths are canonical.

    `EvidenceLog` adds each call to the parts that it concerns: `read("/docs/fees.md")` adds the
    text of the file. It also puts the parts together for the gates.
    """

    def __init__(self, tool_schema: ToolSchema, most_text_bytes: int) -> None:
        """`most_text_bytes` is the most memory for kept texts; 0 stands for the usual amount."""
        self.tool_schema = tool_schema
        """Declares what the results of calls mean."""

        # Paths and texts
        seen_texts = SeenTexts(most_text_bytes)  # Each is kept once.
        self.accessed = AccessedPaths(seen_texts)
        """What calls did at each path, and which texts they saw there."""
        self.known_paths = KnownPaths()
        """Which files exist, which of them are the trial's own, and which paths are aliases."""
        self.cited_paths = CitedPaths(self.accessed, self.known_paths)
        """The path by which a script cites a file: `/docs/Loans.md` for its alias `/Loans.md`."""
        self._made_up_texts = _MadeUpTexts()
        """The texts that scripts wrote first. A program may have copied them to any file."""
        self.quotations: dict[str, list[str]] = {}
        """The quotations in citations that were found in the texts, by the path that they cite. The
        gates read them as reasons."""

        # Words
        result_words = ResultWords(seen_texts.texts)
        self.given_words = GivenWords(tool_schema, result_words)
        """The words of the task, the declarations and the results. A script has not made them up."""
        self.own_words = OwnWords(result_words)
        """The words that only scripts have used. They prove nothing in any text, not even in one that
        the script did not write: a tool may store `fee: 8`, and return it later."""
        self.unproven_words = UnprovenWords(self.given_words)
        """Finds the words of a server's result that the script may have sent."""

        # What else may support an answer
        self.changes = _TrialChanges()
        """The files that calls wrote or deleted, and the tools that may have changed something."""
        self.scripts = _ScriptRuns()
        """The scripts of the trial, with what they printed."""
        self.function_results = _FunctionResults()
        """The values of the benchmark's functions, which may support an answer."""
        self.environment_has_failed = False
        """True once a call has failed because of the environment, such as by a lost connection,
        and not because of what was requested."""

    def may_be_file(self, path: str) -> bool:
        """Return True unless it is known that a path is not a file."""
        return path in self.accessed or self.known_paths.files.may_be_file(path)

    def add_file_text(self, path: str, seen: SeenText) -> None:
        """Add a text that was read in a file. It is no proof if a script wrote text or file."""
        if seen.kind is TextKind.COMPUTED:
            # A query has computed the text, such as a sum. No file has it, and it is no proof.
            self.add_returned_text(path, "read", seen)
            return
        if self.known_paths.is_own(path) or seen.text in self._made_up_texts:
            add_own_text(self.accessed, path, seen.text, seen.kind.as_own)
            return
        # Remember the text as the environment's: if the script copies it to another file, and
        # reads it there, it is not made up.
        self._made_up_texts.add_returned(seen.text)
        self.add_returned_text(path, "read", seen)
        # The path may be a short one: `/fees.md` for `/docs/fees.md`.
        self.known_paths.short_paths.learn_read(path)

    def add_returned_text(self, path: str, action: Action, seen: SeenText) -> None:
        """Add a text that a call returned for a path, with the action of the call.

        It does not prove words that it may only echo: `seen.unproven_words`, which the call has
        passed, and words that only scripts have used in earlier calls.
        """
        marked = _mark_own_words(seen, self.own_words)
        self.accessed.add_action(path, action, marked)

    def add_written(self, path: str, text: str) -> None:
        """Add that the script wrote a text to a file."""
        self._made_up_texts.add_written(text)
        add_own_text(self.accessed, path, text)  # nothing for an invented name
        self.known_paths.learn_written(path)

    def add_deleted(self, path: str) -> None:
        """Add that the script deleted a file. A file that it writes there later is own as well."""
        is_script_written = self.known_paths.is_own(path)
        has_invented_name = is_script_written and looks_like_row(path, self.accessed)
        if not has_invented_name:
            self.accessed.add_action(path, "delete")
        self.known_paths.own.add(path)

    def add_moved(self, path: str, target: str) -> None:
        """Add that the script moved a file or folder. No call has returned the text of the target."""
        self.add_deleted(path)
        add_own_text(self.accessed, target, "")
        self.known_paths.learn_written(target)
        # The files that the trial wrote in a moved folder are own in the new one, too.
        self.known_paths.own.add_moved(path, target)

    def add_quotation(self, path: str, quotation: str) -> None:
        """Add a quotation that the text at a path has."""
        quotations = self.quotations.setdefault(path, [])
        if len(quotations) < _MOST_QUOTATIONS_OF_A_PATH and quotation not in quotations:
            quotations.append(quotation)
