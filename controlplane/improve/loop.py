"""The loop: plays, proposes on traces of train worlds, keeps what is better on check worlds, proves it on final ones.

`gepa` selects parents by their Pareto front over check worlds, and samples batches; the loop goes on from its record. A
proposer is a model that reflects on traces of failures, or a program that edits the candidate's files. It sees train
worlds alone, and a proposal must not carry instance data: the ids, names and amounts in their records.
"""

from __future__ import annotations

import io
import json
import os
import signal
import subprocess
from collections.abc import Callable, Mapping, Sequence
from contextlib import redirect_stdout, suppress
from dataclasses import dataclass, field
from pathlib import Path
from statistics import fmean
from tempfile import TemporaryDirectory
from typing import Any, Final, TypeAlias, cast

import re2

from agent.loop import FOLDER, read_text
from agent.model import Message, Model, ModelError
from controlplane.comparison.run_comparison import LEAST_CHANGED, Interval, bootstrap_interval
from controlplane.errors import BudgetExhausted, ControlPlaneError, Unreachable, UsageError, extra_module
from controlplane.improve.evaluation import (
    Evaluation,
    Instance,
    LoopEnded,
    LoopRecord,
    Proposed,
    Texts,
    id_of,
    mean_score,
    mean_tokens,
    write_files,
)
from controlplane.journal.journal_reader import RecordedTrial, open_journal
from controlplane.journal.run_summary import TrialSummary
from controlplane.report.report_file import Report
from controlplane.report.run_pages import TEMPLATES, template
from controlplane.text_files import FileChange
from controlplane.view.asked_answer import shown_change
from gates.parsed_text import parse
from gates.submission import encodable
from sandbox.files import read_whole

MOST_TEXT_BYTES: Final = 1_000_000
"""Bytes of a candidate's file: a proposer's reply has no other bound."""
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


class InstanceData:
    """The ids, names and amounts in records of worlds that were played. Documents are not records."""

    def __init__(self) -> None:
        self._values: set[str] = set()

    def learn(self, trial: RecordedTrial) -> None:
        """Add the values of all records that a trial read or queried."""
        for call in (call for step in trial.steps for call in step.calls):
            result = call.result or {}
            self.learn_record(str(result.get("content", "")), str(call.arguments.get("path", "")))
            self.learn_record(str(result.get("stdout", "")), ".csv")

    def learn_record(self, text: str, path: str) -> None:
        """Add the values of one record; a text that is none has no values."""
        if len(self._values) < 200_000:
            self._values.update(filter(_is_telling, (encodable(value) for _, value in parse(text, path))))

    def added_by(self, before: Texts, after: Texts) -> list[str]:
        """Return the values of records that a proposal added, in the order of the text."""
        old, new = (encodable("\n".join(texts.values())) for texts in (before, after))
        added = [value for value in self._values if value in new and value not in old]
        whole = [each for each in added if re2.search(rf"(?:^|\W){re2.escape(each)}(?:\W|$)", new)]
        return sorted(whole, key=new.index)


def trace_of(trial: RecordedTrial) -> str:
    """Return one trial as a proposer sees it, as Markdown: request, steps (of many, the first and the last), answer and
    the grader's lines, each part cut to a bound."""
    summary, steps = trial.summary, trial.steps
    parts = [("Request", summary.instruction)]
    for step in [*steps[: MAX_STEPS // 2], *steps[max(len(steps) - MAX_STEPS // 2, MAX_STEPS // 2) :]]:
        parts += [(f"Step {step.step}", step.code), ("Printed", f"{step.output}\n{step.error}".rstrip("\n"))]
        verdicts = (verdict for judged in step.verdicts for verdict in judged.verdicts)
        parts += [("Sent back", f"{one.name}: {one.reason}") for one in verdicts if one.result == "reject"]
    parts += [(f"Answer ({summary.outcome or 'none'})", summary.answer)]
    parts += [("Grader", line) for line in (*summary.details, summary.reason) if line]
    texts = (f"\n{title}:\n\n```text\n{_cut(part)}\n```\n" for title, part in parts)
    return f"## {summary.task_id}: score {summary.own_score or 0.0:.2f}\n" + "".join(texts)


def _cut(text: str) -> str:
    # Characters of one script, one output or one message in a trace.
    half = 1_500 // 2
    left = len(text) - 2 * half
    return f"{text[:half]}\n[… {left} characters …]\n{text[-half:]}" if left > 0 else text


Proposer: TypeAlias = Callable[[Texts, Sequence[str], Sequence[RecordedTrial], str], Proposed]
"""Returns new texts for some of the named files of a candidate, given its texts, its trials, the worst first, and why
the proposal before was refused, if it was. Raises `ControlPlaneError`."""


def ask_model(
    model: Model, texts: Texts, names: Sequence[str], trials: Sequence[RecordedTrial], complaint: str
) -> Proposed:
    """Ask a model for the new text of the first of `names`; `gepa` names one file at a time."""
    name = names[0]
    traces = "\n".join(map(trace_of, trials[:4]))[:24_000]
    refused = f"\n\n# Your proposal before was refused\n\n{complaint}" if complaint else ""
    messages: list[Message] = [
        {"role": "system", "content": read_text(FOLDER / "improve.md")},
        {"role": "user", "content": f"# {name}\n\n{texts[name]}\n\n# Trials\n\n{traces}{refused}"},
    ]
    try:
        reply = model.complete(messages, "review")
    except ModelError as error:
        msg = f"the proposing model {model.name} cannot be asked: {error}"
        raise Unreachable(msg) from error
    tokens = reply.usage.prompt_tokens + reply.usage.completion_tokens
    found = {name: text_in(reply.text)} if reply.text.strip() else {}
    return Proposed(texts=found, cost_usd=reply.cost_usd, tokens=tokens)


def text_in(reply: str) -> str:
    """Return the text in a reply without the fence around it, ended by one line feed."""
    text = encodable(reply).replace("\r\n", "\n").strip()
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

    def __call__(self, texts: Texts, names: Sequence[str], trials: Sequence[RecordedTrial], complaint: str) -> Proposed:
        """Return what the program leaves in the named files, far from the loop's folder and all results."""
        with TemporaryDirectory(prefix="controlplane-") as temporary:
            place = Path(temporary, "loop", "proposal", "files")  # nothing of anybody else is three folders above
            write_files(place, texts)
            rows = [{"task": one.task_id, "score": one.score, "trace": trace_of(one)} for one in trials]
            report = [f"The proposal before was refused: {complaint}\n"] if complaint else []
            report += [str(row["trace"]) for row in rows]
            texts_of_report = {"report.md": "\n".join(report), "report.json": json.dumps(rows, ensure_ascii=False)}
            write_files(place / REPORT, texts_of_report)
            self._run(place)
            found = dict[str, str]()
            for name in names:
                try:
                    content = read_whole(place / name, place, MOST_TEXT_BYTES)
                except OSError as error:
                    return Proposed(refused=f"{name} is a link, or cannot be read: {error.strerror}")
                found |= {name: content[0].decode("utf-8", "replace")} if content else {}
            return Proposed(texts=found)

    def _run(self, place: Path) -> None:
        """Run the program to its end, and end what it leaves behind. Raises `ControlPlaneError`."""
        environment = {name: value for name, value in os.environ.items() if name != "OLDPWD"} | {"PWD": str(place)}
        # Standard output holds the loop's result, so the program's goes to standard error.
        options: dict[str, Any] = {"stdin": subprocess.DEVNULL, "stdout": 2, "start_new_session": True}
        try:
            process = subprocess.Popen(self.words, cwd=place, env=environment, **options)
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
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()
        if code:
            msg = f"--with command: {self.words[0]} ended with {code}"
            raise ControlPlaneError(msg)


@dataclass
class Loop:
    """One loop at work, and the adapter of `gepa`. Raises what evaluation and proposer raise."""

    record: LoopRecord
    evaluation: Evaluation
    proposer: Proposer
    on_progress: Callable[[str], None] = lambda line: None
    _data: InstanceData = field(default_factory=InstanceData)
    _proposals: int = 0
    _complaint: str = ""
    """Why the last proposal was refused."""
    _failure: ControlPlaneError | None = None
    """The proposer's failure, which ends the search."""

    def run(self) -> LoopEnded:
        """Search, then play the best candidate and the original on the final worlds, once."""
        if self.record.end is None:
            self._search()
            self.record.append(self._proved(self.evaluation.best()))
        assert self.record.end is not None
        return self.record.end

    def _search(self) -> None:
        plan, changes_all = self.record.plan, isinstance(self.proposer, Program)  # A model changes one file at a time.
        with redirect_stdout(io.StringIO()):
            extra_module("gepa.api", "improving", "improve").optimize(
                seed_candidate=dict(plan.texts),
                trainset=list(plan.train),
                valset=list(plan.check),
                adapter=cast("Any", self),
                reflection_minibatch_size=min(plan.batch, len(plan.train)),
                module_selector="all" if changes_all else "round_robin",
                stop_callbacks=[self._is_over],
                seed=plan.seed,
            )
        if self._failure is not None:
            raise self._failure

    def _is_over(self, state: Any) -> bool:
        plan, kept = self.record.plan, self.evaluation.kept()
        if any(mean_score(played) >= 1 for played in kept.values()):
            return True  # Nothing on the check worlds is left to win.
        # After four rounds without a proposal, for each wanted one, the batches have no failure left.
        if self._failure or max(self._proposals, (state.i + 1) // 4) >= plan.proposals:
            return True
        # What the final worlds need is kept back.
        share = 2 * len(plan.final) / max(len(kept) * len(plan.check), 1)
        return any(left <= 0 for left in self.evaluation.left(share).values())

    def evaluate(self, batch: list[Instance], candidate: dict[str, str], capture_traces: bool = False) -> Any:
        """Play a candidate; results on train worlds teach what a proposal must not carry."""
        from gepa.core.adapter import EvaluationBatch

        name = id_of(candidate)
        try:
            played = self.evaluation.play(candidate, batch)
        except UsageError as error:  # a prompt or a module of the candidate cannot be loaded
            if name == id_of(self.record.plan.texts):
                raise
            self._complaint = f"it cannot be played: {error}"
            self.on_progress(f"the candidate {name} cannot be played: {error}")
            return EvaluationBatch([None] * len(batch), [0.0] * len(batch))
        trials: list[RecordedTrial] = []
        if not set(self.record.plan.check).intersection(batch):
            trials = [*open_journal(self.evaluation.journal_of(name, batch)).trials.values()]
            for trial in trials:
                self._data.learn(trial)
        return EvaluationBatch(played, [one.own_score or 0.0 for one in played], trials if capture_traces else None)

    def make_reflective_dataset(
        self, candidate: dict[str, str], eval_batch: Any, components_to_update: list[str]
    ) -> dict[str, list[dict[str, Any]]]:
        """Return the played trials, the worst first, for each file to change."""
        del candidate
        trials = sorted(eval_batch.trajectories, key=lambda trial: trial.score or 0.0)
        return {name: [{"trial": trial} for trial in trials] for name in components_to_update}

    def propose_new_texts(
        self,
        candidate: dict[str, str],
        reflective_dataset: Mapping[str, Sequence[Mapping[str, Any]]],
        components_to_update: list[str],
    ) -> dict[str, str]:
        """Return the changed texts of a new candidate, from the record or from the proposer; empty if refused."""
        if self._proposals == len(self.record.proposals):  # else an earlier process has paid for it
            trials = [row["trial"] for row in reflective_dataset[components_to_update[0]]]
            try:
                proposed = self.proposer(candidate, components_to_update, trials, self._complaint)
            except ControlPlaneError as error:  # `gepa` would ask again and go on
                self._failure = error
                return {}
            texts = candidate | {name: text for name, text in proposed.texts.items() if name in candidate}
            refused = proposed.refused or self._fault_of(candidate, texts)
            line = {"parent": id_of(candidate), "refused": refused, "texts": {} if refused else texts}
            self.record.append(proposed.model_copy(update=line))
        made = self.record.proposals[self._proposals]
        self._proposals += 1
        self._complaint = made.refused
        self._report_progress()
        return {name: text for name, text in made.texts.items() if candidate[name] != text}

    def _fault_of(self, before: Texts, after: Texts) -> str:
        """Return why a proposal is refused; empty if it is not."""
        if before == after:
            return "nothing was changed"
        if long := [name for name, text in after.items() if len(text.encode(errors="replace")) > MOST_TEXT_BYTES]:
            return f"{long[0]} has more than {MOST_TEXT_BYTES:,} bytes"
        if values := ", ".join(self._data.added_by(before, after)[:5]):
            return f"it holds data of the trials ({values}), which no other world shares; write a general rule instead"
        return ""

    def _report_progress(self) -> None:
        scores, (cost, tokens) = [*map(mean_score, self.evaluation.kept().values())], self.evaluation.spent()
        self.on_progress(
            f"proposals: {self._proposals}, candidates on the check worlds: {len(scores)}, best "
            f"{max(scores, default=0.0):.3f}; spent {tokens:,} tokens{'' if cost is None else f', ${cost:.2f}'}"
        )

    def _proved(self, best: str) -> LoopEnded:
        """Play the final worlds with the original and the best candidate, and return the result in words."""
        plan, candidates = self.record.plan, self.record.candidates
        if best == id_of(plan.texts):
            text = f"no candidate of {self._proposals} was better than the original on the check worlds"
            return LoopEnded(best=best, is_better=False, text=text)
        before, after = (self.evaluation.play(texts, plan.final) for texts in (plan.texts, candidates[best]))
        differences = [(two.own_score or 0.0) - (one.own_score or 0.0) for one, two in zip(before, after, strict=True)]
        interval = bootstrap_interval(differences) or Interval(0.0, 0.0, 0.0)
        is_many = sum(map(bool, differences)) >= LEAST_CHANGED
        few = f"; fewer than {LEAST_CHANGED} tasks changed" if interval.low > 0 and not is_many else ""
        text = result_text(before, after, interval) + few
        return LoopEnded(best=best, is_better=interval.low > 0 and is_many, text=text)


def result_text(before: Sequence[TrialSummary], after: Sequence[TrialSummary], interval: Interval) -> str:
    """Return the result in one line: means, number of tasks, difference with its interval, and the change of tokens."""
    bounds = f"95 % CI [{interval.low:.2f}, {interval.high:.2f}]"
    text = f"{mean_score(before):.2f} → {mean_score(after):.2f} on {len(before)} unseen tasks"
    text += f" ({interval.mean:+.2f}, {bounds})"
    tokens = mean_tokens(before)
    return f"{text}, tokens {100 * (mean_tokens(after) - tokens) / tokens:+.0f} %" if tokens else text


def _diff(before: Texts, after: Texts) -> list[str]:
    changed = {name: text for name, text in after.items() if text != before[name]}
    changes = [FileChange(Path(name), Path(), before[name].encode(), 0, text) for name, text in changed.items()]
    return [line for change in changes for line in shown_change(str(change.place), change)[0].splitlines()]


def loop_page(record: LoopRecord) -> Report:
    """Return the page of a loop: its family tree, candidates by tasks, score against cost. It plays nothing."""
    kept, candidates = Evaluation(record).kept(), record.candidates
    parents = {id_of(line.texts): line.parent for line in record.proposals}
    nodes = [
        {
            "id": name,
            "scores": [trial.own_score or 0.0 for trial in played],
            "score": mean_score(played),
            "tokens": mean_tokens(played),
            "cost_usd": fmean(trial.spent.cost_usd or 0.0 for trial in played),
            "parent": parents.get(name, ""),
            "diff": _diff(candidates[parents[name]], candidates[name]) if name in parents else [],
        }
        for name, played in kept.items()
    ]
    html = template("loop.html.j2").render(
        plan=record.plan,
        end=record.end,
        nodes=nodes,
        refused=[line for line in record.proposals if line.refused],
        style=(TEMPLATES / "report.css").read_text("utf-8"),
    )
    return Report(html, len(nodes), sum(map(len, kept.values())))
