"""The answer to a question as text for the terminal, and as the object that `--json` prints."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Final

import click
import re2

from controlplane.facts.answer_facts import (
    FALLBACK,
    NOT_SAID,
    REFUSED,
    AskedAnswer,
    Passage,
    shown_path,
)
from controlplane.facts.trial_facts import held_calls_texts, trial_facts
from controlplane.gate_texts import names_of_gates_and_rules
from controlplane.gates.support.marks import (
    Mark,
    TextFormat,
    footnoted,
    support_text,
)
from controlplane.quantity_texts import clock_text, count_text
from controlplane.terminal_text import changed_text, one_line, sanitize

# Takes the indents from lines of an answer that look like citations.
#
# Below an answer, this program prints the citations that it has checked, each indented. A model may write
# lines of the same form into its answer, as if they were checked.

_BLANKS: Final = (
    r"[ \t\v\f"
    r"\x{85}\x{a0}\x{1680}\x{2000}-\x{200a}\x{202f}\x{205f}\x{3000}"  # Unicode's spaces
    r"]+"
)
_BEGINNING_OF_CITATION: Final = (
    r"\[\d+\]"  # [1]: a footnote
    r"|>"  # > a quotation
    r"|\S*/\S"  # docs/a: a path
    r"|\S+:\S*\d"  # a.md:7: a place in a file
)
_INDENTED_CITATION: Final = re2.compile(rf"(?m)^{_BLANKS}({_BEGINNING_OF_CITATION})")


def without_citation_indents(answer: str) -> str:
    """Return an answer in which lines that look like citations are not indented.

    `"  docs/a.md:7"` -> `"docs/a.md:7"`; a line such as `"  - loans"` keeps its indent.
    """
    text: str = _INDENTED_CITATION.sub(r"\1", answer)
    return text


_HEADS: Final = {
    NOT_SAID: "The sources do not say.",
    REFUSED: "Refused.",
    FALLBACK: "No answer was accepted.",
}
"""The first line of an answer, by its status. A found answer (`answered`) has none."""
_SHOWN_SEARCHES: Final = 20
_SHOWN_DOUBTS: Final = 10
_SHOWN_SEARCH_CHARS: Final = 80


def answer_text(answer: AskedAnswer) -> str:
    """Return the answer as text: the message, remarks on it, and its cost."""
    blocks = []

    # 1. The answer.
    if answer.status in _HEADS:
        head = _HEADS[answer.status]
        if answer.reason:
            head += f" ({one_line(answer.reason)})"
        blocks.append(head)
    blocks += _message_blocks(answer)
    if answer.draft:
        title = (
            "Unverified draft, which no check has seen and which was submitted nowhere:"
        )
        blocks.append(f"{title}\n{sanitize(answer.draft)}")
    for held in held_calls_texts(answer.summary):
        blocks.append(f"(Not done: {held})")
    if answer.overridden:
        rules = ", ".join(one_line(rule) for rule in answer.overridden)
        blocks.append(
            f"(Check this answer: the model kept it although it was questioned by {rules}.)"
        )

    # 2. What it relies on.
    if answer.citations:
        blocks.append("\n".join(_passage_text(passage) for passage in answer.citations))
    if answer.is_without_passages:
        blocks.append("(No passage that was read supports this answer.)")
    for cited, newest in answer.newer.items():
        text = f"There is a newer version of {one_line(cited)}: {one_line(newest)}"
        blocks.append(f"({text})")
    for doubt in answer.table_doubts[:_SHOWN_DOUBTS]:
        blocks.append(f"(In doubt: {one_line(doubt)})")

    # 3. What scripts changed, and what they searched in vain.
    blocks += _change_lines(answer)
    if answer.status == NOT_SAID:
        blocks += _search_blocks(answer)

    blocks.append(_cost_text(answer))
    return "\n\n".join(blocks)


def _change_lines(answer: AskedAnswer) -> list[str]:
    """Return lines on what scripts changed: `proposed: /notes.md, /old.md`.

    Changes by tools of MCP servers have already been made. Changes of files are only
    proposed: no file is written until the user consents.
    """
    made = [change for change in answer.changed if change.path not in answer.changes]
    proposed = [change for change in answer.changed if change.path in answer.changes]
    lines = [changed_text(made)] if made or not proposed else []
    return [*lines, changed_text(proposed, "proposed")] if proposed else lines


def _message_blocks(answer: AskedAnswer) -> list[str]:
    """Return the submitted message with a mark after each value, and the footnotes."""
    message = answer.summary.answer
    if not message:
        return []
    if answer.reason and answer.reason in message:
        return []  # A fallback may only repeat the reason, which the first line already gives.
    if message.strip() == _HEADS.get(answer.status):
        return []  # The first line already says it.

    def path_text(path: str) -> str:
        return shown_path(path, answer.root)

    text_format = TextFormat(escape=sanitize, dim=_dimmed, stress=_red)
    marked, footnotes = footnoted(message, answer.marks, path_text, text_format)
    marked = without_citation_indents(marked)
    if answer.status == FALLBACK:
        title = "The last draft, which the checks did not accept"
        if answer.summary.failed:
            title += f": {names_of_gates_and_rules(answer.summary.failed)}"
        marked = f"{title}:\n{marked}"
    return [marked, footnotes] if footnotes else [marked]


def _dimmed(text: str) -> str:
    """Return a text in a weaker colour, for a supported value's footnote."""
    return click.style(text, dim=True)


def _red(text: str) -> str:
    """Return a text in red, for a value that nothing supports."""
    return click.style(text, fg="red", bold=True)


def _passage_text(passage: Passage) -> str:
    """Return a passage as `docs/a.md:7`, with its lines below it.

    A citation without lines says so, and gives the model's reason as such.
    """
    head = f"  {one_line(passage.path)}"
    if passage.line:
        head += f":{passage.line}"
    lines = [head]
    for line in passage.text.split("\n"):
        if line.strip():
            lines.append(f"    > {sanitize(line).strip()}")
    if len(lines) == 1 and passage.reason:
        lines.append(f"    (no passage; the model says: {one_line(passage.reason)})")
    return "\n".join(lines)


def _search_blocks(answer: AskedAnswer) -> list[str]:
    """Return what scripts searched for, and the files that they did not look at: one block each.

    `searched for: notice period, termination`
    """
    blocks = []
    if answer.searched:
        searches = [
            one_line(words)[:_SHOWN_SEARCH_CHARS]
            for words in answer.searched[:_SHOWN_SEARCHES]
        ]
        blocks.append(f"searched for: {', '.join(searches)}")
    if answer.not_seen:
        blocks.append(f"not looked at: {one_line(answer.not_seen)}")
    return blocks


def _cost_text(answer: AskedAnswer) -> str:
    """Return the cost of the answer: `(3 steps, 12,400 tokens, $0.02, 0:41)`."""
    summary = answer.summary
    figures = [count_text(summary.step, "step")]
    figures += trial_facts(summary).spent_texts
    figures.append(clock_text(summary.elapsed_ms / 1000))
    return f"({', '.join(figures)})"


# The same content as JSON, with full paths.


def answer_object(
    answer: AskedAnswer, journal: Path, notices: Sequence[str]
) -> dict[str, object]:
    """Return the answer as the object that `--json` prints; docs/reference.md describes its fields.

    `notices` are those of the run, for the user.
    """
    summary = answer.summary
    citations = [
        {
            "path": passage.path,
            "line": passage.line or None,  # null if it cites a whole file
            "quote": passage.text,
            "reason": passage.reason,
        }
        for passage in answer.citations
    ]
    return {
        "question": summary.instruction,
        "status": answer.status,
        "answer": summary.answer,
        "unverified_draft": answer.draft,
        "outcome": summary.outcome,
        "overridden": answer.overridden,
        "reason": answer.reason,
        "citations": citations,
        "searched": answer.searched,
        "not_looked_at": answer.not_seen,
        "unread": answer.unread,
        "document_notes": answer.document_notes,
        "table_doubts": answer.table_doubts,
        "newer_versions": answer.newer,
        "files_read": [shown_path(path, answer.root) for path in answer.read],
        "changes": answer.changes,
        "changed": [change.path for change in answer.changed],
        "claims": [_claim_object(mark, answer.root) for mark in answer.marks],
        "notices": list(notices),
        "steps": summary.step,
        "tokens": summary.spent.tokens,
        "cost_usd": summary.spent.cost_usd,
        "elapsed_ms": summary.elapsed_ms,
        "journal": str(journal),
    }


def _claim_object(mark: Mark, root: Path) -> dict[str, object]:
    """Return a value of the answer: where it is, by the offsets of its characters, and its support."""

    def path_text(path: str) -> str:
        return shown_path(path, root)

    claim: dict[str, object] = {
        "start": mark.value.start,
        "end": mark.value.end,
        "kind": mark.value.kind,
        "text": mark.value.text,
        "support": mark.support,
        "source": None,
        "line": None,
        "under": mark.name,  # the name under which a found value stands
        "note": mark.note,
    }
    if mark.support == "unverified":
        claim["support"] = "missing"  # the word by which scripts know it
        claim["note"] = support_text(mark, path_text)
    elif mark.place is not None:
        claim["source"] = path_text(mark.place.path)
        claim["line"] = mark.place.line or None
    return claim
