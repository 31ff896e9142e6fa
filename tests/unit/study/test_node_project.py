"""Packages of Node, of which no study is written."""

from pathlib import Path

import pytest

from whyfast.model.errors import UserError
from whyfast.study.skeleton import projects_of


@pytest.mark.parametrize(
    ("files", "named"),
    [
        ({"package-lock.json": "{}"}, ["&& npm ci && (cd ../base && npm ci) && whyfast ab"]),
        ({"yarn.lock": ""}, ["yarn install --frozen-lockfile"]),
        (
            {"bench/a.mjs": "import { Bench } from 'tinybench'"},
            ["bench/a.mjs", "by tinybench", "fixed time", "node ../base/SCRIPT.js"],
        ),
        ({"benchmark.js": "run()"}, ["'node ../base/benchmark.js' 'node benchmark.js'"]),
    ],
)
def test_the_commands_that_compare_two_revisions_are_named(
    tmp_path: Path, files: dict[str, str], named: list[str]
) -> None:
    (tmp_path / "package.json").write_text("{}")
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)
    with pytest.raises(UserError) as error:
        next(projects_of(tmp_path))
    assert [part for part in named if part not in error.value.message] == []


def test_a_package_json_that_is_none_is_no_trouble(tmp_path: Path) -> None:
    (tmp_path / "package.json").write_text("[1,")
    with pytest.raises(UserError, match="package of Node"):
        next(projects_of(tmp_path))
