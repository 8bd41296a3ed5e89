"""The language wall: what a script may write, decided before it runs."""
