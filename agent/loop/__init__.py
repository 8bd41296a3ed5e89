"""The cited loop: prompt, turn, feedback, budget; and the rerun of recorded scripts."""
