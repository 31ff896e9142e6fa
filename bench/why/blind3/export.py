"""Exports the orders of a shop as JSON, page by page."""

import json
import random


def text(rows):
    return json.dumps(rows, indent=2)  #INDENT
    return json.dumps(rows)  #-INDENT


# In other words.  #OTHER
def length_of_pages(everything):  #OTHER
    """The characters of all pages of 500 orders each."""  #OTHER
    total, first = 0, 0  #OTHER
    while first < len(everything):  #OTHER
        page = everything[first : first + 500]  #OTHER
        total = total + len(text(page))  #OTHER
        first = first + 500  #OTHER
    return total  #OTHER


def one(number):  #OTHER
    """One order of the shop."""  #OTHER
    name = f"customer {number * 31 % 977}"  #OTHER
    lines = [  #OTHER
        {"article": (number + at) % 53, "count": at + 1, "price": 1.25 * at}  #OTHER
        for at in range(number % 5 + 1)  #OTHER
    ]  #OTHER
    return {"number": number, "customer": name, "items": lines, "paid": not number % 3}  #OTHER


def order(number):  #-OTHER
    return {  #-OTHER
        "number": number,  #-OTHER
        "customer": f"customer {number * 31 % 977}",  #-OTHER
        "items": [  #-OTHER
            {"article": (number + i) % 53, "count": i + 1, "price": 1.25 * i}  #-OTHER
            for i in range(number % 5 + 1)  #-OTHER
        ],  #-OTHER
        "paid": number % 3 == 0,  #-OTHER
    }  #-OTHER


def exported(orders):  #-OTHER
    size = 0  #-OTHER
    for start in range(0, len(orders), 500):  #-OTHER
        size += len(text(orders[start : start + 500]))  #-OTHER
    return size  #-OTHER


def main():
    orders = [one(number) for number in range(12000)]  #OTHER
    orders = [order(number) for number in range(12000)]  #-OTHER
    random.Random(71).shuffle(orders)
    print(length_of_pages(orders) > 0)  #OTHER
    print(exported(orders) > 0)  #-OTHER


main()
