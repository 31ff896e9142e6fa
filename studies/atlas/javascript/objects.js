// Methods, closures and prototypes: accounts with inheritance, queens on a board, counters.
function Account(balance) { this.balance = balance; }
Account.prototype.deposit = function (amount) { this.balance += amount; };

function Savings(balance) { Account.call(this, balance); this.rate = 2; }
Savings.prototype = Object.create(Account.prototype);
Savings.prototype.interest = function () { this.deposit(this.rate); };

function queens(n) {
  var columns = [], rising = [], falling = [], solutions = 0;
  function place(row) {
    if (row === n) { solutions++; return; }
    for (var column = 0; column < n; column++) {
      var up = row + column, down = row - column + n;
      if (columns[column] || rising[up] || falling[down]) continue;
      columns[column] = rising[up] = falling[down] = true;
      place(row + 1);
      columns[column] = rising[up] = falling[down] = false;
    }
  }
  place(0);
  return solutions;
}

function counter() {
  var n = 0;
  return function () { return ++n; };
}

var account = new Savings(0), i, j, count, last;
for (i = 0; i < 60000; i++) account.interest();
if (account.balance !== 120000) throw new Error("balance");
if (queens(7) !== 40) throw new Error("queens");
for (i = 0; i < 500; i++) {
  count = counter();
  for (j = 0; j < 100; j++) last = count();
}
if (last !== 100) throw new Error("counter");
