"""Environment variables of builds whose values are nobody else's business."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import replace
from fnmatch import fnmatchcase

from whyfast.model.study import HIDDEN, BuildSpec
from whyfast.model.variant import Variant

#: Names whose values are hidden in any study, in any case of letters.
ALWAYS = ("*TOKEN*", "*SECRET*", "*KEY*", "*PASSWORD*")


def hide(
    build: BuildSpec, variants: Sequence[Variant]
) -> tuple[BuildSpec, tuple[Variant, ...], dict[str, str]]:
    """Both with a digest in place of each value that is to be hidden, and the values by those.

    Values that differ have digests that do, so other values still are other builds.
    """
    patterns = tuple(p.upper() for p in (*ALWAYS, *build.hide))
    values: dict[str, str] = {}

    def shown(env: Mapping[str, str]) -> dict[str, str]:
        out = dict(env)
        for name, value in env.items():
            if value and any(fnmatchcase(name.upper(), p) for p in patterns):
                out[name] = HIDDEN + hashlib.sha256(f"{name}={value}".encode()).hexdigest()[:16]
                values[out[name]] = value
        return out

    build = replace(build, env=shown(build.env))
    return build, tuple(replace(v, env=shown(v.env)) for v in variants), values
