"""Variants that differ in how they are run: words for the command, settings of the kernel, and
kernels of their own in a virtual machine."""

from __future__ import annotations

import re
from collections.abc import Sequence

from whyfast.model.runner_kind import RUNNER_KINDS
from whyfast.model.study import BuildSpec, EvidenceSpec
from whyfast.model.variant import Benchmark, Variant
from whyfast.study.placeholders import INTERPRETER_NAMES, names_in
from whyfast.study.toml_table import TomlTable
from whyfast.study.wording import Key, kind, quoted

_SETTING = re.compile(r"[a-z0-9_]+(\.[A-Za-z0-9_-]+)+")
#: What a command in a virtual machine cannot use: there is nothing there but the program.
_OUTSIDE = ("source", "study", "pyperformance")


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


def check_interpreters(
    top: TomlTable, build: BuildSpec, variants: Sequence[Variant], benchmarks: Sequence[Benchmark]
) -> None:
    """``{python}`` stands for something in every variant, and an interpreter is used."""
    evidence = build.evidence.steps if build.evidence else ()
    uses: dict[Key, Sequence[str]] = {
        ("build", "steps"): (*build.steps, *evidence, build.link or ""),
        **{("benchmarks", b.name, "command"): b.command for b in benchmarks},
    }
    used = [
        (key, name)
        for key, words in uses.items()
        for word in words
        for name in names_in(word)
        if name in INTERPRETER_NAMES
    ]
    for v in variants:
        if not v.python and used:
            key, name = used[0]
            message = f"{{{name}}} stands for nothing in {v.name}, which has no python"
            raise top.error(key, message, 'give it one: python = "pyenv:3.12"')
        if v.python and not used:
            message = f"{v.name} has python, but nothing uses {{python}}"
            hint = 'begin the command of a benchmark with "{python}"'
            raise top.error(("variant", v.name, "python"), message, hint)


def _uses_run(command: Sequence[str]) -> bool:
    return any("run" in names_in(word) for word in command)


def read_kernel(table: TomlTable) -> str:
    """``kernel = "debian:linux-6.12"``; empty when it is not given."""
    kernel = table.string("kernel")
    provider, colon, name = kernel.partition(":")
    if kernel and not (colon and provider.strip() and name.strip()):
        message = f"{quoted(kernel)} is not a kernel"
        raise table.error(("kernel",), message, 'write it as in "debian:linux-6.12"')
    return kernel


def check_boot(table: TomlTable, words: Sequence[str]) -> None:
    """Parameters of a kernel are words."""
    for i, word in enumerate(words):
        if word.split() != [word]:
            message = f"{quoted(word)} is not one parameter of the kernel"
            raise table.error(("boot", i), message, 'write one word each, as in "spectre_v2=off"')


def check_vms(top: TomlTable, variants: Sequence[Variant], benchmarks: Sequence[Benchmark]) -> None:
    """All variants have a kernel or none has; and what runs there can."""
    bare = [v.name for v in variants if not v.kernel]
    own = [v.name for v in variants if v.kernel]
    if own and bare:
        message = f"{own[0]} has a kernel of its own and {bare[0]} has none"
        raise top.error(("variant",), message, "give every variant one, or none")
    for v in variants:
        if v.boot and not v.kernel:
            message = f"{v.name} has boot parameters and no kernel"
            raise top.error(("variant",), message, 'write kernel = "debian:linux-6.12"')
    if bare:
        return
    for benchmark in benchmarks:
        at = ("benchmarks", benchmark.family_name)
        if not benchmark.kind.boots:
            able = [k.name for k in RUNNER_KINDS.values() if k.boots]
            message = (
                f"a kernel of its own needs the runner {' or '.join(able)}, not {benchmark.runner}"
            )
            hint = f"write runner = {' or '.join(map(quoted, able))}"
            raise top.error((*at, "runner"), message, hint)
        for word in benchmark.command:
            for name in names_in(word):
                if name in _OUTSIDE:
                    message = f"{{{name}}} is not there in a guest, which has the program alone"
                    hint = "let the program contain what it needs"
                    raise top.error((*at, "command"), message, hint)
