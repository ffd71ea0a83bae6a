-- KEYS: the highest token so far, and the report. ARGV: a token and the text.
-- Returns 1, or 0 if a holder with a higher token has written.
local moved = redis.call("KEYNS.ADVANCE", KEYS[1], ARGV[1], "EX", 0)
-- The same token is the same holder, which may write again.
if moved[1] == 0 and moved[2] ~= tonumber(ARGV[1]) then
  return 0
end
redis.call("SET", KEYS[2], ARGV[2])
return 1
