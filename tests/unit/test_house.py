"""The plan of the house: who imports whom, how much a function takes, one name for one thing."""

import ast
import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import fields, is_dataclass
from functools import cache
from graphlib import CycleError, TopologicalSorter
from importlib import import_module
from itertools import groupby
from pathlib import Path

import pytest

import whyfast
from whyfast.model.codec import field_types

ROOT = Path(whyfast.__file__).parent

#: The packages in the order of the flow: each imports from itself and those before it.
FLOW = (
    *("model", "store", "formats", "study", "toolchain", "interpreter", "build", "measure"),
    *("judge", "explain", "why", "history", "investigate", "search", "fleet", "report", "api"),
    "cli",
)
#: What programs under study use; it must work where whyfast is not.
APART = ("turns",)

#: Imports inside functions, except in ``cli.main``: what takes long and few need.
LATE = {
    ("", "whyfast.api.library"),  # the library is all of whyfast
    ("explain.disassembly", "capstone"),
    ("explain.disassembly", "whyfast.explain.disassembly.x86"),  # iced_x86
    ("explain.program", "whyfast.explain.objects.coff"),  # lief
    ("explain.program", "whyfast.explain.objects.macho"),  # lief
    ("explain.program", "whyfast.explain.objects.pe"),  # lief
    # The account of a difference, which few results have.
    ("cli.ab", "whyfast.investigate.why.why_inquiry"),
    ("cli.ab", "whyfast.investigate.why.why_run"),
    # Fleets, which need Dask, and renderers of files that are asked for.
    ("cli.output", "whyfast.report.render.html"),
    ("cli.output", "whyfast.report.render.markdown"),
    ("cli.search", "whyfast.cli.fleet"),
    ("cli.search", "whyfast.fleet.worker"),
    ("cli.search", "whyfast.fleet.building_hosts"),
    ("cli.runs", "whyfast.cli.fleet"),
    ("cli.runs", "whyfast.cli.reading"),
    ("cli.runs", "whyfast.fleet.merging"),
    ("cli.runs", "whyfast.fleet.replicate"),
    ("explain.troubles", "tomlkit"),
    # What judges and shows is imported after the first block, or beside the first programs: `ab`
    # and `timeit` start at once.
    ("cli.timeit", "whyfast.report.render.terminal"),
    ("cli.ab", "whyfast.cli.results"),
    ("cli.timeit", "whyfast.cli.results"),
    ("cli.output", "whyfast.report.render.terminal"),
    ("investigate.timeit_run", "whyfast.judge.judge_run"),
    ("investigate.timeit_run", "whyfast.judge.lines"),
    ("investigate.ab_run", "whyfast.judge.judge_run"),
    ("investigate.ab_run", "whyfast.model.result"),
    ("investigate.ab_run", "whyfast.investigate.costs"),
    ("investigate.ab_run", "whyfast.measure.count"),
    ("investigate.ab_run", "whyfast.model.verdict"),
    ("investigate.context", "whyfast.judge.comparisons"),
    ("investigate.context", "whyfast.store.builds"),
    ("investigate.first_runs", "whyfast.judge.decide"),
    ("investigate.first_runs", "whyfast.judge.power"),
    ("investigate.recording", "whyfast.judge.looks"),
    ("investigate.recording", "whyfast.model.result"),
    ("report.progress", "whyfast.report.sections.programs"),
    ("investigate.ab_run", "whyfast.measure.perf"),  # what takes turns is not counted
    # What few of those who name an interpreter need.
    ("interpreter.command_line", "whyfast.interpreter.providers"),
    ("interpreter.command_line", "whyfast.toolchain.sandbox"),
    *(
        ("interpreter.facts", f"elftools.{module}")
        for module in ("common.exceptions", "elf.dynamic", "elf.elffile")
    ),
    # What `ab` of commands has no need of.
    ("measure.registry", "whyfast.measure.harnesses"),
    ("measure.registry", "whyfast.toolchain.wheels"),
    ("report.sections.side_by_side", "whyfast.explain.code_diff"),  # results of commands have none
    ("report.sections.side_by_side", "whyfast.model.code"),
    ("study.skeleton", "tomlkit"),
    ("toolchain.archive", "debian.deb822"),
    ("toolchain.kernels", "debian.arfile"),
    ("toolchain.kernels", "debian.debfile"),
    # What each mode of the probe needs: it must not look like the program's own imports.
    *(
        ("turns.python_probe.sitecustomize", module)
        for module in ("_lsprof", "_signal", "dis", "json", "sitecustomize")
    ),
    ("turns.include.whyfast_turn", "ctypes"),  # for Pythons without a monotonic clock
    ("turns.include.whyfast_turn", "traceback"),  # every block starts Python, and few need these
    *(("turns.timeit.workload", module) for module in ("asyncio", "types")),
    *(("turns.timeit.inspection", module) for module in ("ast", "_tracemalloc")),
    ("turns.timeit.loop_values", "hashlib"),
}


@cache
def modules() -> dict[str, ast.Module]:
    """Every module by its name in whyfast, ``""`` for the package itself."""
    return {_name(file): ast.parse(file.read_text("utf-8")) for file in sorted(ROOT.rglob("*.py"))}


def _name(file: Path) -> str:
    parts = file.relative_to(ROOT).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


Statement = ast.Import | ast.ImportFrom | ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef


@cache
def statements(name: str) -> list[tuple[Statement, bool]]:
    """Imports, functions and classes anywhere in a module; whether each stands in a function. No
    expression holds one."""
    found: list[tuple[Statement, bool]] = []

    def visit(nodes: Iterable[ast.AST], inside: bool) -> None:
        for node in nodes:
            if isinstance(node, Statement):
                found.append((node, inside))
            function = isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
            for field in ("body", "orelse", "handlers", "finalbody", "cases"):
                visit(getattr(node, field, ()), inside or function)

    visit([modules()[name]], False)
    return found


def imported(nodes: Iterable[ast.AST]) -> set[str]:
    """The modules that these statements import, for type checkers only too, with their whole
    names."""
    found: set[str] = set()
    for node in nodes:
        if isinstance(node, ast.Import):
            found.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.module is not None, "whole names only"
            parts = {f"{node.module}.{alias.name}" for alias in node.names}
            own = {part for part in parts if part.removeprefix("whyfast.") in modules()}
            found.update(own or {node.module})
    return found


@cache
def own_imports(name: str) -> set[str]:
    """The modules of whyfast that a module imports, with the packages that this executes."""
    found: set[str] = set()
    for whole in imported(node for node, _ in statements(name)):
        if whole.split(".")[0] == "whyfast":
            parts = whole.split(".")[1:]
            found.update(".".join(parts[: i + 1]) for i in range(len(parts)))
    return {m for m in found if m in modules() and not f"{name}.".startswith(f"{m}.")}


def test_every_package_has_its_place() -> None:
    folders = {p.parent.name for p in ROOT.glob("*/__init__.py")}
    assert folders <= {*FLOW, *APART}


def test_no_module_imports_from_later_in_the_flow() -> None:
    later = []
    for name in modules():
        # python -m whyfast is the command line.
        # The package itself shows what api has.
        package = {"": "api", "__main__": "cli"}.get(name, name.split(".")[0])
        before = FLOW[: FLOW.index(package) + 1] if package in FLOW else APART
        others = (m for m in own_imports(name) if m.split(".")[0] not in before)
        later += [f"{name} imports {other}" for other in others]
    assert later == []


def test_what_is_imported_for_type_checkers_only_counts() -> None:
    assert "model.code" in own_imports("model.result")


def test_the_types_of_every_field_of_the_model_are_found_by_its_own_imports() -> None:
    """Without a search through modules that nobody imports."""
    found = 0
    for name in (n for n in modules() if n.startswith("model.")):
        module = import_module(f"whyfast.{name}")
        kinds = [k for k in vars(module).values() if is_dataclass(k) and isinstance(k, type)]
        for kind in (k for k in kinds if k.__module__ == module.__name__):
            assert set(field_types(kind)) >= {f.name for f in fields(kind)}
            found += 1
    assert found > 80


def test_no_module_imports_itself_by_way_of_others() -> None:
    try:
        TopologicalSorter({name: own_imports(name) for name in modules()}).prepare()
    except CycleError as error:
        pytest.fail(" → ".join(error.args[1]))


def test_functions_take_at_most_seven_parameters() -> None:
    above = {
        f"{name}.{f.name}"
        for name in modules()
        for f, _ in statements(name)
        if isinstance(f, ast.FunctionDef | ast.AsyncFunctionDef) and len(_parameters(f.args)) > 7
    }
    assert above == set()


def _parameters(args: ast.arguments) -> list[str]:
    every = [*args.posonlyargs, *args.args, args.vararg, *args.kwonlyargs, args.kwarg]
    return [a.arg for a in every if a is not None and a.arg not in ("self", "cls")]


def test_a_class_has_its_name_for_itself() -> None:
    every = Counter(
        node.name
        for name in modules()
        for node, _ in statements(name)
        if isinstance(node, ast.ClassDef)
    )
    assert {name for name, number in every.items() if number > 1} == set()


def test_modules_are_imported_at_the_top() -> None:
    late = {
        (name, module)
        for name in modules()
        if name != "cli.main"
        for module in imported(node for node, inside in statements(name) if inside)
    }
    assert late == LATE


def test_a_walk_names_what_there_is_and_comes_back_to_no_file() -> None:
    text = (Path(__file__).parents[2] / "CONTRIBUTING.md").read_text("utf-8")
    walks = text.split("\n## Walks through the code\n")[1].split("\n**")[1:]
    assert len(walks) == 3
    for walk in walks:
        steps = re.findall(r"^\d+\. `([\w.]+)` \(`([\w/]+)\.py`\)", walk, re.MULTILINE)
        assert len(steps) == len(re.findall(r"^\d+\. ", walk, re.MULTILINE)) > 5
        for name, file in steps:
            assert name in defined(modules()[file.replace("/", ".")]), (name, file)
        files = [file for file, _ in groupby(file for _, file in steps)]
        assert len(files) == len(set(files))


def defined(tree: ast.Module) -> set[str]:
    found = set()
    for node in tree.body:
        if isinstance(node, ast.FunctionDef):
            found.add(node.name)
        elif isinstance(node, ast.ClassDef):
            own = (n for n in node.body if isinstance(n, ast.FunctionDef))
            found.update(f"{node.name}.{function.name}" for function in own)
    return found
