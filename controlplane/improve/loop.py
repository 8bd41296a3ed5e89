"""The loop: plays, proposes on traces of train worlds, keeps what is better on check worlds, proves it on final ones.

A proposer is a model that reflects on traces of failures, or a program that edits the candidate's folder. It sees train
worlds alone, and a proposal must not carry instance data: the ids, names and amounts in their records.

`gepa` selects parents by their Pareto front over check worlds, merges candidates, samples batches and stops; its own
saved state is a pickle, so the loop goes on from its record instead. Everything that costs is in the loop's folder: a
loop that was killed takes the same way again and pays nothing twice.
"""

from __future__ import annotations

import io
import json
import math
import os
import signal
import subprocess
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import redirect_stdout, suppress
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final, TypeAlias, cast

import re2

from agent.loop import FOLDER, read_text
from agent.model import Message, Model, ModelError
from controlplane.comparison.run_comparison import LEAST_CHANGED, Interval, bootstrap_interval
from controlplane.errors import BudgetExhausted, ControlPlaneError, Unreachable, UsageError, extra_module
from controlplane.improve.evaluation import (
    MOST_TEXT_BYTES,
    Evaluation,
    Instance,
    Kept,
    LoopEnded,
    LoopOpened,
    LoopRecord,
    Played,
    Proposed,
    Texts,
    UnusableFile,
    diff_lines,
    files_below,
    id_of,
    mean,
    write_files,
)
from controlplane.journal.journal_reader import RecordedTrial, open_journal
from controlplane.report.report_file import TEMPLATES, Report, template
from gates.parsed_text import parse
from gates.submission import encodable

MAX_PART_CHARS: Final = 1_500
"""Characters of one script, one output or one message in a trace."""
MAX_STEPS: Final = 8
REPORT: Final = "failures"
"""The folder of a program's report, beside the candidate's files."""
PROGRAM_S: Final = 3_600.0


def _is_telling(value: str) -> bool:
    """Say whether a value identifies an instance: a name of several words, or one with digits: an id, an amount."""
    words = value.split(" ")
    if len(words) > 1:
        return all(len(word) > 1 and word[0].isupper() and word.replace("-", "").isalpha() for word in words)
    return len(value) > 2 and any(map(str.isdecimal, value))


@dataclass(frozen=True, slots=True)
class Trace:
    """One trial, as a proposer sees it."""

    task: str
    score: float
    grader: tuple[str, ...]
    """The grader's lines, or why the trial has no answer."""
    text: str
    """Request, steps, answer and the grader's lines as Markdown, each part cut to a bound."""


def _recorded(played: Iterable[Played]) -> Iterator[tuple[Played, RecordedTrial]]:
    for one in played:
        with open_journal(one.journal) as journal:
            yield one, journal.trials[one.trial.trial_id]


def _trace(played: Played, trial: RecordedTrial) -> Trace:
    summary, steps = trial.summary, trial.steps
    grader = tuple(map(_cut, filter(None, (*summary.details, summary.reason))))
    parts = [f"## {summary.task_id}: score {played.score:.2f}", f"Request:\n\n{_quoted(summary.instruction)}"]
    for step in [*steps[: MAX_STEPS // 2], *steps[max(len(steps) - MAX_STEPS // 2, MAX_STEPS // 2) :]]:
        printed = step.output + (f"\n{step.error}" if step.error else "")
        code = f"```python\n{_cut(step.code)}\n```\n\nPrinted:\n\n```text\n{_cut(printed)}\n```"
        rejections = [each for judged in step.verdicts for each in judged.verdicts if each.result == "reject"]
        sent_back = [f"Sent back: {_cut(f'{each.name}: {each.reason}')}" for each in rejections]
        parts += [f"### Step {step.step}\n\n{code}", *sent_back]
    parts.append(f"Answer ({summary.outcome or 'none'}):\n\n{_quoted(summary.answer)}")
    parts += [f"Grader: {line}" for line in grader]
    return Trace(summary.task_id, played.score, grader, "\n\n".join(parts) + "\n")


def _quoted(text: str) -> str:
    return "\n".join(f"> {line}" for line in _cut(text).splitlines()) or "> (nothing)"


def _cut(text: str) -> str:
    if len(text) <= MAX_PART_CHARS:
        return text
    half = MAX_PART_CHARS // 2
    return f"{text[:half]}\n[… {len(text) - 2 * half} characters …]\n{text[-half:]}"


class InstanceData:
    """The ids, names and amounts in records of worlds that were played. Documents are not records."""

    def __init__(self) -> None:
        self._values: set[str] = set()

    def learn(self, played: Iterable[Played]) -> None:
        """Add the values of all records that these trials read or queried."""
        for _, trial in _recorded(played):
            for call in (call for step in trial.steps for call in step.calls):
                result = call.result or {}
                self.learn_record(str(result.get("content", "")), str(call.arguments.get("path", "")))
                self.learn_record(str(result.get("stdout", "")), ".csv")

    def learn_record(self, text: str, path: str) -> None:
        """Add the values of one record; a text that is none has no values."""
        parsed = parse(text, path)
        if parsed.is_whole and len(self._values) < 200_000:
            values = (value for _, value in parsed.all_values())
            self._values.update(filter(_is_telling, map(encodable, values)))

    def added_by(self, before: Texts, after: Texts) -> list[str]:
        """Return the values of records that a proposal added, in the order of the text."""
        old, new = (encodable("\n".join(texts.values())) for texts in (before, after))
        added = [value for value in self._values if value in new and value not in old]
        whole = [each for each in added if re2.search(rf"(?:^|\W){re2.escape(each)}(?:\W|$)", new)]
        return sorted(whole, key=new.index)


@dataclass(frozen=True, slots=True)
class Proposal:
    """New texts for some of a candidate's files, and what they cost."""

    texts: Texts
    cost_usd: float | None = 0.0
    tokens: int = 0


Proposer: TypeAlias = Callable[[Texts, Sequence[str], Sequence[Trace], str], Proposal]
"""Returns new texts for some of the named files of a candidate, given its texts and traces of trials, and why the
proposal before was refused, if it was. Raises `ControlPlaneError`."""


def ask_model(model: Model, texts: Texts, names: Sequence[str], traces: Sequence[Trace], complaint: str) -> Proposal:
    """Ask a model for the new text of the first of `names`; `gepa` names one file at a time."""
    name = names[0]
    failures = "\n".join(trace.text for trace in traces[:4])[:24_000]
    refused = f"\n\n# Your proposal before was refused\n\n{complaint}" if complaint else ""
    messages: list[Message] = [
        {"role": "system", "content": read_text(FOLDER / "improve.md")},
        {"role": "user", "content": f"# {name}\n\n{texts[name]}\n\n# Trials\n\n{failures}{refused}"},
    ]
    try:
        reply = model.complete(messages, "review")
    except ModelError as error:
        msg = f"the proposing model {model.name} cannot be asked: {error}"
        raise Unreachable(msg) from error
    tokens = reply.usage.prompt_tokens + reply.usage.completion_tokens
    return Proposal({name: text_in(reply.text)} if reply.text.strip() else {}, reply.cost_usd, tokens)


def text_in(reply: str) -> str:
    """Return the text in a reply without the fence around it, ended by one line feed."""
    text = reply.replace("\r\n", "\n").strip()
    first, *lines = text.split("\n")
    if first.startswith("```") and lines[-1:] == ["```"]:
        text = "\n".join(lines[:-1])
    return text.strip("\n") + "\n"


@dataclass(frozen=True, slots=True)
class Program:
    """A program that proposes: it is started in a copy of the candidate's folder, with a report of the trials."""

    words: Sequence[str]
    left_s: Callable[[], float] = lambda: PROGRAM_S
    """Seconds that the loop still has."""

    def __call__(self, texts: Texts, names: Sequence[str], traces: Sequence[Trace], complaint: str) -> Proposal:
        """Return what the program leaves in the named files, far from the loop's folder and all results."""
        with TemporaryDirectory(prefix="controlplane-") as temporary:
            place = Path(temporary, "loop", "proposal", "files")  # nothing of anybody else is three folders above
            write_files(place, texts)
            _write_report(place / REPORT, traces, complaint)
            environment = {name: value for name, value in os.environ.items() if name != "OLDPWD"} | {"PWD": str(place)}
            try:
                process = subprocess.Popen(
                    self.words,
                    cwd=place,
                    env=environment,
                    stdin=subprocess.DEVNULL,
                    stdout=2,  # standard output holds the loop's result
                    start_new_session=True,
                )
            except OSError as error:
                msg = f"--with command: {error}"
                raise ControlPlaneError(msg) from error
            try:
                code = process.wait(max(min(self.left_s(), PROGRAM_S), 0.0))
            except subprocess.TimeoutExpired:
                msg = f"{self.words[0]} was ended: the loop's time, or {PROGRAM_S:g} s, was over"
                raise BudgetExhausted(msg) from None
            finally:
                with suppress(ProcessLookupError):
                    os.killpg(process.pid, signal.SIGKILL)  # and what it left behind
                process.wait()
            if code:
                msg = f"--with command: {self.words[0]} ended with {code}"
                raise ControlPlaneError(msg)
            return Proposal(files_below(place, names))


def _write_report(folder: Path, traces: Sequence[Trace], complaint: str) -> None:
    """Write what failed: `report.md`, `report.json`, and a rendered trace for each trial."""
    lines = ["# Trials, the worst first\n"]
    lines += [f"The proposal before was refused: {complaint}\n"] if complaint else []
    texts, rows = dict[str, str](), list[dict[str, object]]()
    for number, trace in enumerate(traces, start=1):
        name = f"trial-{number:02}.md"
        texts[name] = trace.text
        rows.append({"task": trace.task, "score": trace.score, "grader": trace.grader, "trace": name})
        lines.append(f"- {trace.task}: score {trace.score:.2f}, [{name}]({name})")
        lines += [f"  - {line.splitlines()[0]}" for line in trace.grader]
    texts["report.json"] = json.dumps(rows, ensure_ascii=False, indent=1) + "\n"
    write_files(folder, {**texts, "report.md": "\n".join(lines) + "\n"})


@dataclass
class Loop:
    """One loop at work; for `gepa` also its adapter and its callback. Raises what evaluation and proposer raise."""

    record: LoopRecord
    evaluation: Evaluation
    proposer: Proposer
    on_progress: Callable[[str], None] = lambda line: None
    _data: InstanceData = field(default_factory=InstanceData)
    _proposals: int = 0
    _failure: ControlPlaneError | None = None
    """The proposer's failure, which ends the search."""
    _ids: dict[int, str] = field(default_factory=dict)
    """The id of each candidate by its number in `gepa`."""
    _printed: str = ""

    @property
    def plan(self) -> LoopOpened:
        return self.record.plan

    def run(self) -> LoopEnded:
        """Search, then play the best candidate and the original on the final worlds, once."""
        if self.record.end is not None:
            return self.record.end
        self._search()
        end = self._proved(self.best())
        self.record.append(end)
        return end

    def best(self) -> str:
        """Return the candidate with the best mean on the check worlds; among equals the cheapest, then the oldest."""
        thrift = self.plan.thrift

        def rank(candidate: str) -> tuple[float, float]:
            played = self.evaluation.finished(candidate) or []
            return mean(one.score for one in played), -mean(one.spending(thrift) for one in played) if thrift else 0.0

        return max((line.candidate for line in self.record.all(Kept)), key=rank, default=id_of(self.plan.texts))

    def _search(self) -> None:
        optimize = extra_module("gepa.api", "improving", "improve").optimize
        plan, changes_all = self.plan, isinstance(self.proposer, Program)  # A model changes one file at a time.
        with redirect_stdout(io.StringIO()):
            optimize(
                seed_candidate=dict(plan.texts),
                trainset=list(plan.train),
                valset=list(plan.check),
                adapter=cast("Any", self),
                reflection_minibatch_size=min(plan.batch, len(plan.train)),
                module_selector="all" if changes_all else "round_robin",
                frontier_type="hybrid" if plan.thrift else "instance",
                use_merge=len(plan.texts) > 1 and not changes_all,
                stop_callbacks=[cast("Any", self._is_over)],
                callbacks=[cast("Any", self)],
                seed=plan.seed,
            )
        if self._failure is not None:
            raise self._failure

    def _is_over(self, state: Any) -> bool:
        self._report_progress()
        kept = self.record.all(Kept)
        if not self.plan.thrift and any(line.check_score >= 1 for line in kept):
            return True  # Nothing on the check worlds is left to win.
        # After four rounds without a proposal, for each wanted one, the batches have no failure left.
        if self._failure or max(self._proposals, (state.i + 1) // 4) >= self.plan.proposals:
            return True
        # What the final worlds need is kept back.
        share = 2 * len(self.plan.final) / max(len(kept) * len(self.plan.check), 1)
        return any(left <= 0 for left in self.evaluation.left(share).values())

    def _report_progress(self) -> None:
        kept, (cost, tokens) = self.record.all(Kept), self.evaluation.spent()
        units = {"run_cost": "${:.2f}", "max_tokens_run": "{:,.0f} tokens", "run_time": "{:.0f} s"}
        left = ", ".join(units[name].format(value) for name, value in self.evaluation.left().items())
        line = (
            f"proposals: {self._proposals}, candidates on the check worlds: {len(kept)}, best "
            f"{max((one.check_score for one in kept), default=0.0):.3f}; spent {tokens:,} tokens"
            f"{'' if cost is None else f', ${cost:.2f}'}{f', left {left}' if left else ''}"
        )
        if line != self._printed:
            self._printed = line
            self.on_progress(line)

    def evaluate(self, batch: list[Instance], candidate: dict[str, str], capture_traces: bool = False) -> Any:
        """Play a candidate; results on train worlds teach what a proposal must not carry."""
        from gepa.core.adapter import EvaluationBatch

        try:
            played = self.evaluation.play(candidate, batch)
        except UsageError as error:  # a module of the candidate cannot be loaded
            if id_of(candidate) == id_of(self.plan.texts):
                raise
            self.on_progress(f"the candidate {id_of(candidate)} cannot be played: {error}")
            objective = [{"score": 0.0, "thrift": -math.inf}] * len(batch) if self.plan.thrift else None
            return EvaluationBatch([None] * len(batch), [0.0] * len(batch), None, objective)
        if not set(self.plan.check).intersection(batch):
            self._data.learn(played)
        thrift, scores = self.plan.thrift, [one.score for one in played]
        objectives = [{"score": one.score, "thrift": -one.spending(thrift)} for one in played] if thrift else None
        return EvaluationBatch(played, scores, played if capture_traces else None, objectives)

    def make_reflective_dataset(
        self, candidate: dict[str, str], eval_batch: Any, components_to_update: list[str]
    ) -> dict[str, list[dict[str, Any]]]:
        """Return the played trials for each file to change."""
        del candidate
        played = [{"played": one} for one in eval_batch.trajectories or ()]
        return dict.fromkeys(components_to_update, played)

    def propose_new_texts(
        self,
        candidate: dict[str, str],
        reflective_dataset: Mapping[str, Sequence[Mapping[str, Any]]],
        components_to_update: list[str],
    ) -> dict[str, str]:
        """Return the changed texts of a new candidate, from the record or from the proposer; empty if refused."""
        parent = id_of(candidate)
        self._proposals += 1
        tries = [line for line in self.record.all(Proposed) if line.number == self._proposals and line.parent == parent]
        if tries:  # by an earlier process; they are not paid again
            return {} if tries[-1].refused else _changed(candidate, self.evaluation.texts_of(tries[-1].candidate))
        played = (row["played"] for row in next(iter(reflective_dataset.values()), ()))
        traces = sorted((_trace(one, trial) for one, trial in _recorded(played)), key=lambda trace: trace.score)
        complaint = ""
        for _ in range(3):  # A proposer is asked again after a refusal.
            try:
                proposal = self.proposer(candidate, components_to_update, traces, complaint)
            except ControlPlaneError as error:  # `gepa` would ask again and go on
                self._failure = error
                break
            except UnusableFile as error:
                proposal, fault = Proposal({}), str(error)
            else:
                fault = ""
            texts = {**candidate, **{name: text for name, text in proposal.texts.items() if name in candidate}}
            complaint = fault or self._fault_of(candidate, texts)
            line = Proposed(
                number=self._proposals,
                parent=parent,
                candidate="" if complaint else id_of(texts),
                refused=complaint,
                cost_usd=proposal.cost_usd,
                tokens=proposal.tokens,
            )
            self.record.append(line)
            if not complaint:
                return _changed(candidate, texts)
            if any(left <= 0 for left in self.evaluation.left().values()):
                break
        return {}

    def _fault_of(self, before: Texts, after: Texts) -> str:
        """Return why a proposal is refused; empty if it is not."""
        if before == after:
            return "nothing was changed"
        if long := [name for name, text in after.items() if len(text.encode(errors="replace")) > MOST_TEXT_BYTES]:
            return f"{long[0]} has more than {MOST_TEXT_BYTES:,} bytes"
        if values := ", ".join(self._data.added_by(before, after)[:5]):
            return f"it holds data of the trials ({values}), which no other world shares; write a general rule instead"
        return self.evaluation.fault_of(after)

    def on_valset_evaluated(self, event: Mapping[str, Any]) -> None:
        """Record a candidate that was played on all check worlds, if the record does not have it."""
        candidate = self._ids[event["candidate_idx"]] = id_of(event["candidate"])
        if candidate not in (line.candidate for line in self.record.all(Kept)):
            parents = tuple(self._ids[parent] for parent in event["parent_ids"] or ())
            score = round(event["average_score"], 6)
            self.record.append(Kept(candidate=candidate, parents=parents, check_score=score))

    def _proved(self, best: str) -> LoopEnded:
        """Play the final worlds with the original and the best candidate, and return the result in words."""
        if best == id_of(self.plan.texts):
            text = f"no candidate of {self._proposals} was better than the original on the check worlds"
            return LoopEnded(best=best, is_better=False, text=text)
        before = self.evaluation.play(self.plan.texts, self.plan.final)
        after = self.evaluation.play(self.evaluation.texts_of(best), self.plan.final)
        pairs = list(zip(before, after, strict=True))
        interval = bootstrap_interval([two.score - one.score for one, two in pairs]) or Interval(0.0, 0.0, 0.0)
        changed = sum(one.score != two.score for one, two in pairs)
        is_better = interval.low > 0 and changed >= LEAST_CHANGED
        if (thrift := self.plan.thrift) and interval.mean >= 0:
            saved = bootstrap_interval([one.spending(thrift) - two.spending(thrift) for one, two in pairs])
            is_better |= saved is not None and saved.low > 0
        return LoopEnded(best=best, is_better=is_better, text=result_text(before, after, interval))


def result_text(before: Sequence[Played], after: Sequence[Played], interval: Interval) -> str:
    """Return the result in one line: means, number of tasks, difference with its interval, and the change of tokens."""
    means = " → ".join(f"{mean(one.score for one in played):.2f}" for played in (before, after))
    bounds = f"95 % CI [{interval.low:.2f}, {interval.high:.2f}]"
    text = f"{means} on {len(before)} unseen tasks ({interval.mean:+.2f}, {bounds})"
    tokens = mean(one.spending("tokens") for one in before)
    change = mean(one.spending("tokens") for one in after) - tokens
    return f"{text}, tokens {100 * change / tokens:+.0f} %" if tokens else text


def _changed(before: Texts, after: Texts) -> dict[str, str]:
    return {name: text for name, text in after.items() if before.get(name) != text}


def loop_page(record: LoopRecord, evaluation: Evaluation) -> Report:
    """Return the page of a loop: its family tree, candidates by tasks, score against cost. It plays nothing."""
    nodes: dict[str, dict[str, Any]] = {}
    for kept in record.all(Kept):
        if (played := evaluation.finished(kept.candidate)) is None:
            continue
        has_costs = all(one.trial.spent.cost_usd is not None for one in played)
        node = nodes[kept.candidate] = {
            "id": kept.candidate,
            "played": played,
            "score": kept.check_score,
            "tokens": mean(one.spending("tokens") for one in played),
            "cost_usd": mean(one.spending("cost") for one in played) if has_costs else 0.0,
            "parent": "",
            "diff": [],
        }
        if parent := next((parent for parent in kept.parents if parent in nodes), ""):
            changes = diff_lines(evaluation.texts_of(parent), evaluation.texts_of(kept.candidate))
            node |= {"parent": parent, "diff": list(changes)}
    html = template("loop.html.j2").render(
        plan=record.plan,
        end=record.end,
        nodes=list(nodes.values()),
        refused=[line for line in record.all(Proposed) if line.refused],
        style=(TEMPLATES / "report.css").read_text("utf-8"),
    )
    return Report(html, len(nodes), sum(len(node["played"]) for node in nodes.values()))
