"""Options of a search that contradict each other."""

import pytest

from whyfast.cli.main import main


@pytest.mark.parametrize(
    "ends",
    [
        (),
        ("--good", "a"),
        ("--from", "a"),
        ("--good", "a", "--to", "b"),
        ("--good", "a", "--bad", "b", "--to", "c"),
        ("--good", "a", "--bad", "b", "--from", "c", "--to", "d"),
    ],
)
def test_ends_are_both_of_a_kind(capsys: pytest.CaptureFixture[str], ends: tuple[str, ...]) -> None:
    assert main(["search", *ends, "study"]) == 2
    assert "--good, --bad, --from, --to" in capsys.readouterr().err
