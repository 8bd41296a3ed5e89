"""Knowledge of shops: the rule set, the functions that scripts call, the stages of solvers.

Journals name these functions by the module `functions`.
"""
