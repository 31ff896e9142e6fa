"""Orders of a shop: makes them, keeps them, prices them, and finds the customers of most worth."""

import dataclasses
import gc  #NOGC
import pickle
import sys  #WATCHED


@dataclasses.dataclass(frozen=True)  #FROZEN
@dataclasses.dataclass  #-FROZEN
class Order:
    number: int
    customer: int
    cents: int
    article: str


def made(count):
    seed = 12
    orders = []
    for number in range(count):
        seed = (seed * 1664525 + 1013904223) & 0xFFFFFFFF
        orders.append(Order(number, seed >> 22, seed >> 17, f"article {seed >> 26}"))
    return orders


def price(order):
    cents = order.cents
    if order.customer < 100:
        cents -= cents // 20
    return cents if cents > 500 else 500


def discounted(orders):
    return [Order(o.number, o.customer, o.cents * 9 // 10, o.article) for o in orders]


def worth(orders):
    customers = {}
    for order in orders:
        customers[order.customer] = customers.get(order.customer, 0) + price(order)
    return max((cents, customer) for customer, cents in customers.items())


def kept(orders):
    rows = [(o.number, o.customer, float(o.cents), o.article) for o in orders]
    text = pickle.dumps(rows, protocol=0)  #TEXT
    text = pickle.dumps(rows, protocol=4)  #-TEXT
    return len(pickle.loads(text))


def linked(orders):
    """Each order beside the one before of the same customer."""
    last = {}
    pairs = []
    for order in orders:
        pairs.append([order, {"before": last.get(order.customer)}])
        last[order.customer] = order
    return pairs


def watch(frame, event, argument):  #WATCHED
    return None  #WATCHED


def main():
    gc.disable()  #NOGC
    sys.settrace(watch)  #WATCHED
    orders = made(20_000)
    for _ in range(8):
        orders = discounted(orders)
    best = [worth(orders) for _ in range(2)]
    chains = [linked(orders) for _ in range(3)]
    first = sum(pair[1]["before"] is None for pair in chains[0])
    print(best[0], kept(orders) + kept(orders), first)


main()
