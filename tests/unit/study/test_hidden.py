"""Values of environment variables that nobody is to see."""

from __future__ import annotations

from whyfast.model.study import BuildSpec
from whyfast.model.variant import Variant
from whyfast.study.sections import hide


def test_values_are_hidden_by_the_names_of_variables() -> None:
    plain = {"LANG": "C", "api_token_file": "", "MONKEYS": "3"}
    secret = {"npm_Token": "a", "MY_SECRET": "b", "SSH_KEY": "c", "PASSWORD": "d", "pin_1": "e"}
    build = BuildSpec((), "a", env={**plain, **secret}, hide=("PIN_*",))
    build, (variant,), values = hide(build, [Variant("v", env={"MY_SECRET": "other"})])
    shown = {**build.env}
    assert {k: shown[k] for k in plain if k != "MONKEYS"} == {"LANG": "C", "api_token_file": ""}
    assert {k: values[shown[k]] for k in (*secret, "MONKEYS")} == {**secret, "MONKEYS": "3"}
    assert values[variant.env["MY_SECRET"]] == "other"
    assert variant.env["MY_SECRET"] != shown["MY_SECRET"]
    assert all(value.startswith("hidden:") for value in values)
