"""A filter of jq may print a text of its own though it looks as if it only picked values.

`/bin/pick FILTER FILE` prints what the filter picks, which is evidence of the file. But these filters
print "vault", whatever is in the file, so it cannot be cited for that. Quotation marks hide their parts.
"""

from tests.agent.evidence.log.citing_trial import CitingTrial


def test_the_output_of_a_text_between_two_picking_filters_is_no_evidence() -> None:
    """From its first to its last character, the filter looks like one `select(...)`."""
    trial = CitingTrial()
    trial.run(
        "/bin/pick",
        'select(")' + ' | "vault" | ' + 'select("',
        "/docs/Secret.md",
        stdout='"vault"\n',
    )

    assert not trial.can_cite("/docs/Secret.md", reason="the vault opens at noon")


def test_the_output_of_a_filter_behind_a_quoted_bracket_is_no_evidence() -> None:
    """The filter has three parts. Without regard to quotation marks, the second one seems to be
    within a name: `.["),({vault:1}|keys),select("]`."""
    parts = [
        'select(")|.[")',
        "({vault:1}|keys)",  # makes a mapping, and prints its keys
        'select("]|select(")',
    ]
    trial = CitingTrial()
    trial.run(
        "/bin/pick",
        ",".join(parts),
        "/docs/Secret.md",
        stdout='{}\n["vault"]\n{}\n',
    )

    assert not trial.can_cite("/docs/Secret.md", reason="the vault opens at noon")
