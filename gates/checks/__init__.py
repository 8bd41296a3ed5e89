"""The checks of the gates: each module judges one thing about a submission."""
