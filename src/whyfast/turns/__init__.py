"""What programs under study use to take turns; see :mod:`whyfast.turns.include.whyfast_turn`.

The module lies beside the C header in ``include``, so that build steps can copy it beside a program
whose interpreter has no whyfast.
"""

from whyfast.turns.include.whyfast_turn import lacks as lacks
from whyfast.turns.include.whyfast_turn import take_turns as take_turns
