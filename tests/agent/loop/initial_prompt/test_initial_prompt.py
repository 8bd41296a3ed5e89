"""The first message: how much of the initial calls' results it shows, and their errors.

Before a model is asked, the product makes the calls that an environment declares. `OpenedTrial` does
so for an invented shop of carts and documents, and has the message with their results.
"""

from __future__ import annotations

import pytest

from controlplane.agent.loop import LoopSettings
from controlplane.agent.loop.initial_prompt.prompt_notices import failed_searches_notice
from controlplane.sandbox.interface import (
    FILE_OPERATIONS,
    EachOf,
    InitialCall,
    ToolSchema,
)
from tests.agent.loop.initial_prompt.opened_trial import OpenedTrial
from tests.agent.loop.initial_prompt.prompt_shop import SHOP_FILES, Shop


class TestShortenedMessage:
    """The first message is shortened to what the model's context has room for.

    `context_tokens` is the size of the context, if it is known. The shop of `OpenedTrial` has
    carts, and documents of which those that fit the request are shown.
    """

    def test_a_first_message_is_shortened_to_the_context_of_the_model(self) -> None:
        """The shop has a long document on carts. A model with a context of unknown size gets much
        of it, and one with a context of 3,000 tokens less."""
        long_document = "# Checking out\n" + "Check out carts.\n" * 2_000
        shop = Shop(files={**SHOP_FILES, "/docs/long.md": long_document})

        whole = OpenedTrial(
            "Check out cart-1.", shop, settings=LoopSettings(context_tokens=None)
        )
        short = OpenedTrial(
            "Check out cart-1.", shop, settings=LoopSettings(context_tokens=3_000)
        )

        assert whole.shortened_for == 0
        assert len(whole.message) > 7_000
        assert short.shortened_for == 3_000
        chars_per_token = 2.5
        assert len(short.system_prompt + short.message) < 3_000 * chars_per_token
        assert short.instruction == whole.instruction

    def test_a_first_message_that_fits_the_context_is_not_shortened(self) -> None:
        """The message has a few thousand tokens, and the context 100,000."""
        trial = OpenedTrial(
            "Check out cart-1.", settings=LoopSettings(context_tokens=100_000)
        )

        assert trial.shortened_for == 0

    def test_a_request_that_looks_like_a_hole_of_a_prompt_is_shown_as_it_is(
        self,
    ) -> None:
        """The product fills holes in its prompts, such as `{{instruction}}`, but none in the
        request."""
        trial = OpenedTrial("Do {{it}}, {{instruction}}.")

        assert "Do {{it}}, {{instruction}}." in trial.instruction

    def test_a_model_that_replies_in_fences_is_not_told_of_json(self) -> None:
        """Some models write scripts better in a fence of Markdown than in a JSON object."""
        settings = LoopSettings(replies_in_fences=True)

        trial = OpenedTrial("Check out cart-1.", settings=settings)

        assert "```python\nlate = []\n" in trial.system_prompt
        assert "JSON object" not in trial.system_prompt


LONG_DOCUMENTS = {
    "/RULES.MD": "the rules",
    "/docs/a.md": "a" * 12_100,
    "/docs/b.md": "b" * 12_100,
}
EACH_DOCUMENT = EachOf(
    "find", {"name": "*.md", "root": "/docs", "kind": "files"}, "paths"
)
READS_ALL_DOCUMENTS = ToolSchema(
    operations=FILE_OPERATIONS,
    rules_document="/RULES.MD",
    initial_calls=(
        InitialCall("tree", {"root": "/", "level": 2}),
        InitialCall("read", {"path": "/RULES.MD"}),
        InitialCall("read", each_of=EACH_DOCUMENT),
        InitialCall("read", {"path": "/missing.md"}),
    ),
)
"""Declares that the first message shows the tree, the rules and both documents."""


class TestCutDocuments:
    """Only documents that the first message shows, at least in part, can be cited.

    The shop has two documents of 12,100 letters each, `/docs/a.md` and `/docs/b.md`. The setting
    `initial_prompt_chars` says how many characters of results the message may show.
    """

    def test_the_shown_beginning_of_a_cut_document_can_be_cited(self) -> None:
        """The message has room for all, but shows at most 12,000 characters of a document."""
        shop = Shop(READS_ALL_DOCUMENTS, files=LONG_DOCUMENTS)

        trial = OpenedTrial(
            "What is in b?", shop, settings=LoopSettings(initial_prompt_chars=120_000)
        )

        assert "b\n</section>\n(100 more characters:" in trial.message
        path = trial.check_citation("/docs/b.md", "the bbbbbb rule")
        assert path == "/docs/b.md"

    def test_a_document_for_which_there_was_no_room_cannot_be_cited(self) -> None:
        """With room for 100 characters, only the beginning of the first document is shown."""
        shop = Shop(READS_ALL_DOCUMENTS, files=LONG_DOCUMENTS)

        trial = OpenedTrial(
            "What is in b?", shop, settings=LoopSettings(initial_prompt_chars=100)
        )

        assert "a\n</section>\n(" in trial.message
        assert "(There was no room to open everything.)" in trial.message
        with pytest.raises(ValueError, match=r"/docs/b\.md"):
            trial.check_citation("/docs/b.md", "the bbbbbb rule")


class TestFailedCalls:
    """Some initial calls fail, with the error "no such luck".

    `Shop(broken_operations=("read",))` is a shop whose calls of `read` all fail.
    """

    @pytest.mark.parametrize(
        "broken_operations",
        [("read",), ("tree",), ("exec",), ("tree", "read", "search")],
    )
    def test_a_failed_call_shows_its_error_in_the_place_of_its_result(
        self, broken_operations: tuple[str, ...]
    ) -> None:
        """The model is told what it does not see, and the rest of the message is there."""
        shop = Shop(broken_operations=broken_operations)

        trial = OpenedTrial("Check out cart-1.", shop)

        assert "no such luck" in trial.message
        assert trial.message.endswith("</instruction>\n")

    @pytest.mark.parametrize("broken_operation", ["search", "find"])
    def test_the_error_of_a_search_for_files_is_not_shown(
        self, broken_operation: str
    ) -> None:
        """The product finds the files that fit the request by `find` and `search`, and then reads
        them. The message shows only what was read. The shop fails with the error "no such luck"."""
        shop = Shop(broken_operations=(broken_operation,))

        trial = OpenedTrial("Check out cart-1.", shop)

        assert "no such luck" not in trial.message
        assert trial.message.endswith("</instruction>\n")

    @pytest.mark.parametrize(
        ("broken_operations", "is_warned"),
        [
            pytest.param(("search",), True, id="every search fails"),
            pytest.param((), False, id="nothing fails"),
            pytest.param(("read",), False, id="something else fails"),
        ],
    )
    def test_the_user_is_warned_if_every_search_of_the_initial_prompt_fails(
        self, broken_operations: tuple[str, ...], is_warned: bool
    ) -> None:
        """The operation `search` finds records that are linked to a named one. If it fails, fewer
        records are shown, and nobody would notice."""
        shop = Shop(broken_operations=broken_operations)
        trial = OpenedTrial("Check out cart-1.", shop)
        failed_operations = {call.operation for call in trial.calls if call.error}
        assert failed_operations == set(broken_operations)

        warning = failed_searches_notice(trial.calls)

        refusal = "refuses every search of the initial prompt (unavailable)"
        assert (refusal in warning) == is_warned
