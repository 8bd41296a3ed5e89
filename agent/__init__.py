"""One trial: what the model sees, what it says, what its scripts do, and the gated exit."""
