"""The forms in which endpoints send the text of a reply."""

from __future__ import annotations

import json

import pytest

from agent.endpoint.completion import reply_of


def completion_of(content: object) -> bytes:
    return json.dumps({"choices": [{"message": {"role": "assistant", "content": content}}]}).encode()


@pytest.mark.parametrize(
    ("content", "text"),
    [
        ("all of it", "all of it"),
        (None, ""),
        ([{"type": "text", "text": "all "}, {"type": "text", "text": "of it"}], "all of it"),
        ([{"type": "output_text", "text": "all of it", "annotations": []}], "all of it"),
        ([{"text": "all of it"}], "all of it"),
        (["all ", "of it"], "all of it"),
        ([{"type": "thinking", "thinking": [{"type": "text", "text": "hm"}]}, {"type": "text", "text": "so"}], "so"),
        ([{"type": "reasoning", "text": "hm"}, {"type": "text", "text": "so"}], "so"),
        ([{"type": "text", "text": None}, {"type": "image_url", "image_url": {"url": "x"}}, 7, None], ""),
        ([], ""),
    ],
)
def test_content_is_text_or_a_list_of_parts_of_which_texts_count(content, text):
    assert reply_of(completion_of(content)).text == text
