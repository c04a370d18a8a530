/*
 * Streams of the lattice above, traced through finer ground.
 *
 * A cell of that lattice is a block of cells here, around its sample. Each block that a stream comes to has a home, low and
 * hashed, and a tree of least cost from there over its cells. A stream goes from its home up that tree to a gate, through it
 * into the block of its receiver, and down that one's tree: to its home, or to the receiver's own line out, if it meets that
 * before. So lines of two streams share cells only in the block of a cell that both lead to, and fall all the way.
 */
#include <string.h>

#include "../base/min_max.h"
#include "drain.h"
#include "drained.h"

enum {
    SIDE_MAX = 4,
    CELLS_MAX = SIDE_MAX * SIDE_MAX,
    NOWHERE = 255,
    HOME_GRAIN = 2048,
    HOME_BESIDE = 1024, /* grain, and what is on a diagonal's way has more: from generator 10 on */
    STEEP_MAX = 255,
    OVER_MAX = 16384
};

struct block {
    uint8_t home, exit, way, entry; /* of its gate */
    uint8_t hops;                   /* of the line, from home to home */
    uint8_t up[CELLS_MAX];          /* the direction to home along the tree */
    uint8_t depth[CELLS_MAX];       /* steps to home */
    uint16_t d[CELLS_MAX];
};

/* A step from one block into the next: from a cell, in a direction, to a cell. */
struct gate {
    uint8_t exit, way, entry;
};

struct trace {
    struct drain_field *field;
    const struct terrane_drained *from;
    int shift, side, columns, rows; /* blocks of the field */
    int64_t x0, y0;                 /* of its first block */
    struct block *block;
    const uint32_t *home_hash, *step_hash; /* of the field's cells */
    uint8_t beside[CELLS_MAX][8];          /* a cell's neighbours in its block, or NOWHERE */
    uint8_t way[CELLS_MAX][CELLS_MAX];     /* from one to its neighbour */
    uint32_t around[CELLS_MAX];            /* its neighbours, as bits */
    struct gate gate[8][3 * SIDE_MAX];     /* by the direction of the next block */
    int gates[8];
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

/* The steps from the cells of a block: within it, and out of it. */
static void find_steps(struct trace *trace)
{
    const int end = trace->side - 1;
    for (int q = 0; q < trace->side * trace->side; q++)
        for (int way = 0; way < 8; way++) {
            const int x = (q & end) + drain_dx[way], y = (q >> trace->shift) + drain_dy[way];
            const int dx = x < 0 ? -1 : x > end, dy = y < 0 ? -1 : y > end;
            const int to = (y & end) << trace->shift | (x & end);
            trace->beside[q][way] = NOWHERE;
            if (dx == 0 && dy == 0) {
                trace->beside[q][way] = (uint8_t)to;
                trace->way[q][to] = (uint8_t)way;
                trace->around[q] |= 1u << to;
            }
            for (int k = 0; k < 8; k++)
                if (drain_dx[k] == dx && drain_dy[k] == dy)
                    trace->gate[k][trace->gates[k]++] = (struct gate){(uint8_t)q, (uint8_t)way, (uint8_t)to};
        }
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
    field->area[c] = 0;
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
                    sea |= is_sea(terrane_drained_cell(trace->from, above_at(trace, bx + i, by + j)).to);
            for (int q = 0; sea && q < trace->side * trace->side; q++) {
                const int32_t c = cell_at(trace, bx, by, q);
                if (field->ground[c] < field->law->sea)
                    set_sea(field, c);
            }
        }
}

/* ---- Homes and trees ----------------------------------------------------------------------------------- */

/* Costs come later: here are hashes. */
static void hash_all(struct trace *trace)
{
    struct drain_field *field = trace->field;
    uint32_t *home = (uint32_t *)(void *)field->cost, *step = home + field->cells;
    trace->home_hash = home;
    trace->step_hash = step;
    for (int c = 0, y = 0; c < field->cells; c += field->width, y++) {
        const struct terrane_window *window = &field->window;
        const struct erode_kernels *kernels = erode_kernels_current();
        kernels->hash_cells(field->law->key ^ 1, window->gi, window->gj + y, field->width, home + c);
        kernels->hash_cells(field->law->key ^ 2, window->gi, window->gj + y, field->width, step + c);
    }
}

/* What a block's home and tree are made from. */
struct ground {
    int32_t first;            /* the field's cell of cell 0 */
    uint16_t over[CELLS_MAX]; /* how much higher than the lowest: 256 for a slope of 1 over a step */
    uint32_t sea;             /* bits */
};

/* Takes the plane through a block's heights off them: on even slopes lines would keep to the lower edges of blocks, and be as
 * straight as these. Returns the least. */
static int32_t detrend(const struct trace *trace, int32_t height[CELLS_MAX])
{
    const int side = trace->side,
              squares =
                  side == 4 ? 80 : 4; /* the sum of those of a cell's place from the middle, in halves */
    int64_t east = 0, south = 0;
    int32_t lowest = INT32_MAX;
    for (int q = 0; q < side * side; q++) {
        east += (int64_t)height[q] * (2 * (q & (side - 1)) - side + 1);
        south += (int64_t)height[q] * (2 * (q >> trace->shift) - side + 1);
    }
    for (int q = 0; q < side * side; q++) {
        const int64_t a = 2 * (q & (side - 1)) - side + 1, b = 2 * (q >> trace->shift) - side + 1;
        height[q] -= (int32_t)((a * east + b * south) / squares);
        lowest = height[q] < lowest ? height[q] : lowest;
    }
    return lowest;
}

static void look(const struct trace *trace, int bx, int by, struct ground *ground)
{
    const struct drain_field *field = trace->field;
    const int cells = trace->side * trace->side;
    int32_t height[CELLS_MAX], lowest = INT32_MAX;
    ground->sea = 0;
    for (int q = 0; q < cells; q++) {
        const int32_t c = cell_at(trace, bx, by, q);
        height[q] = field->ground[c];
        lowest = height[q] < lowest ? height[q] : lowest;
        ground->sea |= (uint32_t)is_sea(field->to[c]) << q;
    }
    if (ground->sea == 0)
        lowest = detrend(trace, height);
    for (int q = 0; q < cells; q++) {
        const float slope = (float)(height[q] - lowest) * field->law->inverse;
        ground->over[q] = (uint16_t)(slope < OVER_MAX ? slope : OVER_MAX);
    }
}

/* Whether a cell of a block is near the diagonal along which its stream goes on. */
static bool is_on_diagonal(const struct trace *trace, int way, int q)
{
    const int x = q & (trace->side - 1), y = q >> trace->shift;
    const int off = way == 1 || way == 5 ? x - y : x + y - trace->side + 1;
    return way < 8 && way & 1 && (off < 0 ? 0 - off : off) < trace->side / 2;
}

/*
 * Low and hashed; of sea the lowest cell; of land no sea, if there is any land. A line that goes on diagonally passes through the corner
 * of the block: it would be straight over many blocks, were homes not beside the diagonal.
 */
static int find_home(const struct trace *trace, int bx, int by, const struct ground *ground)
{
    const int to = terrane_drained_cell(trace->from, above_at(trace, bx, by)).to;
    const bool sea = is_sea(to), isotropic = trace->field->law->isotropic;
    const uint32_t grain = isotropic ? HOME_BESIDE : HOME_GRAIN;
    int best = INT32_MAX, home = 0;
    for (int q = 0; q < trace->side * trace->side; q++) {
        int over = ground->over[q];
        if (!sea)
            over += (int)(trace->home_hash[cell_at(trace, bx, by, q)] % grain) +
                    (ground->sea >> q & 1 ? 65536 : 0);
        if (isotropic && is_on_diagonal(trace, to & TERRANE_DRAIN_WAY, q))
            over += HOME_BESIDE;
        if (over < best) {
            best = over;
            home = q;
        }
    }
    return home;
}

/* The cell of a set to which the way is least; of several the first. */
static inline int nearest(const struct block *block, uint32_t set)
{
    uint32_t best = UINT32_MAX;
    for (; set; set &= set - 1) {
        const uint32_t q = (uint32_t)__builtin_ctz(set), key = (uint32_t)block->d[q] << 4 | q;
        best = key < best ? key : best;
    }
    return best & (CELLS_MAX - 1);
}

static void grow_block(const struct trace *trace, int bx, int by, const struct ground *ground,
                       struct block *block)
{
    uint16_t enter[CELLS_MAX] = {0};
    uint32_t done = 0;
    for (int q = 0; q < trace->side * trace->side; q++) {
        const bool steep = ground->sea >> q & 1 || ground->over[q] >= STEEP_MAX;
        enter[q] = (uint16_t)((steep ? STEEP_MAX : ground->over[q]) +
                              (trace->step_hash[cell_at(trace, bx, by, q)] & 31));
        block->d[q] = UINT16_MAX;
    }
    block->d[block->home] = 0;
    block->depth[block->home] = 0;
    block->up[block->home] = NOWHERE;
    for (uint32_t open = 1u << block->home; open;) {
        const int u = nearest(block, open);
        open &= ~(1u << u);
        done |= 1u << u;
        for (uint32_t rest = trace->around[u] & ~done; rest; rest &= rest - 1) {
            const int v = __builtin_ctz(rest), k = trace->way[u][v];
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
    const int k = terrane_drained_cell(trace->from, above_at(trace, bx, by)).to & TERRANE_DRAIN_WAY;
    const struct block *next = block_at(trace, bx + drain_dx[k], by + drain_dy[k]);
    int best = INT32_MAX;
    for (int i = 0; i < trace->gates[k]; i++) {
        const struct gate *gate = &trace->gate[k][i];
        const int cost = block->d[gate->exit] + next->d[gate->entry] + (gate->way & 1 ? 23 : 16);
        if (cost >= best)
            continue;
        best = cost;
        block->exit = gate->exit;
        block->way = gate->way;
        block->entry = gate->entry;
        block->hops = (uint8_t)(block->depth[gate->exit] + 1 + next->depth[gate->entry]);
    }
}

/* ---- Lines --------------------------------------------------------------------------------------------- */

/* A stream's line at a cell. Of the sea's own blocks it ends at the sea; in others, before generator 11, it kept to land, and made it,
 * where finer ground has a bay. true: it goes on from there. */
static bool lay(struct trace *trace, int32_t c, int way, int32_t z, uint64_t area, uint32_t stem, bool lake,
                bool ends)
{
    struct drain_field *field = trace->field;
    if (is_sea(field->to[c]) && (ends || field->law->clean))
        return false;
    field->to[c] = (uint8_t)(way | TERRANE_DRAIN_STREAM | (lake ? TERRANE_DRAIN_LAKE : 0));
    field->mark[c] = DRAIN_FIXED;
    field->z[c] = z;
    field->ground[c] = z;
    field->area[c] = area;
    field->stem[c] = stem;
    return true;
}

/*
 * From which of a line's cells on water comes: where all that comes in meets the line behind its home, what lies before that is no river.
 * A lake's line begins at home, and a source's.
 */
static int first_cell(const struct trace *trace, int bx, int by, const struct block *block, uint32_t line)
{
    int first = CELLS_MAX;
    if (!trace->field->law->clean ||
        terrane_drained_cell(trace->from, above_at(trace, bx, by)).to & TERRANE_DRAIN_LAKE)
        return 0;
    for (int k = 0; k < 8; k++) {
        const int other =
            terrane_drained_cell(trace->from, above_at(trace, bx + drain_dx[k], by + drain_dy[k])).to;
        if (!leads(other) || (other & TERRANE_DRAIN_WAY) != ((k + 4) & 7))
            continue;
        int q = block_at(trace, bx + drain_dx[k], by + drain_dy[k])->entry;
        while (!(line >> q & 1))
            q = trace->beside[q][block->up[q]];
        first = min_int(first, block->depth[q]);
    }
    return first < CELLS_MAX ? first : 0;
}

static bool is_lake(const struct trace *trace, size_t at)
{
    return terrane_drained_cell(trace->from, at).to & TERRANE_DRAIN_LAKE;
}

/*
 * From home to the gate. A line out of a lake keeps its level up to there, and one that comes to a lake has come down to it by then: fallen
 * through a lake's block, it would be a gorge in the lake, or a dike.
 */
static void lay_exit(struct trace *trace, int bx, int by, const struct block *block, uint32_t *taken)
{
    const size_t at = above_at(trace, bx, by);
    const struct terrane_drained *from = trace->from;
    const int k = terrane_drained_cell(from, at).to & TERRANE_DRAIN_WAY;
    const size_t next = above_at(trace, bx + drain_dx[k], by + drain_dy[k]);
    const bool flat =
        terrane_drained_cell(from, at).to & terrane_drained_cell(from, next).to & TERRANE_DRAIN_LAKE &&
        from->z[at] == from->z[next];
    const int64_t end = is_sea(terrane_drained_cell(from, next).to) ? trace->field->law->sea : from->z[next];
    const int64_t fall = from->z[at] - end;
    int q[CELLS_MAX] = {0}, count = 0;
    for (int e = block->exit; e != NOWHERE;
         e = block->up[e] == NOWHERE ? NOWHERE : trace->beside[e][block->up[e]]) {
        q[count++] = e; /* from the gate back to home */
        *taken |= 1u << e;
    }
    const bool holds = trace->field->law->holds, keeps = flat || (holds && is_lake(trace, at));
    const int hops = holds && is_lake(trace, next) ? max_int(count, 1) : block->hops;
    for (int i = first_cell(trace, bx, by, block, *taken); i < count; i++) {
        const int e = q[count - 1 - i];
        int way = block->way;
        if (i + 1 < count)
            way = (block->up[q[count - 2 - i]] + 4) & 7;
        const int32_t z = keeps ? from->z[at] : (int32_t)(from->z[at] - fall * i / hops);
        /* behind a bay it goes on */
        lay(trace, cell_at(trace, bx, by, e), way, z, terrane_drained_cell(from, at).runoff, from->stem[at],
            keeps || (i == 0 && is_lake(trace, at)), false);
    }
}

/* From the gate of a stream that comes in down to home, or to the line out. */
static void lay_entry(struct trace *trace, int bx, int by, int k, uint32_t taken)
{
    const struct terrane_drained *from = trace->from;
    const struct block *block = block_at(trace, bx, by);
    const struct block *source = block_at(trace, bx + drain_dx[k], by + drain_dy[k]);
    const size_t here = above_at(trace, bx, by), at = above_at(trace, bx + drain_dx[k], by + drain_dy[k]);
    const bool flat =
        terrane_drained_cell(from, at).to & terrane_drained_cell(from, here).to & TERRANE_DRAIN_LAKE &&
        from->z[at] == from->z[here];
    const int64_t end = is_sea(terrane_drained_cell(from, here).to) ? trace->field->law->sea : from->z[here];
    const bool holds = trace->field->law->holds,
               arrives = flat || (holds && is_lake(trace, here) && !is_lake(trace, at));
    const int64_t fall = arrives ? 0 : from->z[at] - end;
    const int hops = holds && is_lake(trace, at) ? block->depth[source->entry] + 1 : source->hops;
    const uint32_t stem = drain_stem_beside(&trace->field->world->recipe->rivers, from->stem[at],
                                            from->window.level, trace->x0 + bx, trace->y0 + by, k);
    const bool main = stem != 0 && stem == from->stem[here];
    for (int q = source->entry; q < CELLS_MAX && !(taken >> q & 1) && block->up[q] != NOWHERE;
         q = trace->beside[q][block->up[q]]) {
        const int32_t c = cell_at(trace, bx, by, q);
        const bool again = trace->field->mark[c] & DRAIN_FIXED && !is_sea(trace->field->to[c]);
        const int32_t z = (int32_t)(end + fall * block->depth[q] / hops);
        const int32_t was = again ? trace->field->z[c] : INT32_MAX;
        const uint64_t sum = terrane_drained_cell(from, at).runoff + (again ? trace->field->area[c] : 0);
        const uint64_t area =
            is_sea(terrane_drained_cell(from, here).to) || sum < terrane_drained_cell(from, here).runoff
                ? sum
                : terrane_drained_cell(from, here).runoff;
        const bool lake = arrives && (!again || trace->field->to[c] & TERRANE_DRAIN_LAKE);
        if (!lay(trace, c, block->up[q], z < was ? z : was, area,
                 again && !main ? trace->field->stem[c] : stem, lake,
                 is_sea(terrane_drained_cell(from, here).to)))
            return;
    }
}

static void lay_block(struct trace *trace, int bx, int by)
{
    const struct terrane_drained *from = trace->from;
    const size_t at = above_at(trace, bx, by);
    const int to = terrane_drained_cell(from, at).to, way = to & TERRANE_DRAIN_WAY;
    const struct block *block = block_at(trace, bx, by);
    uint32_t taken = 0;
    if (leads(to))
        lay_exit(trace, bx, by, block, &taken);
    else if (way == TERRANE_DRAIN_INLAND) {
        lay(trace, cell_at(trace, bx, by, block->home), TERRANE_DRAIN_INLAND, from->z[at],
            terrane_drained_cell(from, at).runoff, from->stem[at], true, false);
        taken = 1u << block->home;
    }
    for (int k = 0; k < 8; k++) {
        const int other = terrane_drained_cell(from, above_at(trace, bx + drain_dx[k], by + drain_dy[k])).to;
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
    find_steps(&trace);
    hash_all(&trace);
    find_sea(&trace);
    for (int by = 0; by < trace.rows; by++)
        for (int bx = 0; bx < trace.columns; bx++) {
            const int to = terrane_drained_cell(trace.from, above_at(&trace, bx, by)).to;
            if (!(to & TERRANE_DRAIN_STREAM) && (to & TERRANE_DRAIN_WAY) < 8)
                continue;
            struct block *block = block_at(&trace, bx, by);
            struct ground ground;
            look(&trace, bx, by, &ground);
            block->home = (uint8_t)find_home(&trace, bx, by, &ground);
            grow_block(&trace, bx, by, &ground, block);
            const int32_t home = cell_at(&trace, bx, by, block->home);
            if (is_sea(to) && !is_sea(field->to[home]))
                set_sea(field, home);
        }
    for (int by = 1; by < trace.rows - 1; by++)
        for (int bx = 1; bx < trace.columns - 1; bx++)
            if (leads(terrane_drained_cell(trace.from, above_at(&trace, bx, by)).to))
                find_gate(&trace, bx, by, block_at(&trace, bx, by));
    for (int by = 2; by < trace.rows - 2; by++)
        for (int bx = 2; bx < trace.columns - 2; bx++)
            lay_block(&trace, bx, by);
}
