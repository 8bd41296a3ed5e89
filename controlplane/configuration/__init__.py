"""Settings, where their values come from, and what they name."""
