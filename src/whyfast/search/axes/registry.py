"""The axes of a study by name, beside commits. A new one is one file and one line here."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from whyfast.investigate.context import RunContext
from whyfast.model.study import Study
from whyfast.model.variant import Variant
from whyfast.search.axes.axis import CandidateRange, DifferenceSet, SearchRequest
from whyfast.search.axes.flags import mix_flags
from whyfast.search.axes.objects import mix_functions, mix_objects
from whyfast.search.axes.passes import pass_range
from whyfast.search.axes.versions import kernel_range, toolchain_range

#: Candidates in order; UserError for impossible ends.
RANGES: Mapping[str, Callable[[RunContext[Study], Variant, SearchRequest], CandidateRange]] = {
    "kernels": kernel_range,
    "passes": pass_range,
    "toolchains": toolchain_range,
}
#: The differences between the good and the bad variant, with the name of an object file for
#: ``functions``; UserError for impossible ends.
SETS: Mapping[str, Callable[[RunContext[Study], Variant, Variant, str], DifferenceSet]] = {
    "flags": mix_flags,
    "functions": mix_functions,
    "objects": mix_objects,
}
