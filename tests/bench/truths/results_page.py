"""The page docs/results.md, with places for what is measured, such as `{costs}`."""

from __future__ import annotations

from pathlib import Path
from typing import Final

PAGE: Final = Path(__file__).parents[3] / "docs" / "results.md"


PAGE_TEMPLATE: Final = """# Results

Made on {date} by `python -m tests.bench.results{options}` (Python {python}, {cores} cores, load average
{load:.0f}), without a network; the command writes this page anew.

## Right plays of other people's benchmarks

A *right play* makes the calls of a task's ground truth, and the benchmark's own grader grades it. If it is lost, or its answer is
sent back, that is a fault of this product. Each benchmark is played through its file in [examples](examples), with
[`--provenance`](provenance.md) `off`, `ask` and `block`, in this order in each cell; a task that needs a call that `block` never
sends is lost. The one play of BFCL that is always lost is a fault of its data: task 49 of `miss_func` calls `tail` one turn before
the function is offered.
tau2's retail has 114 tasks; {retail_tasks} of them are played here, to keep the command below 40 minutes.

{right_plays}

## The embedded benchmark, with gates and without

{recorded}

The interval is over tasks. The replies are those of one strong model, recorded once at seed 7.

## What first messages show of what is needed

{first_messages}

The first message to the model, over the first {message_tasks} tasks in {message_worlds} embedded shops of three profiles, with the tools of the
embedded shop and of the remote platform. *Recall* is the share of the documents, and of the records, that a task needs which
its message shows; *precision* is the share of the shown characters of chosen files in files that are needed, *useful* in files that
are needed or may be cited. The table alone:
`{message_command}`.

## What claims to help, and what says so

| feature | what says so | not shown |
|---|---|---|
| gates | the table above; 2 of 18 tasks become right, none wrong, a difference of 0.111 [0.000, 0.278] | that this \
is not chance (about 54 tasks would be enough), and what gates do for another model |
| the first message's ranking | the table above, in worlds that it was not made with | whether a model answers better for it |
| a second reader (`--role review=READER`), the exoskeleton (`--agent exoskeleton`) | nothing: they need models, \
and none is part of the product; `compare` says it for yours | whether they find or help more than they spoil |
| `improve` | each loop's own proof, on worlds that no candidate has seen | that its texts help another model or benchmark |

A row without figures is a claim that nobody should rely on before measuring it with the model in question.

## What a trial costs

{costs}

The same calls and answers, one trial after the other. Ours also asks the player, runs its script, judges calls and answer,
and writes a journal that can be replayed.
"""
