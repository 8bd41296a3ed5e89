"""The task to plan a dispatch wave: its waves, their simulation, plans and their score."""
