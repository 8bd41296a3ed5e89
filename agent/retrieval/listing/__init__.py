"""The files that calls have listed, and the drawing of their folders."""
