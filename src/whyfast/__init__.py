"""whyfast: is it really faster, compared with what, why, and since when?

The library has the flows of the commands: ``import whyfast as wf``, then ``wf.ab(["./a", "./b"])``;
see docs/library.md. What is used is imported when it is first used, so that commands start fast.
"""

# Four functions are named like packages. Python sets a package as an attribute when it is first
# imported: that is done here, and the attribute removed, so that __getattr__ finds the function.
for _package in ("explain", "history", "judge", "why"):
    __import__(f"whyfast.{_package}")
    globals().pop(_package)
del _package

__version__ = "0.1.0"

#: What :mod:`whyfast.api.library` gives.
__all__ = [
    "Report",
    "UserError",
    "Verdict",
    "ab",
    "compare",
    "explain",
    "history",
    "judge",
    "load",
    "run",
    "timeit",
    "why",
]

TYPE_CHECKING = False
if TYPE_CHECKING:
    from whyfast.api.library import (
        Report,
        UserError,
        Verdict,
        ab,
        compare,
        explain,
        history,
        judge,
        load,
        run,
        timeit,
        why,
    )


def __getattr__(name: str) -> object:
    if name not in __all__:
        raise AttributeError(f"module 'whyfast' has no attribute {name!r}")
    from whyfast.api import library

    return getattr(library, name)
