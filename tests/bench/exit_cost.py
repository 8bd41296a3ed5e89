"""What judging one submission costs, in the parent and in the aide, for submissions and files made to be dear.

    python tests/bench/exit_cost.py [--rounds 3] [NAME ...]

Each trial has read 200 files of 20 KB, unless its shape says otherwise, and is judged with the pack `ecom` and every
outcome. CPU ms of the first judgement, to which the texts are sent, in the parent (with `Submission` and the record of
the verdicts) and in the aide (its start apart); the least of some rounds, because other load only adds. References may
cost the parent 10 ms and the aide 300 ms, whatever the files hold; any other submission the parent 50 ms.
"""

from __future__ import annotations

import json
import random
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from agent.events.call_records import Judged
from agent.submission import SubmissionJudge, judging_modules
from gates.enforcement import conclude
from gates.submission import Case, Submission
from sandbox import Aide, ForkServer
from tests.gates.sample_trials import Calls, Verify

REFERENCES_MS, PARENT_MS, AIDE_MS = 10.0, 50.0, 300.0
FILES, CHARS = 200, 20_000
OUTCOMES = ("OUTCOME_OK", "OUTCOME_DENIED_SECURITY", "OUTCOME_NONE_CLARIFICATION", "OUTCOME_NONE_UNSUPPORTED")
PACKS = ("ecom",)
RULES = (
    "The `status` of an item is `open` or `closed`. Run `/bin/ship <item>` to make it `closed`. Counts are answered as "
    "<COUNT:%d>. Cite every record."
)
rng = random.Random(5)
WORDS = ["".join(rng.choices("abcdefghijklmnopqrstuvwxyz", k=rng.randint(3, 10))) for _ in range(100_000)]


class Shape(NamedTuple):
    """One trial and what it submits."""

    text: Callable[[int], str]
    """The content of a file, by its number."""
    answer: str = "There are 7 of them."
    reason: Callable[[int], str] = "item-{0:04d} is the record that was asked about".format
    instruction: str = "Which items are open?"
    files: int = FILES
    changes: int = 0
    facts: Mapping[str, object] = {}


def path(number: int) -> str:
    return f"/proc/items/item-{number:04d}.json"


def repeated(piece: str, chars: int = CHARS) -> str:
    return piece * (chars // len(piece))


def record(number: int, **fields: object) -> str:
    head = {"id": f"item-{number:04d}", "status": ("open", "closed")[number % 2], "customer_id": f"cust-{number % 7}"}
    return json.dumps(head | fields)


def flat(number: int) -> str:
    """A record of hundreds of fields, all of which differ."""
    return record(number, **{f"f{field}": f"value-{number}-{field}-{'x' * 20}" for field in range(440)})


def linked(number: int) -> str:
    """A record that names all others."""
    return record(number, items=[f"item-{each:04d}" for each in range(FILES)] * 7)


def deep(number: int) -> str:
    inner: object = f"item-{number:04d}"
    for level in range(11):
        inner = {f"level{level}": inner, "status": "open", "others": [{"a": level, "b": [f"w{number}"]}] * 40}
    return record(number, inner=inner)[:]


def words(number: int) -> str:
    start = number * 450
    return f"item-{number:04d} " + " ".join((WORDS * 2)[start : start + 2_700])[: CHARS - 10]


def numbers(number: int) -> str:
    return " ".join(str(number * 10_000 + each) for each in range(2_900))


def states(number: int) -> str:
    """A record whose fields all take values that are formed like states."""
    return record(number, **{f"f{field}": WORDS[(number * 700 + field) % 90_000] for field in range(900)})


def cjk(number: int) -> str:
    return "".join(
        chr(0x4E00 + (number * 331 + each) % 20_000) + (" " if each % 3 == 0 else "") for each in range(15_000)
    )


def accents(number: int) -> str:
    return f"item-{number:04d} " + " ".join(word + "é" for word in (WORDS * 2)[number * 400 : number * 400 + 2_500])


def table(number: int) -> str:
    rows = [f"{number},{each},open,cust-{each},item-{each:04d}" for each in range(700)]
    return "\n".join(["number,row,status,owner,item", *rows])


def document(number: int) -> str:
    return repeated(f"The `status` is `open`, `closed` or `w{number % 26}a`. Run `/bin/ship close <item>`. ")


SHAPES: dict[str, Shape] = {
    "ordinary: one short record": Shape(record, files=1),
    "references": Shape(words),
    "references: no reason holds": Shape(words, reason="none of these words stands there {}".format),
    "references: boilerplate": Shape(words, reason="the relevant document".format),
    "references: absences": Shape(words, reason="no row for zz-{} was there".format),
    "references: long reasons": Shape(words, reason=lambda at: repeated("never-said nowhere ", 4_000)),
    "references: other words each": Shape(
        words, reason=lambda at: " ".join(f"{word}q" for word in WORDS[at : at + 400])
    ),
    "references: one long token": Shape(lambda at: f"t{at}" + "a" * (CHARS - 9)),
    "references: tokens with many joints": Shape(lambda at: repeated(f"a{at}-b_c.")),
    "references: single letters": Shape(lambda at: repeated(f"{at % 10} b c d ")),
    "references: many numbers": Shape(numbers, reason="holds the number 99{}99,00".format),
    "references: records of many fields": Shape(flat),
    "references: records of tiny fields": Shape(lambda at: record(at, **{f"{field}": at for field in range(1_800)})),
    "references: records of many states": Shape(states),
    "references: records that name each other": Shape(linked),
    "references: deep records": Shape(deep),
    "references: lines of fields": Shape(
        lambda at: "\n".join(f"f{each}: item-{at:04d} of {each}" for each in range(190))
    ),
    "references: no JSON after all": Shape(lambda at: "{" + repeated('"a": [', CHARS)),
    "references: CJK": Shape(cjk, reason="記録 {} の 内容".format),
    "references: accents": Shape(accents),
    "references: tables": Shape(table),
    "references: documents of states": Shape(document),
    "references: marks": Shape(lambda at: repeated("`a` `b`, ")),
    "references: a thousand": Shape(lambda at: words(at)[:4_000], files=1_000),
    "claims: each record": Shape(flat, " ".join(f"item-{at:04d} is closed." for at in range(FILES))),
    "claims: one sentence": Shape(flat, " ".join(f"item-{at:04d} closed open" for at in range(400))),
    "claims: one record": Shape(flat, repeated("item-0001 is open. ", 190_000)),
    "claims: linked records": Shape(linked, " ".join(f"item-{at:04d} is closed." for at in range(FILES))),
    "claims: many states": Shape(states, " ".join(f"item-{at:04d} is {WORDS[at * 31]}." for at in range(FILES))),
    "claims: words of records": Shape(words, " ".join(WORDS[:3_000])),
    "claims: after changes": Shape(flat, " ".join(f"item-{at:04d} is closed." for at in range(FILES)), changes=200),
    "claims: a deed": Shape(
        flat, "Done, and all of item-0007 is well now. " + " ".join(WORDS[:2_500]), instruction="Close item-0007 now."
    ),
    "answer: sentences": Shape(record, repeated("No. ", 900_000)),
    "answer: numbers": Shape(record, repeated("1,1 ", 900_000), instruction="How many? Answer <COUNT:%d>."),
    "answer: one token": Shape(record, "a" * 900_000),
    "answer: names": Shape(flat, " ".join(path(at % FILES) for at in range(40_000))),
    "answer: CJK": Shape(record, repeated("記録 の 内容 。 ", 300_000)),
    "answer: paths": Shape(
        record, "\n".join(path(at * 7) for at in range(40_000)), instruction="List the paths, one per line."
    ),
    "answer: states": Shape(states, " ".join(WORDS[:20_000])),
    "instruction: names": Shape(
        flat, instruction="Compare " + ", ".join(f"item-{at:04d}" for at in range(FILES)) + "."
    ),
    "citations: unread": Shape(record, reason="item-{0:04d}".format, files=1_000),
    "facts": Shape(
        record,
        facts={
            f"f{at}": {"value": at, "description": "d", "source": path(at), "confidence": "verified"}
            for at in range(3_900)
        },
    ),
}


class Cost(NamedTuple):
    """CPU milliseconds."""

    parent_ms: float
    aide_ms: float
    said: str


def trial_of(shape: Shape) -> Calls:
    calls = Calls()
    texts = {path(number): shape.text(number) for number in range(shape.files)}
    for name, text in {**texts, "/docs/rules.md": RULES}.items():
        calls.evidence_log.record("read", {"path": name}, {"path": name, "content": text, "truncated": False}, None)
    calls.run("/bin/query", stdout="user: cust-1\nroles: customer\n")
    for number in range(shape.changes):
        calls.run("/bin/ship", f"item-{number:04d}", stdout=repeated(f"item-{number:04d} closed now\n", 2_000))
    return calls


def costs(server: ForkServer, shape: Shape, outcome: str) -> Cost:
    calls = trial_of(shape)
    pad = {
        "answer": shape.answer,
        "outcome": outcome,
        "refs_why": {path(number): shape.reason(number) for number in range(shape.files)},
        "facts": shape.facts or None,
    }
    evidence, case = calls.evidence_log.view(), Case(shape.instruction, RULES, "/RULES.md", 0)
    with Aide(server) as aide:
        nothing = {"paths_by_spelling": None}
        aide.call("agent.submission.judge_in_aide:judge_submission", [0, []], {}, nothing, [], [[], True], texts=[])
        before = _cpu_ms(aide)
        started = time.process_time()
        submission = Submission.from_scratchpad(pad, Verify())
        judge = SubmissionJudge(aide, calls.evidence_log)
        judgement = conclude(submission, judge.find_objections(submission, evidence, case, PACKS))
        Judged.of(judgement, submission, after_calls=0).model_dump_json()
        parent_ms = 1_000 * (time.process_time() - started)
        aide_ms = _cpu_ms(aide) - before if aide._child else float("inf")
    said = "accepted" if judgement.accepted else judgement.message[:100].replace("\n", " ")
    return Cost(parent_ms, aide_ms, said)


def _cpu_ms(aide: Aide) -> float:
    assert aide._child is not None
    return int(Path(f"/proc/{aide._child.pid}/schedstat").read_text().split()[0]) / 1e6


def dearest(server: ForkServer, shape: Shape, rounds: int) -> Iterator[tuple[str, Cost]]:
    """Yield the cost for each outcome."""
    for outcome in OUTCOMES:
        found = [costs(server, shape, outcome) for _ in range(rounds)]
        yield outcome, Cost(min(one.parent_ms for one in found), min(one.aide_ms for one in found), found[0].said)


def main(words: list[str]) -> int:
    """Print what each shape costs; return 1 if one costs more than it may."""
    rounds = 3
    if words[:1] == ["--rounds"]:
        rounds, words = int(words[1]), words[2:]
    chosen = {name: shape for name, shape in SHAPES.items() if not words or name in words}
    is_over = False
    print(f"{'dearest of all outcomes':42}{'parent':>10}{'aide':>10}")
    with ForkServer(judging_modules(PACKS)) as server:
        costs(server, SHAPES["ordinary: one short record"], OUTCOMES[0])
        for name, shape in chosen.items():
            found = dict(dearest(server, shape, rounds))
            parent = max(one.parent_ms for one in found.values())
            outcome, worst = max(found.items(), key=lambda each: each[1].aide_ms)
            over = parent > (REFERENCES_MS if name.startswith("references") else PARENT_MS) or worst.aide_ms > AIDE_MS
            is_over |= over
            told = f"  {outcome.partition('_')[2]}: {worst.said}"
            print(f"{name:42}{parent:7.1f} ms{worst.aide_ms:7.0f} ms{told}{'  OVER' if over else ''}", flush=True)
    return int(is_over)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
