"""Counts the orders for books in stock."""


def available(orders, stock):
    return sum(1 for order in orders if order in stock)


stock = {number * 7 for number in range(1500)}
orders = [number * 11 % 21000 for number in range(12000)]
print(available(orders, stock))
