"""The runtimes that whyfast knows, in the order in which they are asked."""

from __future__ import annotations

from whyfast.why.runtimes.go import Go
from whyfast.why.runtimes.java import Java
from whyfast.why.runtimes.node import NodeJs
from whyfast.why.runtimes.protocol import Runtime
from whyfast.why.runtimes.python import CPython

RUNTIMES: tuple[Runtime, ...] = (CPython(), NodeJs(), Java(), Go())
