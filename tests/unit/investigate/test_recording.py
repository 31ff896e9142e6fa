"""The context in which values are taken."""

import threading
from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager, closing, nullcontext
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from tests.golden_files import Hear
from tests.unit.build.example import study as example
from tests.unit.build.example import write_source
from tests.unit.investigate.doubles import Watcher, World, own

from whyfast.investigate.context import RunContext
from whyfast.investigate.measuring import Processes
from whyfast.investigate.recording import recording, run_key
from whyfast.model.build import Build
from whyfast.model.study import MeasureSpec, Study
from whyfast.model.variant import Benchmark, Variant
from whyfast.store.files import exclusive, sha256_of
from whyfast.store.samples import SampleStore

HARDEN = "net.core.bpf_jit_harden"


def _context(folder: Path, world: World | None = None, **services: Any) -> RunContext[Study]:
    """A study of two programs that are built already."""
    study = replace(
        example(write_source(folder)),
        baselines=("a",),
        variants=(Variant("a"), Variant("b", sysctl={HARDEN: "2"})),
        benchmarks=(Benchmark("fib", "command", ("{program}",)),),
        measure=MeasureSpec(budget=1e6, turns=2, stop="budget"),
    )
    toolchain = {"toolchain": {"name": "path:cc", "digest": "t"}}
    for name in "ab":
        (folder / name).write_text(name)
    builds = tuple(Build(n, n, folder / n, sha256_of(folder / n), toolchain, True) for n in "ab")
    made = (world or World()).services(**services)
    return RunContext(
        study, own(folder), Watcher(), made, builds=builds, prefixes={"a": (), "b": ()}
    )


def _runs(context: RunContext[Study]) -> list[bool]:
    """Of all runs, oldest first: were they finished?"""
    with closing(SampleStore(context.home.database)) as store:
        return [run.finished is not None for run in store.runs()]


def _heard(context: RunContext[Study]) -> list[str]:
    assert isinstance(context.observer, Watcher)
    return context.observer.heard


class Settings:
    """Settings that an earlier run left behind."""

    def __init__(self, *_: object) -> None:
        self.asked: list[str] = []

    def __call__(self, settings: Mapping[str, str]) -> AbstractContextManager[None]:
        return nullcontext()

    def recover(self, settings: Sequence[str]) -> tuple[str, ...]:
        return tuple(f"{name} is 0 again" for name in settings)

    def why_not(self, settings: Mapping[str, str]) -> str:
        return ""


def test_what_was_left_behind_is_put_back_first(tmp_path: Path) -> None:
    context = _context(tmp_path, sysctls=Settings)
    with recording(context, "k"):
        assert _heard(context) == [f"{HARDEN} is 0 again"]


def test_settings_of_other_kernels_are_not_this_machines(tmp_path: Path) -> None:
    context = _context(tmp_path, sysctls=Settings)
    variants = tuple(replace(v, kernel="debian:linux-6.12") for v in context.question.variants)
    context = replace(context, question=replace(context.question, variants=variants))
    with recording(context, "k"):
        assert _heard(context) == []


def test_only_one_measures_at_a_time(tmp_path: Path, golden: Hear) -> None:
    context = _context(tmp_path, sysctls=Settings)
    entered = threading.Event()

    def other() -> None:
        with recording(context, "k"):
            entered.set()

    lock = context.home.data / "measuring.lock"
    with exclusive(lock):
        with recording(context, "read", alone=False):
            pass
        thread = threading.Thread(target=other)
        thread.start()
        while not _heard(context):
            thread.join(0.01)
        assert not entered.is_set()
    thread.join()
    assert entered.is_set()
    golden(_heard(context)[0])


def test_interrupted_it_stays_open_and_the_next_one_goes_on(tmp_path: Path) -> None:
    context = _context(tmp_path, sysctls=Settings)
    with recording(context, "k") as first, first.timed("measure", context.services.clock):
        raise KeyboardInterrupt
    assert not first.complete
    assert (first.recorded.complete, first.recorded.seconds) == (False, {"measure": 0.0})
    assert _runs(context) == [False]
    with recording(context, "other"):
        pass
    with recording(context, "k") as second:
        pass
    assert second.run == first.run
    assert _runs(context) == [True, True]
    with recording(context, "k") as third:
        pass
    assert third.run.id != first.run.id


def test_without_a_key_nothing_goes_on(tmp_path: Path) -> None:
    context = _context(tmp_path, sysctls=Settings)
    with recording(context, None) as first:
        raise KeyboardInterrupt
    assert (first.recorded.complete, _runs(context)) == (False, [True])


def test_an_error_leaves_the_run_to_go_on_with(tmp_path: Path) -> None:
    context = _context(tmp_path, sysctls=Settings)
    with pytest.raises(OSError, match="gone"), recording(context, "k"):
        raise OSError("gone")
    assert _runs(context) == [False]


def test_one_run_can_be_measured_in_again_by_another_rule_and_with_others(tmp_path: Path) -> None:
    """As a search does, candidate by candidate."""
    context = _context(tmp_path, sysctls=Settings)
    program = tmp_path / "c"
    program.write_text("c")
    extra = Build("c", "c", program, sha256_of(program), context.usable[0].provenance, True)
    with recording(context, run_key(context)) as run:
        Processes().measure(context, run, settled=lambda entry: len(entry.blocks) >= 2)
        question = replace(context.question, variants=(*context.question.variants, Variant("c")))
        more = replace(
            context,
            question=question,
            builds=(*context.builds, extra),
            prefixes={**context.prefixes, "c": ()},
        )
        Processes().measure(more, run, settled=lambda entry: len(entry.blocks) >= 5)
    blocks = run.recorded.blocks
    assert [b.index for b in blocks] == [0, 1, 2, 3, 4]
    assert [sorted(b.values) for b in blocks] == [["a", "b"]] * 2 + [["a", "b", "c"]] * 3
    assert len(run.recorded.sessions) == 2


def test_what_makes_another_run(tmp_path: Path) -> None:
    context = _context(tmp_path)
    study = context.question
    a, b = study.variants
    others = [
        replace(study, variants=(a, replace(b, sysctl={}))),
        replace(study, baselines=("b",)),
        replace(study, benchmarks=(replace(study.benchmarks[0], timeout=1.0),)),
        replace(study, measure=replace(study.measure, turns=3)),
        replace(study, measure=replace(study.measure, layouts=4)),
    ]
    keys = {run_key(context), *(run_key(replace(context, question=other)) for other in others)}
    assert len(keys) == 1 + len(others)
    builds = (context.builds[0], replace(context.usable[1], digest="another"))
    assert run_key(replace(context, builds=builds)) not in keys
    for same in (
        replace(study, margin=0.05, title="another"),
        replace(study, measure=replace(study.measure, budget=1.0)),
    ):
        assert run_key(replace(context, question=same)) == run_key(context)
