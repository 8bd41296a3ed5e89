"""The texts of a trial, each kept once, within a bound."""

import pytest

from tests.gates.sample_trials import FILES, Calls, judged, pad

BOOK = "/shelves/north side/b-104.json"


def record(calls: Calls, operation: str, arguments: dict, result: dict) -> tuple[str, ...]:
    return calls.evidence_log.record(operation, arguments, result, None)


def test_a_text_that_was_seen_twice_is_kept_once() -> None:
    calls = Calls()
    calls.read(BOOK, BOOK)
    record(calls, "read", {"path": "/copy"}, {"path": "/copy", "content": FILES[BOOK]})
    (seen,) = calls.evidence.touches[BOOK].seen
    assert calls.evidence.touches["/copy"].seen == (seen,)
    assert calls.evidence_log.texts.count(seen) == 1


def test_the_texts_of_a_trial_are_kept_up_to_a_bound_and_what_was_cut_proves_nothing(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("agent.evidence.kept_texts.MAX_KEPT_BYTES", 530)
    calls = Calls()
    for path in ("/first", "/second", "/third", "/first"):
        record(calls, "read", {"path": path}, {"path": path, "content": f"twenty characters {path[1:3]}"})
    seen = {path: touch.seen for path, touch in calls.evidence.touches.items()}
    assert {path: [(each.text, each.is_whole) for each in texts] for path, texts in seen.items()} == {
        "/first": [("twenty characters fi", True)],
        "/second": [("twenty cha", False)],
        "/third": [("", False)],
    }
    refs = {"/third": "holds the word lighthouse"}
    assert judged(pad(refs_why=refs), calls).accepted
    assert not judged(pad(refs_why={"/first": refs["/third"]}), calls).accepted
