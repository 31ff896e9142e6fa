"""What the hosts of a fleet have to be sent before they can measure what was built here."""

from __future__ import annotations

from collections.abc import Generator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from whyfast.build.recipe import packages_here
from whyfast.fleet.messages import Answer, Arrived, Chunk, Lacking, Offer, Place, Prepare, Task
from whyfast.fleet.parcels import Parcel, missing, pack
from whyfast.investigate.work import Work
from whyfast.model.errors import UserError
from whyfast.model.study import Study
from whyfast.study.placeholders import names_in

#: Of a build's folder in the store: changes with every use, and is nothing that a program reads.
NOT_SENT = frozenset({"used", "log.txt", "tmp"})


@dataclass(frozen=True)
class Shipment:
    """A prepared message, and the parcels that it speaks of, by digest. ``data`` comes with a
    chunk."""

    message: Prepare
    parcels: Mapping[str, Parcel]


class UnexpectedAnswer(Exception):
    """A host answered something else than was asked."""


def shipment(work: Work[Study]) -> Shipment:
    """Everything that blocks of this work need, packed. UserError for what no other host can run;
    OSError."""
    study = work.question
    check_sendable(study)
    into = work.home.cache / "fleet" / "parcels"
    parcels: dict[str, Parcel] = {}
    places: list[Place] = []
    for digest in dict.fromkeys(b.digest for b in work.usable):
        parcel = pack(work.home.builds / digest, into, NOT_SENT)
        parcels[parcel.sha256] = parcel
        places.append(Place(parcel.sha256, "build", digest))
    folders: dict[str, str] = {}
    for name, folder in _folders(work).items():
        parcel = pack(folder, into)
        parcels[parcel.sha256] = parcel
        folders[name] = parcel.sha256
        places.append(Place(parcel.sha256, "tree", name))
    builds = work.home.builds
    original = {v.name: v.twin_of or v.name for v in study.variants}
    roots = {t.digest for t in work.toolchains if t.root is not None}
    message = Prepare(
        # Whether a program is what it should be was found here.
        replace(study, variants=tuple(replace(v, expect={}) for v in study.variants)),
        work.toolchains,
        work.usable,
        {b.variant: str(b.program.relative_to(builds)) for b in work.usable},
        {
            name: tuple(str(p.relative_to(builds)) for p in work.layouts[name])
            for name in dict.fromkeys(original[b.variant] for b in work.usable)
            if name in work.layouts
        },
        folders,
        tuple(dict.fromkeys(places)),
        {
            b.variant: packages_here(study.build, study.variant(b.variant), work.home)
            for b in work.usable
            if b.provenance["toolchain"]["digest"] in roots
        },
    )
    return Shipment(message, parcels)


def check_sendable(study: Study) -> None:
    """UserError for studies that are measured on one machine only."""
    place = study.folder / "study.toml"
    if study.in_vms:
        raise UserError("variants with kernels of their own run on one machine only", where=place)
    if any(v.python for v in study.measured):
        raise UserError("variants with a python of their own run on one machine only", where=place)


def deliver(sent: Shipment) -> Generator[tuple[Task, bytes], Answer, str]:
    """What to ask of a host, with the bytes that go along, until it has all of it; the key under
    which blocks can be taken. UnexpectedAnswer for another answer than was asked for."""
    yield from deliver_parcels(sent.message.places, sent.parcels)
    answer = yield sent.message, b""
    key = getattr(answer, "key", None)
    if not isinstance(key, str):
        raise UnexpectedAnswer(str(answer)[:200])
    return key


def deliver_parcels(
    places: tuple[Place, ...], parcels: Mapping[str, Parcel]
) -> Generator[tuple[Task, bytes], Answer, None]:
    """As :func:`deliver`, until the parcels are there."""
    lacking = yield Offer(places), b""
    if not isinstance(lacking, Lacking) or not set(lacking.parcels) <= set(parcels):
        raise UnexpectedAnswer(str(lacking)[:200])
    for sha256, there in lacking.parcels.items():
        parcel = parcels[sha256]
        for offset, data in missing(parcel, there):
            answer = yield Chunk(sha256, offset, parcel.size), data
            if not isinstance(answer, Arrived):
                raise UnexpectedAnswer(str(answer)[:200])


def _folders(work: Work[Study]) -> dict[str, Path]:
    """What the commands name beside the program."""
    study = work.question
    named = {n for b in study.benchmarks for word in b.command for n in names_in(word)}
    found = dict(work.packages)
    if "study" in named:
        found["study"] = study.folder
    if "source" in named:
        found["source"] = study.source.folder
    return found
