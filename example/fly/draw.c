/*
 * The ground as columns of the picture see it: along each, samples from near to far, and from fine levels to coarse ones, so that steps grow
 * with the distance. What rises above all before it is seen. Looking up and down moves the horizon.
 */
#include <stdlib.h>

#include "fly.h"

#define WIDE        1.2F         /* radians from the left edge to the right one */
#define SUN_HEADING 5.4978F      /* north-west, where the light of relief comes from */
#define SUN_HIGH    0.45F        /* lower than there: so it can be seen */
#define STEP        (1 / 150.0F) /* from one plane to the next, of the distance */
#define SKEW        1.22F        /* a column at the edge of the picture, to one in its middle */
#define CLEAR_M     60000.0F
#define ZENITH      0xFF3A6DB5U
#define HAZE        0xFFC3D3E3U
#define GLOW        0xFFFBE6C0U

enum { PLANES_MAX = 8192, CHUNK = 16, ROWS_MAX = 4096 };

/* Planes across the view, in which all columns are sampled: so they agree. */
struct plane {
    float z;
    int level;
    float share; /* of that level; the rest is of the next coarser one */
    unsigned fog;
};

struct drawing {
    const struct terrane_world *world;
    int width, height;
    Uint32 *pixels;
    float *sky; /* of rows: how much of the haze is in the sky */
    struct plane plane[PLANES_MAX];
    int planes;
    /* ---- of the picture that is being drawn ---- */
    const struct view *view;
    const struct eye *eye;
    float u[LEVELS], v[LEVELS]; /* the eye, in samples from the first tile's corner */
    float per_m[LEVELS];        /* samples a metre */
    int first;                  /* plane that can be in the picture */
    float horizon, focal, sun_x, sun_y;
    SDL_atomic_t next; /* column */
    SDL_Thread *helper;
    SDL_sem *go, *done;
    bool stop;
};

/* a + (b - a) * f / 256, of each channel. */
static Uint32 mix(Uint32 a, Uint32 b, unsigned f)
{
    const Uint32 odd = 0x00FF00FFU;
    return (((a & odd) * (256 - f) + (b & odd) * f) >> 8 & odd) |
           (((a >> 8 & odd) * (256 - f) + (b >> 8 & odd) * f) & ~odd);
}

static unsigned part(float f)
{
    return f <= 0 ? 0 : f >= 1 ? 256 : (unsigned)(f * 256);
}

static inline float between(const struct tile *tile, float u, float v)
{
    const unsigned i = (unsigned)(int)u, j = (unsigned)(int)v;
    const float x = u - (float)(int)i, y = v - (float)(int)j, *h = tile->height + j % TILE * SIDE + i % TILE;
    const float north = h[0] + x * (h[1] - h[0]), south = h[SIDE] + x * (h[SIDE + 1] - h[SIDE]);
    return north + y * (south - north);
}

/* Height and, where it is asked for, colour at (u, v) of a level: share of it, the rest of coarser levels. */
static float sample(const struct drawing *drawing, int level, float u, float v, float share, Uint32 *colour)
{
    const struct view *view = drawing->view;
    const unsigned i = (unsigned)(int)u, j = (unsigned)(int)v;
    const struct tile *tile = view->tile[level][j / TILE][i / TILE];
    share *= view->fade[level][j / TILE][i / TILE];
    float height = 0;
    if (tile) {
        height = between(tile, u, v);
        if (colour) {
            const Uint32 *c = tile->colour + j % TILE * SIDE + i % TILE;
            const float x = u - (float)(int)i, y = v - (float)(int)j;
            *colour = mix(mix(c[0], c[1], part(x)), mix(c[SIDE], c[SIDE + 1], part(x)), part(y));
        }
    }
    if (share >= 1 || level == LEVELS - 1)
        return height;
    Uint32 coarse = 0;
    const float du = u - drawing->u[level], dv = v - drawing->v[level];
    const float below = sample(drawing, level + 1, drawing->u[level + 1] + du / 2,
                               drawing->v[level + 1] + dv / 2, 1, colour ? &coarse : NULL);
    if (colour)
        *colour = tile ? mix(coarse, *colour, part(share)) : coarse;
    return tile ? below + share * (height - below) : below;
}

/* The same height, most of which is of one level. */
static inline float height_at(const struct drawing *drawing, int level, float u, float v, float share)
{
    const unsigned i = (unsigned)(int)u, j = (unsigned)(int)v;
    if (share < 1 || drawing->view->fade[level][j / TILE][i / TILE] < 1)
        return sample(drawing, level, u, v, share, NULL);
    return between(drawing->view->tile[level][j / TILE][i / TILE], u, v);
}

/* What is seen of a colour through fog, at so steep a view downwards. */
static Uint32 seen(Uint32 colour, Uint32 haze, unsigned fog, float down)
{
    const unsigned water = colour >> 24;
    if (water > 0) {
        const float flat = 1 - down / SDL_sqrtf(1 + down * down), mirror = flat * flat * flat * flat * flat;
        const Uint32 sky = mix(ZENITH, haze, part(SDL_expf(-5 * down)));
        colour = mix(colour, sky, (unsigned)(mirror * (float)water));
    }
    return mix(colour | 0xFF000000U, haze, fog);
}

static void draw_sky(const struct drawing *drawing, int column, int bottom, Uint32 haze, Uint32 *pixels)
{
    const float x = (float)column - drawing->sun_x;
    for (int row = 0; row < bottom; row++) {
        const float y = (float)row - drawing->sun_y,
                    away = (x * x + y * y) / (drawing->focal * drawing->focal);
        const Uint32 sky = mix(ZENITH, haze, part(drawing->sky[row]));
        pixels[row] = away < 0.4F ? mix(sky, 0xFFFFF6E0U,
                                        part(away < 0.0006F ? 1 : 0.06F / (0.06F + 12 * away) - 0.012F))
                                  : sky;
    }
}

static void draw_column(const struct drawing *drawing, int column, Uint32 *pixels)
{
    const struct eye *eye = drawing->eye;
    const struct view *view = drawing->view;
    const float side = ((float)column + 0.5F - (float)drawing->width / 2) / drawing->focal,
                sine = SDL_sinf(eye->heading), cosine = SDL_cosf(eye->heading), east = sine + side * cosine,
                south = side * sine - cosine, length = SDL_sqrtf(1 + side * side);
    const float sunny = 0.5F + 0.5F * SDL_cosf(eye->heading + SDL_atanf(side) - SUN_HEADING);
    const Uint32 haze = mix(HAZE, GLOW, part(sunny * sunny * sunny * sunny * 0.8F));
    Uint32 last = 0;
    float edge =
        (float)drawing->height; /* all below it is drawn; rows from bottom on, the one above in part */
    int bottom = drawing->height;
    bool seamless = false; /* the plane before was seen, too */
    for (int n = drawing->first; n < drawing->planes && bottom > 0; n++) {
        const struct plane *plane = drawing->plane + n;
        const int level = SDL_max(plane->level, view->finest);
        const float u = drawing->u[level] + east * plane->z * drawing->per_m[level],
                    v = drawing->v[level] + south * plane->z * drawing->per_m[level],
                    share = level == plane->level ? plane->share : 1,
                    below = eye->height - height_at(drawing, level, u, v, share);
        if (below * drawing->focal >= (edge - drawing->horizon) * plane->z) {
            seamless = false;
            continue;
        }
        const float top = SDL_max(drawing->horizon + below / plane->z * drawing->focal, 0);
        const int from = (int)SDL_ceilf(top), rows = bottom - from;
        if (rows > 0 || !seamless) {
            Uint32 colour;
            sample(drawing, level, u, v, share, &colour);
            colour = seen(colour, haze, plane->fog, below / (plane->z * length));
            for (int k = 1; k <= rows; k++)
                pixels[bottom - k] = seamless ? mix(last, colour, (unsigned)(256 * k / rows))
                                     : k == 1 ? mix(colour, last, part((float)bottom - edge))
                                              : colour;
            last =
                rows > 0 ? colour : mix(colour, last, part(((float)bottom - edge) / ((float)bottom - top)));
        }
        edge = top;
        bottom = from;
        seamless = true;
    }
    draw_sky(drawing, column, bottom, haze, pixels);
    if (bottom > 0)
        pixels[bottom - 1] = mix(pixels[bottom - 1], last, part((float)bottom - edge));
}

/* Columns side by side, each of which is together in memory until they are drawn. */
static void draw_columns(struct drawing *drawing)
{
    Uint32 strip[CHUNK][ROWS_MAX];
    for (int column; (column = SDL_AtomicAdd(&drawing->next, CHUNK)) < drawing->width;) {
        const int columns = SDL_min(CHUNK, drawing->width - column);
        for (int k = 0; k < columns; k++)
            draw_column(drawing, column + k, strip[k]);
        for (int row = 0; row < drawing->height; row++)
            for (int k = 0; k < columns; k++)
                drawing->pixels[row * drawing->width + column + k] = strip[k][row];
    }
}

static int help(void *user)
{
    struct drawing *drawing = user;
    while (SDL_SemWait(drawing->go) == 0 && !drawing->stop) {
        draw_columns(drawing);
        SDL_SemPost(drawing->done);
    }
    return 0;
}

const Uint32 *draw(struct drawing *drawing, const struct view *view, const struct eye *eye)
{
    drawing->view = view;
    drawing->eye = eye;
    drawing->focal = (float)drawing->width / 2 / SDL_tanf(WIDE / 2);
    drawing->horizon = (float)drawing->height / 2 + SDL_tanf(eye->pitch) * drawing->focal;
    drawing->sun_x = (float)drawing->width / 2 + turned(SUN_HEADING - eye->heading) * drawing->focal;
    drawing->sun_y = drawing->horizon - SUN_HIGH * drawing->focal;
    for (int row = 0; row < drawing->height; row++)
        drawing->sky[row] = SDL_expf(-5 * SDL_max(0, drawing->horizon - (float)row) / drawing->focal);
    for (int level = 0; level < LEVELS; level++) {
        const double spacing = terrane_lattice_m(drawing->world, level, 1);
        drawing->u[level] = (float)(eye->x / spacing - (double)view->x[level] * TILE);
        drawing->v[level] = (float)(eye->y / spacing - (double)view->y[level] * TILE);
        drawing->per_m[level] = (float)(1 / spacing);
    }
    const float over = (eye->height - view->top[view->finest]) * drawing->focal,
                down = (float)drawing->height - drawing->horizon;
    for (drawing->first = 0;
         drawing->first < drawing->planes - 1 && drawing->plane[drawing->first].z * down < over;
         drawing->first++)
        continue;
    SDL_AtomicSet(&drawing->next, 0);
    if (drawing->helper)
        SDL_SemPost(drawing->go);
    draw_columns(drawing);
    if (drawing->helper)
        SDL_SemWait(drawing->done);
    return drawing->pixels;
}

static void put_planes(struct drawing *drawing)
{
    float z = 4 * (float)terrane_lattice_m(drawing->world, 0, 1);
    for (int level = 0; level < LEVELS; level++) {
        const float spacing = (float)terrane_lattice_m(drawing->world, level, 1),
                    end = (REACH - 1) * spacing / SKEW;
        for (; z < end && drawing->planes < PLANES_MAX; z += SDL_max(spacing, STEP * z))
            drawing->plane[drawing->planes++] =
                (struct plane){.z = z,
                               .level = level,
                               .share = level < LEVELS - 1 ? (end - z) / (0.3F * end) : 1,
                               .fog = part(1 - SDL_expf(-z / CLEAR_M))};
    }
}

struct drawing *draw_open(const struct terrane_world *world, int width, int height)
{
    struct drawing *drawing = calloc(1, sizeof *drawing);
    if (!drawing)
        return NULL;
    drawing->world = world;
    drawing->width = width;
    drawing->height = height;
    drawing->pixels = malloc((size_t)width * (size_t)height * sizeof *drawing->pixels);
    drawing->sky = malloc((size_t)height * sizeof *drawing->sky);
    put_planes(drawing);
    drawing->go = SDL_CreateSemaphore(0);
    drawing->done = SDL_CreateSemaphore(0);
    if (SDL_GetCPUCount() > 1 && drawing->go && drawing->done)
        drawing->helper = SDL_CreateThread(help, "columns", drawing);
    if (drawing->pixels && drawing->sky)
        return drawing;
    draw_close(drawing);
    return NULL;
}

void draw_close(struct drawing *drawing)
{
    drawing->stop = true;
    if (drawing->helper) {
        SDL_SemPost(drawing->go);
        SDL_WaitThread(drawing->helper, NULL);
    }
    SDL_DestroySemaphore(drawing->go);
    SDL_DestroySemaphore(drawing->done);
    free(drawing->sky);
    free(drawing->pixels);
    free(drawing);
}
