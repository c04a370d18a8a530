/*
 * Fuzzing recipes: any bytes as the text of one.
 *
 * Whatever comes in, the parser ends, and either says why not in one printable line that begins with the file's name, or
 * leaves a recipe that the library accepts again without a change, within the limits of cost and halo. Seeds:
 * tests/fuzz/corpus/recipe.
 */
#include "../../lib/recipe/bounds.h"
#include "../../lib/recipe/numbers.h"
#include "../../server/recipe/recipe_json.h"
#include "fuzz_kit.h"

static void require_erosion(const struct terrane_recipe *recipe)
{
    const double bound = terrane_erosion_bound_m(recipe), unit = terrane_erosion_unit_m(recipe);

    double seconds[TERRANE_PARTS];
    struct terrane_cost cost;
    terrane_recipe_cost(recipe, &cost);
    require(cost.region >= 0 && terrane_recipe_seconds(recipe, NULL, seconds) <= RECIPE_SECONDS_LIMIT,
            "a region over the limit");
    require(unit > 0 && unit <= 0x1p-4 && bound >= 0 && bound <= 0x1p26 * unit,
            "moves that cannot be counted");
    for (int level = 0; level <= TERRANE_LEVEL_MAX; level++) {
        const int halo = terrane_erosion_halo(recipe, level);
        const double error = terrane_erosion_error_m(recipe, level);
        require(halo >= 0 && halo <= TERRANE_HALO_MAX, "a halo over the limit");
        require(level < recipe->erosion.levels || halo == 0, "a halo where nothing is eroded");
        require(error >= 0 && error <= bound, "an error beyond the bound");
    }
}

static void require_whole(const struct recipe *recipe)
{
    struct terrane_recipe again = recipe->world;
    double low, high;

    require(recipe->name[0] == '\0' && memchr(recipe->description, 0, sizeof recipe->description), "no text");
    require(recipe->cost >= 1 && recipe->cost <= RECIPE_COST_LIMIT, "a cost over the limit");
    require(terrane_recipe_init(&again, NULL) == 0, "the library refuses it the second time");
    require(memcmp(&again, &recipe->world, sizeof again) == 0, "the second time changes it");
    terrane_height_bounds_m(&again, &low, &high);
    require(low <= high, "no bounds");
    for (int level = 0; level <= TERRANE_LEVEL_MAX; level++)
        require(terrane_level_error_m(&again, level) >= 0, "a negative error");
    if (again.erosion.levels > 0)
        require_erosion(&again);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
    static struct recipe recipe, before;
    char error[RECIPE_ERROR_BYTES] = "";

    if (recipe_parse(&recipe, (const char *)data, bytes, "fuzz.json", error, sizeof error) != 0) {
        require_line(error, sizeof error, "fuzz.json: ");
        require(memcmp(&recipe, &before, sizeof recipe) == 0, "a refusal that changes the recipe");
    } else {
        require_whole(&recipe);
    }
    before = recipe;
    return 0;
}
