"""Three small programs that take turns, each as text in which a change can be made."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import whyfast.turns

Language = Literal["C", "Rust", "Python"]
LANGUAGES: tuple[Language, ...] = ("C", "Rust", "Python")

#: Inner iterations of the hot function: 1 % of them is a whole number.
WORK = 20_000


@dataclass(frozen=True)
class Form:
    """How the program is written down.

    ``work`` iterations of the hot function; ``comments`` lines of comment behind it, ``blanks``
    empty lines, ``local`` the name of its variable, ``unused`` a function that nothing calls,
    ``swapped`` two helpers in the other order, ``filler`` lines of a function before the hot one
    that is called only when there are more than 90 arguments.
    """

    context: int = WORK
    comments: int = 0
    blanks: int = 0
    local: str = "sum"
    unused: str = ""
    swapped: bool = False
    filler: int = 10


@dataclass(frozen=True)
class Source:
    """The files of a project; ``file`` is the one that changes."""

    file: str
    text: str
    others: dict[str, str]


_STUDY = """\
[study]
title = "Did this change make it slower?"
baseline = "release"
margin = "1%"

[build]
steps = [{step}]
program = "program"

[variant.release]
toolchain = "{toolchain}"
{cflags}

[benchmarks.work]
runner = "turn"
command = ["{{program}}"]
"""


def written(language: Language, form: Form) -> Source:
    """The project in this form."""
    return {"C": _c, "Rust": _rust, "Python": _python}[language](form)


def _lines(mark: str, form: Form) -> str:
    return f"{mark} a remark\n" * form.comments + "\n" * form.blanks


def _c(form: Form) -> Source:
    v = form.local
    filler = "    r += r * a ^ 91;\n" * form.filler
    first = "static uint64_t first(uint64_t n)\n{\n    return n * 3;\n}\n"
    second = "static uint64_t second(uint64_t n)\n{\n    return n ^ (n >> 3);\n}\n"
    noinline = "__attribute__((noinline)) "
    unused = f"int {form.unused}(int a)\n{{\n    return a * 77;\n}}\n"
    helpers = [noinline + first, noinline + second]
    text = f"""\
#include "whyfast_turn.h"
{noinline}static int filler(int a)
{{
    int r = 1;
{filler}    return r;
}}
{"".join(reversed(helpers) if form.swapped else helpers)}
{noinline}static uint64_t hot(uint64_t n)
{{
{_lines("    //", form)}    uint64_t {v} = 1;
    for (uint64_t i = 0; i < n; i++)
        {v} = {v} * 31 + (i ^ ({v} >> 7));
    return {v};
}}
{unused if form.unused else ""}
static volatile uint64_t kept;
static uint64_t run(void *state, uint64_t loops)
{{
    for (uint64_t i = 0; i < loops; i++) {{
        uint64_t n = {form.context};
        __asm__ volatile("" : "+r"(n)); /* or the compiler would do the work once for all loops */
        kept = second(first(hot(n)));
    }}
    return *(int *)state;
}}
int main(int argc, char **argv)
{{
    int state = 7;
    (void)argv;
    if (argc > 90)
        return filler(argc);
    return whyfast_turns(run, &state);
}}
"""
    study = _STUDY.format(
        step='"{cc} {cflags} -I{include} -o {program} {source}/main.c"',
        toolchain="path:gcc",
        cflags='cflags = ["-O2", "-g"]',
    )
    return Source("main.c", text, {"whyfast.toml": study})


def _rust(form: Form) -> Source:
    v = form.local
    filler = "    r = r.wrapping_add(r.wrapping_mul(a) ^ 91);\n" * form.filler
    helpers = [
        "#[inline(never)]\nfn first(n: u64) -> u64 { n.wrapping_mul(3) }\n",
        "#[inline(never)]\nfn second(n: u64) -> u64 { n ^ (n >> 3) }\n",
    ]
    unused = f"pub fn {form.unused}(a: i32) -> i32 {{ a.wrapping_mul(77) }}\n"
    text = f"""\
#![allow(dead_code)]
use std::fs::File;
use std::hint::black_box;
use std::io::{{BufRead, BufReader, Write}};
use std::os::fd::FromRawFd;
#[inline(never)]
fn filler(a: u32) -> u32 {{
    let mut r = 1u32;
{filler}    r
}}
{"".join(reversed(helpers) if form.swapped else helpers)}
#[inline(never)]
fn hot(n: u64) -> u64 {{
{_lines("    //", form)}    let mut {v} = 1u64;
    for i in 0..n {{ {v} = {v}.wrapping_mul(31).wrapping_add(i ^ ({v} >> 7)); }}
    {v}
}}
{unused if form.unused else ""}
fn main() {{
    if std::env::args().count() > 90 {{
        std::process::exit(filler(black_box(91)) as i32);
    }}
    let given = std::env::var("WHYFAST_TURN").expect("WHYFAST_TURN");
    let (into, out) = given.split_once(',').expect("IN,OUT");
    let grants = unsafe {{ File::from_raw_fd(into.parse().expect("IN")) }};
    let mut answers = unsafe {{ File::from_raw_fd(out.parse().expect("OUT")) }};
    answers.write_all(b"ready 1\\n").expect("ready");
    for line in BufReader::new(grants).lines() {{
        let loops: u64 = line.expect("grant").parse().expect("loops");
        let began = std::time::Instant::now();
        for _ in 0..loops {{ black_box(second(first(hot(black_box({form.context}))))); }}
        let took = began.elapsed();
        let said = format!("{{}}.{{:09}} 7\\n", took.as_secs(), took.subsec_nanos());
        answers.write_all(said.as_bytes()).expect("answer");
    }}
}}
"""
    study = _STUDY.format(
        step='"{cc} {cflags} -o {program} {source}/main.rs"',
        toolchain="path:rustc",
        cflags='cflags = ["-O", "-g", "-Cpanic=abort"]',
    )
    return Source("main.rs", text, {"whyfast.toml": study})


def _python(form: Form) -> Source:
    v = form.local
    filler = "    r += r * a ^ 91\n" * form.filler
    helpers = [
        "def first(n):\n    return n * 3\n\n\n",
        "def second(n):\n    return n ^ n >> 3\n\n\n",
    ]
    unused = f"def {form.unused}(a):\n    return a * 77\n\n\n"
    text = f"""\
import sys

from turns import take_turns


def filler(a):
    r = 1
{filler}    return r


{"".join(reversed(helpers) if form.swapped else helpers)}def hot(n):
{_lines("    #", form)}    {v} = 1
    for i in range(n):
        {v} = ({v} * 31 + (i ^ {v} >> 7)) & 65535
    return {v}


{unused if form.unused else ""}def run(loops):
    for _ in range(loops):
        second(first(hot({form.context // 20})))
    return 7


if len(sys.argv) > 90:
    print(filler(91))
take_turns(run)
"""
    study = _STUDY.format(
        step='"cp {source}/main.py {program}.py && cp {source}/turns.py .", '
        '\'printf "#!/bin/sh\\nexec %s %s/program.py\\n" {cc} "$PWD" > {program}\', '
        '"chmod +x {program}"',
        toolchain="path:python3",
        cflags="",
    )
    turns = Path(whyfast.turns.__file__).read_text(encoding="utf-8")
    return Source("main.py", text, {"whyfast.toml": study, "turns.py": turns})
