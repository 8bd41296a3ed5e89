"""What a trial did, in parts: its accesses to files, its changes, its scripts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum, auto
from typing import Literal, TypeAlias

from controlplane.gates.records import parse
from controlplane.gates.text_folding import index_of

# What kind of text a trial saw: whose words it has, and if it is all of a file.
#
# An answer may state what the environment's own texts say, but not what the trial's script wrote:
#
# | call of the script | kind of the text |
# |---|---|
# | `read("/docs/fees.md")` | `WHOLE` |
# | `read("/docs/fees.md", start_line=40)` | `EXCERPT` |
# | `table("/fees.csv", "select count(*) ...")` | `COMPUTED` |
# | `write("/note.md", "fee: 8")` | `OWN` |
# | `read("/note.md", start_line=40)` | `OWN_EXCERPT` |


class TextKind(Enum):
    """The kind of a seen text. Only the first two are the environment's own, and so are proof."""

    WHOLE = auto()
    """A whole file, or all that a tool has returned."""
    EXCERPT = auto()
    """A part of a file, such as a line that a search has found."""
    COMPUTED = auto()
    """Rows that a query of the script has computed, such as a count. It may compute any value."""
    OWN = auto()
    """A text that the script wrote to a file, or may have given to the tool that printed it."""
    OWN_EXCERPT = auto()
    """A part of such a text."""

    @property
    def as_own(self) -> TextKind:
        """The kind of the same text if it turns out to be the script's own."""
        match self:
            case TextKind.WHOLE:
                return TextKind.OWN
            case TextKind.EXCERPT:
                return TextKind.OWN_EXCERPT
            case _:
                return self


# A text that a trial saw at a path, and how far it can support an answer.
#
# The text of the file `/docs/fees.md` proves the fee that it states. A text that the trial's own
# script has written proves nothing:
#
#     read("/docs/fees.md")          -> SeenText("fee: 7")
#     write("/note.md", "fee: 8")    -> SeenText("fee: 8", TextKind.OWN)


@dataclass(frozen=True, slots=True)
class SeenText:
    """One text that the trial saw at a path."""

    text: str
    kind: TextKind = field(default=TextKind.WHOLE, hash=False)  # Its hash is slow.
    """Whether it is all of a file or result, and whether the script wrote it."""
    unproven_words: str = ""
    """Words of the script that the text may only echo, one in each line. It does not prove them.

    After `search("lent")`, this is `lent`: the result may be `no hit for lent`.
    """
    is_cut: bool = False
    """True if the end of a long text was not kept. A missing word may then be in that end."""
    lines: tuple[int, ...] = field(default=(1,), compare=False)
    """The line numbers that the lines of the text have in the file.

    Only the first ones are listed. Each further line has the next number.

    - `(1,)`: a whole file, with the lines 1, 2, 3 and so on
    - `(40,)`: a part from line 40 on
    - `(1, 7, 9)`: the heading of a table, and the rows in lines 7, 9, 10 and so on
    - `()`: unknown, as for the result of a query
    """

    @property
    def is_proof(self) -> bool:
        """True if the text is the environment's own. Only such a text proves a value."""
        return self.kind is TextKind.WHOLE or self.kind is TextKind.EXCERPT

    @property
    def shows_whole_file(self) -> bool:
        """True if no part of the file is missing, whoever wrote it."""
        return self.kind in (TextKind.WHOLE, TextKind.OWN) and not self.is_cut

    def holds(self, token: str) -> bool:
        """Return True if the text has a word, number or id, in any form: `fa-19` in `FA 19`.

        A word that the script passed to the call does not count, because the text may only
        echo it. After `search("report")`, `report` does not count, but `reports` does.
        """
        if not index_of(self.text).holds(token):
            return False
        if not self.unproven_words:
            return True
        is_word_of_script = index_of(self.unproven_words).echoes(token)
        return not is_word_of_script


# What the calls of a trial did at a path, and the texts that they saw there.
#
# A text of the environment, such as the content of a file, proves a value of the answer. A
# text that the trial's own script wrote into the file does not (`SeenText.is_proof`).

Action: TypeAlias = Literal["read", "write", "delete", "execute"]


@dataclass(frozen=True, slots=True)
class Access:
    """What the trial's calls did at one path, and the texts that they saw there.

    After `read("/docs/fees.md")`, this path has the action `read` and the text of the file. An
    answer may cite it, and state the values of the text.
    """

    path: str
    actions: frozenset[Action]
    """All that calls did at the path: read, write, delete or execute it."""
    seen: tuple[SeenText, ...] = ()
    """The different texts seen here, in the order in which each was first seen."""

    @property
    def is_read_or_executed(self) -> bool:
        """True if a call read or executed the file. Writing or deleting it is not enough."""
        return "read" in self.actions or "execute" in self.actions

    @property
    def proofs(self) -> tuple[SeenText, ...]:
        """The texts that prove a value: those of the environment, without words of the script."""
        return tuple(seen for seen in self.seen if seen.is_proof)

    @property
    def given_texts(self) -> tuple[SeenText, ...]:
        """The texts that the environment gave: the proofs, and the output of tools.

        A tool that was called with words of the script may have printed them, so its output is
        no proof. If the script also wrote at this path, it is left out: it cannot be told from
        a text that the script wrote.
        """
        if "write" in self.actions:
            return self.proofs
        return self.seen

    @property
    def had_text_before_writing(self) -> bool:
        """True if the file had a text before the script wrote one: the first seen is proof."""
        return bool(self.seen) and self.seen[0].is_proof

    def holds(self, token: str) -> bool:
        """Return True if a word, number or id occurs in one of `given_texts`.

        That is enough for the reason of a citation, but not for a value of the answer.
        """
        return any(seen.holds(token) for seen in self.given_texts)

    def proves(self, token: str) -> bool:
        """Return True if a word, number or id occurs in one of `proofs`: an answer may state it."""
        return any(seen.is_proof and seen.holds(token) for seen in self.seen)


# The changes that a trial made to the world, and which of them it undid later.
#
#     write /new.md, delete /new.md              undoes both: the file is gone again
#     read /a.md, write /a.md, write it again    undoes both if the last text is the first one
#
# An answer need not report changes that were undone.

ChangingAction: TypeAlias = Literal["write", "delete", "execute"]


@dataclass(frozen=True, slots=True)
class Change:
    """One change to the world that the trace shows."""

    path: str
    """The changed file `/a.md`, the tool that ran `/bin/restart`, or the operation `mail.send`."""
    action: ChangingAction
    result_path: str = ""
    """The path at which the result of an operation can be cited, such as `/calls/send/2c1f`."""
    is_optional: bool = False
    """True if it is unknown whether a tool changed anything. `changes` may then leave it out."""


def _is_undone(actions: Sequence[ChangingAction], access: Access) -> bool:
    """Return True if all changes of a file together have left it as it was before the first one.

    `actions` are the changes in order, and `access` has the texts that the trial saw there.
    """
    if actions[-1] == "delete":
        # There is no file, so there must have been none: the trial wrote it first, and saw no older
        # text.
        return actions[0] == "write" and not access.had_text_before_writing
    # The trial read the whole file, and in the end wrote the same content again.
    if not access.had_text_before_writing or not access.seen[0].shows_whole_file:
        return False
    for seen in reversed(access.seen):
        is_of_script = not seen.is_proof
        if is_of_script and seen.shows_whole_file:
            return _have_same_content(access.seen[0].text, seen.text, access.path)
    return False


def _have_same_content(first: str, second: str, path: str) -> bool:
    """Return True if two texts of the file at `path` are equal, except for blanks at their ends.

    Two records, such as JSON files, are equal if they have the same values in any layout.
    """
    first = first.strip()
    second = second.strip()
    if first == second:
        return True
    values = parse(first, path)
    is_record = values != ()
    return is_record and values == parse(second, path)


def undone_changes(
    changes: Sequence[Change], accesses: Mapping[str, Access]
) -> frozenset[Change]:
    """Return the changes that are undone in the end: a write of a new file, and its deletion.

    `accesses` has what the trial saw at each path. What a tool or an operation did
    (`execute`) is never undone, because nothing shows how to undo it.
    """
    actions_by_path: dict[str, list[ChangingAction]] = {}
    for change in changes:
        actions_by_path.setdefault(change.path, []).append(change.action)

    undone: set[Change] = set()
    for change in changes:
        access = accesses.get(change.path)
        if access is None or change.action == "execute":
            continue
        if _is_undone(actions_by_path[change.path], access):
            undone.add(change)
    return frozenset(undone)


# The scripts of a trial, and what functions of the benchmark returned to them.


@dataclass(frozen=True, slots=True)
class FunctionResultValue:
    """A value that a function of the benchmark returned in this trial."""

    function: str
    value: str
    """The value as JSON text, cut if it is long."""
    arguments: str = "{}"
    """The function's arguments as JSON text; `{}` if they are long."""


@dataclass(frozen=True, slots=True)
class ScriptRun:
    """A script that ran in this trial."""

    code: str
    printed: str = ""
    stored: Mapping[str, object] = field(default_factory=dict)
    """The scratchpad after the script ended; empty if it is unknown."""
