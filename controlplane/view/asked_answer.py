"""The answer to a question, from the journal of `ask`: its citations with line numbers, and the changes to files."""

from __future__ import annotations

import difflib
import json
import os
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from hashlib import sha256
from pathlib import Path
from posixpath import commonprefix
from typing import Final

import click
import re2

from controlplane.agent.events import Citation
from controlplane.agent.evidence import EvidenceLog
from controlplane.agent.reply import PROSE, without_thoughts
from controlplane.gates.evidence import Change
from controlplane.gates.marks import Mark, Marker, Source, footnoted, marker_of
from controlplane.journal.journal_reader import Journal, TrialRecord
from controlplane.journal.run_events import tool_schema_from_text
from controlplane.journal.run_summary import TrialSummary
from controlplane.sandbox.interface import ToolSchema, bounds
from controlplane.terminal_text import (
    HIDDEN,
    changed_text,
    clock_text,
    count_text,
    one_line,
    sanitize,
    spent_texts,
)
from controlplane.text_files import FileChange, decode_text

NOT_SAID: Final = "not_in_sources"
REFUSED: Final = "refused"
FALLBACK: Final = "no_accepted_answer"
_STATUS: Final = {
    "OUTCOME_OK": "answered",
    "OUTCOME_NONE_UNSUPPORTED": NOT_SAID,
    "OUTCOME_NONE_CLARIFICATION": NOT_SAID,
    "OUTCOME_DENIED_SECURITY": REFUSED,
}
_HEADS: Final = {
    NOT_SAID: "The sources do not say.",
    REFUSED: "Refused.",
    FALLBACK: "No answer was accepted.",
}
LOOKED_FOR: Final = {"search": "pattern", "passages": "words", "find": "name"}
"""Operations that search, and the argument with their words."""
CALLS: Final = "/mcp/"
"""The prefix of citations of results of servers' tools."""


@dataclass(frozen=True, slots=True)
class AskedAnswer:
    """The answer to one question, whose words and costs are in `summary`."""

    summary: TrialSummary
    root: Path
    status: str
    """`answered`, `not_in_sources`, `refused` or `no_accepted_answer`."""
    citations: tuple[Citation, ...]
    """The passages that support the answer, by paths as the user would write them."""
    searched: tuple[str, ...]
    changes: dict[str, str | None]
    """Files that scripts wrote (path to text) and deleted (path to None)."""
    read: dict[str, str]
    """The hash of each file that scripts read, by path; of a changed file, as it was before."""
    marks: tuple[Mark, ...]
    """The values of the answer, with what supports each."""
    changed: tuple[Change, ...]
    """Everything that was changed and still holds: files, and by tools of servers."""
    now: str
    servers: tuple[str, ...]
    """The MCP servers that scripts called."""
    not_seen: str = ""
    """The files that were left out or not searched, with the reasons."""
    newer: tuple[tuple[str, str], ...] = ()
    """Cited files of which there is a newer version, and the newest one."""
    draft: str = ""
    """The prose with which the model ended twice in a row instead of a script: unverified, and submitted nowhere."""

    @property
    def exit_code(self) -> int:
        """0 for an accepted answer, else 1."""
        return int(self.status == FALLBACK)

    @property
    def cited(self) -> frozenset[str]:
        """The cited paths, as the trial names them."""
        return frozenset(ref.partition("#")[0] for ref in self.summary.refs)

    @property
    def reason(self) -> str:
        """Why no answer was accepted."""
        return self.summary.reason if self.exit_code else ""

    @property
    def overridden(self) -> list[str]:
        """The rules over whose objections the answer was sent."""
        return [] if self.exit_code else list(self.summary.overridden)


def asked_answer(journal: Journal, root: Path) -> AskedAnswer:
    """Return the answer of a journal's only trial about the files below `root`."""
    trial = next(iter(journal.trials.values()))
    record, summary = trial.record, trial.summary
    calls = list(record.all_calls)
    marker = marker_of_trial(record, summary)
    hashes: dict[str, str] = {}
    changes: dict[str, str | None] = {}
    for call in calls:
        result = call.result or {}
        path = str(result.get("path") or call.arguments.get("path"))
        if call.operation == "read" and "sha256" in result and path not in changes:
            hashes[path] = str(result["sha256"])
        if call.result is not None and call.operation in ("write", "delete"):
            changes[path] = str(call.arguments["content"]) if call.operation == "write" else None
    status = _STATUS.get(summary.outcome, FALLBACK) if summary.state == "answered" else FALLBACK
    about = next((call.result for call in calls if call.operation == "sources" and call.result), {})
    versions, left_out = (
        held if isinstance(held, list) else [] for held in map(about.get, ("versions", "left_out"))
    )
    families = [[*map(str, family)] for family in versions if isinstance(family, list)]
    cited = {ref.partition("#")[0] for ref in summary.refs}
    newer = [
        (old, family[0])
        for family in families
        for old in family[1:]
        if old in cited and family[0] not in cited
    ]
    last = record.steps[-1] if record.steps and status == FALLBACK else None
    searches = [
        call
        for call in calls
        if call.operation in LOOKED_FOR and call.result and call.shown_chars is None
    ]
    return AskedAnswer(
        summary,
        root,
        status,
        citations=tuple(_citations(summary, record, marker.sources, root)),
        searched=tuple(
            dict.fromkeys(str(call.arguments[LOOKED_FOR[call.operation]]) for call in searches)
        ),
        changes=changes,
        read=hashes,
        marks=marker.marks(summary.answer) if summary.outcome == "OUTCOME_OK" else (),
        changed=present_changes(record),
        now=(record.started.now or "") if record.started else "",
        servers=tuple(
            sorted({call.operation.partition(".")[0] for call in calls if "." in call.operation})
        ),
        not_seen=str(left_out[0]) if left_out else "",
        newer=tuple((shown_path(old, root), shown_path(new, root)) for old, new in newer),
        draft=without_thoughts(last.reply).strip() if last and last.fault in PROSE else "",
    )


def marker_of_trial(record: TrialRecord, summary: TrialSummary) -> Marker:
    """Return what marks the values of an answer by what the calls and scripts of its trial showed."""
    calls = (call for call in record.all_calls if call.operation == "earlier")
    given = [json.dumps(call.result, ensure_ascii=False) for call in calls]
    given.append((record.started and record.started.now) or "")
    cited = {ref.partition("#")[0] for ref in summary.refs}
    steps = [
        (step.code, f"{step.output}\n{json.dumps(step.scratchpad, ensure_ascii=False)}")
        for step in record.steps
    ]
    return marker_of(_log_of(record).view(), summary.instruction, cited, given, steps)


def _log_of(record: TrialRecord) -> EvidenceLog:
    """Return the evidence of a trial, by its recorded calls."""
    log = EvidenceLog(
        tool_schema_from_text(record.started.tool_schema) if record.started else ToolSchema(()),
        bounds.MOST_READ_BYTES,
    )
    log.taint.know(record.started.instruction if record.started else "")
    for call in record.all_calls:
        if call.result is not None:
            log.record(
                call.operation, call.arguments, call.result, None, shown_chars=call.shown_chars
            )
    for one in _given_citations(record):
        if one.quote and one.spelling:
            log.add_quotation(one.spelling, one.quote)
    return log


def _given_citations(record: TrialRecord) -> list[Citation]:
    return [one for step in record.steps for one in step.citations] + list(
        record.open_step.citations
    )


def shown_path(path: str, root: Path) -> str:
    """Return a path of the trial as the user would write it from the working directory."""
    place = Path(f"{root}{path}")
    if path[:1] != "/" or (path.startswith(CALLS) and not place.exists()):
        return path
    here = Path.cwd()
    return os.path.relpath(place, here) if place.is_relative_to(here) else str(place)


def present_changes(record: TrialRecord) -> tuple[Change, ...]:
    """Return the changes of a trial that still hold at its end, by its recorded calls."""
    return _log_of(record).view().present_changes


def _citations(
    summary: TrialSummary, record: TrialRecord, sources: Sequence[Source], root: Path
) -> Iterator[Citation]:
    given = _given_citations(record)
    for ref in summary.refs[:200]:
        of_ref = [one for one in given if one.spelling == ref]
        quoted = {one.quote: one for one in of_ref if one.quote}
        for one in quoted.values() or of_ref[-1:] or [Citation(path=ref, reason="")]:
            has_lines = bool(one.quote) and not ref.startswith(CALLS)
            found = (
                (source, source.line_of(one.quote))
                for source in sources
                if has_lines and source.path == ref
            )
            lines = (source.place(line, "").line for source, line in found if line is not None)
            line = (one.line or next(lines, 0)) if has_lines else 0
            yield Citation(
                path=shown_path(ref, root), line=line, quote=one.quote, reason=one.reason
            )


def answer_object(answer: AskedAnswer, journal: Path, notices: Sequence[str]) -> dict[str, object]:
    """Return the answer as `--json` prints it."""
    summary = answer.summary
    return {
        "question": summary.instruction,
        "status": answer.status,
        "answer": summary.answer,
        "unverified_draft": answer.draft,
        "outcome": summary.outcome,
        "overridden": answer.overridden,
        "reason": answer.reason,
        "citations": [
            {"path": one.path, "line": one.line or None, "quote": one.quote, "reason": one.reason}
            for one in answer.citations
        ],
        "searched": answer.searched,
        "not_looked_at": answer.not_seen,
        "newer_versions": dict(answer.newer),
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
    """Return a marked value as a span of the answer: start, end, kind, text, support, source, line and note."""
    value, place = mark.value, mark.place
    return {
        **{name: getattr(value, name) for name in ("start", "end", "kind", "text")},
        "support": "missing"
        if mark.support == "unverified"
        else mark.support,  # the word that scripts know
        "source": shown_path(place.path, root) if place else None,
        "line": (place.line or None) if place else None,
        "note": place.note if place else "",
    }


def answer_text(answer: AskedAnswer) -> str:
    """Return the answer as text for people: the message, its citations, and its cost."""
    blocks, summary = [], answer.summary
    if answer.status in _HEADS:
        blocks.append(
            _HEADS[answer.status] + (f" ({one_line(answer.reason)})" if answer.reason else "")
        )
    if summary.answer and not (
        answer.reason and answer.reason in summary.answer
    ):  # A fallback may only give the reason.
        shown = partial(shown_path, root=answer.root)
        quiet, loud = partial(click.style, dim=True), partial(click.style, fg="red", bold=True)
        marked, notes = footnoted(
            summary.answer, answer.marks, shown, text=sanitize, quiet=quiet, loud=loud
        )
        marked = OWN_FOOT.sub(r"\1", marked)
        draft = "The last draft, which the checks did not accept:\n" * (answer.status == FALLBACK)
        blocks += [draft + marked, *filter(None, [notes])]
    if answer.draft:
        blocks.append(
            f"Unverified draft, which no check has seen and which was submitted nowhere:\n{sanitize(answer.draft)}"
        )
    if answer.overridden:
        rules = ", ".join(map(one_line, answer.overridden))
        blocks.append(
            f"(Check this answer: the model kept it although it was questioned by {rules}.)"
        )
    if answer.citations:
        blocks.append("\n".join(_citation_text(one) for one in answer.citations))
    blocks += [
        f"(There is a newer version of {one_line(old)}: {one_line(new)})"
        for old, new in answer.newer
    ]
    blocks.append(changed_text(answer.changed))
    if answer.status == NOT_SAID and answer.searched:
        blocks.append(
            "searched for: " + ", ".join(one_line(one)[:80] for one in answer.searched[:20])
        )
    if answer.status == NOT_SAID and answer.not_seen:
        blocks.append(f"not looked at: {one_line(answer.not_seen)}")
    spent = [count_text(summary.step, "step"), *spent_texts(summary.spent)]
    blocks.append(f"({', '.join(spent)}, {clock_text(summary.elapsed_ms / 1000)})")
    return "\n\n".join(blocks)


_BLANKS: Final = r"[ \t\v\f\x{85}\x{a0}\x{1680}\x{2000}-\x{200a}\x{202f}\x{205f}\x{3000}]+"
OWN_FOOT: Final = re2.compile(rf"(?m)^{_BLANKS}(\[\d+\]|>|\S*/\S|\S+:\S*\d)")
"""The indent of lines of an answer that look like citations, which are indented."""


def _citation_text(one: Citation) -> str:
    place = f"  {one_line(one.path)}" + (f":{one.line}" if one.line else "")
    if one.quote:
        return place + "".join(
            f"\n    > {sanitize(line).strip()}" for line in one.quote.split("\n") if line.strip()
        )
    return place + (f"\n    {one_line(one.reason)}" if one.reason else "")


CONTEXT_LINES: Final = 3


def shown_change(path: str, change: FileChange) -> tuple[str, bool]:
    """Return the unified diff of one file with its encoding, line ends and mode; what shows nothing is named in words.

    The second value is False if the change is too large to show, or no text. Raises `ChangeRefused` if the file's
    encoding lacks a character of the new text.
    """
    before, after, form = change.before, change.data, change.form
    name = visible_name(path)
    head = [
        f"--- {name if before is not None else '/dev/null'}",
        f"+++ {name if after is not None else '/dev/null'}",
    ]
    notes = [form.form] if form.form else []
    notes += ["new file"] if before is None else ["deleted"] if after is None else []
    notes += ["empty"] if not (before or after) else []
    notes += (
        [f"its mode {change.mode:04o} becomes {change.mode & 0o777:04o}"]
        if after and change.mode > 0o777
        else []
    )
    if (
        after
        and before
        and (read_as := decode_text(after).encoding)
        not in (form.encoding, "utf-8" * after.isascii())
    ):
        notes += [f"the new version will be read as {read_as}"]
    texts = [form.text if before is not None else "", "" if change.after is None else change.after]
    is_text = all("\0" not in text for text in texts)
    if form.has_crlf:  # The note says so; a mark on every line would hide what changes.
        texts = [text.replace("\r\n", "\n") for text in texts]
    lines = _diff_lines(*map(_lines, texts)) if is_text else None
    is_whole = (
        lines is not None
        and len(lines) <= bounds.SHOWN_DIFF_LINES
        and sum(map(len, lines)) <= 2_000_000
    )
    if not is_whole:
        of_each = [("before", before), ("after", after)]
        sizes = [
            f"{when} {len(data):,} bytes, sha256 {sha256(data).hexdigest()}"
            for when, data in of_each
            if data
        ]
        notes += ["too large to show" if is_text else "not a text", *sizes]
    head += [f"({', '.join(notes)})"] if notes else []
    return "\n".join([*head, *(_rendered(lines) if lines and is_whole else [])]), is_whole


def _lines(text: str) -> list[str]:
    """Return the lines of a text; the last one says if no line end follows it."""
    *lines, last = text.split("\n")
    return [*lines, f"{last}\n\\ No newline at end of file"] if last else lines


def _diff_lines(before: list[str], after: list[str]) -> list[str] | None:
    """Return the lines of a unified diff, in time proportional to both texts; None if they are too many to show."""
    first = len(commonprefix([before, after]))
    last = len(commonprefix([before[first:][::-1], after[first:][::-1]]))
    if (
        max(len(before), len(after)) - first - last <= 500
    ):  # Finding equal lines takes more than linear time.
        above, below = max(first - CONTEXT_LINES, 0), max(last - CONTEXT_LINES, 0)
        old, new = (lines[above : len(lines) - below] for lines in (before, after))
        diff = list(difflib.unified_diff(old, new, lineterm="", n=CONTEXT_LINES))[2:]
        return [
            re2.sub(r"([-+])(\d+)", lambda number: f"{number[1]}{int(number[2]) + above}", line)
            if line.startswith("@@")
            else line
            for line in diff
        ]
    removed, added = before[first : len(before) - last], after[first : len(after) - last]
    if len(removed) + len(added) > bounds.SHOWN_DIFF_LINES:
        return None
    head = f"@@ -{first + 1},{len(removed)} +{first + 1},{len(added)} @@"
    return [head, *(f"-{line}" for line in removed), *(f"+{line}" for line in added)]


def _rendered(lines: Sequence[str]) -> list[str]:
    """Return the lines of a diff as they are shown. Blanks are named if they are all that differs between lines."""
    plain = [visible_name(line, "\t\n").expandtabs(4) for line in lines]
    removed, added = (
        {" ".join(line[1:].split()) for line in plain if line.startswith(sign)} for sign in "-+"
    )
    if not removed & added:
        return plain
    tabbed = (line.replace("\t", "‹TAB›") for line in lines)
    named = (
        f"{bare}{'‹SPACE›' * (len(line) - len(bare))}"
        for line in tabbed
        for bare in (line.rstrip(" "),)
    )
    return [visible_name(line, "\n") for line in named]


def visible_name(text: str, kept: str = "") -> str:
    """Return a text in which what shows nothing, or steers a terminal, is named, but for characters in `kept`."""
    if text.isascii() and text.isprintable():
        return text
    is_hidden = {
        sign: sign == "\ufe0f" or not sign.isprintable() or ord(sign) in HIDDEN for sign in {*text}
    }
    return "".join(_named(sign) if is_hidden[sign] and sign not in kept else sign for sign in text)


def _named(sign: str) -> str:
    return f"‹U+{ord(sign):04X} {unicodedata.name(sign, 'CONTROL')}›" if sign != "\r" else "‹CR›"
