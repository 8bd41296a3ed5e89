"""A model that takes its replies from a TOML file, and refuses a file that it cannot use.

The file has a table for each reply:

    [[reply]]
    when = "how many"    # only if the first message of the conversation has these words
    code = "print(1)"
"""

from pathlib import Path

import pytest

from controlplane.agent.model import ScriptedModel


@pytest.mark.parametrize(
    ("file_text", "expected_error"),
    [
        pytest.param("not toml", "not a replies file", id="not TOML"),
        pytest.param("[[reply]]\ncolour = 1\n", "colour", id="unknown field"),
        pytest.param(
            '[[reply]]\nwhen = "("\n',
            "when: Value error, is not a regular expression of RE2",
            id="broken pattern",
        ),
        pytest.param("", "reply", id="no reply"),
    ],
)
def test_unusable_file_of_replies_is_refused_with_one_line(
    file_text: str, expected_error: str, tmp_path: Path
) -> None:
    path = tmp_path / "replies.toml"
    path.write_text(file_text, encoding="utf-8")

    with pytest.raises(ValueError, match=expected_error) as caught:
        ScriptedModel.from_file(path)

    assert "\n" not in str(caught.value)
