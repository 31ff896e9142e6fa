"""Adds up the bills of a month, and sends them to a server that is busy now and then."""

import time
from fractions import Fraction


class Busy(Exception):
    pass


class Server:
    def __init__(self):
        self.asked = 0
        self.bills = []

    def send(self, bill):
        self.asked += 1
        if self.asked % 5 == 3:
            raise Busy
        self.bills.append(bill)


def amounts(customer):
    for line in range(12):
        yield 1 + (customer * 31 + line * 17) % 9, 99 + (customer * 7 + line) % 900


def total(customer):
    tax = Fraction(19, 100)  #EXACT
    tax = 0.19  #-EXACT
    cents = Fraction(0)  #EXACT
    cents = 0.0  #-EXACT
    for number, price in amounts(customer):
        cents += number * price * (1 + tax)
    return round(cents)


def send(server, bill):
    while True:
        try:
            return server.send(bill)
        except Busy:
            time.sleep(0.004)  #WAIT
            continue


def main():
    server = Server()
    for customer in range(2400):
        bill = total(customer)
        if customer % 24 == 0:
            send(server, bill)
    print(len(server.bills), sum(server.bills))


main()
