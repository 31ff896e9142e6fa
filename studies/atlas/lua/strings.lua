-- Strings byte by byte: a checksum, a reversal and a count of words.
local text = string.rep("the quick brown fox jumps over the lazy dog ", 400)

local function checksum(s)
  local a, b = 1, 0
  for i = 1, #s do
    a = (a + s:byte(i)) % 65521
    b = (b + a) % 65521
  end
  return b << 16 | a
end

local function reversed(s)
  local parts = {}
  for i = #s, 1, -1 do parts[#parts + 1] = s:sub(i, i) end
  return table.concat(parts)
end

local function words(s)
  local counts = {}
  for word in s:gmatch("%a+") do counts[word] = (counts[word] or 0) + 1 end
  return counts
end

for _ = 1, 6 do
  assert(checksum(text) == 389490824, checksum(text))
  assert(reversed(reversed(text)) == text)
  assert(words(text).the == 800)
end
