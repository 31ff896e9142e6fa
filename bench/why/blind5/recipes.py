"""Scales recipes and makes a list of what to buy."""


class Amount:
    def __init__(self, number, unit):
        self.number = number
        self.unit = unit

    def times(self, factor):
        return Amount(self.number * factor, self.unit)


class Recipe:
    def __init__(self, name, serves):
        self.name = name
        self.serves = serves
        self.needs = []

    def need(self, what, number, unit):
        self.needs.append((what, Amount(number, unit)))

    def scaled(self, people):
        factor = people / self.serves
        other = Recipe(self.name, people)
        other.needs = [(what, amount.times(factor)) for what, amount in self.needs]
        return other


def shopping(menu):  #OTHER
    """The list for the shop, one line for each thing and unit."""  #OTHER
    basket = {}  #OTHER
    for dish in menu:  #OTHER
        for thing, quantity in dish.needs:  #OTHER
            name = f"{thing} ({quantity.unit})"  #OTHER
            basket[name] = basket.get(name, 0) + quantity.number  #OTHER
    return [f"{amount:.1f} {name}" for name, amount in sorted(basket.items())]  #OTHER


def servings(menu):  #OTHER
    """How many people eat in all; asked by nobody yet."""  #OTHER
    return sum(dish.serves for dish in menu)  #OTHER


def book(count):
    things = ["flour", "milk", "butter", "rice", "beans", "onions", "salt", "sugar"]
    recipes = []
    for n in range(count):
        recipe = Recipe(f"recipe {n}", 2 + n % 3)
        for k in range(6):
            recipe.need(things[(n * 3 + k) % 8], 10 + n * k % 90, "g" if k % 2 else "ml")
        recipes.append(recipe)
    return recipes


def shopping(recipes):  #-OTHER
    wanted = {}  #-OTHER
    for recipe in recipes:  #-OTHER
        for what, amount in recipe.needs:  #-OTHER
            key = f"{what} ({amount.unit})"  #-OTHER
            wanted[key] = wanted.get(key, 0) + amount.number  #-OTHER
    return [f"{number:.1f} {key}" for key, number in sorted(wanted.items())]  #-OTHER


def main():
    recipes = book(700)
    lines = 0
    for week in range(50):
        menu = [recipe.scaled(2 + (week + n) % 5) for n, recipe in enumerate(recipes)]
        lines += len(shopping(menu))
    print(lines, shopping(menu)[0])


if __name__ == "__main__":
    main()
