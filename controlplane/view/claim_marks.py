"""The claims of an answer, traced to the calls of its trial, and how people and programs are shown them.

Supported claims get a quiet footnote (`path:line`, which terminals follow); claims that stand nowhere in what was read
stand out.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import Final, TypeAlias

import click

from agent.events import CallRecord
from agent.evidence import EvidenceLog, forms_of
from controlplane.view.display_text import sanitize
from gates.claims import Known, Place, Source, Styles, TracedClaim, footnoted
from gates.evidence import seen_text
from gates.value_rules import without_echo
from sandbox.interface import Effect, Surface

_CHANGES: Final = ("write", "delete", "answer", "tree", "find", "list", "earlier")
"""Calls that show nothing that an answer may rest on."""


def sources_in(calls: Iterable[CallRecord], surface: Surface, question: str = "") -> list[Source]:
    """Return the texts that calls showed, each once, with the lines on which they begin, without what scripts wrote.

    Of what a server's tool returned, only what is evidence counts.
    """
    log = EvidenceLog(surface)
    log.know(question)
    found: dict[tuple[str, int, str], Source] = {}
    written: set[str] = set()
    for call in calls:
        path = str((call.result or {}).get("path") or (call.result or {}).get("call_path") or call.operation)
        if call.operation == "write":
            written.add(path)
        declared = surface.operation(call.operation)
        texts: Iterable[tuple[str, int, str]] = ()
        if call.result and declared is not None and declared.effect in (Effect.RETURNS, Effect.ACTS):
            log.record(call.operation, call.arguments, call.result, None, shown_chars=call.shown_chars)
            touch = log.view().find(path).touch
            texts = [(path, 0, without_echo(seen)) for seen in touch.seen if seen.is_proof] if touch else ()
        elif call.result and call.operation not in _CHANGES:
            texts = _texts_of(call, path)
        for place, line, text in texts:
            if place not in written and text.strip():
                found.setdefault((place, line, text), Source(place, text, line))
    return [*found.values()]


def _texts_of(call: CallRecord, path: str) -> Iterator[tuple[str, int, str]]:
    """Yield each text that a call showed, with its path and first line (0 if unknown)."""
    result = call.result or {}
    matches = result.get("matches")
    if isinstance(matches, list):
        for match in matches if call.shown_chars != 0 else ():
            if isinstance(match, dict) and isinstance(line := match.get("line"), int):
                yield str(match.get("path")), line, str(match.get("text", ""))
    elif call.operation == "table":
        asked = "\n".join(str(call.arguments.get(name, "")) for name in ("sql", "columns"))
        asked = "\n".join(forms_of(asked))
        _, *rows = without_echo(seen_text(str(result.get("content")), echoed=asked)).split("\n")
        lines = result.get("lines")
        known = [int(line) for line in lines if isinstance(line, int)] if isinstance(lines, list) else []
        yield from ((path, known[at] if at < len(known) else 0, row) for at, row in enumerate(rows))
    elif isinstance(content := result.get("content"), str):
        start = call.arguments.get("start_line")
        yield path, max(start if isinstance(start, int) else 1, 1), content[: call.shown_chars]
    else:
        shown = (
            value for name, value in result.items() if isinstance(value, str) and name not in ("path", "call_path")
        )
        yield path, 0, "\n".join(shown)


Step: TypeAlias = tuple[str, str, Sequence[CallRecord]]
"""Code, output and calls of a step; turn one comes first, without code."""


def trace_answer(
    answer: str,
    question: str,
    steps: Sequence[Step],
    *,
    now: str,
    cited: Iterable[str],
    surface: Surface,
) -> tuple[TracedClaim, ...]:
    """Return the claims of an answer, traced to what calls showed.

    A number that scripts printed or put into the answer is computed unless their code holds it.
    """
    calls = [call for _, _, made in steps for call in made]
    code = "\n".join(code for code, _, _ in steps)
    printed = "\n".join((*(output for _, output, _ in steps), answer if code else ""))
    sources = sources_in(calls, surface, question)
    inputs = tuple(Place(path) for path in dict.fromkeys(source.path for source in sources))
    written = [str(call.arguments.get("content", "")) for call in calls if call.operation == "write" and call.result]
    paths = [str(match.get("path")) for call in calls for match in _listed(call)]
    known = Known(
        sources,
        question,
        (*written, "\n".join((*paths, *(source.path for source in sources)))),
        [(without_echo(seen_text(printed, echoed=code)), inputs)],
        frozenset(path.partition("#")[0] for path in cited),
        now[:10],
    )
    return known.trace(answer)


def _listed(call: CallRecord) -> Iterator[Mapping[str, object]]:
    for value in (call.result or {}).values():
        yield from (one for one in value if isinstance(one, dict)) if isinstance(value, list) else ()


def claim_objects(claims: Sequence[TracedClaim], shown: Callable[[str], str]) -> list[dict[str, object]]:
    """Return claims as spans of the answer: start, end, kind, text, support, source and line, or the inputs."""
    return [
        {
            **{name: getattr(claim, name) for name in ("start", "end", "kind", "text", "support")},
            "source": shown(claim.place.path) if claim.place else None,
            "line": (claim.place.line or None) if claim.place else None,
            "inputs": [
                {"source": shown(place.path), "line": place.line or None, "text": place.text} for place in claim.inputs
            ],
        }
        for claim in claims
    ]


def marked_answer(answer: str, claims: Sequence[TracedClaim], shown: Callable[[str], str]) -> tuple[str, str]:
    """Return an answer with its claims marked, and the footnotes: dim, and red if nothing supports a claim."""
    styles = Styles(sanitize, partial(click.style, dim=True), partial(click.style, fg="red", bold=True))
    return footnoted(answer, claims, shown, styles)
