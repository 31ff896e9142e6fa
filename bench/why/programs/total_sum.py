"""Adds up the sizes of parcels."""


def weight(parcels):
    return sum(parcels)


parcels = [number % 100 for number in range(100_000)]
print(sum(weight(parcels) for _ in range(60)))
