"""A study under other kernels, with doubles of QEMU, the archive and the build."""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from tests.golden_files import Hear
from tests.unit.investigate.doubles import Watcher, World
from tests.unit.measure.tools import Replay, said

from whyfast.investigate.services import Observer, Silent
from whyfast.investigate.study_run import run_study
from whyfast.measure.tools import Finished
from whyfast.measure.vm.qemu import PROGRAM
from whyfast.model.build import Kernel
from whyfast.model.errors import CannotBuildHere, UserError
from whyfast.model.result import Result
from whyfast.model.study import BuildSpec, MeasureSpec, Source, Study
from whyfast.model.variant import Benchmark, Variant
from whyfast.store.home import Home

#: Instructions of a loop under each kernel.
COSTS = {"debian:linux-5.10": 12, "debian:linux-6.12": 18}


class Machine:
    """Reads the plan in the archive that it is given, and answers it as a guest would."""

    def __init__(self) -> None:
        self.boots: list[str] = []
        self.drift = 0
        self.broken: Callable[[str], str | None] = lambda kernel: None

    def __call__(self, argv: Sequence[str]) -> Finished:
        if "--version" in argv:
            return said("QEMU emulator version 7.2.22\n")
        ports = [word.removeprefix("file:") for word in argv if word.startswith("file:")]
        image = argv[argv.index("-kernel") + 1]
        kernel = Path(image).read_text()
        self.boots.append(kernel)
        console = self.broken(kernel)
        Path(ports[0]).write_text(console or "")
        if console is None:
            plan = Path(argv[argv.index("-initrd") + 1]).read_bytes().decode("latin-1")
            Path(ports[1]).write_text(self._answers(kernel, plan))
        return said()

    def _answers(self, kernel: str, plan: str) -> str:
        lines = ["hello - 1", "rounds 100000 200006", "file spectre_v2 Vulnerable"]
        for id_, loops, turns in re.findall(r"turns\0(\d+)\0(\d+)\0(\d+)\0", plan):
            lines.append(f"ready {id_} ready 1")
            cost = COSTS[kernel] + self.drift * (len(self.boots) > 2)
            for _ in range(int(turns)):
                for n in (int(loops), 2 * int(loops)):
                    lines.append(f"answer {id_} {(5000 + cost * n) / 1e9:.9f} 0x5")
            lines.append(f"exit {id_} 0")
        return "\n".join([*lines, "bye - 0", ""])


@dataclass
class Guests:
    """A study of two kernels, booted in ``machine``."""

    folder: Path
    machine: Machine = field(default_factory=Machine)

    @property
    def home(self) -> Home:
        return Home(self.folder / "cache", self.folder / "data")

    def run(
        self,
        *,
        check: str | None = None,
        budget: float = 60.0,
        missing: Sequence[str] = (),
        observer: Observer | None = None,
    ) -> Result:
        (self.folder / "source").mkdir(exist_ok=True)
        study = Study(
            name="kernels",
            title="t",
            folder=self.folder,
            baselines=("5.10",),
            margin=0.01,
            source=Source("path", ".", self.folder / "source"),
            build=BuildSpec((), "program"),
            variants=tuple(
                Variant(k.removeprefix("debian:linux-"), "path:gcc", kernel=k) for k in COSTS
            ),
            benchmarks=(Benchmark("calls", "turn", ("{program}", "turn"), check=check),),
            measure=MeasureSpec(budget=budget),
        )

        def fetch(name: str, home: Home, progress: Callable[[str], None]) -> Kernel:
            if name in missing:
                raise CannotBuildHere(f"the archive has no {name}; sid has 7.2.13")
            image = self.folder / name.replace(":", "-")
            image.write_text(name)
            version = name.removeprefix("debian:linux-")
            return Kernel(name, version, "linux", f"{version}-1", "sid", "aa", image, name)

        world = World(launcher=Replay({PROGRAM: self.machine}))
        services = world.services(kernel=fetch, boot_unit="instructions")
        return run_study(study, self.home, observer or Silent(), services=services)


@pytest.fixture
def guests(tmp_path: Path) -> Guests:
    return Guests(tmp_path)


def test_each_kernel_is_booted_twice_and_counted(guests: Guests) -> None:
    result = guests.run()
    assert sorted(guests.machine.boots) == sorted([*COSTS, *COSTS])
    assert [dict(b.values) for b in result.recorded.blocks] == [
        {"5.10": (12.0,), "6.12": (18.0,)}
    ] * 2
    (verdict,) = result.judged.verdicts
    assert (verdict.outcome, verdict.low, verdict.high) == ("slower", 1.5, 1.5)
    assert (result.judged.about, result.recorded.complete, result.recorded.failures) == (
        "counts",
        True,
        (),
    )
    assert {b.facts["spectre_v2"] for b in result.recorded.boots} == {"Vulnerable"}
    assert not any((guests.home.data / "boots").iterdir())


def test_a_second_boot_that_counts_otherwise_widens_the_interval(guests: Guests) -> None:
    guests.machine.drift = 6
    (verdict,) = guests.run().judged.verdicts
    assert (verdict.low, verdict.high) == (18 / 18, 24 / 12)


def test_without_budget_one_round_is_taken(guests: Guests) -> None:
    result = guests.run(budget=0.0)
    assert len(result.recorded.boots) == 2
    assert len(result.recorded.blocks) == 1


def test_a_panic_fails_its_variant_and_no_other(guests: Guests, golden: Hear) -> None:
    panic = "[ 1.0] Kernel panic - not syncing: no memory\n"
    guests.machine.broken = lambda kernel: panic if kernel.endswith("6.12") else None
    result = guests.run()
    (failure,) = result.recorded.failures
    assert failure.variant == "6.12"
    golden(failure.reason)
    assert [dict(b.values) for b in result.recorded.blocks] == [{"5.10": (12.0,)}] * 2


def test_a_boot_that_fails_is_told_of_once(guests: Guests, golden: Hear) -> None:
    watcher = Watcher()
    guests.machine.broken = lambda kernel: "stuck\n" if kernel.endswith("6.12") else None
    guests.run(budget=0.0, observer=watcher)
    golden(*[n for n in watcher.heard if n.startswith("failed")])


def test_a_wrong_result_fails(guests: Guests) -> None:
    result = guests.run(check="0x6")
    assert {f.reason for f in result.recorded.failures} == {"wrong result: 0x5, expected 0x6"}
    assert result.recorded.blocks == ()


def test_a_kernel_that_cannot_be_had_leaves_the_others(guests: Guests, golden: Hear) -> None:
    result = guests.run(missing=["debian:linux-6.12"])
    golden(*[getattr(b, "reason", "") for b in result.recorded.builds])
    assert [dict(b.values) for b in result.recorded.blocks] == [{"5.10": (12.0,)}] * 2


def test_without_a_baseline_there_is_nothing_to_compare(guests: Guests) -> None:
    with pytest.raises(UserError, match=r"no baseline can be run.*5\.10: the archive has no"):
        guests.run(missing=["debian:linux-5.10"])
    assert guests.machine.boots == []


def test_boots_that_ended_are_not_repeated_after_an_interrupt(guests: Guests) -> None:
    def interrupt(kernel: str) -> str | None:
        if len(guests.machine.boots) == 2:
            raise KeyboardInterrupt
        return None

    guests.machine.broken = interrupt
    first = guests.run()
    assert (first.recorded.complete, first.recorded.blocks) == (False, ())
    assert len(guests.machine.boots) == 2
    guests.machine.broken = lambda kernel: None
    second = guests.run()
    assert len(guests.machine.boots) == 2 + 3  # one of four was there
    assert second.recorded.complete
    assert second.judged.verdicts[0].ratio == 1.5
