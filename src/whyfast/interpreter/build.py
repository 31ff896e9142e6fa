"""Interpreters that another study built: ``build:cpython-tail-call/clang18``."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path
from typing import Any

from whyfast.interpreter.provider import Progress, ask, digest_of
from whyfast.model.build import Interpreter
from whyfast.model.errors import CannotBuildHere, UserError
from whyfast.store.builds import BuildStore, StoredBuild
from whyfast.store.home import Home
from whyfast.store.samples import SampleStore
from whyfast.toolchain import sandbox


class BuiltPythons:
    """The builds of the newest result of a study."""

    def names(self) -> list[str]:
        """They are many, and most are no interpreters."""
        return []

    def installed(self, name: str, home: Home) -> bool:
        """Nothing is ever downloaded."""
        return True

    def resolve(self, name: str, home: Home, progress: Progress) -> Interpreter:
        """The program of that build, in the root that it was built in, if any."""
        study, slash, variant = name.rpartition("/")
        if not (study and slash and variant):
            raise UserError(
                f"invalid interpreter build:{name}; expected build:STUDY/VARIANT, e.g. "
                "build:cpython-tail-call/clang18"
            )
        build = _build(study, variant, home)
        root = build.provenance["toolchain"].get("root")
        box = sandbox.Box(Path(root) if root else None, readable=(build.folder,), network=True)
        words = sandbox.around_program(box, home.sandbox) if root else []
        program = build.folder / "work" / str(build.provenance["program"])
        answer = ask([*words, str(program)])
        return Interpreter(
            name=f"build:{name}",
            version=answer.version,
            program=answer.program,
            digest=f"{digest_of(answer)}",
            cflags=tuple(f"-I{place}" for place in answer.headers),
            headers=answer.headers,
            readable=(build.folder,),
            root=Path(root) if root else None,
            facts=answer.facts,
        )


def _build(study: str, variant: str, home: Home) -> StoredBuild:
    """CannotBuildHere when the study was not run here, or its build is gone."""
    with closing(SampleStore(home.database)) as samples:
        latest = samples.latest(study)
    if latest is None:
        raise CannotBuildHere(f"{study} has no results here; whyfast run {study}")
    builds: list[dict[str, Any]] = (
        latest[1].get("data", latest[1]).get("recorded", {}).get("builds", [])
    )
    digests = [b["digest"] for b in builds if b.get("variant") == variant and "digest" in b]
    if not digests:
        there = ", ".join(str(b.get("variant")) for b in builds if "digest" in b) or "none"
        raise CannotBuildHere(f"{study} has no build {variant} here; available: {there}")
    build = BuildStore(home.builds).find(digests[0])
    if build is None:
        raise CannotBuildHere(f"the build {variant} of {study} was removed; whyfast run {study}")
    return build
