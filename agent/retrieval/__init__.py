"""Chooses the files that the first message shows: finds
them, ranks them, and fits the best into the room."""
