"""What a run of a study would do, found out without doing it."""

from __future__ import annotations

from dataclasses import dataclass

from whyfast.build.recipe import SourceTree, make_recipe, scan_source
from whyfast.build.source import present
from whyfast.model.errors import CannotBuildHere
from whyfast.model.study import Study, Variant
from whyfast.store.builds import BuildStore
from whyfast.store.home import Home
from whyfast.toolchain.provider import providers, resolve, split_name


@dataclass(frozen=True)
class Prospect:
    """One variant. ``state``: ``built`` (in the store), ``to build``, ``to build, after a
    download``, or ``not buildable here``; ``detail`` is the digest or the reason."""

    variant: Variant
    state: str
    detail: str


@dataclass(frozen=True)
class Estimate:
    """What one build takes, in seconds and bytes, going by the last one of the same source by the
    same steps."""

    seconds: float
    size: int


@dataclass(frozen=True)
class Outlook:
    """All variants of a study, and the study; ``each`` is None where nothing alike was built."""

    study: Study
    prospects: tuple[Prospect, ...]
    each: Estimate | None = None

    @property
    def to_build(self) -> int:
        """How many variants are still to be built."""
        return sum(p.state.startswith("to build") for p in self.prospects)


def outlook(study: Study, home: Home) -> Outlook:
    """Look at the installed toolchains and the build store; nothing is downloaded or written but
    what installed compilers are found to support."""
    there = present(study.source, home)
    source = scan_source(there.folder) if there else None
    store = BuildStore(home.builds)
    known = providers()
    prospects = []
    for variant in study.variants:
        provider, name = split_name(variant.toolchain)
        packages = study.build.packages
        if provider != "path" and not known[provider].installed(name, home, packages):
            prospects.append(Prospect(variant, "to build, after a download", variant.toolchain))
            continue
        try:
            toolchain = resolve(variant.toolchain, home, lambda text: None, packages)
        except CannotBuildHere as error:
            prospects.append(Prospect(variant, "not buildable here", str(error)))
            continue
        missing = [f for f in variant.requires if f not in toolchain.features]
        if missing:
            reason = f"{toolchain.version} has no {' and no '.join(missing)}"
            prospects.append(Prospect(variant, "not buildable here", reason))
            continue
        if source is None:
            wanted = f"{study.source.kind} {study.source.name}"
            prospects.append(Prospect(variant, "to build, after a download", wanted))
            continue
        digest = make_recipe(study, variant, toolchain, source).digest
        state = "built" if store.find(digest) else "to build"
        prospects.append(Prospect(variant, state, digest[:12]))
    return Outlook(study, tuple(prospects), _estimate(study, source, store))


def _estimate(study: Study, source: SourceTree | None, store: BuildStore) -> Estimate | None:
    if source is None:
        return None
    last = store.last_like(source.digest, study.build.steps)
    return Estimate(float(last.provenance["seconds"]), last.size) if last else None
