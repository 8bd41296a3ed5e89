"""What is known of shops: the rule pack, the functions that scripts call, the stages of solvers."""
