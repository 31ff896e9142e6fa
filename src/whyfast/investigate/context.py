"""An investigation in progress: the record that stages take and return, the commands of benchmarks,
and the roots in which they run."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Generic, TypeVar

from whyfast.investigate.services import Observer, Services
from whyfast.measure.doctor.tune import TemporarySysctls
from whyfast.measure.registry import hook_folder
from whyfast.model.build import Build
from whyfast.model.errors import CannotBuildHere, UserError
from whyfast.model.sample import Observed
from whyfast.model.study import Commands, Study
from whyfast.store.home import Home
from whyfast.study.notation import substitute
from whyfast.toolchain.sandbox import Box, around_program

if TYPE_CHECKING:
    from whyfast.build.recipe import Recipe
    from whyfast.model.build import BuildOutcome, Kernel, Toolchain
    from whyfast.model.cost import VariantCost
    from whyfast.model.counters import Counted
    from whyfast.model.evidence import Evidence, FailedExpectation

Q = TypeVar("Q", Study, Commands)


@dataclass(frozen=True)
class RunContext(Generic[Q]):
    """The question, the environment of the investigation, and the results so far.

    Building fills ``toolchains``, ``recipes``, ``builds`` (in the order of variants), ``layouts``
    (programs of further layouts, by variant), ``profiles`` (programs with other profiles),
    ``packages`` (folders of Python packages, by runner or placeholder), ``evidence`` and its
    ``seconds``; the measurer fills ``prefixes``, the words before each variant's commands, or the
    ``kernels`` of variants. ``same`` maps variants to those that stand for them, see
    :func:`whyfast.investigate.building.dedupe_builds`. The stages ``observe``, ``count`` and
    ``count_costs`` fill ``observed``, ``counted`` and ``costs``. ``built_again`` has what each
    round of repeated builds took. Values are in the store.
    """

    question: Q
    home: Home
    observer: Observer
    services: Services
    toolchains: tuple[Toolchain, ...] = ()
    builds: tuple[BuildOutcome, ...] = ()
    layouts: Mapping[str, tuple[Path, ...]] = field(default_factory=dict)
    profiles: Mapping[str, tuple[Path, ...]] = field(default_factory=dict)
    packages: Mapping[str, Path] = field(default_factory=dict)
    evidence: tuple[Evidence, ...] = ()
    seconds: Mapping[str, float] = field(default_factory=dict)
    prefixes: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    kernels: Mapping[str, Kernel] = field(default_factory=dict)
    observed: Observed = field(default_factory=Observed)
    counted: tuple[Counted, ...] = ()
    costs: tuple[VariantCost, ...] = ()
    recipes: tuple[Recipe, ...] = ()
    built_again: tuple[Mapping[str, Mapping[str, float]], ...] = ()
    same: Mapping[str, str] = field(default_factory=dict)

    @cached_property
    def usable(self) -> tuple[Build, ...]:
        """The builds that can be measured."""
        from whyfast.judge.comparisons import usable_builds  # loads numpy

        builds = usable_builds(self.question, self.builds, self.evidence)
        return tuple(b for b in builds if b.variant not in self.same)

    @property
    def failed_expectations(self) -> tuple[FailedExpectation, ...]:
        """Variants that contradict their expectations."""
        from whyfast.judge.comparisons import find_failed_expectations  # loads numpy

        return find_failed_expectations(self.question, self.evidence)

    @property
    def baselines(self) -> tuple[str, ...]:
        """The baselines that can be measured; the first is the main one."""
        there = {b.variant for b in self.usable}
        return tuple(b for b in self.question.baselines if b in there)

    @property
    def sysctls(self) -> TemporarySysctls:
        """Holds settings of this machine's kernel."""
        return self.services.sysctls(self.services.system, self.home.doctor)


def argument_vector(
    context: RunContext[Study], command: tuple[str, ...], build: Build, program: Path | None = None
) -> tuple[str, ...]:
    """The command with its placeholders replaced; ``program`` is the build's own by default.

    ``{run}`` as a word of its own becomes the words of the variant; inside of another word, they
    stand there with spaces between them.
    """
    study = context.question
    run = study.variant(build.variant).run
    python = build.provenance.get("interpreter", {})
    places = {
        "run": " ".join(run),
        "program": str(program or build.program),
        "source": str(study.source.folder),
        "study": str(study.folder),
        "pyperformance": str(context.packages.get("pyperformance")),
        "python": str(python.get("program", "")),
    }
    words: list[str] = []
    for word in command:
        if word == "{run}":
            words += run
        else:
            words.append(substitute(word, places))
    return tuple(words)


def study_prefixes(
    context: RunContext[Study], *, also: Box | None = None
) -> Mapping[str, tuple[str, ...]]:
    """For each build that can be measured the words before its commands. They see ``also`` beside
    the folders of study, build and runners. UserError when a root cannot be entered."""
    study, also = context.question, also or Box()
    # By digest: two roots may have a compiler of the same name, with other packages beside it.
    roots = {t.digest: t.root for t in context.toolchains}
    # Folders of files that commands name relative to the study and outside of it.
    words = [w for b in study.benchmarks for w in b.command if w.startswith("{study}/../")]
    files = [(study.folder / w.removeprefix("{study}/")).resolve() for w in words]
    beside = dict.fromkeys(file.parent for file in files)
    seen = (
        *(study.folder, study.source.folder, hook_folder()),
        *(*context.packages.values(), *beside),
    )
    boxes = []
    for build in context.usable:
        # Programs run in the root of their interpreter, if they have one, else of their toolchain.
        python = build.provenance.get("interpreter")
        root = roots[build.provenance["toolchain"]["digest"]]
        if python:
            root = Path(python["root"]) if python["root"] else None
        name = study.variant(build.variant).control_of or build.variant
        box = replace(
            also,
            root=root,
            # The store's folder of the build holds its program and other layouts of it.
            writable=(
                *(context.home.builds / build.digest, *also.writable),
                *(f for p in context.profiles.get(name, ()) if (f := _folder(p, context.home))),
            ),
            readable=(*also.readable, *seen, *map(Path, python["readable"] if python else ())),
        )
        boxes.append(box)
    enter = _prefixes(boxes, [study.folder / "study.toml"] * len(boxes), context.home)
    return dict(zip((b.variant for b in context.usable), enter, strict=True))


def file_prefixes(files: Sequence[Path], home: Home, *, also: Box) -> list[tuple[str, ...]]:
    """For each program file the words before its command, which starts in ``also.start``.
    UserError when the root of a program is gone or cannot be entered."""
    boxes = []
    for file in files:
        folder = _folder(file, home)
        start = (also.start,) if also.start else ()
        boxes.append(
            replace(
                also,
                root=_root(file, home),
                writable=(*((folder,) if folder else ()), *also.writable),
                readable=(*start, file.resolve().parent, *also.readable),
            )
        )
    return _prefixes(boxes, files, home)


def _prefixes(boxes: Sequence[Box], places: Sequence[Path], home: Home) -> list[tuple[str, ...]]:
    """Empty where no program has a root. Else all start alike, the others in the machine's own
    root, so that starting costs every variant the same."""
    if not any(box.root for box in boxes):
        return [()] * len(boxes)
    words = []
    for box, place in zip(boxes, places, strict=True):
        try:
            words.append(tuple(around_program(replace(box, network=True), home.sandbox)))
        except CannotBuildHere as error:
            raise UserError(str(error), where=place) from error
    return words


def _folder(file: Path, home: Home) -> Path | None:
    """The store's folder of the build that made the file."""
    builds, path = home.builds.resolve(), file.resolve()
    return builds / path.relative_to(builds).parts[0] if path.is_relative_to(builds) else None


def _root(file: Path, home: Home) -> Path | None:
    from whyfast.store.builds import BuildStore

    folder = _folder(file, home)
    build = BuildStore(home.builds).find(folder.name) if folder else None
    root = build.provenance["toolchain"].get("root") if build else None
    if build is None or root is None:
        return None
    if not (Path(root).parent / "digest").exists():
        raise UserError(
            "its Debian root was removed; make it again: whyfast toolchain install --from "
            f"{build.digest[:12]}",
            where=file,
        )
    return Path(root)
