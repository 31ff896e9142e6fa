"""An outside in which nothing takes time by itself and nothing is left to chance."""

import itertools
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tests.unit.measure.doubles import FakeClock, FakeRunner, Script, steady
from tests.unit.measure.tools import Replay

from whyfast.build.recipe import Recipe
from whyfast.investigate.services import Services, Silent
from whyfast.measure.commands import ProbeRun
from whyfast.measure.invocation import LaunchArguments
from whyfast.model.build import Build, BuildFailure, BuildOutcome, Toolchain
from whyfast.model.errors import CannotBuildHere
from whyfast.model.sample import RunFailure
from whyfast.model.variant import RUNNER_KINDS, RunnerName
from whyfast.model.verdict import Verdict
from whyfast.store.builds import BuildStore
from whyfast.store.files import sha256_of
from whyfast.store.home import Home


class NoSystem:
    """A kernel that shows no files."""

    def read(self, name: str) -> str | None:
        return None

    def write(self, name: str, text: str) -> None:
        raise OSError("nothing can be set")

    def names(self, pattern: str) -> list[str]:
        return []

    def sleep(self, seconds: float) -> None:
        pass


@dataclass
class Watcher(Silent):
    """Remembers what it hears; ``interrupt`` is the phase that Ctrl-C comes in."""

    heard: list[str] = field(default_factory=list)
    interrupt: str = ""

    def phase(self, name: str) -> None:
        self.heard.append(f"# {name}")
        if name == self.interrupt:
            raise KeyboardInterrupt

    def step(self, text: str) -> None:
        self.heard.append(text)

    def note(self, text: str) -> None:
        self.heard.append(text)

    def failure(self, failure: RunFailure) -> None:
        self.heard.append(f"{failure.variant} failed: {failure.reason}")

    def block(
        self, benchmark: str, verdicts: Sequence[Verdict], spent: float, budget: float
    ) -> None:
        self.heard.append(f"block of {benchmark}")

    @property
    def phases(self) -> list[str]:
        return [said.removeprefix("# ") for said in self.heard if said.startswith("# ")]


@dataclass
class World:
    """What an outside is made of, to be bent by tests.

    ``broken`` are the variants whose steps fail; ``built`` are those that were built. ``script``
    answers for programs; ``runners`` are those that were started, ``interrupts`` how many turns
    they answer together before Ctrl-C comes.
    """

    clock: FakeClock = field(default_factory=FakeClock)
    broken: Sequence[str] = ()
    built: list[str] = field(default_factory=list)
    script: Script = field(default_factory=lambda: steady(1.0))
    launcher: Replay = field(default_factory=lambda: Replay({}))
    runners: list[FakeRunner] = field(default_factory=list)
    interrupts: int | None = None
    _ids: Any = field(default_factory=itertools.count)

    def services(self, **other: Any) -> Services:
        """With everything real replaced; ``other`` fields go before that."""
        fields: dict[str, Any] = {
            "clock": self.clock,
            "system": NoSystem(),
            "env": {},
            "cpus": (0,),
            "new_id": lambda: f"{next(self._ids):032x}",
            "toolchain": self.toolchain,
            "build": self.build,
            "launcher": self.launcher,
            "runner": self.runner,
            "probe": lambda arguments, variant, offer: ProbeRun(offer, 0.1, 0.1),
            "valgrind": self.valgrind,
        }
        return Services(**{"left": lambda: 0, **fields, **other})

    def valgrind(self, home: Home, note: Callable[[str], None]) -> Path:
        raise CannotBuildHere("no network")

    def toolchain(
        self, name: str, home: Home, note: Callable[[str], None], packages: Sequence[str]
    ) -> Toolchain:
        return Toolchain(name, "path", "cc 1.0", "x86_64", name, ("cc",), frozenset())

    def build(
        self, recipes: Sequence[Recipe], store: BuildStore, *given: Any
    ) -> list[BuildOutcome]:
        return [self._build(recipe, store) for recipe in recipes]

    def _build(self, recipe: Recipe, store: BuildStore) -> BuildOutcome:
        self.built.append(recipe.variant)
        if recipe.variant in self.broken:
            return BuildFailure(recipe.variant, "failed", "step 1 failed: exit code 1")
        program = store.folder(recipe.digest) / "work" / recipe.program
        program.parent.mkdir(parents=True, exist_ok=True)
        program.write_text(recipe.variant)
        program.chmod(0o755)
        toolchain = {"name": recipe.toolchain.name, "digest": recipe.toolchain.digest}
        provenance = {"toolchain": toolchain, "inputs": recipe.inputs}
        sha256 = sha256_of(program)
        return Build(recipe.variant, recipe.digest, program, sha256, provenance, False)

    def runner(self, name: RunnerName, arguments: LaunchArguments) -> FakeRunner:
        taken = RUNNER_KINDS[name].takes_turns
        runner = FakeRunner(self._answer, self.clock, loops_vary=taken)
        self.runners.append(runner)
        return runner

    def _answer(self, variant: str, loops: int, before: int) -> Any:
        if self.interrupts is not None:
            if self.interrupts == 0:
                self.interrupts = None
                raise KeyboardInterrupt
            self.interrupts -= 1
        return self.script(variant, loops, before)


def ratios(times: Mapping[str, float]) -> Script:
    """Every loop of a variant takes as long as ``times`` says."""
    return lambda variant, loops, before: steady(times[variant])(variant, loops, before)


def own(folder: Path) -> Home:
    return Home(folder / "cache", folder / "data")
