"""What the player by rules can do, a subject a module."""
