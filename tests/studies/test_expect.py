"""A label is not a binary: variants that are not what their names say are not compared. A study
whose machine code is read, in full or beside what is measured."""

import json
import shutil
from pathlib import Path
from typing import Any

import pytest
from tests.studies.test_run import whyfast

from whyfast.store.home import Home

#: An interpreter of twelve instructions by computed goto; gcc merges its jumps at -Os.
SOURCE = """
#include <stdio.h>
struct insn { unsigned char op, a, b, c; };
#define NEXT do { p++; goto *table[p->op]; } while (0)
static long __attribute__((noinline)) run(const struct insn *p, long *r)
{
    static const void *const table[] = {
        &&l0, &&l1, &&l2, &&l3, &&l4, &&l5, &&l6, &&l7, &&l8, &&l9, &&l10, &&l11,
    };
    NEXT;
l0: r[p->a] = r[p->b] + r[p->c]; NEXT;
l1: r[p->a] = r[p->b] - r[p->c]; NEXT;
l2: r[p->a] = r[p->b] * r[p->c]; NEXT;
l3: r[p->a] = r[p->b] ^ r[p->c]; NEXT;
l4: r[p->a] = r[p->b] & r[p->c]; NEXT;
l5: r[p->a] = r[p->b] | r[p->c]; NEXT;
l6: r[p->a] = r[p->b] << (r[p->c] & 63); NEXT;
l7: r[p->a] = r[p->b] >> (r[p->c] & 63); NEXT;
l8: r[p->a] = -r[p->b]; NEXT;
l9: r[p->a] = ~r[p->b]; NEXT;
l10: if (r[p->a]) p += p->b; NEXT;
l11: return r[0];
}
int main(int argc, char **argv)
{
    static struct insn code[1001];
    long r[256] = {argc, 2, 3, 4}, sum = 0;
    (void)argv;
    for (int i = 0; i < 1000; i++)
        code[i] = (struct insn){i * 7 % 10, i % 4, i / 3 % 4, i / 5 % 4};
    code[1000].op = 11;
    for (int i = 0; i < 100; i++)
        sum += run(code, r);
    printf("%ld\\n", sum);
    return 0;
}
"""


def _study(folder: Path, baseline: str, claim: str = "") -> Path:
    (folder / "src").mkdir(parents=True)
    (folder / "src" / "vm.c").write_text(SOURCE)
    (folder / "study.toml").write_text(
        f"""
[study]
title = "Does the name tell the truth?"
baseline = {baseline}
{claim}
[source]
path = "src"
[build]
steps = ["{{cc}} {{cflags}} -o {{program}} {{source}}/vm.c {{ldflags}}"]
program = "vm"
[variant.honest]
toolchain = "path:gcc"
cflags = ["-O2"]
expect = {{ dispatch = "replicated" }}
[variant.other]
toolchain = "path:gcc"
cflags = ["-O2", "-fno-gcse"]
[variant.liar]
toolchain = "path:gcc"
cflags = ["-Os"]
expect = {{ dispatch = "replicated" }}
[benchmarks.vm]
runner = "command"
command = ["{{program}}"]
[measure]
budget = "1s"
[evidence]
dispatch = ["run"]
"""
    )
    return folder


def _run(study: Path) -> tuple[str, dict[str, Any]]:
    if shutil.which("gcc") is None:
        pytest.skip("gcc is not installed")
    out = study / "result.json"
    done = whyfast("run", study, "--json", out, "--markdown", study / "r.md", "-v", code=1)
    return done.stdout + done.stderr, json.loads(out.read_text())["data"]


def test_a_variant_that_is_not_as_named_is_not_measured(own_home: Home, tmp_path: Path) -> None:
    claim = 'claim = { variant = "other", baseline = "liar" }'
    study = _study(tmp_path / "study", '"honest"', claim)
    text, result = _run(study)
    flat = " ".join(text.split())
    assert "liar is left out" in flat
    compared = {(v["variant"], v["baseline"]) for v in result["judged"]["verdicts"]}
    assert compared == {("other", "honest")}
    assert all("liar" not in block["values"] for block in result["recorded"]["blocks"])
    assert [
        (u["variant"], u["wanted"], u["found"]) for u in result["found"]["failed_expectations"]
    ] == [("liar", "replicated", "merged")]
    assert [(t["variant"], t["cured"]) for t in result["found"]["troubles"]] == [
        ("liar", ["honest", "other"])
    ]
    page = (study / "r.md").read_text()
    assert "not compared" in page
    assert "liar" in page


def test_with_an_unexpected_baseline_nothing_is_measured(own_home: Home, tmp_path: Path) -> None:
    text, result = _run(_study(tmp_path / "study", '"liar"'))
    flat = " ".join(text.split())
    assert "Nothing is compared with liar (dispatch merged, not replicated)" in flat
    assert (result["judged"]["verdicts"], result["recorded"]["blocks"]) == ([], [])
    assert len(result["found"]["evidence"]) == 3


@pytest.mark.parametrize("named", [True, False], ids=["named", "found by its shape"])
def test_workarounds_are_built_and_measured_beside_what_they_mend(
    own_home: Home, tmp_path: Path, named: bool
) -> None:
    if shutil.which("gcc") is None:
        pytest.skip("gcc is not installed")
    study = _study(tmp_path / "study", '"liar"') / "study.toml"
    text = study.read_text().replace('expect = { dispatch = "replicated" }', "")
    study.write_text(text if named else text.replace('dispatch = ["run"]', ""))
    more = range(12, 36)  # instructions, for its loop to be that of an interpreter
    source = SOURCE.replace("&&l11,", f"&&l11, {', '.join(f'&&l{i}' for i in more)},").replace(
        "l11: return",
        "\n".join(f"l{i}: r[p->a] += {i} * r[p->b]; NEXT;" for i in more) + "\nl11: return",
    )
    (study.parent / "src/vm.c").write_text(source)
    out = tmp_path / "result.json"
    done = whyfast("run", study, "--workarounds", "--only", "liar", "--json", out)
    assert "liar with -O2" in done.stderr
    result = json.loads(out.read_text())["data"]
    facts = {e["variant"]: e["dispatch"]["form"] for e in result["found"]["evidence"]}
    assert facts == {"liar": "merged", "liar-O2": "replicated"}
    assert ("liar-O2", "liar") in {
        (v["variant"], v["baseline"]) for v in result["judged"]["verdicts"]
    }
    ((name, cured),) = ((t["variant"], t["cured"]) for t in result["found"]["troubles"])
    assert (name, cured) == ("liar", ["liar-O2"])


#: A loop whose dispatch gcc replicates when it optimises, and not else.
LOOP = """\
int run(const unsigned char *p)
{
    static void *const to[] = {&&stop, &&up, &&down, &&twice};
    int x = 0;
#define NEXT goto *to[*p++ & 3]
    NEXT;
up: x++; NEXT;
down: x--; NEXT;
twice: x += x; NEXT;
stop: return x;
}
#ifdef MAIN
#ifdef OTHER
int started;
#define START started++,
#else
#define START
#endif
int main(void) { return START run((const unsigned char *)"\\1\\1\\3\\0") != 4; }
#endif
"""

STUDY = """\
[study]
title = "Is it slower?"
baseline = "base"
[source]
path = "src"
[build]
steps = ["{cc} {cflags} -DMAIN -o {program} {source}/loop.c"]
program = "vm"
[build.evidence]
steps = ["{cc} {cflags} -c {source}/loop.c"]
object = "loop.o"
[variant.base]
toolchain = "path:gcc"
cflags = ["-O2"]
[variant.other]
extends = "base"
cflags.add = ["-DOTHER"]
[variant.plain]
extends = "base"
cflags = ["-O0"]
evidence_only = true
[benchmarks.whole]
command = ["{program}"]
[quick]
variants = ["other"]
budget = "2s"
[evidence]
dispatch = ["run"]
"""


@pytest.fixture
def study(tmp_path: Path) -> Path:
    if shutil.which("gcc") is None:
        pytest.skip("gcc is not installed")
    (tmp_path / "loop" / "src").mkdir(parents=True)
    (tmp_path / "loop" / "src" / "loop.c").write_text(LOOP)
    (tmp_path / "loop" / "study.toml").write_text(STUDY)
    return tmp_path / "loop"


def test_all_is_read_and_nothing_measured(own_home: Home, study: Path, tmp_path: Path) -> None:
    out = tmp_path / "result.json"
    done = whyfast("run", study, "--evidence-only", "--json", out)
    result = json.loads(out.read_text())["data"]
    assert [e["variant"] for e in result["found"]["evidence"]] == ["base", "other", "plain"]
    assert [e["dispatch"]["indirect_jumps"] for e in result["found"]["evidence"]] == [4, 4, 1]
    assert result["judged"]["verdicts"] == []
    assert result["recorded"]["blocks"] == []
    assert "measuring" not in done.stderr
    programs = {Path(b["program"]).name for b in result["recorded"]["builds"]}
    assert programs == {"loop.o"}


def test_one_variant_beside_measured_ones(own_home: Home, study: Path, tmp_path: Path) -> None:
    out = tmp_path / "result.json"
    done = whyfast("run", study, "--budget", "1s", "--json", out, "-v")
    result = json.loads(out.read_text())["data"]
    assert {v["variant"] for v in result["judged"]["verdicts"]} == {"other"}
    assert {v for b in result["recorded"]["blocks"] for v in b["values"]} == {"base", "other"}
    shown = {e["variant"]: e["dispatch"]["indirect_jumps"] for e in result["found"]["evidence"]}
    assert shown == {"base": 4, "other": 4, "plain": 1}
    assert "plain is evidence only" in done.stdout
    again = whyfast("run", study, "--quick", "--budget", "0.5s", "--json", out)
    assert [b["variant"] for b in json.loads(out.read_text())["data"]["recorded"]["builds"]] == [
        "base",
        "other",
    ]
    assert "evidence only" not in again.stdout


def test_plan_says_what_quick_is(own_home: Home, study: Path) -> None:
    said = whyfast("run", study, "--quick", "--dry-run").stdout
    assert "plain" not in said
    assert "measuring takes 2.00 s or until all is decided" in said
    whole = whyfast("plan", study).stdout
    assert "plain (evidence)" in whole
    assert "measuring takes 1 min or until all is decided" in whole
