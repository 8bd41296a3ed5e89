"""The walls around the process, and the frames between parent and child."""
