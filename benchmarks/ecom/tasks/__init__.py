"""Tasks with their truth, their reference solutions and their grader."""
