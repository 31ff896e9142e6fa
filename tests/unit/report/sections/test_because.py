"""The causes of an account under other answers."""

from __future__ import annotations

from whyfast.model.why import Account, Cause, Change
from whyfast.report.sections.why import account_sentences, named_causes


def cause(sentence: str, share: float, remark: str = "") -> Cause:
    return Cause("x", sentence, share, share, share, (), "counted", remark=remark)


def account(*causes: Cause, slow: float = 2.0, benchmark: str = "", ran: bool = True) -> Account:
    return Account(
        *("base", "head", slow, slow, slow, Change(1.0, slow, 0.0, 0.0)),
        {"user": Change(1.0, slow, 0.0, 0.0)},
        causes=causes,
        explained=min(1.0, sum(c.share for c in causes)),
        costs={"functions": 1.0} if ran else None,
        benchmark=benchmark,
    )


def test_the_slow_side_is_named_and_small_causes_are_left_to_the_table() -> None:
    given = account(
        cause("it makes 400 `write` calls", 0.81),
        cause("`work` is not vectorised", 0.12),
        cause("`tail` divides", 0.05),
    )
    assert named_causes(given) == (
        "head makes 400 `write` calls (81 % of the difference); "
        "in head `work` is not vectorised (12 % of the difference)"
    )
    more_than_all = account(cause("`f` divides", 1.07))
    assert named_causes(more_than_all) == "in head `f` divides (100 % of the difference)"
    assert named_causes(None) == ""
    assert named_causes(account(cause("`f` divides", 1.0), slow=1.0)) == ""  # no difference


def test_sentences_say_the_causes_unless_the_headline_does() -> None:
    given = account(cause("`f` divides", 0.9, "gcc: x"), benchmark="one")
    with_causes = list(account_sentences(given))
    assert with_causes[0] == "Why on one: in head `f` divides (90 % of the difference)."
    assert any("gcc: x" in s for s in with_causes)
    assert not any("`f` divides" in s for s in account_sentences(given, headline=False))


def test_what_nothing_explains_is_said_and_what_was_not_looked_into_is_not() -> None:
    assert next(account_sentences(account())) == "Why: not explained."
    assert list(account_sentences(account(ran=False))) == []
