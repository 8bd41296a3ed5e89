"""Why a reply ended, in one spelling for all vendors.

OpenAI says `length` if a reply was cut off, Anthropic says `max_tokens` and Gemini says
`MAX_TOKENS`. `finish_reason_of` gives `length` for all of them, and keeps a vendor's word
beside it if it differs. A gateway may report both its own word and that of the vendor.
"""

import pytest

from controlplane.agent.endpoint.replies.finish_reasons import finish_reason_of

NO_REASON_OF_VENDOR = ""
"""A gateway reports the vendor's reason beside its own. Without a gateway, there is one reason."""


class TestReasonsOfVendors:
    """The word of a vendor is translated into a common one, and kept beside it.

    The `common` reason decides what is done next. `native` is the vendor's own word, if it differs.
    """

    @pytest.mark.parametrize(
        ("reported", "common"),
        [
            ("max_tokens", "length"),
            ("MAX_TOKENS", "length"),
            ("model_length", "length"),
            ("FINISH_REASON_MAX_TOKENS", "length"),
            ("SAFETY", "content_filter"),
            ("RECITATION", "content_filter"),
            ("refusal", "content_filter"),
            ("sensitive", "content_filter"),
        ],
    )
    def test_reason_of_a_vendor_is_translated_and_kept(
        self, reported: str, common: str
    ) -> None:
        """The common reason decides what is done; the vendor's own word is shown to the user."""
        finish_reason = finish_reason_of(reported, NO_REASON_OF_VENDOR)

        assert finish_reason.common == common
        assert finish_reason.native == reported

    @pytest.mark.parametrize(
        "reported",
        [
            "length",
            "content_filter",
            "stop",
            "tool_calls",
            "end_turn",
            "eos",
            "function_call",
            "STOP",
        ],
    )
    def test_reason_that_needs_no_translation_is_not_changed(
        self, reported: str
    ) -> None:
        finish_reason = finish_reason_of(reported, NO_REASON_OF_VENDOR)

        assert finish_reason.common == reported
        assert finish_reason.native == ""

    def test_reply_without_a_reason_counts_as_complete(self) -> None:
        finish_reason = finish_reason_of("", NO_REASON_OF_VENDOR)

        assert finish_reason.common == "stop"
        assert finish_reason.native == ""


class TestReasonsOfGateways:
    """A gateway reports its own reason, and beside it the reason of the vendor."""

    def test_reason_of_the_vendor_takes_precedence_over_that_of_the_gateway(
        self,
    ) -> None:
        """The gateway says `stop`, and beside it the vendor's word, `MAX_TOKENS`."""
        finish_reason = finish_reason_of("stop", "MAX_TOKENS")

        assert finish_reason.common == "length"
        assert finish_reason.native == "MAX_TOKENS"

    @pytest.mark.parametrize(
        "reported", ["length", "content_filter", "stop", "tool_calls"]
    )
    def test_reason_that_gateway_and_vendor_report_alike_is_kept_once(
        self, reported: str
    ) -> None:
        finish_reason = finish_reason_of(reported, reported)

        assert finish_reason.common == reported
        assert finish_reason.native == ""
