"""`controlplane export`: writes journals as tables of trials, and as OpenTelemetry spans.

A CSV table holds only data: no spreadsheet takes a cell for a formula. Spans are OTLP's JSON lines, as the collector's
file receiver reads them; their names and attributes follow OpenTelemetry's semantic conventions for generative AI:
`invoke_agent` for a trial, `chat` for a request to the model, `execute_tool` for a call of the environment.
"""

from __future__ import annotations

import csv
import hashlib
import io
import json
import os
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Final, TypeAlias
from urllib.parse import urlsplit

import click

from agent.events import CallDone, CallSent, ModelAsked, ModelReplied
from controlplane.commands.options import AS_JSON, RUNS_DIR, find_journal
from controlplane.comparison.run_comparison import ComparedTrial, numbered
from controlplane.errors import UsageError
from controlplane.journal.journal_content import Journal, RecordedTrial, open_journal
from controlplane.journal.journal_file import open_regular
from controlplane.journal.run_events import Scored, TrialEnded, TrialStarted
from controlplane.view.display_text import count_text

KINDS: Final = {"trials.csv": "trial", "otel.jsonl": "span"}
"""The content of a file, by the end of its name."""


@click.command("export")
@click.argument("runs", nargs=-1, required=True, metavar="RUN...")
@click.option("--to", "target", required=True, metavar="FILE", help=f"A file whose name ends with {', '.join(KINDS)}.")
@RUNS_DIR
@AS_JSON
def export_command(runs: tuple[str, ...], target: str, runs_dir: str | None, as_json: bool) -> None:
    """Write the trials or OpenTelemetry spans of each RUN to one file.

    docs/commands.md describes the columns. In a CSV file, an apostrophe precedes texts that a spreadsheet would take
    for formulas.
    """
    kind = next((ending for ending in KINDS if Path(target).name.endswith(ending)), "")
    if not kind:
        msg = f"--to {target}: the file's name says what it is to hold, and ends with one of {', '.join(KINDS)}"
        raise UsageError(msg)
    paths = [find_journal(run, runs_dir) for run in runs]
    try:
        Path(target).parent.mkdir(parents=True, exist_ok=True)
        count = _write(kind, Path(target), paths)
    except OSError as error:
        msg = f"cannot write {target}: {error.strerror}; name another file with --to"
        raise UsageError(msg) from error
    result = {"file": target, "runs": len(paths), f"{KINDS[kind]}s": count}
    print(json.dumps(result) if as_json else f"{count_text(count, KINDS[kind])} in {target}")


def _write(kind: str, target: Path, paths: Sequence[Path]) -> int:
    """Write the rows or spans of the journals, one journal after another; return their number."""
    count = 0
    binary = open_regular(target, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
    with io.TextIOWrapper(binary, encoding="utf-8", errors="backslashreplace", newline="") as file:
        table = csv.writer(file)
        if kind == "trials.csv":
            table.writerow(COLUMNS)
        for path in paths:
            with open_journal(path) as journal:
                if kind == "trials.csv":
                    trials = numbered(journal.summary, journal.run)
                    table.writerows([_cell(value(journal, trial)) for value in COLUMNS.values()] for trial in trials)
                    count += len(trials)
                    continue
                for line, spans in _span_lines(journal):
                    file.write(f"{json.dumps(line)}\n")
                    count += spans
    return count


FORMULA: Final = re.compile(r"[\t\r]|[\s\ufeff\u200b]*[=+\-@\uff1d\uff0b\uff0d\uff20]")
"""Spreadsheets take a text with one of these beginnings for a formula."""


COLUMNS: Final[Mapping[str, Callable[[Journal, ComparedTrial], object]]] = {
    "run": lambda journal, trial: journal.run,
    "run_name": lambda journal, trial: journal.opened.name,
    "benchmark": lambda journal, trial: journal.opened.benchmark,
    "model": lambda journal, trial: journal.opened.model,
    "seed": lambda journal, trial: journal.setting("seed"),
    "trial_id": lambda journal, trial: trial.summary.trial_id,
    "task_id": lambda journal, trial: trial.summary.task_id,
    "try_number": lambda journal, trial: trial.number,
    "state": lambda journal, trial: trial.summary.state,
    "score": lambda journal, trial: trial.score,
    "outcome": lambda journal, trial: trial.summary.outcome,
    "answer": lambda journal, trial: trial.summary.answer,
    "refs": lambda journal, trial: json.dumps(trial.summary.refs),
    "steps": lambda journal, trial: trial.summary.step,
    "tokens": lambda journal, trial: trial.summary.tokens,
    "cost_usd": lambda journal, trial: trial.summary.cost_usd,
    "started_ms": lambda journal, trial: trial.summary.started_ms or None,
    "elapsed_ms": lambda journal, trial: trial.summary.elapsed_ms or None,
    "rejections": lambda journal, trial: json.dumps(dict(sorted(trial.summary.rejections.items()))),
    "reason": lambda journal, trial: trial.summary.reason,
    "details": lambda journal, trial: json.dumps(trial.summary.details),
    "instruction": lambda journal, trial: trial.summary.instruction,
}
"""The columns of `trials.csv`, as docs/commands.md describes them. An absent number is empty, never 0."""


def _cell(value: object) -> object:
    """Return a cell's value, with an apostrophe before texts that spreadsheets take for formulas."""
    return f"'{value}" if isinstance(value, str) and FORMULA.match(value) else value


Span: TypeAlias = dict[str, object]
CLIENT: Final = 3
INTERNAL: Final = 1
OK: Final = 1
ERROR: Final = 2


def _span_lines(journal: Journal) -> Iterator[tuple[dict[str, object], int]]:
    """Yield a line for each trial with spans, and the number of its spans."""
    version = journal.opened.versions.controlplane
    resource = {"service.name": "controlplane", "service.version": version, "controlplane.run": journal.run}
    scope = {"name": "controlplane", "version": version}
    for trial in journal.trials.values():
        if spans := list(trial_spans(trial)):
            scoped = {
                "resource": {"attributes": _attributes(resource)},
                "scopeSpans": [{"scope": scope, "spans": spans}],
            }
            yield {"resourceSpans": [scoped]}, len(spans)


def trial_spans(trial: RecordedTrial) -> Iterator[Span]:
    """Yield the spans of a trial's requests and calls, and of the trial itself, if it started.

    Ids are digests, so that the same journal gives the same spans.
    """
    journal = trial.journal
    model, agent = journal.opened.model, str(journal.setting("agent") or "cited")
    trace = hashlib.sha256(f"{journal.run}\0{trial.trial_id}".encode(errors="surrogatepass")).hexdigest()[:32]
    host = urlsplit(str(journal.setting("base_url") or "")).hostname
    shared: Span = {"gen_ai.provider.name": host or "openai", "gen_ai.conversation.id": trial.trial_id}

    def id_of(*names: object) -> str:
        return hashlib.sha256(f"{trace}{names}".encode()).hexdigest()[:16]

    def span(name: str, ids: tuple[object, ...], kind: int, end_ms: float, elapsed_ms: float, **more: object) -> Span:
        times = {"startTimeUnixNano": _nanoseconds(end_ms - elapsed_ms), "endTimeUnixNano": _nanoseconds(end_ms)}
        head = {"traceId": trace, "spanId": id_of(*ids), "parentSpanId": id_of("trial"), "name": name, "kind": kind}
        return head | times | more

    started: TrialStarted | None = None
    sent: dict[tuple[int, int], CallSent] = {}
    roles: dict[int, str] = {}
    scores: list[Span] = []
    failure, ended_ms = "", 0
    for event in trial.events():
        ended_ms = max(ended_ms, event.at_ms)
        match event:
            case TrialStarted() if started is None:
                started = event
            case ModelAsked():
                roles[event.step] = event.role
            case ModelReplied():
                attributes = _attributes(shared | _chat_attributes(event, model, roles.get(event.step, "solve")))
                ids, took = ("chat", event.step, event.number), (event.at_ms, event.elapsed_ms)
                yield span(f"chat {model}", ids, CLIENT, *took, attributes=attributes)
            case CallSent():
                sent[event.step, event.number] = event
            case CallDone() if event.operation or (event.step, event.number) in sent:
                call = event if event.operation else sent.pop((event.step, event.number))
                attributes = _attributes(shared | _tool_attributes(call, event))
                status = _status(event.error.message if event.error is not None else None)
                name, key = f"execute_tool {call.operation}", ("tool", call.step, call.number, event.at_ms)
                yield span(name, key, INTERNAL, event.at_ms, event.elapsed_ms, attributes=attributes, status=status)
            case TrialEnded():
                failure = "" if event.how == "answered" else event.reason or event.how
            case Scored():
                scores.append(_score(event))
            case _:
                pass
    if started is not None:
        task = {
            "gen_ai.operation.name": "invoke_agent",
            "gen_ai.agent.name": agent,
            "gen_ai.request.model": model,
            "controlplane.task_id": started.task_id,
        }
        root = span(f"invoke_agent {agent}", ("trial",), INTERNAL, ended_ms, ended_ms - started.at_ms)
        more = {"attributes": _attributes(shared | task), "events": scores, "status": _status(failure or None)}
        yield root | {"parentSpanId": ""} | more


def _chat_attributes(event: ModelReplied, model: str, role: str) -> dict[str, object]:
    attributes: dict[str, object] = {
        "gen_ai.operation.name": "chat",
        "gen_ai.request.model": model,
        "gen_ai.usage.input_tokens": event.usage.prompt_tokens,
        "gen_ai.usage.output_tokens": event.usage.completion_tokens,
        "gen_ai.response.finish_reasons": [event.finish_reason],
        "controlplane.step": event.step,
        "controlplane.role": role,
    }
    return attributes if event.cost_usd is None else attributes | {"controlplane.cost_usd": event.cost_usd}


def _tool_attributes(sent: CallSent | CallDone, done: CallDone) -> dict[str, object]:
    attributes: dict[str, object] = {
        "gen_ai.operation.name": "execute_tool",
        "gen_ai.tool.name": sent.operation,
        "gen_ai.tool.type": "function",
        "gen_ai.tool.call.arguments": json.dumps(sent.arguments),
        "controlplane.step": sent.step,
    }
    return attributes if done.error is None else attributes | {"error.type": done.error.code}


def _score(event: Scored) -> Span:
    """Return a span's event with a score."""
    attributes: dict[str, object] = {
        "gen_ai.evaluation.name": "grader",
        "gen_ai.evaluation.explanation": "; ".join(event.details),
    }
    if event.score is not None:
        attributes["gen_ai.evaluation.score.value"] = float(event.score)
    at = _nanoseconds(event.at_ms)
    return {"timeUnixNano": at, "name": "gen_ai.evaluation.result", "attributes": _attributes(attributes)}


def _status(failure: str | None) -> Span:
    return {"code": OK} if failure is None else {"code": ERROR, "message": failure}


def _nanoseconds(milliseconds: float) -> str:
    """Return a time as in OTLP's JSON, where 64-bit integers are texts."""
    return str(round(milliseconds * 1000) * 1000)


def _attributes(values: Mapping[str, object]) -> list[dict[str, object]]:
    return [{"key": name, "value": _value(value)} for name, value in values.items()]


def _value(value: object) -> dict[str, object]:
    if isinstance(value, list):
        return {"arrayValue": {"values": [_value(item) for item in value]}}
    if isinstance(value, bool):
        return {"boolValue": value}
    if isinstance(value, int):
        return {"intValue": str(value)}
    return {"doubleValue": value} if isinstance(value, float) else {"stringValue": str(value)}
