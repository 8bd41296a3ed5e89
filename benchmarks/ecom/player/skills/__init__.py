"""What the player by rules can do, one module per subject."""
