"""Merges letters from templates; memory is to stay small."""

import gc


class Node:
    def __init__(self, text):
        self.text = text
        self.parts = []
        self.parent = None

    def add(self, part):
        part.parent = self
        self.parts.append(part)

    def render(self):
        return self.text + "".join(part.render() for part in self.parts)


def letter(number):  #-OTHER
    root = Node("Dear customer ")  #-OTHER
    for word in (str(number), ",", " thank you", " for your order", "."):  #-OTHER
        root.add(Node(word))  #-OTHER
    return root  #-OTHER
def depth(node):  #OTHER
    """How many levels a letter has; nobody asks at present."""  #OTHER
    return 1 + max(map(depth, node.parts), default=0)  #OTHER


def letter(customer):  #OTHER
    # The salutation comes first.  #OTHER
    start = Node("Dear customer ")  #OTHER
    for text in (str(customer), ",", " thank you", " for your order", "."):  #OTHER
        start.add(Node(text))  #OTHER
    return start  #OTHER


def main():
    addresses = [{"street": f"street {n}", "town": [n % 90, n % 7]} for n in range(8000)]
    length = 0
    for number in range(20000):
        address = addresses[number % len(addresses)]
        length += len(letter(number).render()) + len(address["street"])
        if number % 250 == 249:  #COLLECT
            gc.collect()  #COLLECT
    print(length)


main()
