/*
 * Windows of samples, row of tiles by row of tiles.
 *
 *     gather (ordered, a row ahead) ──► tile[0 .. across)  ──samples as they lie──► raw formats
 *                                           ├─ row by row, as planes ──► exr
 *                                           │
 *                                           └─ picture[] ──rows──► png_stream ──► PNG
 *
 * Raw bytes are copied out of the tiles' payloads. The thread that answers decodes one tile, or deflates some rows, in a
 * turn, and then serves others.
 *
 * Invariants. `row` is the row of tiles that is held, `have` of its tiles are there; what lies above it is gone. at never
 * leaves first .. end, and everything before it has been read.
 */
#include "window_stream.h"

#include <stdlib.h>
#include <string.h>

#include "../base/check.h"
#include "../base/turn.h"
#include "../encode/encode.h"
#include "../encode/exr.h"
#include "../encode/png_stream.h"
#include "../encode/tif.h"
#include "guard.h"

enum {
    SIDE = TERRANE_TILE_SAMPLES,
    ACROSS_MAX = (TARGET_REGION_MAX + SIDE - 2) / SIDE + 1,
    AHEAD_MIN = 8,           /* so that a narrow window keeps the workers busy, too */
    HELD_BYTES = 256 << 10,  /* a tile: a number a sample; as a PNG, or as its pixels */
    RAW_BYTES = 128 << 10,   /* the stream, a head, libmicrohttpd's block */
    FIXED_BYTES = 1 << 20,   /* of PNG besides: rows of pixels, what png_stream.h says */
    SQUEEZE_BYTES = 64 << 10 /* pixels deflated in a turn: about a millisecond */
};

struct window_stream {
    struct request *request;
    struct target_window window;
    struct tile_key key; /* of its tiles: x and y of the north-west one */
    enum tile_format format;
    int values;             /* numbers a sample; 1 of pixels */
    int across, down;       /* tiles */
    int low_x, low_y;       /* where the window begins in that tile */
    int begin_row, end_row; /* of tiles that are gathered: begin_row .. end_row - 1 */

    unsigned char *head;                         /* before the samples; NULL: nothing is */
    size_t head_bytes, sample_bytes, line_bytes; /* of the tiles' samples; of a line of the window */
    uint64_t bytes;                              /* of all; 0: PNG */
    uint64_t at, end;                            /* the next byte, and the one behind the last */
    uint64_t sent;

    int row, have;
    struct blob *tile[ACROSS_MAX];
    struct picture picture[ACROSS_MAX]; /* of PNG, instead of tiles */
    struct png_stream *png;
    unsigned char *pixels; /* a row of the window, of PNG and exr */
    int line; /* of the window: the next one into the PNG; of exr the one behind that in pixels */
};

/* Tiles of so many numbers a sample that a stream may hold. */
static int tiles_max(int values)
{
    _Static_assert((STREAM_BYTES_MAX - FIXED_BYTES) / HELD_BYTES / TERRANE_ZONES_MAX >= 2,
                   "one, and the next");
    return (int)((STREAM_BYTES_MAX - FIXED_BYTES) / ((uint64_t)HELD_BYTES * (uint64_t)values));
}

/* Besides a row of tiles, one is on its way. */
int window_width_max(enum tile_format format, int values)
{
    const int across = tiles_max(format_row[format].pixels ? 1 : values) - 1;
    return across >= ACROSS_MAX ? TARGET_REGION_MAX : (across - 1) * SIDE + 1;
}

/* ---- Making -------------------------------------------------------------------------------------------- */

/* x in 0 .. SIDE - 1 of the tile that it returns. */
static int64_t tile_of(int64_t sample, int *low)
{
    *low = (int)(sample % SIDE);
    *low += *low < 0 ? SIDE : 0;
    return (sample - *low) / SIDE;
}

/* The tiles' own representation: what a sample is in the answer, without a head. */
static void make_key(struct window_stream *stream)
{
    struct tile_key *key = &stream->key;
    *key = stream->request->target.key;
    stream->format = key->format;
    key->format = format_row[key->format].samples;
    key->size = SIDE;
    key->coding = CODING_IDENTITY;
    key->x = tile_of(stream->window.x0, &stream->low_x);
    key->y = tile_of(stream->window.y0, &stream->low_y);
    CHECK(tile_key_finish(key) == TILE_FINE);
    stream->across = (stream->low_x + stream->window.width - 1) / SIDE + 1;
    stream->down = (stream->low_y + stream->window.height - 1) / SIDE + 1;
    CHECK(stream->across <= ACROSS_MAX);
}

/* false: memory is short. */
static bool make_head(struct window_stream *stream)
{
    const struct target_window *window = &stream->window;
    const struct terrane_world *world = &stream->request->world;
    const int level = stream->key.level;
    const struct grid grid = {
        .width = window->width,
        .height = window->height,
        .channels = stream->values,
        .place = {.west_m = terrane_lattice_m(world, level, window->x0),
                  .north_m = 0 - terrane_lattice_m(world, level, window->y0),
                  .spacing_m = terrane_lattice_m(world, level, 1),
                  .none = layer_row[stream->key.layer].none},
    };
    if (stream->format == FORMAT_TIF) {
        stream->head =
            tif_head(window->width, window->height, stream->values, &grid.place, &stream->head_bytes);
        return stream->head;
    }
    if (stream->format == FORMAT_EXR) {
        stream->head = exr_rows_head(&grid, &stream->head_bytes);
        stream->pixels = malloc(exr_row_bytes(window->width, stream->values));
        return stream->head && stream->pixels;
    }
    if (stream->format != FORMAT_NPY)
        return true;
    stream->head = malloc(ENCODE_NPY_HEAD_BYTES);
    if (stream->head)
        stream->head_bytes = encode_npy_head(stream->head, window->width, window->height, stream->values);
    return stream->head;
}

struct window_stream *window_stream_create(struct request *request)
{
    struct window_stream *stream = calloc(1, sizeof *stream);
    if (!stream)
        return NULL;
    stream->request = request;
    stream->window = request->target.window;
    make_key(stream);
    stream->values =
        format_row[stream->format].pixels ? 1 : tile_values(stream->key.layer, request->world.recipe);
    if (!make_head(stream)) {
        window_stream_free(stream);
        return NULL;
    }
    stream->sample_bytes = tile_sample_bytes(stream->key.layer, stream->format, request->world.recipe);
    stream->line_bytes = stream->format == FORMAT_EXR ? exr_row_bytes(stream->window.width, stream->values)
                                                      : (size_t)stream->window.width * stream->sample_bytes;
    if (stream->format != FORMAT_PNG)
        stream->bytes = stream->head_bytes + (uint64_t)stream->window.height * stream->line_bytes;
    return stream;
}

/* Lets go of the row of tiles that is held. */
static void drop_row(struct window_stream *stream)
{
    for (int i = 0; i < stream->have; i++) {
        blob_release(stream->tile[i]);
        free(stream->picture[i].pixels);
        stream->tile[i] = NULL;
        stream->picture[i].pixels = NULL;
    }
    stream->have = 0;
}

void window_stream_free(void *context)
{
    struct window_stream *stream = context;
    if (!stream)
        return;
    drop_row(stream);
    png_stream_free(stream->png);
    free(stream->pixels);
    free(stream->head);
    free(stream);
}

uint64_t window_stream_bytes(const struct window_stream *stream)
{
    return stream->bytes;
}

/* ---- Tiles --------------------------------------------------------------------------------------------- */

static void key_of(const void *context, size_t index, struct tile_key *key, struct terrane_world *world)
{
    (void)world;
    const struct window_stream *stream = context;
    *key = stream->key;
    key->x += (int64_t)(index % (size_t)stream->across);
    key->y += stream->begin_row + (int64_t)(index / (size_t)stream->across);
}

/* The row of tiles under a line of the window. */
static int row_of_line(const struct window_stream *stream, uint64_t line)
{
    return (int)(((uint64_t)stream->low_y + line) / SIDE);
}

/* The line of the window that a raw byte behind the head lies in. */
static uint64_t line_of_byte(const struct window_stream *stream, uint64_t byte)
{
    return (byte - stream->head_bytes) / stream->line_bytes;
}

bool window_stream_begin(struct window_stream *stream, uint64_t first, uint64_t last, enum MHD_Result *result)
{
    if (stream->format == FORMAT_PNG && guard_debt(stream->request, result))
        return false;
    stream->end_row = stream->down;
    if (stream->format != FORMAT_PNG) {
        CHECK(first <= last && last < stream->bytes);
        stream->at = first;
        stream->end = last + 1;
        if (last < stream->head_bytes)
            return true; /* no tile at all */
        stream->begin_row = first < stream->head_bytes ? 0 : row_of_line(stream, line_of_byte(stream, first));
        stream->end_row = row_of_line(stream, line_of_byte(stream, last)) + 1;
    }
    stream->row = stream->begin_row;
    const size_t count = (size_t)stream->across * (size_t)(stream->end_row - stream->begin_row);
    const int wanted = stream->across > AHEAD_MIN ? stream->across : AHEAD_MIN;
    const int room = tiles_max(stream->values) - stream->across;
    const struct gather_plan plan = {
        .count = count,
        .key_of = key_of,
        .context = stream,
        .ahead = (unsigned)(wanted < room ? wanted : room),
        .ordered = true,
    };
    const bool raw = stream->format != FORMAT_PNG;
    const uint64_t held = gather_slots(&plan) + (uint64_t)stream->across;
    const uint64_t tile_bytes = raw ? SIDE * SIDE * stream->sample_bytes : HELD_BYTES;
    const uint64_t fixed =
        !raw ? FIXED_BYTES : RAW_BYTES + (stream->format == FORMAT_EXR ? stream->line_bytes : 0);
    if (stream_room_take(stream->request, fixed + held * tile_bytes, result))
        return false;
    if (gather_begin(stream->request, &plan, result))
        return true;
    stream_room_free(stream->request);
    return false;
}

/* A tile into its place; a picture, which fits its key (tile_fits.c), is decoded. false: memory is short. */
static bool put_tile(struct window_stream *stream, struct blob *blob)
{
    const int place = stream->have;
    if (stream->format != FORMAT_PNG) {
        CHECK(blob->bytes == (size_t)SIDE * SIDE * stream->sample_bytes);
        stream->tile[place] = blob;
    } else {
        const int result = picture_read(&stream->picture[place], blob->data, blob->bytes);
        blob_release(blob);
        if (result != 0)
            return false;
        CHECK(stream->picture[place].width == SIDE && stream->picture[place].height == SIDE);
    }
    stream->have++;
    return true;
}

/* Until all tiles of the row are there. */
static enum window_state load_row(struct window_stream *stream, enum pool_outcome *why)
{
    struct gather *gather = stream->request->gather;
    struct gather_item item;
    while (stream->have < stream->across) {
        if (gather_take(gather, &item) != GATHER_ITEM) {
            if (gather_wait(gather))
                return WINDOW_WAIT;
            continue;
        }
        *why = item.outcome == POOL_DONE ? POOL_FAILED : item.outcome;
        if (item.outcome != POOL_DONE || !put_tile(stream, item.blob))
            return WINDOW_FAILED;
        if (stream->format != FORMAT_PNG)
            continue;
        gather_yield(gather);
        return WINDOW_WAIT;
    }
    return WINDOW_READY;
}

/* The row of tiles under a line, which is the one that is held or the next. */
static enum window_state reach_line(struct window_stream *stream, uint64_t line, enum pool_outcome *why)
{
    const int row = row_of_line(stream, line);
    if (row != stream->row) {
        CHECK(row == stream->row + 1);
        drop_row(stream);
        stream->row = row;
    }
    return load_row(stream, why);
}

/* ---- Raw formats --------------------------------------------------------------------------------------- */

/* A line of the window as exr has it, into pixels. */
static void lay_line(struct window_stream *stream, int line)
{
    const int width = stream->window.width, j = (stream->low_y + line) % SIDE;
    exr_row_begin(stream->pixels, line, width, stream->values);
    for (int i = 0, count; i < width; i += count) {
        const int x = stream->low_x + i, within = x % SIDE;
        count = SIDE - within < width - i ? SIDE - within : width - i;
        exr_row_put(stream->pixels, i, width, stream->values,
                    stream->tile[x / SIDE]->data + (size_t)(j * SIDE + within) * stream->sample_bytes, count);
    }
    stream->line = line + 1;
}

/* Bytes of the line that the next one is in, as many as there is room for; 1 .. most. */
static size_t copy_line(struct window_stream *stream, char *out, size_t max)
{
    const uint64_t line = line_of_byte(stream, stream->at),
                   within = (stream->at - stream->head_bytes) % stream->line_bytes;
    uint64_t bytes = stream->line_bytes - within;
    if (stream->line != (int)line + 1)
        lay_line(stream, (int)line);
    bytes = bytes < stream->end - stream->at ? bytes : stream->end - stream->at;
    bytes = bytes < max ? bytes : max;
    memcpy(out, stream->pixels + within, bytes);
    return bytes;
}

/* Samples from one line in one tile, as many as there is room for; 1 .. most bytes. */
static size_t copy_samples(const struct window_stream *stream, char *out, size_t max)
{
    const uint64_t line_bytes = stream->line_bytes;
    const uint64_t offset = stream->at - stream->head_bytes;
    const uint64_t line = offset / line_bytes;
    /* As bytes from the beginning of the row of tiles' own line. */
    const size_t tile_line = SIDE * stream->sample_bytes;
    const size_t along = (size_t)(offset % line_bytes) + (size_t)stream->low_x * stream->sample_bytes;
    const size_t column = along / tile_line, within = along % tile_line;
    const size_t j = (size_t)(((uint64_t)stream->low_y + line) % SIDE);
    size_t bytes = tile_line - within;
    if (bytes > line_bytes - offset % line_bytes)
        bytes = (size_t)(line_bytes - offset % line_bytes);
    if (bytes > stream->end - stream->at)
        bytes = (size_t)(stream->end - stream->at);
    if (bytes > max)
        bytes = max;
    memcpy(out, stream->tile[column]->data + j * tile_line + within, bytes);
    return bytes;
}

static size_t copy_head(const struct window_stream *stream, char *out, size_t max)
{
    const uint64_t end = stream->end < stream->head_bytes ? stream->end : stream->head_bytes;
    const size_t left = (size_t)(end - stream->at), bytes = left < max ? left : max;
    memcpy(out, stream->head + stream->at, bytes);
    return bytes;
}

/* Fills as much as is there; *state says why it is not more. */
static size_t read_raw(struct window_stream *stream, char *buffer, size_t max, enum window_state *state)
{
    enum pool_outcome why;
    size_t n = 0;
    while (n < max && stream->at < stream->end) {
        size_t bytes;
        if (stream->at < stream->head_bytes) {
            bytes = copy_head(stream, buffer + n, max - n);
        } else {
            const uint64_t line = line_of_byte(stream, stream->at);
            /* What is there is sent before anything is waited for. */
            if (n > 0 && (row_of_line(stream, line) != stream->row || stream->have < stream->across))
                break;
            *state = reach_line(stream, line, &why);
            if (*state != WINDOW_READY)
                return n;
            bytes = stream->format == FORMAT_EXR ? copy_line(stream, buffer + n, max - n)
                                                 : copy_samples(stream, buffer + n, max - n);
        }
        n += bytes;
        stream->at += bytes;
    }
    return n;
}

/* ---- PNG ----------------------------------------------------------------------------------------------- */

/* The next line of the window into the PNG. false: memory is short. */
static bool squeeze_line(struct window_stream *stream)
{
    const size_t pixel = stream->picture[0].pixel;
    const int j = (stream->low_y + stream->line) % SIDE;
    const int width = stream->window.width;
    for (int i = 0; i < width;) {
        const int x = stream->low_x + i, within = x % SIDE;
        const struct picture *picture = &stream->picture[x / SIDE];
        const int count = SIDE - within < width - i ? SIDE - within : width - i;
        CHECK(picture->pixel == pixel);
        memcpy(stream->pixels + (size_t)i * pixel,
               picture->pixels + ((size_t)j * SIDE + (size_t)within) * pixel, (size_t)count * pixel);
        i += count;
    }
    stream->line++;
    return png_stream_row(stream->png, stream->pixels) == 0;
}

/* Once the first tile has said what its pixels are. */
static bool open_png(struct window_stream *stream)
{
    if (stream->png)
        return true;
    stream->png = png_stream_create(stream->window.width, stream->window.height, &stream->picture[0]);
    stream->pixels = malloc((size_t)stream->window.width * stream->picture[0].pixel);
    return stream->png && stream->pixels;
}

static size_t read_png(struct window_stream *stream, char *buffer, size_t max, enum window_state *state)
{
    enum pool_outcome why;
    size_t n = png_stream_read(stream->png, (unsigned char *)buffer, max);
    for (size_t done = 0; n == 0 && stream->line < stream->window.height;) {
        if (done >= SQUEEZE_BYTES) {
            gather_yield(stream->request->gather);
            *state = WINDOW_WAIT;
            break;
        }
        *state = reach_line(stream, (uint64_t)stream->line, &why);
        if (*state != WINDOW_READY)
            break;
        if (!squeeze_line(stream)) {
            *state = WINDOW_FAILED;
            break;
        }
        done += (size_t)stream->window.width * stream->picture[0].pixel;
        n = png_stream_read(stream->png, (unsigned char *)buffer, max);
    }
    return n;
}

/* Seconds of CPU time for the largest window: they are the client's, as what workers do for it is. */
static size_t read_png_charged(struct window_stream *stream, char *buffer, size_t max,
                               enum window_state *state)
{
    const struct payer payer = guard_payer(stream->request, BUCKET_RENDERS);
    if (payer.rate.per_minute == 0)
        return read_png(stream, buffer, max, state);
    const uint64_t start_ns = turn_cpu_ns();
    const size_t n = read_png(stream, buffer, max, state);
    clients_charge(&payer, turn_cpu_ns() - start_ns, uv_hrtime());
    return n;
}

/* ---- Reading ------------------------------------------------------------------------------------------- */

enum window_state window_stream_prepare(struct window_stream *stream, enum pool_outcome *why)
{
    if (stream->format != FORMAT_PNG && stream->end <= stream->head_bytes)
        return WINDOW_READY;
    const enum window_state state = load_row(stream, why);
    if (state != WINDOW_READY || stream->format != FORMAT_PNG || open_png(stream))
        return state;
    *why = POOL_FAILED;
    return WINDOW_FAILED;
}

ssize_t window_stream_read(void *context, uint64_t position, char *buffer, size_t max)
{
    struct window_stream *stream = context;
    enum window_state state = WINDOW_READY;
    CHECK(position == stream->sent);
    const size_t n = stream->format == FORMAT_PNG ? read_png_charged(stream, buffer, max, &state)
                                                  : read_raw(stream, buffer, max, &state);
    stream->sent += n;
    stream->request->body_bytes = stream->sent;
    if (n > 0) {
        connection_extend(stream->request->link, n);
        return (ssize_t)n;
    }
    if (state == WINDOW_FAILED)
        return MHD_CONTENT_READER_END_WITH_ERROR;
    return state == WINDOW_WAIT ? 0 : MHD_CONTENT_READER_END_OF_STREAM;
}
