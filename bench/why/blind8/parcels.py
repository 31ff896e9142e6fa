# Parcels: a list from a depot is read, sorted into states and routes, and summed.
import csv
import enum
import io
import pathlib #PATHS
import posixpath #-PATHS


class State(enum.Enum):
    NEW = 0
    SENT = 1
    LATE = 2
    LOST = 3
    DONE = 4


STATES = {state.value: state for state in State}


def drawn(seed):
    return (seed * 1664525 + 1013904223) & 0xFFFFFFFF


def depot(count):
    out, seed = io.StringIO(), 12
    table = csv.writer(out)
    table.writerow(["number", "state", "town", "weight", "price", "note", "sender", "day"])
    for number in range(count):
        seed = drawn(seed)
        table.writerow([number, (seed >> 9) % 5, f"town {(seed >> 14) % 90}", (seed >> 8) % 4000, seed >> 22, "-", seed >> 20, number % 365])
    return out.getvalue()


def state(value):
    return State(value) #ENUM
    return STATES[value] #-ENUM


def rows(text):
    for row in csv.DictReader(io.StringIO(text)): #DICTS
        yield row["number"], row["state"], row["town"], row["weight"] #DICTS
    table = csv.reader(io.StringIO(text)) #-DICTS
    next(table) #-DICTS
    for number, kind, town, weight, *_ in table: #-DICTS
        yield number, kind, town, weight #-DICTS


def place(town, number):
    path = pathlib.PurePosixPath("/depot") / town / f"{number}.txt" #PATHS
    return path.parent.name, path.suffix #PATHS
    path = posixpath.join("/depot", town, f"{number}.txt") #-PATHS
    return posixpath.basename(posixpath.dirname(path)), posixpath.splitext(path)[1] #-PATHS


def asked(text):
    counts, weights = {}, {}
    for number, kind, town, weight in rows(text):
        value = int(kind)
        for _ in range(STEPS):
            counts[state(value).name] = counts.get(state(value).name, 0) + 1
            value = (value + 1) % 5
        weights[town] = weights.get(town, 0) + int(weight)
        if MANY and place(town, number)[1] != ".txt":
            raise ValueError(number)
    return counts, weights


MANY = False #-FILES
MANY = True #FILES
STEPS = 1 #-STATES
STEPS = 5 #STATES
text = depot(9000)
for _ in range(3):
    counts, weights = asked(text)
print(sorted(counts.items()), sum(weights.values()))
