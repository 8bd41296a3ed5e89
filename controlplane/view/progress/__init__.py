"""Shows a run while it works: live on a terminal, as plain lines elsewhere."""
