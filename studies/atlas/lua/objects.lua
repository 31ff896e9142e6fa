-- Methods, closures and tables as objects: queens on a board, and accounts with inheritance.
local Account = {}
Account.__index = Account
function Account.new(balance) return setmetatable({ balance = balance }, Account) end
function Account:deposit(amount) self.balance = self.balance + amount end

local Savings = setmetatable({}, { __index = Account })
Savings.__index = Savings
function Savings.new(balance) return setmetatable({ balance = balance, rate = 2 }, Savings) end
function Savings:interest() self:deposit(self.rate) end

local function queens(n)
  local columns, rising, falling, solutions = {}, {}, {}, 0
  local function place(row)
    if row > n then
      solutions = solutions + 1
      return
    end
    for column = 1, n do
      local up, down = row + column, row - column + n
      if not (columns[column] or rising[up] or falling[down]) then
        columns[column], rising[up], falling[down] = true, true, true
        place(row + 1)
        columns[column], rising[up], falling[down] = nil, nil, nil
      end
    end
  end
  place(1)
  return solutions
end

local account = Savings.new(0)
for _ = 1, 300000 do account:interest() end
assert(account.balance == 600000)
assert(queens(8) == 92)

local function counter()
  local n = 0
  return function() n = n + 1; return n end
end
local last
for _ = 1, 2000 do
  local count = counter()
  for _ = 1, 100 do last = count() end
end
assert(last == 100)
