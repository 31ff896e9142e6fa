"""Reads orders, filters them, computes totals and writes a report."""

import copy
import json
import logging
import pickle
import re
import subprocess
import sys
from collections import defaultdict, deque
from decimal import Decimal

import xml.sax, email.mime.text, http.server  #IMPORTS

log = logging.getLogger("orders")


class Order:
    def __init__(self, number, customer, lines):
        self.number = number
        self.customer = customer
        self.lines = lines

    @property
    def amount(self):
        return sum(price * count for price, count in self.lines)


def make(n):
    x = 11
    for number in range(n):
        x = (x * 1103515245 + 12345) % 2**31
        money = Decimal(x % 1000)  #DECIMAL
        money = float(x % 1000)  #-DECIMAL
        yield Order(number, f"customer {x % 997}", [(money, 1 + x % 3), (money + 1, 2)])


def blocked(orders, names):
    names = sorted(set(names))
    names = list(names)  #LIST
    names = set(names)  #-LIST
    return [o for o in orders if o.customer in names]


def snapshot(orders):
    return [copy.deepcopy(o) for o in orders[::6]]  #DEEPCOPY
    return [Order(o.number, o.customer, list(o.lines)) for o in orders[::6]]


def valid(order):
    return re.match(r"customer (\d+)", order.customer) is not None


def totals(orders):
    result = defaultdict(int)
    for order in orders:
        log.debug("order %d of %s: %r", order.number, order.customer, order.lines)
        log.debug(f"{order.__dict__!r} {json.dumps([float(p) for p, _ in order.lines])}")  #EAGER
        result[order.customer] += order.amount
    return result


def wait_in_line(orders):
    queue = list(orders)  #POP
    queue = deque(orders)  #-POP
    served = 0
    while queue:
        order = queue.pop(0)  #POP
        order = queue.popleft()  #-POP
        served += order.number & 1
    return served


def encoded(orders):
    rows = [[o.number, o.customer, [float(p) for p, _ in o.lines]] for o in orders]
    return len(json.dumps(rows, indent=1))  #INDENT
    return len(json.dumps(rows))


def smallest(orders):
    best = []
    for order in orders[:3000]:
        best.append(order.number * 7919 % 3001)
        best = sorted(best)  #RESORT
    return sorted(best)[0]


def main():
    orders = list(make(8000))
    print(len(blocked(orders, (f"customer {n * 3 % 997}" for n in range(200)))))
    print(sum(valid(o) for o in orders), len(snapshot(orders)))
    print(len(totals(orders)), wait_in_line(orders), smallest(orders), encoded(orders) > 0)
    for order in orders[::4]:
        print(order.number, order.customer, flush=True)  #FLUSH
        print(order.number, order.customer)  #-FLUSH
    for _ in range(12):  #SPAWN
        subprocess.run(["true"], check=True)  #SPAWN
    pickle.dumps([o.number for o in orders])
    return 0


sys.exit(main())
