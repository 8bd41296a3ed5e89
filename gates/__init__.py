"""Eight ordered, deterministic checks of a submission."""
