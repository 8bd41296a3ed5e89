"""Replies of real models run what the model meant, or nothing.

A quirk is what is unusual about some replies, such as a trailing comma. A person wrote down which
code each of the replies in `corpus/` meant: `{"quirk": "trailing comma", "text": ..., "code": ...}`.
"""

import json
from pathlib import Path

import pytest

from tests.agent.reply.written_actions import code_to_run


def corpus_of_replies() -> dict[str, list[dict]]:
    """Return the replies in `corpus/`, grouped by their quirk, such as "trailing comma".

    Each has its `text`, its `finish_reason`, and the `code` that the model meant: None if
    nothing may be run.
    """
    replies_by_quirk: dict[str, list[dict]] = {}
    for file_name in ("open.jsonl", "apart.jsonl"):
        path = Path(__file__).parent / "corpus" / file_name
        for line in path.read_text(encoding="ascii").splitlines():
            reply = json.loads(line)
            replies_by_quirk.setdefault(reply["quirk"], []).append(reply)
    return replies_by_quirk


CORPUS = corpus_of_replies()


@pytest.mark.parametrize("quirk", sorted(CORPUS))
def test_collected_replies_run_what_the_model_meant_or_nothing(quirk: str) -> None:
    for reply in CORPUS[quirk]:
        code = code_to_run(reply["text"], reply["finish_reason"])

        assert code == reply["code"], reply["text"]
