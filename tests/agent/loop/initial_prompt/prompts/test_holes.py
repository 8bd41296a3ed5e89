"""A prompt of the user has the holes that the product fills, and no others.

A user may replace the product's prompts by a folder of own ones (`--prompts FOLDER`). A hole is a name
in double braces: `{{instruction}}` becomes the request of the user. `folder` is a copy of the product's
prompts, named `mine`.
"""

from pathlib import Path

from tests.agent.loop.initial_prompt.prompts.refused_folder import refusal_of


def test_a_hole_that_the_product_does_not_fill_is_refused(folder: Path) -> None:
    """The model would read `{{weather}}`."""
    path = folder / "warning.md"
    path.write_text(path.read_text() + "The {{weather}}.\n")

    expected_message = (
        "mine/warning.md, line 2: it has the hole {{weather}}, which nothing fills "
        "(known: left)"
    )
    assert expected_message in refusal_of(folder)


def test_a_first_message_without_a_hole_for_the_request_is_refused(
    folder: Path,
) -> None:
    """The model would not be told what to do."""
    path = folder / "first_message.md"
    path.write_text(path.read_text().replace("{{instruction}}", "it"))

    assert "mine/first_message.md lacks the hole {{instruction}}" in refusal_of(folder)
