"""The axes by name. A new one is one file and one line here."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from whyfast.investigate.work import Work
from whyfast.model.study import Study
from whyfast.model.variant import Variant
from whyfast.search.axes.functions import mix_functions
from whyfast.search.axes.kernels import kernel_line
from whyfast.search.axes.level import mix_flags
from whyfast.search.axes.line import CandidateLine, LineSearch
from whyfast.search.axes.mixing import Mixing, MixingEnds
from whyfast.search.axes.objects import mix_objects
from whyfast.search.axes.pass_line import pass_line
from whyfast.search.axes.toolchains import toolchain_line

#: From the ends to candidates in order; UserError for ends that cannot be.
LINES: Mapping[str, Callable[[Work[Study], Variant, LineSearch], CandidateLine]] = {
    "kernels": kernel_line,
    "passes": pass_line,
    "toolchains": toolchain_line,
}
#: From the ends to what differs between them; UserError for ends that cannot be.
MIXINGS: Mapping[str, Callable[[Work[Study], MixingEnds], Mixing]] = {
    "flags": mix_flags,
    "functions": mix_functions,
    "objects": mix_objects,
}
