"""Functions of this process as sides of ``timeit``, whose processes are others.

A function is pickled into a file of Python that the driver of ``whyfast timeit`` reads like any
other; what is measured is the same, closures and all.
"""

from __future__ import annotations

import inspect
import keyword
import pickle
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from types import ModuleType
from typing import Any

import cloudpickle

from whyfast.investigate.timeit_run import TimedSide
from whyfast.model.errors import UserError
from whyfast.model.variant import distinct_names

Work = Callable[..., object] | str

#: An argument is what a function of its name returns, as in any file of ``whyfast timeit``.
_FILE = """\
import pickle, sys
sys.path[:] = {path!r}
with open({pickled!r}, "rb") as _file:
    {name}, _arguments = pickle.load(_file)
def _constant(value):
    return lambda: value
globals().update((_name, _constant(_value)) for _name, _value in _arguments.items())
"""


@contextmanager
def timed_sides(
    works: Mapping[str, Work], setup: str, arguments: Mapping[str, object]
) -> Iterator[list[TimedSide]]:
    """The sides, by their names, as long as the block lasts: statements as they are, callables in
    files. ``arguments`` are the values of the callables' parameters. UserError for what cannot be
    handed to another process, and for arguments that no callable takes."""
    if not sys.executable:
        raise UserError("this Python does not know its own program", where="timeit")
    taken: set[str] = set()
    with TemporaryDirectory(prefix="whyfast-") as folder:
        sides = []
        for i, (name, work) in enumerate(works.items()):
            if isinstance(work, str):
                sides.append(TimedSide(name, (sys.executable,), setup, statement=work))
                continue
            if not callable(work):
                message = f"{work!r:.60}: expected a function or a statement"
                raise UserError(message, where=name)
            own = {k: v for k, v in arguments.items() if k in _parameters(work)}
            taken |= own.keys()
            file = Path(folder) / f"whyfast_side_{i}.py"
            function = _write(file, work, own)
            sides.append(
                TimedSide(name, (sys.executable,), setup, file=str(file), function=function)
            )
        if unknown := set(arguments) - taken:
            raise UserError(f"no function has a parameter {min(unknown)!r}", where="arguments")
        yield sides


def names_of(works: Sequence[Work]) -> dict[str, Work]:
    """The sides by what people would call them; the same again gets a number."""
    labels = [w if isinstance(w, str) else getattr(w, "__name__", type(w).__name__) for w in works]
    return dict(zip(distinct_names(labels, ()), works, strict=True))


def _parameters(work: Callable[..., object]) -> Sequence[str]:
    try:
        return tuple(inspect.signature(work).parameters)
    except (TypeError, ValueError):  # many functions of C
        return ()


def _write(file: Path, work: Callable[..., object], arguments: Mapping[str, object]) -> str:
    """Write the file; returns the name that the callable has in it."""
    name = getattr(work, "__name__", "")
    if not name.isidentifier() or keyword.iskeyword(name) or name in {*arguments, "pickle", "sys"}:
        name = "function"
    pickled = file.with_suffix(".pickle")
    pickled.write_bytes(_pickled(work, arguments))
    path = [p or str(Path.cwd()) for p in sys.path]
    file.write_text(_FILE.format(path=path, pickled=str(pickled), name=name), encoding="utf-8")
    return name


def _pickled(work: Callable[..., object], arguments: Mapping[str, object]) -> bytes:
    """UserError naming the function or argument that cannot be pickled."""
    names = {str(getattr(part, "__module__", "")) for part in (work, *arguments.values())}
    modules = (sys.modules.get(name) for name in names - {"__main__"})
    known = cloudpickle.list_registry_pickle_by_value()
    apart = [m for m in modules if m and m.__name__ not in known and not _importable(m)]
    for module in apart:
        cloudpickle.register_pickle_by_value(module)
    try:
        for name, part in {getattr(work, "__name__", "function"): work, **arguments}.items():
            try:
                cloudpickle.dumps(part)
            except (pickle.PicklingError, TypeError, AttributeError, ValueError) as error:
                message = f"cannot be handed to another process: {error}"
                raise UserError(message, where=name) from None
        return bytes(cloudpickle.dumps((work, dict(arguments))))
    finally:
        for module in apart:
            cloudpickle.unregister_pickle_by_value(module)


def _importable(module: ModuleType) -> bool:
    """Whether another process with the same path finds this very file under the module's name."""
    path: Any = None
    spec = None
    parts = module.__name__.split(".")
    if parts[0] in sys.stdlib_module_names:
        return True
    for i in range(len(parts)):
        name = ".".join(parts[: i + 1])
        finders = (getattr(f, "find_spec", None) for f in sys.meta_path)
        spec = next((s for find in finders if find and (s := find(name, path, None))), None)
        if spec is None:
            return False
        path = spec.submodule_search_locations
    return spec is not None and spec.origin == getattr(module, "__file__", None)
