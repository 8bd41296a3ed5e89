r"""Grades of the answer "There are 12." by a program of its task, `grade.py`.

    grade_by_program("def grade(answer, outcome, citations, changes):\n    return '12' in answer\n", server)
    # Grade(1.0, ())

The program runs in the sandbox like a script of the model.
"""

from controlplane.benchmarks.folder.folder_benchmark import script_grade
from controlplane.local_benchmark.local_benchmark import Grade
from controlplane.local_benchmark.local_environment import SubmittedAnswer
from controlplane.sandbox import ForkServer


def grade_by_program(program: str, server: ForkServer) -> Grade:
    """Return the grade of an answer by this program.

    The answer is "There are 12.", its outcome OUTCOME_OK. It cites /a.txt, and has written /b.txt.
    """
    answer = SubmittedAnswer("There are 12.", "OUTCOME_OK", refs=("/a.txt",))
    return script_grade(program, answer, {"/b.txt": "12 pieces"}, server)
