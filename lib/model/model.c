/* Models by name: plants, from their grammars; the boulder. */
#include "../base/hash.h"
#include "grammar.h"

enum { PLANES = 9, FINENESS = 5 };

const char *const terrane_model_name[TERRANE_MODELS] = {
    [TERRANE_MODEL_CONIFER] = "conifer", [TERRANE_MODEL_BROADLEAF] = "broadleaf",
    [TERRANE_MODEL_PALM] = "palm",       [TERRANE_MODEL_SHRUB] = "shrub",
    [TERRANE_MODEL_CACTUS] = "cactus",   [TERRANE_MODEL_DEAD_TREE] = "dead-tree",
    [TERRANE_MODEL_BOULDER] = "boulder"};

/* ---- The boulder --------------------------------------------------------------------------------------- */

static struct vector random_direction(uint64_t hash, unsigned k)
{
    return vector_unit(
        (struct vector){chance(hash, 3 * k), chance(hash, 3 * k + 1), chance(hash, 3 * k + 2)});
}

/* Value noise with cells of side 1: hashed corners, cubic fades. */
static double noise_at(uint64_t hash, struct vector at)
{
    const double place[3] = {at.x + 16, at.y + 16, at.z + 16}; /* of a ball, and so above 0 */
    double fade[3], sum = 0;
    for (int k = 0; k < 3; k++) {
        const double t = place[k] - (int)place[k];
        fade[k] = t * t * (3 - 2 * t);
    }
    for (int corner = 0; corner < 8; corner++) {
        unsigned cell = 0;
        double weight = 1;
        for (int k = 0; k < 3; k++) {
            const int far = corner >> k & 1;
            cell = cell * 64 + (unsigned)((int)place[k] + far);
            weight *= far ? fade[k] : 1 - fade[k];
        }
        sum += weight * chance(hash, cell);
    }
    return sum;
}

struct boulder {
    struct ball ball;
    struct vector plane[PLANES];
    double distance[PLANES];
};

/* A sphere cut by planes, with noise on top. */
static struct vector boulder_reach(const struct ball *ball, struct vector d)
{
    const struct boulder *boulder = (const struct boulder *)ball;
    double reach = 1;
    for (int k = 0; k < PLANES; k++) {
        const double along = vector_dot(d, boulder->plane[k]);
        if (along * reach > boulder->distance[k])
            reach = boulder->distance[k] / along;
    }
    reach *= ball->radius * (1 + 0.07 * noise_at(ball->hash, (struct vector){4 * d.x, 4 * d.y, 4 * d.z}));
    return vector_add(ball->middle, reach, (struct vector){d.x * 1.15, d.y * ball->flat, d.z});
}

static struct colour boulder_colour(const struct ball *ball, struct vector normal, unsigned triangle)
{
    const double share = 0.5 + 0.3 * normal.y + 0.2 * chance(ball->hash, 200 + triangle);
    return colour_mix(ball->palette[0], ball->palette[1], share);
}

static void draw_boulder(uint64_t hash, struct terrane_model_mesh *mesh)
{
    static const struct colour stone[2] = {{.10, .095, .085}, {.24, .235, .22}};
    struct boulder boulder = {.ball = {.fineness = FINENESS,
                                       .reach = boulder_reach,
                                       .colour = boulder_colour,
                                       .middle = {0, 0.38, 0},
                                       .radius = 1,
                                       .flat = 0.8,
                                       .hash = hash,
                                       .palette = stone}};
    for (unsigned k = 0; k < PLANES; k++) {
        boulder.plane[k] = random_direction(hash, k);
        boulder.distance[k] = 0.72 + 0.12 * chance(hash, 100 + k);
    }
    shape_ball(mesh, &boulder.ball);
}

int terrane_model_mesh(int model, int seed, struct terrane_model_mesh *mesh)
{
    if (model < 0 || model >= (int)TERRANE_MODELS || seed < 0 || seed >= TERRANE_MODEL_SEEDS)
        return TERRANE_EMODEL;
    const struct grammar *grammar = grammar_of(model);
    const uint64_t hash = hash_absorb(hash_absorb(0, (uint64_t)model), (uint64_t)seed);
    mesh->vertices = mesh->triangles = 0;
    if (grammar)
        turtle_draw(grammar, hash, mesh);
    else
        draw_boulder(hash, mesh);
    shape_normals(mesh);
    return 0;
}
