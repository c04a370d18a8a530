/*
 * What a search says of what it has found, and what its soundings rest on. Runs at the root of the repository and reads config/worlds.
 */
#include "../lib_fixture.h"

#include "../../../lib/terrane_make.h"
#include "../../../server/recipe/recipe_json.h"
#include "../../../server/render/product.h"
#include "../../../server/render/seek_parts.h"

/* ---- Tiles that are missing ------------------------------------------------------------------------------- */

enum { SIDE = 2 * TERRANE_TILE_SAMPLES, FOUND_MAX = 4096 };

struct list {
    int count;
    struct {
        int i, j;
        double measure;
        bool whole;
    } found[FOUND_MAX];
};

static void note(void *context, int i, int j, double measure, bool whole)
{
    struct list *list = context;
    assert_in_range(list->count, 0, FOUND_MAX - 1);
    list->found[list->count].i = i;
    list->found[list->count].j = j;
    list->found[list->count].measure = measure;
    list->found[list->count++].whole = whole;
}

static bool has(const struct list *list, int i, int j, double measure)
{
    for (int k = 0; k < list->count; k++)
        if (list->found[k].i == i && list->found[k].j == j && fabs(list->found[k].measure - measure) <= 0)
            return true;
    return false;
}

/* A wave of straight sides. */
static int wave(int at, int length)
{
    return abs((at % (2 * length) + 2 * length) % (2 * length) - length);
}

/* Hills and hollows, and what of them is of a kind. */
static void make_ground(struct seek_ground *ground, unsigned missing)
{
    assert_int_equal(seek_ground_make(ground, SIDE), 0);
    for (int j = 0; j < SIDE; j++)
        for (int i = 0; i < SIDE; i++) {
            const int at = j * SIDE + i;
            const bool lacks = missing >> (j / TERRANE_TILE_SAMPLES * 2 + i / TERRANE_TILE_SAMPLES) & 1;
            const int height = wave(i + 2 * j, 37) + wave(3 * i - j, 53) + wave(i - j, 71) - 60;
            ground->height[at] = lacks ? 0 : (float)height;
            ground->is[at] = !lacks && height < 0;
        }
    ground->missing = missing;
}

/* What is whole though tiles are missing is there with all of them, too, and the same. */
TEST(what_is_whole_stays)
{
    static struct list all, part;
    for (unsigned missing = 0; missing < 15; missing++) {
        struct seek_ground ground;
        struct list *list = missing ? &part : &all;
        int whole = 0;
        make_ground(&ground, missing);
        list->count = 0;
        assert_int_equal(seek_parts(&ground, 300.5, 200.25, note, list), 0);
        for (int k = 0; k < list->count; k++) {
            whole += list->found[k].whole;
            assert_true(!list->found[k].whole ||
                        has(&all, list->found[k].i, list->found[k].j, list->found[k].measure));
        }
        assert_true(whole > 0 && (missing || whole == list->count));
        seek_ground_free(&ground);
    }
}

/* Two rivers come down to a coast, and one of them follows it, now beside the sea and now behind a bank. */
TEST(a_river_has_one_mouth)
{
    enum { COAST = 40, BANK = 5, TO_BEND = 8 };
    static struct list list;
    struct seek_ground ground;
    list.count = 0;
    assert_int_equal(seek_ground_make(&ground, SIDE), 0);
    for (int j = 0; j < SIDE; j++)
        for (int i = 0; i < SIDE; i++) {
            const int at = j * SIDE + i, behind = i / TO_BEND % 2 ? BANK : 1;
            const bool bend = i % TO_BEND == 0 && j < COAST && j >= COAST - BANK;
            const bool follows = i >= 100 && i < 200 && (j == COAST - behind || bend);
            ground.flow[at] = (follows || (i == 300 && j < COAST)) ? 1 : 0;
            ground.height[at] = j < COAST ? 1 : -1;
            ground.surface[at] = j < COAST ? 1 : 0;
        }
    seek_ground_mark(&ground, FIND_MOUTH, 0);
    assert_int_equal(seek_parts(&ground, 170, COAST - BANK, note, &list), 0);
    assert_int_equal(list.count, 2);
    assert_true(has(&list, 168, COAST - 1, list.found[0].measure) && list.found[0].measure > TO_BEND);
    assert_true(has(&list, 300, COAST - 1, 1));
    seek_ground_free(&ground);
}

/* ---- Soundings: between samples of a coarse level ground is no higher than they say (seek_sound.c) --------- */

enum { PLACES = 400, FINER_MAX = 5, SIDE_MAX = (2 << FINER_MAX) + 1 };

static const double world_m = 8e6; /* places lie within so far from the middle */

static void heights(const struct terrane_world *world, int level, int64_t gi, int64_t gj, int side, float *to)
{
    const struct terrane_window window = {level, gi, gj, 1, side, side};
    assert_int_equal(terrane_heights(world, &window, NULL, to), 0);
}

static void bounds_of(const float *height, int count, float *low, float *high)
{
    *low = *high = height[0];
    for (int k = 1; k < count; k++) {
        *low = height[k] < *low ? height[k] : *low;
        *high = height[k] > *high ? height[k] : *high;
    }
}

struct found {
    int deep, over; /* places under the sea; those of them whose finer ground is above all samples around */
    double share;   /* the largest part that finer ground needs of what it may stand over these */
};

/* Sounds random places as a search would, on ground that nothing has moved. */
static void sound(const struct terrane_world *world, int coarse, int fine, struct found *found)
{
    static float samples[9], finer[SIDE_MAX * SIDE_MAX];
    const int by = coarse - fine, side = (2 << by) + 1;
    struct terrane_ground_errors errors;
    struct dice dice = {.state = 20};
    assert_in_range(by, 1, FINER_MAX);
    terrane_ground_errors(world->recipe, coarse, &errors);
    const int64_t reach = (int64_t)(world_m / terrane_lattice_m(world, coarse, 1));
    for (int k = 0; k < PLACES; k++) {
        const int64_t gi = dice_whole(&dice, -reach, reach), gj = dice_whole(&dice, -reach, reach);
        float low, high, least, most;
        heights(world, coarse, gi, gj, 3, samples);
        bounds_of(samples, 9, &low, &high);
        if (high >= world->recipe->sea_m)
            continue;
        heights(world, fine, gi * (INT64_C(1) << by), gj * (INT64_C(1) << by), side, finer);
        bounds_of(finer, side * side, &least, &most);
        const double may = (double)(seek_sound_most(low, high) - high) + errors.terms_m,
                     share = (double)(most - high) / may;
        assert_true(may > 0);
        found->deep++;
        found->over += most > high;
        found->share = share > found->share ? share : found->share;
    }
}

TEST(ground_between_samples_is_no_higher_than_soundings_say)
{
    static struct recipe shipped;
    char error[TERRANE_REFUSAL_BYTES + 256];
    assert_int_equal(recipe_load(&shipped, "config/worlds/wayfarer.json", error, sizeof error), 0);
    const struct terrane_recipe *recipe = &shipped.world;
    struct terrane_world world;
    terrane_world_init(&world, recipe, 42);
    const int levels[] = {recipe->caves.level, recipe->paths.level};
    for (int k = 0; k < 2; k++) {
        struct found found = {0};
        sound(&world, recipe->rivers.bottom + 2, levels[k], &found);
        assert_in_range(found.deep, 50, PLACES);
        assert_in_range(found.over, 10, found.deep); /* samples alone would not do */
        if (found.share >= 0.2)
            fail_msg("level %d: finer ground needs %.3f of what it may stand higher", levels[k], found.share);
    }
}

/* ---- What is listed ----------------------------------------------------------------------------------------- */

static void add_id(void *context, const struct seek_hit *hit)
{
    char *ids = context;
    snprintf(ids + strlen(ids), sizeof hit->id, "%s", hit->id);
}

/* Contours come before all that has a name, and are long: nobody reads them, be they no JSON at all. */
TEST(peaks_are_listed_behind_any_contours)
{
    static char all[4096], some[4096], none[4096];
    static struct terrane_recipe recipe;
    struct terrane_world world;
    struct produce_times times;
    struct tile_key key = {.seed = 42, .x = -3, .y = 1, .level = 9, .format = FORMAT_GEOJSON, .size = 257};
    assert_int_equal(terrane_init(NULL), 0);
    terrane_recipe_default(&recipe);
    terrane_world_init(&world, &recipe, 42);
    tile_key_vary(&key, &recipe);
    assert_int_equal(tile_key_finish(&key), TILE_FINE);
    const struct product_key product = product_of_tile(&key);
    struct producer *producer = producer_create();
    struct blob *blob = product_make_alone(producer, &product, &world, NULL, &times);
    char *text = (char *)blob->data, *from = strchr(text, '[') + 1,
         *to = strstr(text, "{\"type\":\"Feature\",\"id\"");
    assert_int_equal(seek_list(blob->data, blob->bytes, FIND_PEAK, add_id, all), 0);
    assert_true(strlen(all) >= 16 && to > from + 1000);
    memset(from, '[', (size_t)(to - from) - 1); /* to the comma */
    assert_int_equal(seek_list(blob->data, blob->bytes, FIND_PEAK, add_id, some), 0);
    assert_string_equal(some, all);
    assert_int_equal(seek_list(blob->data, (size_t)(to - text), FIND_PEAK, add_id, none), 0);
    assert_string_equal(none, "");
    blob_release(blob);
    producer_free(producer);
}

/* ---- What is held ------------------------------------------------------------------------------------------- */

TEST(few_tiles_of_weights_are_wanted_at_once)
{
    static struct recipe shipped;
    char error[TERRANE_REFUSAL_BYTES + 256];
    struct terrane_world world;
    assert_int_equal(recipe_load(&shipped, "config/worlds/continents.json", error, sizeof error), 0);
    terrane_world_init(&world, &shipped.world, 42);
    struct tile_key key = {.seed = 42, .format = FORMAT_F32, .variant = VARIANT_UNSAID};
    tile_key_vary(&key, &shipped.world);
    assert_int_equal(tile_key_finish(&key), TILE_FINE);
    const struct find_question question = {.what = FIND_ZONE, .which = 1, .limit = 1};
    const size_t bytes = 4 * (TERRANE_TILE_SAMPLES + 1) * (TERRANE_TILE_SAMPLES + 1) *
                         (size_t)tile_values(LAYER_PARTITION, &shipped.world);
    struct seek *seek = seek_create(&world, &key, &question, 0, 0, 3);
    size_t tiles = 0, held = 0;
    assert_non_null(seek);
    for (size_t wants; (wants = seek_wants(seek)) > 0; tiles += wants) {
        assert_in_range(wants, 1, 4);
        for (size_t k = 0; k < wants; k++) /* of the first zone: nothing is found */
            seek_give(seek, k,
                      blob_create(&(struct digest){0}, &(struct blob_info){0}, calloc(1, bytes), bytes));
        assert_int_equal(seek_step(seek), 0);
        held = seek->had > held ? seek->had : held;
        for (size_t t = 0; t < seek->had; t++)
            assert_true(seek->blob[t]->bytes < bytes / 20);
    }
    assert_true(tiles > 2 * SEEK_TILES && held > 16);
    seek_free(seek);
}

GROUP(seek);
