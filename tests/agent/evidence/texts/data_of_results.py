r"""The texts in a tool's result that are fields of data: `data_in("id\n7\n8")` -> `{"id", "7", "8"}`.

Other texts are running text, such as the body of a mail.
"""

import json

from controlplane.agent.evidence.texts.result_texts import texts_of_result


def data_in(value: object) -> set[str]:
    """Return the texts that are data in the result `value` of a tool."""
    data_texts: set[str] = set()
    for text in texts_of_result({"value": json.dumps(value)}):
        if text.is_data:
            data_texts.add(text.text)
    return data_texts
