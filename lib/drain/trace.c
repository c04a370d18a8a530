/*
 * Streams of the lattice above, traced through finer ground.
 *
 * A cell of that lattice is a block of cells here, around its sample. Each block that a stream comes to has a home, low and
 * hashed, and a tree of least cost from there over its cells. A stream goes from its home up that tree to a gate, through it
 * into the block of its receiver, and down that one's tree: to its home, or to the receiver's own line out, if it meets that
 * before. So lines of two streams share cells only in the block of a cell that both lead to, and fall all the way.
 */
#include <string.h>

#include "../hash.h"
#include "drain.h"

enum { SIDE_MOST = 4, CELLS_MOST = SIDE_MOST * SIDE_MOST, NOWHERE = 255, HOME_GRAIN = 768, STEEP_MOST = 255 };

struct block {
    uint8_t home, exit, entry; /* entry: in the receiver's block; NOWHERE: there is no line */
    uint8_t hops;              /* of the line, from home to home */
    uint8_t up[CELLS_MOST];    /* the direction to home along the tree */
    uint8_t depth[CELLS_MOST]; /* steps to home */
    uint16_t d[CELLS_MOST];
};

struct trace {
    struct drain_field *field;
    const struct terrane_drained *from;
    int shift, side, columns, rows; /* blocks of the field */
    int64_t x0, y0;                 /* of its first block */
    struct block *block;
};

/* ---- Places -------------------------------------------------------------------------------------------- */

static inline size_t above_at(const struct trace *trace, int bx, int by)
{
    const struct terrane_window *window = &trace->from->window;
    const int64_t x = trace->x0 + bx - window->gi, y = trace->y0 + by - window->gj;
#ifdef TERRANE_DEBUG
    if (x < 0 || y < 0 || x >= window->width || y >= window->height)
        __builtin_trap(); /* beyond what drain_above_window names */
#endif
    return (size_t)y * (size_t)window->width + (size_t)x;
}

static inline struct block *block_at(const struct trace *trace, int bx, int by)
{
    return &trace->block[by * trace->columns + bx];
}

/* Of cell q of a block. */
static inline int32_t cell_at(const struct trace *trace, int bx, int by, int q)
{
    const int x = bx * trace->side + (q & (trace->side - 1)), y = by * trace->side + (q >> trace->shift);
    return y * trace->field->width + x;
}

/* The neighbour of cell q in its block, or NOWHERE. */
static inline int beside(const struct trace *trace, int q, int k)
{
    const int x = (q & (trace->side - 1)) + drain_dx[k], y = (q >> trace->shift) + drain_dy[k];
    return x < 0 || y < 0 || x >= trace->side || y >= trace->side ? NOWHERE : y << trace->shift | x;
}

static inline bool is_sea(int to)
{
    return (to & TERRANE_DRAIN_WAY) == TERRANE_DRAIN_SEA;
}

/* Whether lines lead from it. */
static inline bool leads(int to)
{
    return to & TERRANE_DRAIN_STREAM && (to & TERRANE_DRAIN_WAY) < 8;
}

/* ---- The sea ------------------------------------------------------------------------------------------- */

/* Its ground is the sea's level: what slopes and costs reckon with. */
static void set_sea(struct drain_field *field, int32_t c)
{
    const int32_t under = field->law->sea - field->law->shallow / 2 - 1;
    field->to[c] = TERRANE_DRAIN_SEA;
    field->mark[c] = DRAIN_FIXED;
    field->z[c] = field->ground[c] < field->law->sea ? field->ground[c] : under;
    field->ground[c] = field->law->sea;
    field->link[c].area = 0;
}

/* What lies below the sea next to its blocks is sea. */
static void find_sea(struct trace *trace)
{
    struct drain_field *field = trace->field;
    for (int by = 0; by < trace->rows; by++)
        for (int bx = 0; bx < trace->columns; bx++) {
            bool sea = false;
            for (int j = -1; j <= 1; j++)
                for (int i = -1; i <= 1; i++)
                    sea |= is_sea(terrane_drained_to(trace->from, above_at(trace, bx + i, by + j)));
            for (int q = 0; sea && q < trace->side * trace->side; q++) {
                const int32_t c = cell_at(trace, bx, by, q);
                if (field->ground[c] < field->law->sea)
                    set_sea(field, c);
            }
        }
}

/* ---- Homes and trees ----------------------------------------------------------------------------------- */

static uint32_t cell_hash(const struct trace *trace, int32_t c, uint64_t salt)
{
    const struct drain_field *field = trace->field;
    const uint64_t key = field->law->key ^ salt;
    return hash_corner(hash_column(key, field->window.gi + c % field->width),
                       hash_row(key, field->window.gj + c / field->width));
}

/* How much higher than the block's lowest cell: 256 for a slope of 1 over a step. */
static int over_lowest(const struct trace *trace, int32_t c, int32_t lowest)
{
    const float slope = (float)(trace->field->ground[c] - lowest) * trace->field->law->inverse;
    return slope < 16384.0f ? (int)slope : 16384;
}

static int32_t lowest_of(const struct trace *trace, int bx, int by)
{
    int32_t lowest = INT32_MAX;
    for (int q = 0; q < trace->side * trace->side; q++) {
        const int32_t ground = trace->field->ground[cell_at(trace, bx, by, q)];
        lowest = ground < lowest ? ground : lowest;
    }
    return lowest;
}

/* Low and hashed; of sea the lowest cell; of land no sea, if there is any land. */
static void find_home(const struct trace *trace, int bx, int by, struct block *block, int32_t lowest)
{
    const bool sea = is_sea(terrane_drained_to(trace->from, above_at(trace, bx, by)));
    int best = INT32_MAX;
    for (int q = 0; q < trace->side * trace->side; q++) {
        const int32_t c = cell_at(trace, bx, by, q);
        int over = over_lowest(trace, c, lowest);
        if (!sea)
            over += (int)(cell_hash(trace, c, 1) % HOME_GRAIN) + (is_sea(trace->field->to[c]) ? 65536 : 0);
        if (over < best) {
            best = over;
            block->home = (uint8_t)q;
        }
    }
}

static void grow_block(const struct trace *trace, int bx, int by, struct block *block, int32_t lowest)
{
    const int cells = trace->side * trace->side;
    uint16_t enter[CELLS_MOST] = {0};
    uint32_t open = 0, done = 0;
    for (int q = 0; q < cells; q++) {
        const int32_t c = cell_at(trace, bx, by, q);
        const int over = over_lowest(trace, c, lowest);
        enter[q] = (uint16_t)((is_sea(trace->field->to[c]) ? STEEP_MOST
                               : over < STEEP_MOST         ? over
                                                           : STEEP_MOST) +
                              (int)(cell_hash(trace, c, 2) & 31));
        block->d[q] = UINT16_MAX;
    }
    block->d[block->home] = 0;
    block->depth[block->home] = 0;
    block->up[block->home] = NOWHERE;
    for (open = 1u << block->home; open;) {
        int u = 0, least = INT32_MAX;
        for (int q = 0; q < cells; q++)
            if (open >> q & 1 && block->d[q] < least) {
                least = block->d[q];
                u = q;
            }
        open &= ~(1u << u);
        done |= 1u << u;
        for (int k = 0; k < 8; k++) {
            const int v = beside(trace, u, k);
            if (v == NOWHERE || done >> v & 1)
                continue;
            const int by_u = block->d[u] + (k & 1 ? 23 : 16) + enter[v];
            if (by_u >= block->d[v])
                continue;
            block->d[v] = (uint16_t)by_u;
            block->up[v] = (uint8_t)((k + 4) & 7);
            block->depth[v] = (uint8_t)(block->depth[u] + 1);
            open |= 1u << v;
        }
    }
}

/* ---- Gates --------------------------------------------------------------------------------------------- */

/* Where the line of a stream leaves its block: the pair of cells, one in each, on the cheapest way from home to home. */
static void find_gate(const struct trace *trace, int bx, int by, struct block *block)
{
    const int k = terrane_drained_to(trace->from, above_at(trace, bx, by)) & TERRANE_DRAIN_WAY,
              end = trace->side - 1;
    const struct block *next = block_at(trace, bx + drain_dx[k], by + drain_dy[k]);
    int best = INT32_MAX;
    for (int q = 0; q < trace->side * trace->side; q++)
        for (int way = 0; way < 8; way++) {
            const int x = (q & end) + drain_dx[way], y = (q >> trace->shift) + drain_dy[way];
            const int ox = x < 0 ? -1 : x > end, oy = y < 0 ? -1 : y > end;
            if (ox != drain_dx[k] || oy != drain_dy[k])
                continue;
            const int f = (y & end) << trace->shift | (x & end);
            const int cost = block->d[q] + next->d[f] + (way & 1 ? 23 : 16);
            if (cost >= best)
                continue;
            best = cost;
            block->exit = (uint8_t)q;
            block->entry = (uint8_t)f;
            block->hops = (uint8_t)(block->depth[q] + 1 + next->depth[f]);
        }
}

/* ---- Lines --------------------------------------------------------------------------------------------- */

/* A stream's line at a cell. Of the sea's own blocks it ends at the sea; in others it keeps to land, and makes it, so that what it
 * brings is not lost where finer ground has a bay. true: it goes on from there. */
static bool lay(struct trace *trace, int32_t c, int way, int32_t z, uint64_t area, bool lake, bool ends)
{
    struct drain_field *field = trace->field;
    if (is_sea(field->to[c]) && ends)
        return false;
    field->to[c] = (uint8_t)(way | TERRANE_DRAIN_STREAM | (lake ? TERRANE_DRAIN_LAKE : 0));
    field->mark[c] = DRAIN_FIXED;
    field->z[c] = z;
    field->ground[c] = z;
    field->link[c].area = area;
    return true;
}

/* The direction from a gate's cell to the one behind it. */
static int gate_way(const struct trace *trace, int exit, int entry, int k)
{
    const int dx = (entry & (trace->side - 1)) + drain_dx[k] * trace->side - (exit & (trace->side - 1));
    const int dy = (entry >> trace->shift) + drain_dy[k] * trace->side - (exit >> trace->shift);
    for (int way = 0; way < 8; way++)
        if (drain_dx[way] == dx && drain_dy[way] == dy)
            return way;
    return NOWHERE;
}

/* From home to the gate. */
static void lay_exit(struct trace *trace, int bx, int by, const struct block *block, uint32_t *taken)
{
    const size_t at = above_at(trace, bx, by);
    const struct terrane_drained *from = trace->from;
    const int k = terrane_drained_to(from, at) & TERRANE_DRAIN_WAY;
    const size_t next = above_at(trace, bx + drain_dx[k], by + drain_dy[k]);
    const bool flat = terrane_drained_to(from, at) & terrane_drained_to(from, next) & TERRANE_DRAIN_LAKE &&
                      from->z[at] == from->z[next];
    const int64_t end = is_sea(terrane_drained_to(from, next)) ? trace->field->law->sea : from->z[next];
    const int64_t fall = from->z[at] - end;
    int q[CELLS_MOST], count = 0;
    for (int e = block->exit; e != NOWHERE;
         e = block->up[e] == NOWHERE ? NOWHERE : beside(trace, e, block->up[e]))
        q[count++] = e; /* from the gate back to home */
    for (int i = 0; i < count; i++) {
        const int e = q[count - 1 - i];
        int way = gate_way(trace, block->exit, block->entry, k);
        if (i + 1 < count)
            way = (block->up[q[count - 2 - i]] + 4) & 7;
        *taken |= 1u << e;
        const int32_t z = (int32_t)(from->z[at] - fall * i / block->hops);
        if (!lay(trace, cell_at(trace, bx, by, e), way, z, terrane_drained_runoff(from, at),
                 flat || (i == 0 && terrane_drained_to(from, at) & TERRANE_DRAIN_LAKE), false))
            return;
    }
}

/* From the gate of a stream that comes in down to home, or to the line out. */
static void lay_entry(struct trace *trace, int bx, int by, int k, uint32_t taken)
{
    const struct terrane_drained *from = trace->from;
    const struct block *block = block_at(trace, bx, by);
    const struct block *source = block_at(trace, bx + drain_dx[k], by + drain_dy[k]);
    const size_t here = above_at(trace, bx, by), at = above_at(trace, bx + drain_dx[k], by + drain_dy[k]);
    const bool flat = terrane_drained_to(from, at) & terrane_drained_to(from, here) & TERRANE_DRAIN_LAKE &&
                      from->z[at] == from->z[here];
    const int64_t end = is_sea(terrane_drained_to(from, here)) ? trace->field->law->sea : from->z[here];
    const int64_t fall = from->z[at] - end;
    for (int q = source->entry; q < CELLS_MOST && !(taken >> q & 1) && block->up[q] != NOWHERE;
         q = beside(trace, q, block->up[q])) {
        const int32_t c = cell_at(trace, bx, by, q);
        const bool again = trace->field->mark[c] & DRAIN_FIXED && !is_sea(trace->field->to[c]);
        const int32_t z = (int32_t)(end + fall * block->depth[q] / source->hops);
        const int32_t was = again ? trace->field->z[c] : INT32_MAX;
        const uint64_t sum = terrane_drained_runoff(from, at) + (again ? trace->field->link[c].area : 0);
        const uint64_t area =
            is_sea(terrane_drained_to(from, here)) || sum < terrane_drained_runoff(from, here)
                ? sum
                : terrane_drained_runoff(from, here);
        const bool lake = flat && (!again || trace->field->to[c] & TERRANE_DRAIN_LAKE);
        if (!lay(trace, c, block->up[q], z < was ? z : was, area, lake,
                 is_sea(terrane_drained_to(from, here))))
            return;
    }
}

static void lay_block(struct trace *trace, int bx, int by)
{
    const struct terrane_drained *from = trace->from;
    const size_t at = above_at(trace, bx, by);
    const int to = terrane_drained_to(from, at), way = to & TERRANE_DRAIN_WAY;
    const struct block *block = block_at(trace, bx, by);
    uint32_t taken = 0;
    if (leads(to))
        lay_exit(trace, bx, by, block, &taken);
    else if (way == TERRANE_DRAIN_INLAND) {
        lay(trace, cell_at(trace, bx, by, block->home), TERRANE_DRAIN_INLAND, from->z[at],
            terrane_drained_runoff(from, at), true, false);
        taken = 1u << block->home;
    }
    for (int k = 0; k < 8; k++) {
        const int other = terrane_drained_to(from, above_at(trace, bx + drain_dx[k], by + drain_dy[k]));
        if (leads(other) && (other & TERRANE_DRAIN_WAY) == ((k + 4) & 7))
            lay_entry(trace, bx, by, k, taken);
    }
}

/* ---- The call ------------------------------------------------------------------------------------------ */

size_t drain_trace_bytes(const struct terrane_window *field, int shift)
{
    return ((size_t)field->width >> shift) * ((size_t)field->height >> shift) * sizeof(struct block);
}

void drain_trace(struct drain_field *field, const struct drain_above *above, void *room)
{
    struct trace trace = {
        .field = field, .from = above->from, .shift = above->shift, .side = 1 << above->shift, .block = room};
    trace.columns = field->width >> above->shift;
    trace.rows = field->height >> above->shift;
    trace.x0 = (field->window.gi + trace.side / 2) >> above->shift;
    trace.y0 = (field->window.gj + trace.side / 2) >> above->shift;
    find_sea(&trace);
    for (int by = 0; by < trace.rows; by++)
        for (int bx = 0; bx < trace.columns; bx++) {
            const int to = terrane_drained_to(trace.from, above_at(&trace, bx, by));
            if (!(to & TERRANE_DRAIN_STREAM) && (to & TERRANE_DRAIN_WAY) < 8)
                continue;
            struct block *block = block_at(&trace, bx, by);
            const int32_t lowest = lowest_of(&trace, bx, by);
            find_home(&trace, bx, by, block, lowest);
            grow_block(&trace, bx, by, block, lowest);
            const int32_t home = cell_at(&trace, bx, by, block->home);
            if (is_sea(to) && !is_sea(field->to[home]))
                set_sea(field, home);
        }
    for (int by = 1; by < trace.rows - 1; by++)
        for (int bx = 1; bx < trace.columns - 1; bx++)
            if (leads(terrane_drained_to(trace.from, above_at(&trace, bx, by))))
                find_gate(&trace, bx, by, block_at(&trace, bx, by));
    for (int by = 2; by < trace.rows - 2; by++)
        for (int bx = 2; bx < trace.columns - 2; bx++)
            lay_block(&trace, bx, by);
}
