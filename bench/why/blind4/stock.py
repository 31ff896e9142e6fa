"""Keeps the stock of a shop by a stream of sales and deliveries."""

import logging
import os

log = logging.getLogger("stock")
logging.basicConfig(
    filename=os.devnull,
    level=os.environ.get("STOCK_LOG", "WARNING"),
    format="%(asctime)s %(name)s %(levelname)s %(message)s",
)


class Shop:
    def __init__(self, kinds):
        self.stock = dict.fromkeys(range(kinds), 50)
        self.missed = 0

    def sell(self, kind, number):
        log.debug("sale of %d of %d", number, kind)
        if self.stock[kind] < number:
            log.info("not enough of %d: %d", kind, self.stock[kind])
            self.missed += number
            return 0
        self.stock[kind] -= number
        return number * (3 + kind % 11)

    def deliver(self, kind, number):
        log.debug("delivery of %d of %d", number, kind)
        self.stock[kind] = min(self.stock[kind] + number, 90)


def orders(count):
    state = 1
    for _ in range(count):
        state = state * 1103515245 + 12345 & 0x7FFFFFFF
        yield state >> 28, state >> 8 & 63, 1 + (state >> 16 & 15)


def main():
    shop = Shop(64)
    earned = 0
    for what, kind, number in orders(30000):
        if what:
            earned += shop.sell(kind, number)
        else:
            shop.deliver(kind, 2 * number)
    print(earned, shop.missed)


main()
