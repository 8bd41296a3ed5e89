r"""A tool's result may have half a character, and is read all the same.

JSON writes an emoji as two escapes: `"\ud83d\ude00"`. A tool that cuts its texts may return the first
one alone. UTF-8 and the parser of YAML refuse such a text.
"""

import json

from controlplane.agent.evidence.texts.result_texts import texts_of_result


def test_half_a_character_in_a_list_of_yaml_is_read() -> None:
    half_an_emoji = "\ud83d"
    yaml_list = f"- {half_an_emoji}"

    (text,) = texts_of_result({"value": json.dumps(yaml_list)})

    assert text.text == yaml_list
