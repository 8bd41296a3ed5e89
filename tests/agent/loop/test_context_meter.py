"""A conversation against what its model takes at once."""

from agent.loop.context_meter import ContextMeter


def test_without_a_bound_nothing_is_said() -> None:
    meter = ContextMeter()
    meter.add("x" * 1_000_000)
    assert (meter.exhausted, meter.notice("")) == ("", ())


def test_the_endpoints_count_corrects_what_was_reckoned() -> None:
    meter = ContextMeter(10_000)
    meter.add("x" * 4000)
    assert meter.tokens() == 1333
    meter.note(1000, 50, "y" * 200)
    meter.add("y" * 200)
    assert meter.tokens() == 1050
    assert meter.tokens("z" * 400) == 1150


def test_the_model_is_told_before_the_bound_and_the_trial_ends_at_it() -> None:
    meter = ContextMeter(1000)
    meter.add("x" * 2100)
    meter.note(700, 0, "")
    assert (meter.exhausted, meter.notice("")) == ("", ())
    (told,) = meter.notice("z" * 210)
    assert "200 tokens" in told
    meter.add("z" * 900)
    assert "1,000 tokens (--max-context-tokens)" in meter.exhausted


def test_a_first_request_that_is_too_long_says_what_helps() -> None:
    meter = ContextMeter(1000)
    meter.add("x" * 9000)
    assert "about 3,000; lower --opening-chars" in meter.exhausted
