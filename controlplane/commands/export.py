"""`controlplane export`: writes runs as tables, as an Inspect log, or as OpenTelemetry spans.

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
import tempfile
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Final, TypeAlias
from urllib.parse import urlsplit

import click
import re2

from controlplane.agent.events import CallDone, CallSent
from controlplane.commands.options import AS_JSON, RUNS_DIR, find_journal
from controlplane.errors import UsageError, as_usage_error
from controlplane.journal.journal_lines import open_regular
from controlplane.journal.journal_reader import Journal, RecordedTrial, open_journal
from controlplane.journal.run_events import TrialStarted
from controlplane.report.run_pages import requests_of
from controlplane.terminal_text import count_text
from controlplane.view.run_results import trial_result

Row: TypeAlias = dict[str, object]


@click.command("export")
@click.argument("runs", nargs=-1, required=True, metavar="RUN...")
@click.option(
    "--to",
    "target",
    required=True,
    metavar="FILE",
    help="A file whose name says what it is to hold.",
)
@RUNS_DIR
@AS_JSON
def export_command(runs: tuple[str, ...], target: str, runs_dir: str | None, as_json: bool) -> None:
    """Write each RUN to one file: a table, an Inspect log, or OpenTelemetry spans.

    The file's name ends with trials, steps or calls and .csv or .parquet for a table of these, with .eval for a log
    that `inspect view` opens, or with otel.jsonl for spans. Parquet needs the extra `tables`, .eval the extra
    `inspect`. docs/commands.md describes the columns.
    """
    ending = next((ending for ending in WRITERS if Path(target).name.endswith(ending)), "")
    if not ending:
        msg = f"--to {target}: the file's name says what it is to hold, and ends with one of {', '.join(WRITERS)}"
        raise UsageError(msg)
    paths = [find_journal(run, runs_dir) for run in runs]
    what, write = WRITERS[ending]
    with as_usage_error(f"cannot write {target}", OSError):
        Path(target).parent.mkdir(parents=True, exist_ok=True)
        try:
            count = write(Path(target), paths)
        except ModuleNotFoundError as error:
            extra = "inspect" if ending == EVAL else "tables"
            msg = f"{ending} needs {error.name}: pip install 'grounded-control-plane[{extra}]'"
            raise UsageError(msg) from error
    result = {"file": target, "runs": len(paths), f"{what}s": count}
    print(json.dumps(result) if as_json else f"{count_text(count, what)} in {target}")


def trial_rows(journal: Journal) -> Iterator[Row]:
    """Yield a row for each trial, as docs/commands.md describes it. An absent number is None, never 0."""
    opened = journal.opened
    run = {
        "run": journal.run,
        "run_name": opened.name,
        "benchmark": opened.benchmark,
        "model": opened.model,
    }
    for trial in journal.summary.trials.values():
        times = {"started_ms": trial.started_ms or None, "elapsed_ms": trial.elapsed_ms or None}
        own = {"seed": journal.setting("seed"), "instruction": trial.instruction}
        yield run | own | trial_result(trial) | times | {"score": trial.own_score}


def step_rows(journal: Journal) -> Iterator[Row]:
    """Yield a row for each complete step of each trial."""
    for trial in journal.trials.values():
        for step in trial.steps:
            rejections = Counter(one.key for judged in step.verdicts for one in judged.rejections)
            yield _head(journal, trial) | {
                **_fields(step, "step", "state", "code", "output", "error", "ending"),
                "calls": len(step.calls),
                "accepted": any(judged.accepted for judged in step.verdicts),
                "rejections": dict(rejections),
                **_fields(step.usage, "prompt_tokens", "completion_tokens"),
                **_fields(step, "cost_usd", "elapsed_ms"),
            }


def call_rows(journal: Journal) -> Iterator[Row]:
    """Yield a row for each call of each trial, those of the initial prompt as step 0."""
    for trial in journal.trials.values():
        record = trial.record
        initial_prompt = [(0, record.initial_prompt.calls)] if record.initial_prompt else []
        for number, calls in (*initial_prompt, *((step.step, step.calls) for step in record.steps)):
            for place, call in enumerate(calls):
                yield _head(journal, trial) | {
                    "step": number,
                    "number": place,
                    **_fields(call, "operation", "arguments", "result"),
                    "error": call.error.code if call.error else "",
                    "error_message": call.error.message if call.error else "",
                    **_fields(call, "in_verify", "elapsed_ms"),
                }


def _fields(record: object, *names: str) -> Row:
    return {name: getattr(record, name) for name in names}


def _head(journal: Journal, trial: RecordedTrial) -> Row:
    return {"run": journal.run, "trial_id": trial.trial_id, "task_id": trial.task_id}


def _all_rows(rows: Callable[[Journal], Iterable[Row]], paths: Sequence[Path]) -> Iterator[Row]:
    """Yield the rows of all runs; lists and objects are JSON texts."""
    for path in paths:
        with open_journal(path) as journal:
            for row in rows(journal):
                yield {
                    name: json.dumps(cell) if isinstance(cell, list | dict) else cell
                    for name, cell in row.items()
                }


def _write_csv(
    rows: Callable[[Journal], Iterable[Row]], target: Path, paths: Sequence[Path]
) -> int:
    count = 0
    with _text_file(target) as file:
        table = csv.writer(file)
        for count, row in enumerate(_all_rows(rows, paths), start=1):
            if count == 1:
                table.writerow(row)
            table.writerow(map(_cell, row.values()))
    return count


def _text_file(target: Path) -> io.TextIOWrapper:
    binary = open_regular(target, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
    return io.TextIOWrapper(binary, encoding="utf-8", errors="backslashreplace", newline="")


def _write_parquet(
    rows: Callable[[Journal], Iterable[Row]], target: Path, paths: Sequence[Path]
) -> int:
    import duckdb

    count, types = 0, dict[str, set[type]]()
    with tempfile.TemporaryDirectory() as folder:
        lines = Path(folder) / "rows.jsonl"
        with lines.open(
            "w", encoding="utf-8", errors="replace"
        ) as file:  # DuckDB takes no half of a surrogate pair
            for row in _all_rows(rows, paths):
                for name, cell in row.items():
                    types.setdefault(name, set()).add(type(cell))
                count += 1
                file.write(f"{json.dumps(row, ensure_ascii=False)}\n")
        if not count:
            msg = "the runs hold nothing to write"
            raise UsageError(msg)
        columns = {name: _column_type(found - {type(None)}) for name, found in types.items()}
        with duckdb.connect() as database:
            database.read_json(
                str(lines), format="newline_delimited", columns=columns
            ).write_parquet(str(target))
    return count


def _column_type(types: set[type]) -> str:
    """Return DuckDB's type for a column of cells of these types."""
    if types == {bool}:
        return "BOOLEAN"
    return (
        "BIGINT" if types == {int} else "DOUBLE" if types and types <= {int, float} else "VARCHAR"
    )


_BLANKS: Final = r"[\s\v\x{85}\x{a0}\x{feff}\x{200b}\x{2028}\x{2029}]*"
_FORMULA: Final = re2.compile(
    rf"(^|[;|\t\r\n\v\f])({_BLANKS})([=+\-@\x{{ff1d}}\x{{ff0b}}\x{{ff0d}}\x{{ff20}}])"
)
"""What a spreadsheet may take for a formula, at the beginning of a cell and behind every separator."""


def _cell(value: object) -> object:
    """Return a cell's value, with an apostrophe before what spreadsheets take for a formula."""
    if not isinstance(value, str):
        return value
    guarded = _FORMULA.sub(r"\1\2'\3", value)
    return f"'{guarded}" if guarded[:1] in ("\t", "\r") else guarded


def _write_eval(target: Path, paths: Sequence[Path]) -> int:
    """Write one run as a log of Inspect, by Inspect's own library."""
    from inspect_ai.log import EvalLog, write_eval_log

    if len(paths) > 1:
        msg = f"--to {target}: an Inspect log holds one run; name one"
        raise UsageError(msg)
    with open_journal(paths[0]) as journal:
        summary, opened = journal.summary, journal.opened
        samples = [_sample(trial) for trial in journal.trials.values() if trial.has_begun]
        means = {GRADER: summary.mean_score, **summary.metrics}
    spec = {
        "created": _time(opened.at_ms),
        **dict.fromkeys(("eval_id", "run_id", "task_id"), journal.run),
        "task": opened.benchmark,
        "dataset": {"name": opened.benchmark, "samples": len(samples)},
        "model": opened.model or "none",
        "config": {
            "epochs": max((trial.repeat for trial in summary.trials.values()), default=0) + 1
        },
        "metadata": {"run": journal.run, "name": opened.name},
    }
    scores = [
        {
            "name": name,
            "scorer": name,
            "metrics": {} if mean is None else {"mean": {"name": "mean", "value": mean}},
        }
        for name, mean in means.items()
    ]
    log = {
        "status": "success" if summary.closed == "finished" else "cancelled",
        "eval": spec,
        "results": {
            "total_samples": len(summary.trials),
            "completed_samples": summary.over,
            "scores": scores,
        },
        "stats": {"started_at": _time(opened.at_ms), "completed_at": _time(summary.last_ms)},
        "samples": samples,
    }
    write_eval_log(EvalLog.model_validate(log), str(target), format="eval")
    return len(samples)


GRADER: Final = "grader"


def _time(at_ms: float) -> str:
    return datetime.fromtimestamp(at_ms / 1000, tz=UTC).isoformat()


def _sample(trial: RecordedTrial) -> Row:
    """Return the fields of a sample: a trial's last conversation, its answer, its score with the grader's words."""
    summary, model = trial.summary, trial.journal.opened.model or "none"
    conversation = [request for request in requests_of(trial) if request.role == "solve"][-1:]
    messages = [message for request in conversation for message in request.messages]
    messages += [
        ("assistant", reply.reply) for request in conversation for reply in request.replies[-1:]
    ]
    graded = {
        "value": summary.own_score,
        "answer": summary.answer,
        "explanation": "\n".join(summary.details) or None,
    }
    scores = {GRADER: graded, **{name: {"value": value} for name, value in summary.metrics.items()}}
    world = f" (world {summary.number + 1})" if summary.number else ""
    requested, taken = summary.spent.prompt_tokens, summary.spent.tokens
    usage = {"input_tokens": requested, "output_tokens": taken - requested, "total_tokens": taken}
    own = ("trial_id", "state", "outcome", "refs", "rejections")
    return {
        "id": f"{summary.task}{world}",
        "epoch": summary.repeat + 1,
        "input": summary.instruction,
        "target": "",
        "messages": [{"role": role, "content": text} for role, text in messages],
        "output": {
            "model": model,
            "choices": [{"message": {"role": "assistant", "content": summary.answer}}],
        },
        "scores": scores if summary.own_score is not None else None,
        "metadata": {name: value for name, value in trial_result(summary).items() if name in own},
        "model_usage": {model: usage},
        "total_time": summary.elapsed_ms / 1000,
    }


def _write_spans(target: Path, paths: Sequence[Path]) -> int:
    """Write a line for each trial that has spans."""
    count = 0
    with _text_file(target) as file:
        for path in paths:
            with open_journal(path) as journal:
                version = journal.opened.versions.controlplane
                own = {
                    "service.name": "controlplane",
                    "service.version": version,
                    "controlplane.run": journal.run,
                }
                resource, scope = (
                    {"attributes": _attributes(own)},
                    {"name": "controlplane", "version": version},
                )
                for spans in filter(None, map(list, map(trial_spans, journal.trials.values()))):
                    scoped = {
                        "resource": resource,
                        "scopeSpans": [{"scope": scope, "spans": spans}],
                    }
                    file.write(f"{json.dumps({'resourceSpans': [scoped]})}\n")
                    count += len(spans)
    return count


def trial_spans(trial: RecordedTrial) -> Iterator[Row]:
    """Yield the spans of a trial's requests and calls, and of the trial itself, if it started.

    Ids are digests, so that the same journal gives the same spans.
    """
    journal, summary = trial.journal, trial.summary
    model, agent = journal.opened.model, str(journal.setting("agent") or "cited")
    trace = hashlib.sha256(
        f"{journal.run}\0{trial.trial_id}".encode(errors="surrogatepass")
    ).hexdigest()[:32]
    host = urlsplit(str(journal.setting("base_url") or "")).hostname
    shared = {"gen_ai.provider.name": host or "openai", "gen_ai.conversation.id": trial.trial_id}

    def id_of(*names: object) -> str:
        return hashlib.sha256(f"{trace}{names}".encode()).hexdigest()[:16]

    def span(
        name: str,
        ids: tuple[object, ...],
        times: tuple[float, float],
        own: Row,
        failure: str | None = None,
    ) -> Row:
        operation, (end_ms, elapsed_ms) = name.partition(" ")[0], times
        return {
            "traceId": trace,
            "spanId": id_of(*ids),
            "parentSpanId": id_of("trial") if ids != ("trial",) else "",
            "name": name,
            "kind": 3 if operation == "chat" else 1,  # OTLP: client, or internal
            "startTimeUnixNano": _nanoseconds(end_ms - elapsed_ms),
            "endTimeUnixNano": _nanoseconds(end_ms),
            "attributes": _attributes(shared | {"gen_ai.operation.name": operation} | own),
            "status": {"code": 1}
            if failure is None
            else {"code": 2, "message": failure},  # OTLP: OK, or an error
        }

    for request in requests_of(trial):
        for reply in request.replies:
            own = {
                "gen_ai.request.model": model,
                "gen_ai.usage.input_tokens": reply.usage.prompt_tokens,
                "gen_ai.usage.output_tokens": reply.usage.completion_tokens,
                "gen_ai.response.finish_reasons": [reply.finish_reason],
                "gen_ai.input.messages": _messages(request.messages),
                "gen_ai.output.messages": _messages([("assistant", reply.reply)]),
                "controlplane.step": reply.step,
                "controlplane.role": request.role,
                "controlplane.cost_usd": reply.cost_usd,
            }
            yield span(
                f"chat {model}",
                ("chat", reply.step, reply.number),
                (reply.at_ms, reply.elapsed_ms),
                own,
            )
    sent: dict[tuple[int, int], CallSent] = {}
    began_ms, ended_ms = None, 0
    for event in trial.events():
        ended_ms = max(ended_ms, event.at_ms)
        if isinstance(event, TrialStarted) and began_ms is None:
            began_ms = event.at_ms
        elif isinstance(event, CallSent):
            sent[event.step, event.number] = event
        elif isinstance(event, CallDone) and (
            event.operation or (event.step, event.number) in sent
        ):
            call = event if event.operation else sent.pop((event.step, event.number))
            own = {
                "gen_ai.tool.name": call.operation,
                "gen_ai.tool.type": "function",
                "gen_ai.tool.call.arguments": json.dumps(call.arguments),
                "controlplane.step": call.step,
                "error.type": event.error and event.error.code,
            }
            name, ids = (
                f"execute_tool {call.operation}",
                ("tool", call.step, call.number, event.at_ms),
            )
            fault = event.error.message if event.error else None
            yield span(name, ids, (event.at_ms, event.elapsed_ms), own, fault)
    if began_ms is not None:
        own = {
            "gen_ai.agent.name": agent,
            "gen_ai.request.model": model,
            "controlplane.task_id": trial.task_id,
        }
        failure = (
            summary.reason or summary.state
            if summary.is_over and summary.state != "answered"
            else None
        )
        evaluation = {
            "gen_ai.evaluation.name": GRADER,
            "gen_ai.evaluation.explanation": "; ".join(summary.details),
            "gen_ai.evaluation.score.value": summary.score,
        }
        graded = {"timeUnixNano": _nanoseconds(ended_ms), "name": "gen_ai.evaluation.result"}
        events = (
            [graded | {"attributes": _attributes(evaluation)}] if summary.score is not None else []
        )
        times = (ended_ms, ended_ms - began_ms)
        yield span(f"invoke_agent {agent}", ("trial",), times, own, failure) | {"events": events}


def _nanoseconds(milliseconds: float) -> str:
    """Return a time as in OTLP's JSON, where 64-bit integers are texts."""
    return str(round(milliseconds * 1000) * 1000)


def _attributes(values: Mapping[str, object]) -> list[Row]:
    return [
        {"key": name, "value": _value(value)} for name, value in values.items() if value is not None
    ]


def _value(value: object) -> Row:
    match value:
        case list():
            return {"arrayValue": {"values": [_value(item) for item in value]}}
        case int():
            return {"intValue": str(value)}
        case _:
            return (
                {"doubleValue": value} if isinstance(value, float) else {"stringValue": str(value)}
            )


def _messages(messages: Iterable[tuple[str, str]]) -> str:
    """Return messages in the form of the semantic conventions, as JSON text."""
    return json.dumps(
        [{"role": role, "parts": [{"type": "text", "content": text}]} for role, text in messages]
    )


EVAL: Final = ".eval"
WRITERS: Final[dict[str, tuple[str, Callable[[Path, Sequence[Path]], int]]]] = {
    f"{what}s{ending}": (what, partial(write, rows))
    for what, rows in (("trial", trial_rows), ("step", step_rows), ("call", call_rows))
    for ending, write in ((".csv", _write_csv), (".parquet", _write_parquet))
} | {"otel.jsonl": ("span", _write_spans), EVAL: ("sample", _write_eval)}
"""By the end of the file's name, what it holds, and what writes it."""
