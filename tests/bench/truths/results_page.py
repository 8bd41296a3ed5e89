"""The page docs/results.md, with places for what is measured, such as `{costs}`."""

from __future__ import annotations

from pathlib import Path
from typing import Final

PAGE: Final = Path(__file__).parents[3] / "docs" / "results.md"


PAGE_TEMPLATE: Final = """# Results

Made on {date} by `python -m tests.bench.results{options}` (Python {python}, {cores} cores, load average
{load:.0f}), without a network; the command writes this page anew.

## Right plays of other people's benchmarks

A *right play* makes the calls of a task's ground truth, which the benchmark's authors call right. The benchmark's own grader
grades it. A right play that is lost, or whose answer is sent back, is a fault of this product. Each benchmark is played through
its file in [examples](examples), with three policies for calls whose arguments come from untrusted text:
[`--provenance`](provenance.md) `off`, `ask` and `block`, in this order in each cell. A task that needs a call that `block`
never sends is lost. The one play of BFCL that is lost under every policy is a fault of its data: task 49 of `miss_func` calls
`tail` one turn before the function is offered.
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

| feature | the command | its row shows | it cannot show |
|---|---|---|---|
| gates | `controlplane run --model recorded --name with`, the same with `--gates none --name without`, `controlplane compare \
without with` | one strong model's replies, played over: 2 of 18 tasks become right with gates, none becomes wrong; the \
difference is 0.111 with a 95 % interval of [0.000, 0.278] | that this is not chance (`compare` says: about 54 tasks would be \
enough), and what gates do for another model, which replies otherwise once an answer is sent back |
| the first message's ranking | `{message_command}` | of what a task needs, the share that its first message has, in worlds \
that the ranking was not made with | whether a model answers better for it: no model reads these messages |
| a second reader | `controlplane run --model MODEL --role review=READER --name read`, the same without the role, \
`controlplane compare` | nothing yet: it needs two models, and none is part of the product | whether a reader finds more than \
it spoils; each run counts its objections under `rejections` |
| the exoskeleton | `controlplane run --agent exoskeleton --model MODEL`, the same with `--agent cited`, `controlplane \
compare` | nothing yet: it needs a model that calls tools | whether its parts help a model; `--parts -NAME` plays without one \
of them |
| `improve` | `controlplane improve TASKS --model MODEL --with MODEL` | nothing in general: each loop ends with its own proof, \
a difference with its interval on worlds that no candidate has seen | that texts which help one model and benchmark help \
another |

A row without figures is a claim that nobody should rely on before measuring it with the model in question.

## What a trial costs

{costs}

The same calls and answers, one trial after the other. Ours also asks the player, runs its script, judges calls and answer,
and writes a journal that can be replayed.
"""
