//! The Lua scripts that do the same: the same keys, values and expiries, and the same replies. Each
//! makes as few calls as the work allows.

use keyns_testkit::Client;

/// Argument: seconds.
const SEEN: &str = "\
if redis.call('SET', KEYS[1], 1, 'NX', 'EX', ARGV[1]) then return 1 end
return 0";

/// Exact up to 2^53, as numbers are in Lua. Arguments: revision, seconds.
const ADVANCE: &str = "\
local revision = tonumber(ARGV[1])
local stored = tonumber(redis.call('GET', KEYS[1]))
if stored and stored >= revision then return {0, stored} end
redis.call('SET', KEYS[1], ARGV[1], 'EX', ARGV[2])
return {1, revision}";

/// The token is the time alone, so this one needs a clock that never goes back.
/// Arguments: owner, milliseconds.
const LOCK: &str = "\
local holder = redis.call('SET', KEYS[1], ARGV[1], 'NX', 'GET', 'PX', ARGV[2])
if holder == ARGV[1] then
  redis.call('PEXPIRE', KEYS[1], ARGV[2])
elseif holder then
  return false
end
local time = redis.call('TIME')
return time[1] * 1000000 + time[2]";

/// Arguments: owner, milliseconds.
const EXTEND: &str = "\
if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('PEXPIRE', KEYS[1], ARGV[2]) end
return 0";

/// Argument: owner.
const UNLOCK: &str = "\
if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('DEL', KEYS[1]) end
return 0";

/// Argument: position.
const CHECKPOINT: &str = "\
local position = tonumber(ARGV[1])
local fields = redis.call('HMGET', KEYS[1], 'position', 'moves')
local stored = tonumber(fields[1])
if stored and stored >= position then return {0, stored} end
local time = redis.call('TIME')
redis.call('HSET', KEYS[1], 'position', ARGV[1],
  'updated_at', time[1] * 1000 + math.floor(time[2] / 1000), 'moves', (fields[2] or 0) + 1)
return {1, position}";

/// The date of a day is found as in the calendar of the module, with years that begin in March.
/// Arguments: amount, unix time or nothing, grains.
const COUNT: &str = "\
local at = tonumber(ARGV[2] ~= '' and ARGV[2] or redis.call('TIME')[1])
local floor = math.floor
local days = floor(at / 86400) + 719468
local era = floor(days / 146097)
local of_era = days - era * 146097
local years = floor((of_era - floor(of_era / 1460) + floor(of_era / 36524) - floor(of_era / 146096)) / 365)
local of_year = of_era - (365 * years + floor(years / 4) - floor(years / 100))
local shifted = floor((5 * of_year + 2) / 153)
local day = of_year - floor((153 * shifted + 2) / 5) + 1
local month = shifted < 10 and shifted + 3 or shifted - 9
local year = years + era * 400
if month <= 2 then year = year + 1 end
local stamp = string.format('%04d:%02d:%02d:%02d:%02d',
  year, month, day, floor(at % 86400 / 3600), floor(at % 3600 / 60))
local amount = tonumber(ARGV[1])
local counts = {}
for i = 3, #ARGV do
  local grain = ARGV[i]
  local length, seconds, keep
  if grain == 'MINUTE' then length, seconds, keep = 16, 60, 172800
  elseif grain == 'HOUR' then length, seconds, keep = 13, 3600, 604800
  elseif grain == 'DAY' then length, seconds, keep = 10, 86400, 7776000
  elseif grain == 'MONTH' then length = 7
  else length = 4 end
  local bucket = KEYS[1] .. ':' .. string.sub(stamp, 1, length)
  local count = redis.call('INCRBY', bucket, ARGV[1])
  if keep and count == amount then
    local time = redis.call('TIME')
    local now = time[1] * 1000 + floor(time[2] / 1000)
    local ends = (at - at % seconds + seconds) * 1000
    redis.call('PEXPIREAT', bucket, math.max(ends, now) + keep * 1000, 'NX')
  end
  counts[i - 2] = count
end
return counts";

/// The names by which EVALSHA knows them.
pub struct Scripts {
    pub seen: String,
    pub advance: String,
    pub lock: String,
    pub extend: String,
    pub unlock: String,
    pub checkpoint: String,
    pub count: String,
}

impl Scripts {
    pub fn load(client: &mut Client) -> Scripts {
        let mut load = |script| client.call(&["SCRIPT", "LOAD", script]).text();
        Scripts {
            seen: load(SEEN),
            advance: load(ADVANCE),
            lock: load(LOCK),
            extend: load(EXTEND),
            unlock: load(UNLOCK),
            checkpoint: load(CHECKPOINT),
            count: load(COUNT),
        }
    }
}
