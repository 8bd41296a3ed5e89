"""Prints how fast the gates are: recorded answers a second, and a verdict on a live submission with much evidence.

Usage: python tests/bench/gates_speed.py [FILE]    (a file of recorded answers; without one, 3,000 invented answers)
CPU seconds of this process, so that other load on the machine does not count.
"""

from __future__ import annotations

import random
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from gates.judging import judge
from gates.recorded_answers import RecordedAnswer, judge_recorded, read_answers
from gates.rules import load_pack
from gates.submission import Case, Submission
from tests.gates.sample_trials import Calls, Verify, pad

DOCUMENTS, CHARACTERS, VERDICTS = 50, 20_000, 400


def invented_answers() -> list[RecordedAnswer]:
    rng = random.Random(2)
    asked = ("How many are left in shelf {}? Answer with number only.", "Approve loan {} if the rules allow it.")
    return [
        RecordedAnswer(
            id=str(number),
            task_text=rng.choice(asked).format(number),
            outcome=rng.choice(("OUTCOME_OK", "OUTCOME_NONE_UNSUPPORTED")),
            message=rng.choice(("7", "7 books", "The loan cannot be approved.")),
            refs=tuple(f"/shelves/{rng.randint(0, 99)}.json" for _ in range(rng.randint(0, 8))),
        )
        for number in range(3_000)
    ]


def print_recorded(answers: list[RecordedAnswer]) -> None:
    for names in ((), ("ecom",)):
        packs = tuple(load_pack(name) for name in names)
        started = time.process_time()
        for answer in answers:
            judge_recorded(answer, packs)
        rate = len(answers) / (time.process_time() - started)
        print(f"{rate:8,.0f} recorded answers a CPU second, packs: {', '.join(names) or 'none'}")


def document(number: int, rng: random.Random, words: list[str]) -> str:
    text = f"record doc-{number} "
    while len(text) < CHARACTERS:
        text += rng.choice(words) + rng.choice((" ", "\n", ", ", "-", f" {rng.randint(0, 99_999)} "))
    return text


def print_live() -> None:
    rng = random.Random(1)
    words = ["".join(rng.choices("abcdefghijklmnopqrstuvwxyz", k=rng.randint(3, 10))) for _ in range(20_000)]
    paths = [f"/shelves/{number}.txt" for number in range(DOCUMENTS)]
    calls = Calls()
    texts = [document(number, rng, words) for number in range(DOCUMENTS)]
    started = time.process_time()
    for path, text in zip(paths, texts, strict=True):
        calls.evidence_log.record("read", {"path": path}, {"path": path, "content": text, "truncated": False}, None)
    print(
        f"{1e3 * (time.process_time() - started) / DOCUMENTS:8.2f} ms to take in a document of {CHARACTERS} characters"
    )
    pack, times = load_pack("ecom"), []
    for turn in range(VERDICTS):
        reasons = {path: f"names doc-{number}" if number % 7 else "relevant" for number, path in enumerate(paths)}
        facts = {
            str(number): {"value": number, "description": "x", "source": path, "confidence": "verified"}
            for number, path in enumerate(paths)
        }
        submission = Submission.from_scratchpad(pad(answer=f"ja {turn}", refs_why=reasons, facts=facts), Verify())
        case = Case(f"Is it here, number {turn}? Answer yes/no only.", "A yes/no answer is `ja` or `nein`.")
        started = time.process_time()
        judge(submission, calls.evidence, case, packs=(pack,))
        times.append(1e3 * (time.process_time() - started))
    times.sort()
    print(f"{times[len(times) // 2]:8.2f} ms a verdict with {DOCUMENTS} references, median")
    print(f"{times[int(0.99 * len(times))]:8.2f} ms a verdict with {DOCUMENTS} references, 99th percentile")


if __name__ == "__main__":
    print_recorded(list(read_answers(Path(sys.argv[1]))) if len(sys.argv) > 1 else invented_answers())
    print_live()
