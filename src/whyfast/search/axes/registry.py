"""The axes by name. A new one is one file and one line here."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from whyfast.investigate.context import RunContext
from whyfast.model.study import Study
from whyfast.model.variant import Variant
from whyfast.search.axes.axis import Bisection, CandidateRange, DifferenceSet, MixingEnds
from whyfast.search.axes.flags import mix_flags
from whyfast.search.axes.functions import mix_functions
from whyfast.search.axes.kernels import kernel_line
from whyfast.search.axes.objects import mix_objects
from whyfast.search.axes.passes import pass_line
from whyfast.search.axes.toolchains import toolchain_line

#: From the ends to candidates in order; UserError for ends that cannot be.
LINES: Mapping[str, Callable[[RunContext[Study], Variant, Bisection], CandidateRange]] = {
    "kernels": kernel_line,
    "passes": pass_line,
    "toolchains": toolchain_line,
}
#: From the ends to what differs between them; UserError for ends that cannot be.
MIXINGS: Mapping[str, Callable[[RunContext[Study], MixingEnds], DifferenceSet]] = {
    "flags": mix_flags,
    "functions": mix_functions,
    "objects": mix_objects,
}
