# Bakers: orders are checked against what is known, recipes are changed, labels and codes are made.
import copy
import inspect
import os.path
import sys

KNOWN = 300 #-KNOWN
KNOWN = 2500 #KNOWN
RECIPES = 300 #-RECIPES
RECIPES = 12000 #RECIPES
LABELS = 300 #-LABELS
LABELS = 4500 #LABELS
CODES = 2 #-CODES
CODES = 60 #CODES
NOTES = 20 #-NOTES
NOTES = 2500 #NOTES
LOAVES = 20000 #-LOAVES
LOAVES = 100000 #LOAVES
notes = []


def checked():
    known = [number * 7919 % 100003 for number in range(KNOWN)] #LISTED
    known = {number * 7919 % 100003 for number in range(KNOWN)} #-LISTED
    return sum(number % 100003 in known for number in range(0, KNOWN * 14, 7))


def changed():
    base = {"name": "rye", "parts": [("flour", 500), ("water", 350), ("salt", 10)], "hours": {"rest": 2, "oven": 1}}
    total = 0
    for number in range(RECIPES):
        recipe = copy.deepcopy(base) #DEEP
        recipe = {**base, "parts": list(base["parts"]), "hours": dict(base["hours"])} #-DEEP
        recipe["parts"].append(("seeds", number))
        recipe["hours"]["rest"] = number % 5
        total += sum(grams for _, grams in recipe["parts"]) + recipe["hours"]["rest"]
    return total


def labels():
    text = b"" #BYTES
    text = bytearray() #-BYTES
    for number in range(LABELS):
        text += b"%d loaves of rye bread for table %d\n" % (number % 9, number)
    return len(text)


def codes():
    total = 0
    for number in range(CODES):
        total += pow(number + 3, 20000 + number) % 1000003 #WHOLE
        total += pow(number + 3, 20000 + number, 1000003) #-WHOLE
    return total


def noted(text):
    frame = inspect.stack()[1] #WATCHED
    notes.append(f"{os.path.basename(frame.filename)}:{frame.lineno}: {text}") #WATCHED
    frame = sys._getframe(1) #-WATCHED
    notes.append(f"{os.path.basename(frame.f_code.co_filename)}:{frame.f_lineno}: {text}") #-WATCHED


def baked(number):
    if number % 3 == 0:
        noted(f"loaf {number} is ready")
    return number % 3


def loaves(): #-OTHER
    shelf = [] #-OTHER
    for number in range(LOAVES): #-OTHER
        shelf.append((number, str(number))) #-OTHER
        if len(shelf) > 2000: #-OTHER
            shelf = shelf[1000:] #-OTHER
    return len(shelf) #-OTHER
LIMIT = 2000 #OTHER


def emptied(board): #OTHER
    board.clear() #OTHER


def loaves(): #OTHER
    board = [] #OTHER
    for which in range(LOAVES): #OTHER
        board.append((which, str(which))) #OTHER
        if len(board) > 2000: #OTHER
            board = board[1000:] #OTHER
    return len(board) #OTHER


baked_ones = sum(baked(number) for number in range(NOTES))
print(checked(), changed(), labels(), codes(), baked_ones, len("".join(notes)) > 10, loaves())
