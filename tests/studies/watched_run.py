"""Run as a program by test_killed.py: measures a study and says each block once it is safe."""

import sys
from collections.abc import Sequence

from whyfast.investigate.services import Silent
from whyfast.investigate.study_run import run_study
from whyfast.model.verdict import Verdict
from whyfast.store.home import home
from whyfast.study.load import load_study


class Loud(Silent):
    def block(
        self, benchmark: str, verdicts: Sequence[Verdict], spent: float, budget: float
    ) -> None:
        print("block", flush=True)


def main() -> None:
    """Measure the study that is the first argument."""
    run_study(load_study(sys.argv[1]), home(), Loud())
    print("done", flush=True)
