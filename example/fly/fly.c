/*
 * terrane-fly [--recipe FILE] [--seed N] [--size WIDTHxHEIGHT] [--frames N] [--shot FILE]: flies over a world that is made on the way.
 * --frames waits for the ground around, flies straight on for so many pictures, as fast as they are drawn, and says how fast that was;
 * --shot saves what is seen then, once its ground is there, as a BMP. SDL_VIDEODRIVER=dummy needs no screen.
 *
 * Left and right turn, up and down climb and sink, W and S are faster and slower, Escape ends.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fly.h"

#define LOWEST      40.0F /* over ground */
#define TICK        (1.0F / 60)
#define LEVEL_PITCH -0.12F

struct options {
    const char *recipe, *shot;
    uint64_t seed;
    int width, height, frames; /* 0: until one ends it */
};

static struct terrane_recipe recipe;
static struct view view;

/* A number up to what is to stand behind it; returns what does, or NULL: it is none. */
static const char *number(const char *text, const char *behind, int *out)
{
    char *end;
    const long v = strtol(text, &end, 10);
    const size_t bytes = strlen(behind);
    if (end == text || v < 0 || v > 1000000000 || strncmp(end, behind, bytes) != 0 || (bytes == 0 && *end))
        return NULL;
    *out = (int)v;
    return end + bytes;
}

static int read_options(int argc, char **argv, struct options *options)
{
    int good = argc % 2 == 1;
    for (int k = 1; k + 1 < argc && good; k += 2) {
        const char *name = argv[k], *value = argv[k + 1];
        if (strcmp(name, "--recipe") == 0)
            options->recipe = value;
        else if (strcmp(name, "--shot") == 0)
            options->shot = value;
        else if (strcmp(name, "--seed") == 0)
            options->seed = strtoull(value, NULL, 10);
        else if (strcmp(name, "--frames") == 0)
            good = number(value, "", &options->frames) != NULL;
        else if (strcmp(name, "--size") == 0)
            good = (value = number(value, "x", &options->width)) && number(value, "", &options->height);
        else
            good = 0;
    }
    return good && options->width >= 64 && options->width <= 4096 && options->height >= 64 &&
           options->height <= 4096 && options->frames >= 0;
}

static int read_recipe(const char *name)
{
    static char text[TERRANE_RECIPE_TEXT_MAX + 1], why[TERRANE_REFUSAL_BYTES] = "cannot be read";
    terrane_recipe_default(&recipe);
    FILE *file = name ? fopen(name, "rb") : NULL;
    const size_t bytes = file ? fread(text, 1, sizeof text, file) : 0;
    if (file)
        fclose(file);
    if (!name ||
        (bytes > 0 && terrane_recipe_parse(text, bytes, NULL, NULL, &recipe, NULL, why, sizeof why) == 0))
        return 1;
    fprintf(stderr, "terrane-fly: %s: %s\n", name, why);
    return 0;
}

/* Some way before the highest ground around the place that is worth seeing first, which is ahead. */
static struct eye start(const struct terrane_world *world)
{
    enum { WIDE = 65, BEFORE_M = 16000 };
    static float height[WIDE * WIDE];
    struct terrane_spawn spawn = {0};
    struct eye eye = {.speed = 250, .pitch = LEVEL_PITCH, .height = 1000};
    if (terrane_spawn(world, NULL, &spawn) != 0)
        return eye;
    const double spacing = terrane_lattice_m(world, spawn.level + 2, 1);
    const struct terrane_window around = {spawn.level + 2,
                                          (int64_t)(spawn.x_m / spacing) - WIDE / 2,
                                          (int64_t)(spawn.y_m / spacing) - WIDE / 2,
                                          1,
                                          WIDE,
                                          WIDE};
    int highest = WIDE / 2;
    if (terrane_heights(world, &around, NULL, height) == 0)
        for (int k = 0; k < WIDE * WIDE; k++)
            if (height[k] > height[highest])
                highest = k;
    const double east = (highest % WIDE - WIDE / 2) * spacing, south = (highest / WIDE - WIDE / 2) * spacing,
                 nearer = 1 - BEFORE_M / SDL_max(SDL_sqrt(east * east + south * south), BEFORE_M / 2);
    eye.heading = (float)SDL_atan2(east, -south);
    eye.x = spawn.x_m + east * nearer;
    eye.y = spawn.y_m + south * nearer;
    eye.height = 900 + SDL_max(SDL_max((float)spawn.height_m, recipe.sea_m), 0.4F * height[highest]);
    return eye;
}

/* One tick of the flight. */
static void fly(struct eye *eye, const Uint8 *key, float seconds)
{
    const float up = (float)(key[SDL_SCANCODE_UP] - key[SDL_SCANCODE_DOWN]);
    eye->heading =
        turned(eye->heading + 0.7F * seconds * (float)(key[SDL_SCANCODE_RIGHT] - key[SDL_SCANCODE_LEFT]));
    eye->speed *= SDL_expf(seconds * (float)(key[SDL_SCANCODE_W] - key[SDL_SCANCODE_S]));
    eye->speed = SDL_min(SDL_max(eye->speed, 20), 20000);
    eye->pitch += (0.25F * up + LEVEL_PITCH - eye->pitch) * SDL_min(1, 2 * seconds);
    eye->x += SDL_sinf(eye->heading) * eye->speed * seconds;
    eye->y -= SDL_cosf(eye->heading) * eye->speed * seconds;
    eye->height += up * eye->speed * 0.5F * seconds;
}

/* Over the ground, also over that a moment ahead. */
static void stay_above(const struct terrane_world *world, struct eye *eye, float seconds)
{
    float ground = ground_height(world, &view, eye->x, eye->y);
    for (float ahead = 0.5F; ahead <= 3; ahead += 0.5F)
        ground =
            SDL_max(ground, ground_height(world, &view, eye->x + SDL_sinf(eye->heading) * eye->speed * ahead,
                                          eye->y - SDL_cosf(eye->heading) * eye->speed * ahead));
    if (eye->height < ground + LOWEST)
        eye->height += (ground + LOWEST - eye->height) * SDL_min(1, 3 * seconds);
}

static bool asked_to_end(void)
{
    bool end = false;
    for (SDL_Event event; SDL_PollEvent(&event);)
        end = end || event.type == SDL_QUIT ||
              (event.type == SDL_KEYDOWN && event.key.keysym.scancode == SDL_SCANCODE_ESCAPE);
    return end;
}

static int save(const Uint32 *pixels, const struct options *options)
{
    SDL_Surface *picture =
        SDL_CreateRGBSurfaceWithFormat(0, options->width, options->height, 32, SDL_PIXELFORMAT_ARGB8888);
    if (!picture)
        return -1;
    for (int row = 0; row < options->height; row++)
        memcpy((char *)picture->pixels + (size_t)row * (size_t)picture->pitch,
               pixels + (size_t)row * (size_t)options->width, (size_t)options->width * sizeof *pixels);
    const int error = SDL_SaveBMP(picture, options->shot);
    SDL_FreeSurface(picture);
    return error;
}

/* Until all ground around the eye is there and has appeared. */
static void wait_for_ground(struct ground *ground, const struct eye *eye)
{
    while (ground_view(ground, eye, &view) > 0 && !asked_to_end())
        SDL_Delay(20);
    SDL_Delay(FADE_MS);
    ground_view(ground, eye, &view);
}

/* The flight. Returns 0, or -1 where SDL_GetError says why. */
static int run(const struct terrane_world *world, const struct options *options, SDL_Renderer *renderer,
               SDL_Texture *texture, struct ground *ground, struct drawing *drawing, struct eye *eye)
{
    const Uint8 *key = SDL_GetKeyboardState(NULL);
    const double second = (double)SDL_GetPerformanceFrequency();
    if (options->frames > 0)
        wait_for_ground(ground, eye);
    const Uint64 begun = SDL_GetPerformanceCounter();
    Uint64 now = begun;
    double slowest = 0;
    int frames = 0;
    while (!asked_to_end() && (options->frames == 0 || frames < options->frames)) {
        const Uint64 before = now;
        ground_view(ground, eye, &view);
        const Uint32 *pixels = draw(drawing, &view, eye);
        if (SDL_UpdateTexture(texture, NULL, pixels, options->width * (int)sizeof *pixels) != 0 ||
            SDL_RenderCopy(renderer, texture, NULL, NULL) != 0)
            return -1;
        SDL_RenderPresent(renderer);
        now = SDL_GetPerformanceCounter();
        const double took = (double)(now - before) / second;
        const float seconds = options->frames > 0 ? TICK : SDL_min((float)took, 0.1F);
        fly(eye, key, seconds);
        stay_above(world, eye, seconds);
        slowest = SDL_max(slowest, took);
        frames++;
    }
    if (options->frames > 0)
        printf("%d frames of %dx%d: %.1f a second, the slowest in %.1f ms\n", frames, options->width,
               options->height, frames * second / (double)(now - begun), slowest * 1000);
    if (!options->shot)
        return 0;
    wait_for_ground(ground, eye);
    return save(draw(drawing, &view, eye), options);
}

int main(int argc, char **argv)
{
    struct options options = {.seed = 32, .width = 960, .height = 540};
    if (!read_options(argc, argv, &options))
        return fprintf(stderr,
                       "usage: terrane-fly [--recipe FILE] [--seed N] [--size WIDTHxHEIGHT] [--frames N] "
                       "[--shot FILE]\n"),
               2;
    struct terrane_world world;
    if (!read_recipe(options.recipe) || terrane_init(NULL) != 0)
        return 1;
    terrane_world_init(&world, &recipe, options.seed);
    struct eye eye = start(&world);
    SDL_Window *window = NULL;
    SDL_Renderer *renderer = NULL;
    SDL_Texture *texture = NULL;
    struct ground *ground = NULL;
    struct drawing *drawing = NULL;
    int error = SDL_Init(SDL_INIT_VIDEO);
    if (error == 0)
        window = SDL_CreateWindow("terrane", SDL_WINDOWPOS_CENTERED, SDL_WINDOWPOS_CENTERED, options.width,
                                  options.height, SDL_WINDOW_RESIZABLE);
    if (window)
        renderer = SDL_CreateRenderer(window, -1, options.frames > 0 ? 0 : SDL_RENDERER_PRESENTVSYNC);
    if (renderer)
        texture = SDL_CreateTexture(renderer, SDL_PIXELFORMAT_ARGB8888, SDL_TEXTUREACCESS_STREAMING,
                                    options.width, options.height);
    if (texture && (drawing = draw_open(&world, options.width, options.height)))
        ground = ground_open(&world, &eye);
    error = ground ? run(&world, &options, renderer, texture, ground, drawing, &eye) : -1;
    if (error != 0)
        fprintf(stderr, "terrane-fly: %s\n", SDL_GetError());
    if (ground)
        ground_close(ground);
    if (drawing)
        draw_close(drawing);
    SDL_Quit();
    return error == 0 ? 0 : 1;
}
