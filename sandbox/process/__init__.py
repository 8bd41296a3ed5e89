"""The process and kernel walls around a child, and the frames between parent and child."""
