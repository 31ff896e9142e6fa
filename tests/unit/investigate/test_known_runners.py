"""Commands that are benchmark runners, and what is named instead."""

import pytest

from whyfast.investigate.known_runners import refuse_runners
from whyfast.model.errors import UserError


@pytest.mark.parametrize(
    ("lines", "instead"),
    [
        (
            ["python3 -m timeit -s 'x = 1' 'f(x)'", "python3 -mtimeit -s 'x = 1' 'g(x)'"],
            "whyfast timeit 'f(x)' 'g(x)' -s 'x = 1'",
        ),
        (
            [
                "python3 -m timeit -n 100 -s 'x = 1' -s 'y = 2' 'f(x)'",
                "python3 -m timeit --setup='x = 1' --setup 'y = 2' -r3 'g(x)'",
            ],
            "whyfast timeit 'f(x)' 'g(x)' -s 'x = 1\ny = 2'",
        ),
        (
            ["/usr/bin/python3.11 -m timeit 'f()'", "python3.13 -m timeit -p 'f()'"],
            "whyfast timeit 'f()' -p --python python3.11 --python python3.13",
        ),
        (
            ["python3 -m pyperf timeit -s 'x=1' 'x'", "pyperf timeit -s 'x=2' 'x'"],
            "whyfast timeit x --setup-each x=1 --setup-each x=2;",
        ),
        (["hyperfine -w 3 './a 1' './b 1'", "true"], "whyfast ab './a 1' './b 1'"),
        (["cargo bench", "true"], "whyfast new"),
        (["go test -run=^$ -bench=. ./...", "true"], "whyfast new"),
        (["target/release/deps/sums-1a2b --bench", "true"], "whyfast new"),
        (["python3 -m pyperf command true", "true"], "whyfast new"),
        (["pytest --benchmark-only", "true"], "whyfast new"),
        (["java -Xmx1g -jar target/benchmarks.jar -f 1", "true"], "docs/turn-protocol.md"),
        (["npx vitest bench --run", "true"], "docs/turn-protocol.md"),
    ],
)
def test_the_command_that_does_it_right_is_named(lines: list[str], instead: str) -> None:
    with pytest.raises(UserError) as error:
        refuse_runners(lines)
    assert f"instead: {instead}" in str(error.value) or instead in str(error.value)
    assert "--whole" in str(error.value)


@pytest.mark.parametrize(
    "line",
    [
        *("python3 bench.py", "python3 -c 'import timeit'", "cargo build", "go test ./..."),
        *("make bench", "echo hyperfine", "sh -c 'unclosed", "timeit"),
        *("java -jar app.jar bench", "npx vitest run", "python3 -mhttp.server"),
    ],
)
def test_other_commands_are_not(line: str) -> None:
    refuse_runners([line, "true"])
