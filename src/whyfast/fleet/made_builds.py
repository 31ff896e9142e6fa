"""What a worker builds for others: from a recipe and its source to a parcel that is sent back."""

from __future__ import annotations

import base64
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from whyfast.build.recipe import Recipe, scan_source
from whyfast.explain.same_builds import machine_code
from whyfast.fleet.messages import (
    Answer,
    MadeBuild,
    MakeBuild,
    NotMade,
    Place,
    SendBack,
    SentBack,
    Unprepared,
)
from whyfast.fleet.parcels import Parcel, pack
from whyfast.fleet.received import NotReceived, ReceivedParcels
from whyfast.fleet.sending import NOT_SENT
from whyfast.investigate.outside import Outside
from whyfast.model.build import BuildFailure
from whyfast.store.builds import BuildStore
from whyfast.store.complete import discard
from whyfast.store.digest import sha256_of
from whyfast.store.home import Home
from whyfast.store.lock import exclusive

#: Seconds after which a build that nobody has fetched is removed.
FORGOTTEN = 24 * 3600.0


class MadeBuilds:
    """Builds made on one host, below ``cache/fleet/made`` of its home: never those that it was
    sent, as what it makes is held against them."""

    def __init__(self, own: Home, outside: Outside, parcels: ReceivedParcels) -> None:
        self._own, self._outside, self._parcels = own, outside, parcels
        self._store = BuildStore(parcels.home.cache / "made")
        self._made: dict[str, tuple[Parcel, str]] = {}

    def make(self, task: MakeBuild) -> Answer:
        """Build it, or find that it has been. NotReceived, UserError, CannotBuildHere where this
        host cannot; OSError."""
        recipe = self._recipe(task)
        with (
            exclusive(self._own.data / "measuring.lock"),  # it would be in what is measured here
            self._store.in_use(),
        ):
            self._store.remove_unused(FORGOTTEN)
            (built,) = self._outside.build([recipe], self._store, lambda text: None)
            if isinstance(built, BuildFailure):
                self._remove(recipe.digest)
                return NotMade(built.reason)
            folder = self._store.folder(recipe.digest)
            parcel = pack(folder, self._parcels.home.cache / "parcels", NOT_SENT)
        self._made[parcel.sha256] = parcel, recipe.digest
        return MadeBuild(parcel.sha256, parcel.size, code_of(folder / "work", recipe.program))

    def send(self, task: SendBack) -> Answer:
        """The next bytes of what was made; with the last of them it is gone from here."""
        parcel, digest = self._made.get(task.parcel, (None, ""))
        if parcel is None or not parcel.file.is_file():
            return Unprepared()
        data = parcel.chunk(task.offset)
        if task.offset + len(data) >= parcel.size:
            del self._made[task.parcel]
            parcel.file.unlink()
            self._remove(digest)
        return SentBack(base64.b64encode(data).decode())

    def _remove(self, digest: str) -> None:
        with exclusive(self._store.lock(digest)):
            discard(self._store.folder(digest))

    def _recipe(self, task: MakeBuild) -> Recipe:
        """The recipe with this host's own compiler, and the source where it lies here."""
        sent = task.recipe
        folder = self._parcels.place(Place(task.source, "tree", sent.variant))
        source = scan_source(folder)
        if source.digest != sent.inputs["source"]:
            raise NotReceived("its source is not the one that was sent")
        name = sent.toolchain.name
        own = self._outside.toolchain(name, self._own, lambda text: None, sent.packages)
        if own.digest != sent.toolchain.digest:
            raise NotReceived(f"its {name} ({own.version}) is not the one that is used here")
        # What is the toolchain's own may hold paths of that machine.
        env = {**own.env, **sent.inputs["env"]}
        return replace(sent, source=source, toolchain=own, env=env)


def code_of(folder: Path, program: str) -> Mapping[str, str]:
    """The SHA-256 of the program that was built in ``folder`` and of its shared libraries, by their
    names in it; empty where the program is no machine code. Raises OSError."""
    files = machine_code(folder, Path(program)) or {}
    return {name: sha256_of(file) for name, file in files.items()}
