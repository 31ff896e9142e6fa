"""``whyfast compare`` on published results, where they are there."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from whyfast.cli.main import main
from whyfast.report.result_json import load_result

SHARED = Path(
    os.environ.get("WHYFAST_SHARED", Path(__file__).resolve().parents[4] / "shared" / "data")
)


NELHAGE = SHARED / "nelhage" / "data"


needs_nelhage = pytest.mark.skipif(
    not NELHAGE.is_dir(), reason=f"{NELHAGE} is absent: the published table is not checked"
)


@needs_nelhage
@pytest.mark.parametrize(
    ("machine", "variant", "published"),
    [
        ("x86_64-intel", "clang19", "1.09x slower"),
        ("x86_64-intel", "clang19.taildup", "1.01x faster"),
        ("x86_64-intel", "clang19.tc", "1.03x faster"),
        ("x86_64-intel", "gcc", "1.02x faster"),
        ("x86_64-intel", "clang18.nocg", "1.01x faster"),
        ("x86_64-intel", "clang19.nocg", "1.02x slower"),
        ("aarch64-darwin", "clang19", "1.12x slower"),
        ("aarch64-darwin", "clang19.taildup", "1.02x slower"),
        ("aarch64-darwin", "clang19.tc", "1.00x slower"),
    ],
)
def test_the_nine_published_cells(
    capsys: pytest.CaptureFixture[str], machine: str, variant: str, published: str
) -> None:
    folder = NELHAGE / machine
    assert (
        main(["compare", str(folder / "clang18.json.gz"), str(folder / f"{variant}.json.gz")]) == 0
    )
    headline = " ".join(capsys.readouterr().out.split()).partition(" over 84 benchmarks;")[0]
    assert published in headline


@needs_nelhage
def test_one_benchmark_carries_half_of_taildup(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    folder = NELHAGE / "x86_64-intel"
    files = [str(folder / f"{name}.json.gz") for name in ("clang18", "clang19.taildup")]
    out = tmp_path / "out.json"
    assert main(["compare", *files, "--json", str(out), "-v"]) == 0
    said = " ".join(capsys.readouterr().out.split())
    assert "bench_mp_pool alone carries 47 % of clang19.taildup's 1.01x faster" in said
    assert "without it the geometric mean is 1.007x faster" in said
    (suite,) = load_result(out).judged.suites
    assert 1 / suite.influence["bench_mp_pool"] == pytest.approx(1.007, abs=0.0005)
    # The files name the compiler with each benchmark, and nothing names the commit.
    assert "different compiler: Clang 18.1.8 (clang18); Clang 19.1.7" in said
    assert "-mllvm -tail-dup-pred-size=5000 (clang19.taildup)" in said
    assert "the files name no commit" in said


@needs_nelhage
def test_a_variant_that_only_its_name_tells_apart(capsys: pytest.CaptureFixture[str]) -> None:
    folder = NELHAGE / "x86_64-intel"
    main(["compare", *(str(folder / f"clang18{end}.json.gz") for end in ("", ".nocg")), "-v"])
    said = " ".join(capsys.readouterr().out.split())
    assert "nothing in the metadata distinguishes clang18.nocg from clang18 but the file name" in said
    assert "bench_mp_pool alone carries 52 % of clang18.nocg's 1.01x faster" in said


@pytest.mark.skipif(
    not (SHARED / "bpf-tail-calls").is_dir(), reason=f"{SHARED / 'bpf-tail-calls'} is absent"
)
def test_columns_of_a_table_choose_the_runs(capsys: pytest.CaptureFixture[str]) -> None:
    table = SHARED / "bpf-tail-calls" / "tail_call_cost_by_kernel.csv"
    assert main(["compare", f"{table}:kernel=v5.9", f"{table}:kernel=v5.10", "-v"]) == 0
    said = " ".join(capsys.readouterr().out.split())
    assert said.startswith("kernel=v5.10 is 2.19x slower than kernel=v5.9 [2.12, 2.25]")
    assert "the file does not say which values came from the same process" in said
