"""What the built programs are asked, and what becomes of answers that cannot be had."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import replace
from pathlib import Path

import pytest
from tests.golden_files import Hear

from whyfast.investigate import measuring as module
from whyfast.investigate.context import RunContext, argument_vector
from whyfast.investigate.measuring import observe, wants_observing
from whyfast.investigate.recording import run_key
from whyfast.investigate.services import Services, Silent
from whyfast.measure.doctor.tune import CannotHold, Holding, TemporarySysctls
from whyfast.measure.tools import Finished, Launcher
from whyfast.model.build import Build
from whyfast.model.study import Study
from whyfast.store.home import Home
from whyfast.study.load import load_study

STUDIES = Path(__file__).resolve().parents[3] / "studies"
HARDEN = "net.core.bpf_jit_harden"

ANSWERS = {
    "image": "compiled 1\nprogram 0 0x1000 e9fb0f0000\nprogram 1 0x2000 c3\ndone\n",
    "histogram": "bucket 24 1 5\ndone\n",
    "overhead": "overhead 610 one system call\ndone\n",
}


class _Launcher(Launcher):
    """Answers by the second word; takes note of what was in force then."""

    def __init__(self, answers: Mapping[str, Finished]) -> None:
        self.answers = answers
        self.settings: dict[str, str] = {}
        self.asked: list[tuple[tuple[str, ...], dict[str, str]]] = []

    def run(
        self,
        argv: Sequence[str],
        *,
        env: Mapping[str, str],
        timeout: float,
        pass_fds: Sequence[int] = (),
    ) -> Finished:
        self.asked.append((tuple(argv), dict(self.settings)))
        return self.answers[argv[1]]

    @contextmanager
    def hold(self, settings: Mapping[str, str]) -> Iterator[None]:
        self.settings = dict(settings)
        yield
        self.settings = {}


class _Sysctls(TemporarySysctls):
    """Settings that are held by a function."""

    def __init__(self, hold: Holding) -> None:
        self.hold = hold

    def __call__(  # type: ignore[override]
        self, settings: Mapping[str, str]
    ) -> AbstractContextManager[None]:
        return self.hold(settings)

    def recover(self, settings: Sequence[str]) -> tuple[str, ...]:
        return ()

    def why_not(self, settings: Mapping[str, str]) -> str:
        return ""


@pytest.fixture
def study() -> Study:
    whole = load_study(STUDIES / "bpf-tail-call")
    variants = tuple(v for v in whole.variants if v.name in ("static", "static-hardened"))
    return replace(whole, variants=variants, benchmarks=whole.benchmarks[:2])


def _context(study: Study, launcher: Launcher, hold: Holding) -> RunContext[Study]:
    services = Services(launcher=launcher, env={}, sysctls=lambda system, folder: _Sysctls(hold))
    builds = tuple(Build(v.name, "d", Path("/p"), "s", {}, False) for v in study.variants)
    prefixes = dict.fromkeys((v.name for v in study.variants), ())
    home = Home(Path("/cache"), Path("/data"))
    return RunContext(study, home, Silent(), services, builds=builds, prefixes=prefixes)


def _finished(text: str) -> Finished:
    return Finished(0, text, text)


def test_all_is_asked_under_its_settings(study: Study, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "this_architecture", lambda: "x86-64")
    launcher = _Launcher({word: _finished(text) for word, text in ANSWERS.items()})
    found = observe(_context(study, launcher, launcher.hold)).observed
    assert found.notes == ()
    assert [(i.variant, i.form) for i in found.images] == [
        ("static", "direct"),
        ("static-hardened", "direct"),
    ]
    assert [(r.benchmark, r.variant, r.counts) for r in found.run_times] == [
        ("calls-0", "static", (5,)),
        ("calls-1", "static", (5,)),
        ("calls-0", "static-hardened", (5,)),
        ("calls-1", "static-hardened", (5,)),
    ]
    (overhead,) = found.overheads
    assert (overhead.family, overhead.what) == ("calls", "one system call")
    assert overhead.seconds == pytest.approx(610e-9)
    assert launcher.asked[1] == (
        ("/p", "image", "--index", "static", "--calls", "3"),
        {HARDEN: "2"},
    )
    assert launcher.asked[0][1] == {HARDEN: "0"}


def test_what_cannot_be_had_is_said_once(
    study: Study, monkeypatch: pytest.MonkeyPatch, golden: Hear
) -> None:
    monkeypatch.setattr(module, "this_architecture", lambda: None)
    failed = Finished(3, "", "bpf-chain: making the histogram: not permitted\n  log")
    answers = {"histogram": failed, "overhead": _finished("overhead 610 x\n")}
    launcher = _Launcher(answers)

    @contextmanager
    def cannot(settings: Mapping[str, str]) -> Iterator[None]:
        if settings[HARDEN] == "2":
            raise CannotHold("needs root")
        yield

    found = observe(_context(study, launcher, cannot)).observed
    assert (found.images, found.run_times, found.overheads) == ((), (), ())
    golden(*found.notes)


def test_a_study_that_asks_nothing(study: Study) -> None:
    assert wants_observing(study)
    assert not wants_observing(load_study(STUDIES / "bpf-tail-call-vm"))


def test_the_words_of_a_variant_in_a_command(study: Study) -> None:
    command = ("{program}", "{run}", "{run}.hex", "--{{x}}")
    launcher = _Launcher({})
    context = _context(study, launcher, launcher.hold)
    argv = argument_vector(context, command, context.usable[0])
    assert argv == ("/p", "--index", "static", "--index static.hex", "--{x}")


def test_ways_to_run_tell_runs_apart(study: Study) -> None:
    launcher = _Launcher({})
    context = _context(study, launcher, launcher.hold)
    static, hardened = study.variants
    keys = {
        run_key(replace(context, question=replace(study, variants=variants)))
        for variants in (
            (static, hardened),
            (replace(static, sysctl={HARDEN: "1"}), hardened),
            (replace(static, run=("--index", "dynamic")), hardened),
        )
    }
    assert len(keys) == 3
    assert run_key(replace(context, question=replace(study, title="another"))) in keys
