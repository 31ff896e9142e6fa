# Methods and attributes: an account, and a tree of nodes.
class Account:
    def __init__(self):
        self.balance = 0

    def deposit(self, amount):
        self.balance += amount


class Node:
    def __init__(self, key):
        self.key = key
        self.left = None
        self.right = None

    def insert(self, key):
        node = self
        while node.key != key:
            below = node.left if key < node.key else node.right
            if below is None:
                if key < node.key:
                    node.left = Node(key)
                else:
                    node.right = Node(key)
                return
            node = below

    def size(self):
        left = self.left.size() if self.left else 0
        return left + 1 + (self.right.size() if self.right else 0)


account = Account()
for amount in range(100000):
    account.deposit(amount)
assert account.balance == 4999950000

seed, root = 1, Node(0)
for _ in range(4000):
    seed = seed * 16807 % 65537
    root.insert(seed)
assert root.size() == 4001
