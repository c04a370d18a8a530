/*
 * The store as tools reach it.
 */
#include "seed_store.h"

#include <stdio.h>
#include <string.h>

bool seed_store_error_passes(const char *text)
{
    static const char *const word[] = {"LOADING", "MASTERDOWN", "READONLY",   "OOM",
                                       "MISCONF", "BUSY ",      "NOREPLICAS", "max number of clients"};
    for (size_t i = 0; i < sizeof word / sizeof *word; i++)
        if (strstr(text, word[i]))
            return true;
    return false;
}

/* Of line_open's errors those that the store itself has answered begin so. */
static bool is_answer(const char *why)
{
    static const char *const step[] = {"signing in: ", "selecting the database: "};
    for (size_t i = 0; i < sizeof step / sizeof *step; i++)
        if (strncmp(why, step[i], strlen(step[i])) == 0)
            return true;
    return false;
}

/* What a PING is answered with. One that is not permitted is an answer, too. */
static enum seed_store_answer ping(struct line *line, uint64_t deadline_ns, char why[LINE_ERROR_BYTES])
{
    enum seed_store_answer answer = STORE_REACHED;
    redisReply *reply = line_call(line, (struct line_word[]){LINE_WORD("PING")}, 1, deadline_ns);
    if (!reply) {
        snprintf(why, LINE_ERROR_BYTES, "%s", line_error(line));
        return STORE_AWAY;
    }
    if (reply->type == REDIS_REPLY_ERROR) {
        line_clean(why, LINE_ERROR_BYTES, reply);
        answer = strncmp(why, "NOAUTH", 6) == 0 ? STORE_FORBIDS
                 : seed_store_error_passes(why) ? STORE_AWAY
                                                : STORE_REACHED;
    }
    freeReplyObject(reply);
    return answer;
}

enum seed_store_answer seed_store_reach(struct line **line, const struct remote_url *url,
                                        const struct line_trust *trust, uint64_t deadline_ns,
                                        char why[LINE_ERROR_BYTES])
{
    struct line_place place;
    *line = NULL;
    if (line_find(&place, url, why, LINE_ERROR_BYTES) != 0)
        return STORE_AWAY;
    *line = line_open(url, &place, trust, deadline_ns, why, LINE_ERROR_BYTES);
    if (!*line)
        return is_answer(why) && !seed_store_error_passes(why) ? STORE_FORBIDS : STORE_AWAY;
    const enum seed_store_answer answer = ping(*line, deadline_ns, why);
    if (answer == STORE_REACHED)
        return answer;
    line_close(*line);
    *line = NULL;
    return answer;
}

/* ---- Scripts ------------------------------------------------------------------------------------------- */

/*
 * The scripts. What a key holds may come from anybody: what is no sensible number counts as 0, and a key of the wrong kind
 * ends the script with an error that the store words.
 *
 * take, in turn: the group is made where it is missing (the error that it is there already is passed over); a new entry is
 * read; where there is none and the cursor is not at the end, some hundred blocks that are not done are added and it is read
 * again; where all bits are set, that is the end; then an entry is claimed that the worker was given and does not know of,
 * since the answer got lost; then one whose worker is silent. Steps are bounded, so that the store answers others meanwhile.
 * Where nothing is pending any more and bits are missing, blocks were lost: the stream begins once more, without those done.
 *
 * A full store refuses what would take room, in the middle of a script, too: so a bit is set, and an entry added, before
 * an entry goes.
 *
 * Where tiles are in the store, too, what has lost a block's entry may have lost its tiles: the block is not done then, and
 * comes again by the bits. The worker finds what is still there.
 *
 * An entry that is pending and no longer in the stream was deleted by hand; it is acknowledged, and its block, which is
 * not done, comes again by the bits.
 */
#define WEEK_S "604800"

#define HEAD                                                                        \
    "local stream, state, bits = KEYS[1], KEYS[2], KEYS[3]\n"                       \
    "local call = redis.call\n"                                                     \
    "local function number(name)\n"                                                 \
    "    local n = tonumber(call('HGET', state, name) or '0')\n"                    \
    "    if not n or n ~= math.floor(n) or n < 0 or n > 2 ^ 53 then return 0 end\n" \
    "    return n\n"                                                                \
    "end\n"                                                                         \
    "local function answer(...)\n"                                                  \
    "    local all = {...}\n"                                                       \
    "    for _, name in ipairs({'made', 'found', 'bytes'}) do\n"                    \
    "        all[#all + 1] = string.format('%.0f', number(name))\n"                 \
    "    end\n"                                                                     \
    "    return all\n"                                                              \
    "end\n"                                                                         \
    "local function keep()\n"                                                       \
    "    for _, key in ipairs(KEYS) do call('EXPIRE', key, " WEEK_S ") end\n"       \
    "end\n"                                                                         \
    "local function drop(id)\n"                                                     \
    "    redis.pcall('XACK', stream, 'workers', id)\n"                              \
    "    call('XDEL', stream, id)\n"                                                \
    "end\n"                                                                         \
    "local function has(worker, id)\n"                                              \
    "    local held = redis.pcall('XPENDING', stream, 'workers', id, id, 1)\n"      \
    "    return held[1] and held[1][2] == worker\n"                                 \
    "end\n"

const char seed_script_take[] = HEAD
    "local worker, blocks, claim_ms = ARGV[1], tonumber(ARGV[2]), ARGV[3]\n"
    "redis.pcall('XGROUP', 'CREATE', stream, 'workers', '0', 'MKSTREAM')\n"
    "local function read()\n"
    "    local r = call('XREADGROUP', 'GROUP', 'workers', worker, 'COUNT', 1, 'STREAMS', stream, '>')\n"
    "    return r and r[1] and r[1][2][1]\n"
    "end\n"
    "local entry, claimed, cursor = read(), '', number('cursor')\n"
    "if not entry and cursor < blocks then\n"
    "    local added, steps = 0, 0\n"
    "    while cursor < blocks and added < 256 and steps < 8192 do\n"
    "        if call('GETBIT', bits, cursor) == 0 then\n"
    "            call('XADD', stream, '*', 'block', string.format('%.0f', cursor))\n"
    "            added = added + 1\n"
    "        end\n"
    "        cursor, steps = cursor + 1, steps + 1\n"
    "    end\n"
    "    call('HSET', state, 'cursor', string.format('%.0f', cursor), 'blocks', ARGV[2], 'plan', ARGV[4])\n"
    "    entry = read()\n"
    "    if not entry and cursor < blocks then return answer('again', '', '', '') end\n"
    "end\n"
    "if not entry and call('BITCOUNT', bits) >= blocks then\n"
    "    call('XTRIM', stream, 'MAXLEN', 0)\n"
    "    keep()\n"
    "    return answer('end', '', '', '')\n"
    "end\n"
    "local function unheard()\n"
    "    for _, held in ipairs(call('XPENDING', stream, 'workers', '-', '+', 100, worker)) do\n"
    "        if not string.find(ARGV[5], ' ' .. held[1] .. ' ', 1, true) then return held end\n"
    "    end\n"
    "    return call('XPENDING', stream, 'workers', 'IDLE', claim_ms, '-', '+', 1)[1]\n"
    "end\n"
    "if not entry then\n"
    "    local silent = unheard()\n"
    "    if silent then\n"
    "        entry = call('XCLAIM', stream, 'workers', worker, 0, silent[1])[1]\n"
    "        if not entry then\n"
    "            drop(silent[1])\n"
    "            return answer('again', '', '', '')\n"
    "        end\n"
    "        if silent[2] ~= worker then claimed = '1' end\n"
    "    end\n"
    "end\n"
    "keep()\n"
    "if entry then\n"
    "    local said = entry[2]\n"
    "    local value = #said == 2 and said[1] == 'block' and said[2] or ''\n"
    "    if #value > 9 or value ~= '0' and not string.find(value, '^[1-9]%d*$') then value = '' end\n"
    "    if value ~= '' and call('GETBIT', bits, value) == 1 then\n"
    "        drop(entry[1])\n"
    "        return answer('again', '', '', '')\n"
    "    end\n"
    "    return answer('work', entry[1], value, claimed)\n"
    "end\n"
    "if call('XPENDING', stream, 'workers')[1] > 0 then return answer('wait', '', '', '') end\n"
    "call('XTRIM', stream, 'MAXLEN', 0)\n"
    "call('HSET', state, 'cursor', 0)\n"
    "return answer('again', '', '', '')\n";

const char seed_script_done[] =
    HEAD "if ARGV[6] ~= '' and not call('XRANGE', stream, ARGV[1], ARGV[1])[1] then\n"
         "    return answer('')\n"
         "end\n"
         "local fresh = call('SETBIT', bits, ARGV[2], 1) == 0\n"
         "drop(ARGV[1])\n"
         "if fresh then\n"
         "    redis.pcall('HINCRBY', state, 'made', ARGV[3])\n"
         "    redis.pcall('HINCRBY', state, 'found', ARGV[4])\n"
         "    redis.pcall('HINCRBY', state, 'bytes', ARGV[5])\n"
         "end\n"
         "keep()\n"
         "return answer(fresh and '1' or '')\n";

const char seed_script_drop[] = HEAD "drop(ARGV[1])\n"
                                     "return answer('')\n";

const char seed_script_back[] =
    HEAD "if has(ARGV[1], ARGV[2]) then\n"
         "    if call('GETBIT', bits, ARGV[3]) == 0 then call('XADD', stream, '*', 'block', ARGV[3]) end\n"
         "    drop(ARGV[2])\n"
         "end\n"
         "return answer('')\n";

const char seed_script_beat[] = HEAD "for id in string.gmatch(ARGV[2], '%S+') do\n"
                                     "    if has(ARGV[1], id) then\n"
                                     "        call('XCLAIM', stream, 'workers', ARGV[1], 0, id, 'JUSTID')\n"
                                     "    end\n"
                                     "end\n"
                                     "return answer('')\n";

const char seed_script_anew[] =
    HEAD "if call('BITCOUNT', bits) >= tonumber(ARGV[1]) then call('DEL', unpack(KEYS)) end\n"
         "return answer('')\n";

const char seed_script_leave[] =
    HEAD "local held = redis.pcall('XPENDING', stream, 'workers', '-', '+', 1, ARGV[1])\n"
         "if not held.err and not held[1] then\n"
         "    redis.pcall('XGROUP', 'DELCONSUMER', stream, 'workers', ARGV[1])\n"
         "end\n"
         "return answer('')\n";
