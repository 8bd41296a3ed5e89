"""Everything in one trial: the model's messages
and replies, its scripts, and the gated submission."""
