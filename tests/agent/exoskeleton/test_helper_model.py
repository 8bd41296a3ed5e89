"""Calls whose text a small model takes apart."""

import json
from dataclasses import replace

import pytest

from agent.exoskeleton import TextParse
from agent.exoskeleton.stages import split_text
from tests.support.exoskeleton_trials import BINDINGS, TurnModel, attempt, call, completed

SCHEMA = {"type": "object", "properties": {"author": {"type": "string", "description": "who wrote it"}}}
PARSING = replace(BINDINGS, parses={"books_by": TextParse("author", (), SCHEMA, from_words=2)})
FOUND = '"/books/emma.txt","/books/persuasion.txt"'


def attempted(author: str, says: object, known=()):
    others = {} if says is None else {"parse": [json.dumps(says)]}
    turns = [[call("books_by", author=author)], [completed()]]
    return attempt(TurnModel(turns, others), parts="classifier formatter", bindings=PARSING, known=known)


def parse_requests(tried):
    return [messages for role, messages in tried.model.requests if role == "parse"]


def test_a_text_is_taken_apart_and_the_model_is_told_how():
    tried = attempted("the great Austen", {"author": "Austen"})
    (asked,) = parse_requests(tried)
    assert "- `author`: who wrote it" in asked[0]["content"]
    assert "the great Austen" in asked[1]["content"]
    assert f'(called with) {{"author": "Austen"}}\n{{"value":[{FOUND}]' in tried.told
    assert tried.steps[-1].verdicts[-1].accepted


@pytest.mark.parametrize(
    ("author", "says"),
    [
        ("the great Austen", {"author": "Tolstoy"}),
        ("Austen and 7 others", {"author": "Austen"}),
        ("the great Austen", {"author": ["Austen"]}),
        ("the great Austen", {"author": " "}),
        ("the great Austen", {"writer": "Austen"}),
        ("the great Austen", None),
        ("someone, nobody knows", {"author": "nobody"}),
    ],
)
def test_a_parse_that_is_made_up_or_fails_changes_nothing(author, says):
    tried = attempted(author, says)
    assert '{"value":[],"refs":[],"notes":["by the title page"]}' in tried.told
    assert "(called with)" not in tried.told


@pytest.mark.parametrize("says", [{"author": "Austen"}, None])
def test_an_interrupted_trial_goes_on_with_the_recorded_parse(says):
    whole = attempted("the great Austen", says).events
    replied = [at for at, each in enumerate(whole) if each.type == "model_replied"]
    for cut in range(1, len(whole)):
        again = attempted("the great Austen", says, known=whole[:cut])
        events = [*whole[:cut], *again.events]
        asked = [role for role, _ in again.model.requests]
        assert len([role for role in asked if role == "solve"]) == sum(
            at >= cut and whole[at].role == "solve" for at in replied
        ), cut
        assert [event.feedback for event in events if event.type == "step"] == [
            each.feedback for each in whole if each.type == "step"
        ], cut


@pytest.mark.parametrize(
    ("text", "says", "is_taken"),
    [
        ("a Lumo tent without an awning", {"what": "Lumo tent", "no": ["awning"]}, True),
        ("a Lumo tent without an awning", {"what": "Lumo tent", "with": ["awning"]}, False),
        ("a Lumo tent with an awning", {"what": "Lumo tent", "no": ["awning"]}, False),
        ("a Lumo tent for 2 persons", {"what": "Lumo tent", "with": ["persons 2"]}, True),
        ("a Lumo tent for 2 persons", {"what": "Lumo tent", "with": ["persons"]}, False),
        ("a Lumo tent for 2 persons", {"what": "Lumo tent", "with": "persons 2"}, False),
    ],
)
def test_a_ruled_out_property_stays_ruled_out(text, says, is_taken):
    class Helper:
        def ask(self, role, schema, request, text):
            return says

    parse, arguments = TextParse("what", ("with", "no"), SCHEMA, "no"), {"what": text, "with": [], "no": []}
    assert (split_text(Helper(), parse, arguments) is not None) is is_taken
