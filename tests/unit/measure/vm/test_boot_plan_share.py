"""Which variants share a boot, and what they find in it."""

from __future__ import annotations

from pathlib import Path

from whyfast.measure.vm.boot_plan import VirtualMachine, load, share
from whyfast.model.variant import Variant


def variant(name: str, kernel: str, *boot: str, **sysctl: str) -> Variant:
    return Variant(name, "path:gcc", kernel=kernel, boot=boot, sysctl=sysctl)


def test_variants_with_one_kernel_and_setting_share_a_boot() -> None:
    guests = share(
        [
            variant("a", "k1"),
            variant("b", "k1", "spectre_v2=off"),
            variant("c", "k1"),
            variant("d", "k2"),
            variant("e", "k1", harden="2"),
        ]
    )
    assert [(g.name, g.variants) for g in guests] == [
        ("k1", ("a", "c")),
        ("k1 spectre_v2=off", ("b",)),
        ("k2", ("d",)),
        ("k1 harden=2", ("e",)),
    ]


def test_one_program_of_two_variants_is_packed_once(tmp_path: Path) -> None:
    one, same, other = (tmp_path / name for name in "abc")
    one.write_bytes(b"program")
    same.write_bytes(b"program")
    other.write_bytes(b"another")
    cargo = load(
        VirtualMachine("k", (), (), ("a", "b")),
        b"init",
        {
            ("a", "bench"): (str(one), "turn"),
            ("b", "bench"): (str(same), "turn"),
            ("c", "bench"): (str(other), "turn"),
        },
        {"a": one, "b": same, "c": other},
        loops=25,
        turns=2,
        timeouts={"bench": 0.2},
    )
    assert cargo.ids == {("a", "bench"): "0", ("b", "bench"): "1"}
    assert cargo.initrd.count(b"program-") == 1 + 2  # the file, and the plan twice
    assert b"another" not in cargo.initrd
    assert b"turns\x000\x0025\x002\x001\x002\x00/program-" in cargo.initrd
