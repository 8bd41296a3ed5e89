"""The first message: which results of initial calls it shows, and how much of them.

The invented shop of these tests has carts, items, payments and documents on them. "Check out
cart-1." shows the record of the cart, the records that are linked to it, and the document on
carts.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import pytest

from controlplane.agent.events import ConversationOpened
from controlplane.agent.loop.initial_prompt.initial_prompt import (
    PromptReader,
    build_initial_prompt,
)
from controlplane.agent.loop.initial_prompt.prompt_notices import failed_searches_notice
from controlplane.sandbox.interface import (
    FILE_OPERATIONS,
    EachOf,
    InitialCall,
    Operation,
    Plain,
    RecordOwners,
    ToolSchema,
)
from tests.agent.loop.initial_prompt.prompt_shop import (
    DATED_NOW,
    SHOP_FILES,
    SHOP_SCHEMA,
    Shop,
    first_message,
    opened_at,
    record_text,
    recorder_of,
)
from tests.support.library import BOOKS_BY

# The size of the message
# --------------------------------------------------------------------------------------------------------------


def open_for_model(
    context_tokens: int | None, files: Mapping[str, str] = SHOP_FILES
) -> ConversationOpened:
    """Open the conversation with a model whose context has this size; None if it is unknown."""
    recorder = recorder_of(Shop(files=files))
    reader = PromptReader(context_tokens)
    return build_initial_prompt("Check out cart-1.", recorder, reader=reader)


def test_a_first_message_is_shortened_to_the_context_of_the_model() -> None:
    """The shop has a long document on carts. A model with a context of unknown size gets all of
    it."""
    long_document = "# Checking out\n" + "Check out carts.\n" * 2_000
    files = {**SHOP_FILES, "/docs/long.md": long_document}

    whole = open_for_model(None, files)
    short = open_for_model(3_000, files)

    assert whole.shortened_for == 0
    assert len("".join(whole.first_message)) > 7_000
    assert short.shortened_for == 3_000
    chars_per_token = 2.5
    short_text = short.system + "".join(short.first_message)
    assert len(short_text) < 3_000 * chars_per_token
    # The instruction, which is last, is whole in both.
    assert short.first_message[-1] == whole.first_message[-1]


def test_a_first_message_that_fits_the_context_is_not_shortened() -> None:
    """The message has a few thousand tokens."""
    assert open_for_model(100_000).shortened_for == 0


REQUEST_LIKE_A_HOLE = "Do {{it}}."
"""A request that looks like a hole of a prompt, such as `{{instruction}}`, which would be filled."""
TWO_DOCUMENTS = {
    "/RULES.MD": "the rules",
    "/docs/a.md": "a" * 12_100,
    "/docs/b.md": "b" * 12_100,
}
READS_ALL_DOCUMENTS = ToolSchema(
    operations=FILE_OPERATIONS,
    rules_document="/RULES.MD",
    initial_calls=(
        InitialCall("tree", {"root": "/", "level": 2}),
        InitialCall("read", {"path": "/RULES.MD"}),
        InitialCall(
            "read",
            {},
            EachOf("find", {"name": "*.md", "root": "/docs", "kind": "files"}, "paths"),
        ),
        InitialCall("read", {"path": "/missing.md"}),
    ),
)


def test_the_shown_beginning_of_a_cut_document_can_be_cited() -> None:
    """The first message has room for 120,000 characters, but shows at most 12,000 of a document."""
    recorder = recorder_of(Shop(READS_ALL_DOCUMENTS, files=TWO_DOCUMENTS))

    opened = build_initial_prompt(REQUEST_LIKE_A_HOLE, recorder, 120_000)

    text = "".join(opened.first_message)
    assert "b\n</section>\n(100 more characters:" in text
    cited = recorder.evidence_log.citations.check("/docs/b.md", "the bbbbbb rule")
    assert cited.spelling == "/docs/b.md"


def test_a_document_for_which_there_was_no_room_cannot_be_cited() -> None:
    """With room for 100 characters, only the beginning of the first document is shown."""
    recorder = recorder_of(Shop(READS_ALL_DOCUMENTS, files=TWO_DOCUMENTS))

    opened = build_initial_prompt(REQUEST_LIKE_A_HOLE, recorder, 100)

    text = "".join(opened.first_message)
    assert "a\n</section>\n(" in text
    assert "(There was no room to open everything.)" in text
    with pytest.raises(ValueError, match=r"/docs/b\.md"):
        recorder.evidence_log.citations.check("/docs/b.md", "the bbbbbb rule")


# Calls that fail
# --------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "broken_operations",
    [("read",), ("tree",), ("exec",), ("tree", "read", "search")],
)
def test_a_failed_call_shows_its_error_in_the_place_of_its_result(
    broken_operations: tuple[str, ...],
) -> None:
    """The model is told what it does not see, and the rest of the message is there."""
    text = first_message("Check out cart-1.", Shop(broken_operations=broken_operations))

    assert "no such luck" in text
    assert text.endswith("</instruction>\n")


@pytest.mark.parametrize("broken_operation", ["search", "find"])
def test_the_error_of_a_search_for_files_is_not_shown(broken_operation: str) -> None:
    """The product finds the files that fit the request by `find` and `search`, and then reads
    them. The message shows only what was read. The shop fails with the error "no such luck"."""
    text = first_message(
        "Check out cart-1.", Shop(broken_operations=(broken_operation,))
    )

    assert "no such luck" not in text
    assert text.endswith("</instruction>\n")


@pytest.mark.parametrize(
    ("broken_operations", "is_warned"),
    [
        pytest.param(("search",), True, id="every search fails"),
        pytest.param((), False, id="nothing fails"),
        pytest.param(("read",), False, id="something else fails"),
    ],
)
def test_the_user_is_warned_if_every_search_of_the_initial_prompt_fails(
    broken_operations: tuple[str, ...], is_warned: bool
) -> None:
    """The operation `search` finds records that are linked to a named one. If it fails, fewer
    records are shown, and nobody would notice."""
    recorder = recorder_of(Shop(broken_operations=broken_operations))
    build_initial_prompt("Check out cart-1.", recorder)

    warning = failed_searches_notice(recorder.current_step.calls)

    failed_operations = {
        call.operation for call in recorder.current_step.calls if call.error
    }
    assert failed_operations == set(broken_operations)
    refusal = "refuses every search of the initial prompt (unavailable)"
    assert (refusal in warning) == is_warned


# Records that the request names
# --------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "side_by_side",
    [
        pytest.param(False, id="calls one after the other"),
        pytest.param(True, id="calls side by side"),
    ],
)
def test_a_named_record_and_linked_records_are_shown_and_can_be_cited(
    side_by_side: bool,
) -> None:
    """The request names a cart. The cart has an item, and a payment has the cart."""
    shop = Shop(replace(SHOP_SCHEMA, reads_side_by_side=side_by_side))
    recorder = recorder_of(shop)

    opened = build_initial_prompt("Check out cart-1.", recorder)

    text = "".join(opened.first_message)
    # What a named record links to comes before the records that have its id.
    cart_position = text.index('<section title="read /data/carts/cart-1.json">')
    item_position = text.index('<section title="read /data/items/ITEM-A-1.json">')
    payment_position = text.index('<section title="read /data/paid/pay-9.json">')
    assert cart_position < item_position < payment_position
    assert '{"id":"pay-9","cart":"cart-1"}' in text
    assert "white space is shortened (`read` returns the exact text)" in text
    # Records that are not linked to the cart are not shown.
    assert "read /data/staff/emp-5.json" not in text
    assert "read /data/carts/cart-2.json" not in text
    # What is shown counts as read.
    path, _line = recorder.evidence_log.citations.check(
        "/data/paid/pay-9.json", "the payment of cart-1"
    )
    assert path == "/data/paid/pay-9.json"


def test_a_named_record_is_shown_with_its_long_fields() -> None:
    """The record of employee emp-5 has a note of 500 characters."""
    text = first_message("Check emp-5.", Shop())

    long_note = "n" * 500
    assert f'"note":"{long_note}"}}' in text


class ShopThatCutsCarts(Shop):
    """Says of the record of cart-1 that only its beginning was read."""

    def call(self, operation: str, arguments: Mapping[str, Plain]) -> dict[str, Plain]:
        result = super().call(operation, arguments)
        if operation == "read" and arguments["path"] == "/data/carts/cart-1.json":
            result["truncated"] = True
        return result


def test_a_cut_text_names_the_function_that_reads_on() -> None:
    """The environment cuts the cart, and the prompt cuts the long note of the employee."""
    read_all = Operation(
        "read_all",
        BOOKS_BY.parameters,
        BOOKS_BY.fields,
        "all of a file",
        finds=BOOKS_BY.finds,
    )
    tool_schema = replace(
        SHOP_SCHEMA,
        operations=(*SHOP_SCHEMA.operations, read_all),
        ranked_chars=600,
    )

    text = first_message("Check cart-1, emp-5.", ShopThatCutsCarts(tool_schema))

    # Each section begins with its title: `<section title="read /data/carts/cart-1.json">`.
    sections: dict[str, str] = {}
    for part in text.split('title="'):
        title = part.partition('"')[0]
        sections[title] = part
    assert "It goes on: read_all(path)" in sections["read /data/carts/cart-1.json"]
    assert "more characters: read_all(path)" in sections["read /data/staff/emp-5.json"]


def test_the_journal_tells_of_at_most_40_files_why_they_were_chosen() -> None:
    """The request names 80 carts."""
    carts: dict[str, str] = {}
    for number in range(10, 90):
        carts[f"/data/carts/cart-{number}.json"] = record_text(id=f"cart-{number}")
    shop = Shop(files={**SHOP_FILES, **carts})

    chosen_files = opened_at(shop, f"Carts {' '.join(carts)}?").files

    assert len(chosen_files) <= 40
    assert chosen_files[0].reason.startswith("named")
    assert chosen_files[0].chars > 0


# Records of other users
# --------------------------------------------------------------------------------------------------------------

SCHEMA_WITH_OWNERS = replace(
    SHOP_SCHEMA,
    record_owners=RecordOwners(("owner",), "/bin/id", own_only=("customer",)),
)
"""A record belongs to the customer in its field `owner`. A customer sees only own records."""


class ShopOfUser(Shop):
    """A shop whose program `/bin/id` prints the user cust-2 with these roles."""

    def __init__(self, roles: str) -> None:
        super().__init__(SCHEMA_WITH_OWNERS)
        self.roles = roles

    def call(self, operation: str, arguments: Mapping[str, Plain]) -> dict[str, Plain]:
        if operation == "exec":
            stdout = f"user: cust-2\nroles: {self.roles}\n"
            return {"stdout": stdout, "stderr": "", "exit_code": 0}
        return super().call(operation, arguments)


NOTE_ON_OTHER_OWNER = "cart-1.json (it belongs to somebody else)"


def message_for(roles: str, instruction: str) -> str:
    """Return the first message for the user cust-2, who has these roles."""
    opened = opened_at(ShopOfUser(roles), instruction, now=DATED_NOW)
    return "".join(opened.first_message)


@pytest.mark.parametrize("roles", ["customer", ""])
def test_a_record_of_somebody_else_is_not_shown_in_advance(roles: str) -> None:
    """cart-1 belongs to cust-1. The message says only that it belongs to somebody else."""
    text = message_for(roles, "Check out cart-1.")

    assert '"owner":"cust-1"' not in text
    assert NOTE_ON_OTHER_OWNER in text


def test_a_record_of_somebody_else_is_shown_to_staff() -> None:
    """A clerk sees all records."""
    text = message_for("customer, clerk", "Check out cart-1.")

    assert '"owner":"cust-1"' in text
    assert NOTE_ON_OTHER_OWNER not in text


@pytest.mark.parametrize("roles", ["customer", "", "customer, clerk"])
def test_the_user_s_own_record_is_shown(roles: str) -> None:
    """cart-2 belongs to cust-2, who asks."""
    text = message_for(roles, "Check out cart-2.")

    assert '"owner":"cust-2"' in text


# The system prompt
# --------------------------------------------------------------------------------------------------------------


def test_a_model_that_replies_in_fences_is_not_told_of_json() -> None:
    """Some models write scripts better in a fence of Markdown than in a JSON object."""
    recorder = recorder_of(Shop())
    reader = PromptReader(replies_in_fences=True)

    opened = build_initial_prompt("Check out cart-1.", recorder, reader=reader)

    assert "```python\nlate = []\n" in opened.system
    assert "JSON object" not in opened.system
