"""Recorded answers: judged without their scores, and measured with them."""

import json
import random
from pathlib import Path

import pytest

from gates import Submission, load_pack
from gates.evaluation.recorded_answers import RecordError, judge_recorded, read_answers
from tests.gates.evaluation.recorded_samples import RECORDED, needs_recorded, written


def test_recorded_answers_are_judged_by_what_needs_no_trace(tmp_path: Path) -> None:
    judged = {answer.id: judge_recorded(answer) for answer in read_answers(written(tmp_path, with_scores=False))}
    assert {key: found.accepted for key, found in judged.items()} == {"a": True, "b": False, "c": False, "d": False}
    inapplicable = {each.gate for each in judged["a"].verdicts if each.result == "not_applicable"}
    assert inapplicable == {1, 2, 4, 5, 7}


def test_scores_and_grader_lines_do_not_change_a_verdict(tmp_path: Path) -> None:
    plain = [judge_recorded(answer) for answer in read_answers(written(tmp_path, with_scores=False))]
    assert [judge_recorded(answer) for answer in read_answers(written(tmp_path))] == plain


@needs_recorded
def test_scores_of_real_records_do_not_change_a_verdict(tmp_path: Path) -> None:
    rng = random.Random(4)
    lines = rng.sample(RECORDED.read_text(encoding="utf-8").splitlines(), 300)
    allowed = ("id", "benchmark", "task_id", "task_text", "outcome", "message", "refs")
    bare, swapped = tmp_path / "bare.jsonl", tmp_path / "swapped.jsonl"
    records = [json.loads(line) for line in lines]
    bare.write_text("\n".join(json.dumps({key: each[key] for key in allowed}) for each in records), encoding="utf-8")
    for each in records:
        each.update(score=rng.random(), grader=["expected outcome OUTCOME_OK"], verdict="note", source="x", run="y")
    swapped.write_text("\n".join(map(json.dumps, records)), encoding="utf-8")
    pack = (load_pack("ecom"),)
    assert [judge_recorded(a, pack) for a in read_answers(bare)] == [
        judge_recorded(a, pack) for a in read_answers(swapped)
    ]


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("{}", ":1: id"),
        ("nonsense", ":1:"),
        ('{"id": 1}', ":1: id"),
        ('\n{"id": "a", "task_text": "x"}', ":2: outcome"),
    ],
)
def test_a_file_that_is_none_of_records_is_named_with_its_line(tmp_path: Path, text: str, named: str) -> None:
    path = tmp_path / "bad.jsonl"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(RecordError) as raised:
        list(read_answers(path))
    assert named in str(raised.value)


def test_bytes_that_are_no_text_are_named(tmp_path: Path) -> None:
    path = tmp_path / "bad.jsonl"
    path.write_bytes(b"\xff\xfe")
    with pytest.raises(RecordError, match="not UTF-8"):
        list(read_answers(path))


def test_a_record_without_an_answer_is_one_with_an_empty_answer(tmp_path: Path) -> None:
    path = tmp_path / "none.jsonl"
    record = {"id": "a", "task_text": "How many?", "outcome": None, "message": None, "refs": None}
    path.write_text(json.dumps(record), encoding="utf-8")
    (answer,) = read_answers(path)
    assert (answer.outcome, answer.message, answer.refs) == ("", "", ())
    assert "The answer is empty" in judge_recorded(answer).message


def test_references_of_a_record_keep_their_order() -> None:
    assert Submission(refs=("/b", "/a")).citations == ("/b", "/a")
