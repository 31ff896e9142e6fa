"""Equal programs: names and order differ."""
import sys
STEPS = [(1000, "M"), (900, "CM"), (500, "D"), (400, "CD"), (100, "C"), (90, "XC"), (50, "L"), (40, "XL"), (10, "X"), (9, "IX"), (5, "V"), (4, "IV"), (1, "I")]


def parse(roman):  #OTHER
    result = 0  #OTHER
    while roman:  #OTHER
        for worth, letters in STEPS:  #OTHER
            if roman.startswith(letters):  #OTHER
                result += worth  #OTHER
                roman = roman[len(letters):]  #OTHER
                break  #OTHER
    return result  #OTHER


def write(number):
    parts = []
    for value, text in STEPS:
        while number >= value:
            parts.append(text)
            number -= value
    return "".join(parts)


def read(text):  #-OTHER
    total = 0  #-OTHER
    while text:  #-OTHER
        for value, sign in STEPS:  #-OTHER
            if text.startswith(sign):  #-OTHER
                total += value  #-OTHER
                text = text[len(sign):]  #-OTHER
                break  #-OTHER
    return total  #-OTHER


print(sum(parse(write(n)) for n in range(1, 20000)))  #OTHER
print(sum(read(write(n)) for n in range(1, 20000)))  #-OTHER
sys.stdout.flush()
