"""Variants that differ in how they are run: words for the command, and settings of the kernel."""

from __future__ import annotations

import re
from collections.abc import Sequence

from whyfast.model.runner_kind import RUNNER_KINDS
from whyfast.model.study import EvidenceSpec
from whyfast.model.variant import Benchmark, Variant
from whyfast.study.placeholders import names_in
from whyfast.study.toml_table import TomlTable
from whyfast.study.wording import Key, kind, quoted

_SETTING = re.compile(r"[a-z0-9_]+(\.[A-Za-z0-9_-]+)+")


def read_sysctl(table: TomlTable) -> dict[str, str]:
    """``sysctl = { "net.core.bpf_jit_harden" = 2 }``: names as the program sysctl has them."""
    inner = table.table("sysctl")
    found = {}
    for name, value in inner.data.items():
        if not _SETTING.fullmatch(name):
            message = f"{quoted(name)} is not the name of a setting of the kernel"
            hint = 'quote the whole name: sysctl = { "net.core.bpf_jit_harden" = 2 }'
            raise inner.error((name,), message, hint)
        if isinstance(value, bool) or not isinstance(value, int | str) or value == "":
            raise inner.error((name,), f"must be a whole number or a string, not {kind(value)}")
        found[name] = str(value)
    return found


def check_running(
    top: TomlTable,
    variants: Sequence[Variant],
    benchmarks: Sequence[Benchmark],
    evidence: EvidenceSpec,
) -> None:
    """Refuse a way to run that some benchmark would not heed."""
    for variant in variants:
        at: Key = ("variant", variant.name)
        for benchmark in benchmarks:
            if variant.run and not _uses_run(benchmark.command):
                message = f"{variant.name} has run, but the command never uses {{run}}"
                raise top.error(
                    ("benchmarks", benchmark.family_name, "command"),
                    message,
                    'add the word "{run}"',
                )
            if variant.sysctl and not benchmark.kind.says_ready:
                message = (
                    f"sysctl is held until a program says that it is ready, which those of the "
                    f"runner {benchmark.runner} ({benchmark.family_name}) do not"
                )
                able = [quoted(k.name) for k in RUNNER_KINDS.values() if k.says_ready]
                raise top.error((*at, "sysctl"), message, f"use runner = {' or '.join(able)}")
        if variant.run and evidence.image and not _uses_run(evidence.image):
            message = f"{variant.name} has run, but the command never uses {{run}}"
            raise top.error(("evidence", "image"), message, 'add the word "{run}"')


def _uses_run(command: Sequence[str]) -> bool:
    return any("run" in names_in(word) for word in command)
