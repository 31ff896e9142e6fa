# A warehouse: orders are picked by carts, which go along the aisles and are told where to go next.
import logging
import math

log = logging.getLogger("picking")


class Shelf:
    def __init__(self, aisle, place, article):
        self._aisle, self._place = aisle, place
        self.article = article
        self.stock = 40

    @property #PROPERTY
    def aisle(self): #PROPERTY
        return self._aisle #PROPERTY

    @property #PROPERTY
    def place(self): #PROPERTY
        return self._place #PROPERTY


class Cart:
    def __init__(self, number):
        self.number = number
        self.aisle = self.place = 0
        self.walked = 0
        self.load = []

    def __repr__(self):
        return f"Cart({self.number}, at={self.aisle}/{self.place}, load={self.load!r})"


class Warehouse:
    def __init__(self, aisles, places):
        self.shelves = {}
        for aisle in range(aisles):
            for place in range(places):
                article = aisle * 1000 + place
                shelf = Shelf(aisle, place, article)
                shelf.aisle, shelf.place = aisle, place #-PROPERTY
                self.shelves[article] = shelf
        self.carts = [Cart(i) for i in range(6)]
        self.refilled = 0

    def far(self, cart, shelf):
        from math import hypot, floor #IMPORT
        if cart.aisle == shelf.aisle:
            return abs(cart.place - shelf.place)
        across = abs(cart.aisle - shelf.aisle) * 4
        return math.floor(math.hypot(across, 1)) + min(cart.place + shelf.place, 80 - cart.place - shelf.place) #-IMPORT
        return floor(hypot(across, 1)) + min(cart.place + shelf.place, 80 - cart.place - shelf.place) #IMPORT

    def nearest(self, cart, articles):
        best = None
        for article in articles:
            way = self.far(cart, self.shelves[article])
            if best is None or way < best[0]:
                best = way, article
        return best

    def picked(self, cart, articles):
        left = list(articles)
        while left:
            way, article = self.nearest(cart, left)
            shelf = self.shelves[article]
            log.debug(f"{cart} walks {way} to {article}, still to pick: {left}") #WORDS
            log.debug("%s walks %d to %d, still to pick: %s", cart, way, article, left) #-WORDS
            cart.walked += way
            cart.aisle, cart.place = shelf.aisle, shelf.place
            cart.load.append(article)
            left.remove(article)
            shelf.stock -= 1
            if shelf.stock == 0:
                shelf.stock = 40
                self.refilled += 1
        if len(cart.load) > 120:
            cart.load.clear()


def orders(count):
    seed = 19
    for _ in range(count):
        articles = set()
        seed = (seed * 1664525 + 1013904223) & 0xFFFFFFFF
        for _ in range(3 + (seed >> 29)):
            seed = (seed * 1664525 + 1013904223) & 0xFFFFFFFF
            articles.add((seed >> 27) % 12 * 1000 + (seed >> 16) % 40)
        yield sorted(articles)


def main():
    logging.basicConfig(level=logging.WARNING)
    warehouse = Warehouse(12, 40)
    for number, articles in enumerate(orders(5000)):
        warehouse.picked(warehouse.carts[number % 6], articles)
    print([cart.walked for cart in warehouse.carts], warehouse.refilled)


main()
