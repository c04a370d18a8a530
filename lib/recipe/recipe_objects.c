/* Recipes: check, canonical form and digest of objects. */
#include "../base/digest.h"
#include "../terrane_features.h"
#include "member.h"
#include "recipe.h"

/* ---- Checks -------------------------------------------------------------------------------------------- */

static bool class_fine(const struct terrane_recipe *recipe, const struct terrane_class *class)
{
    if (!members_within(&class_members, 0, class) || class->model < 0 || class->model >= TERRANE_MODELS ||
        class->conditions < 0 || class->conditions > TERRANE_CONDITIONS_MAX ||
        class->radius_m < (float)(OBJECTS_RADIUS_MIN * recipe->spacing_m) ||
        !(class->radius_m <= (float)(OBJECTS_RADIUS_MAX * recipe->spacing_m)) ||
        !within((double)class->small, OBJECTS_SCALE_MIN, OBJECTS_SCALE_MAX) ||
        !within((double)class->large, (double)class->small, OBJECTS_SCALE_MAX))
        return false;
    for (int m = 0; m < recipe->cover.materials; m++)
        if (!within((double)class->on[m], 0, 1))
            return false;
    for (int k = 0; k < class->conditions; k++)
        if (!condition_fine(&class->condition[k], TERRANE_COVER_QUANTITIES, recipe))
            return false;
    return true;
}

int recipe_objects_check(const struct terrane_recipe *recipe)
{
    const int classes = recipe->objects.classes;
    if (classes < 0 || classes > TERRANE_CLASSES_MAX || (classes > 0 && recipe->cover.materials == 0))
        return TERRANE_EOBJECTS;
    for (int c = 0; c < classes; c++)
        if (!class_fine(recipe, &recipe->objects.of[c]))
            return TERRANE_EOBJECTS;
    return 0;
}

/* ---- Canonical form and digest ------------------------------------------------------------------------- */

void recipe_objects_canonical(struct terrane_recipe *out, const struct terrane_recipe *in)
{
    out->objects.classes = in->objects.classes;
    for (int c = 0; c < in->objects.classes; c++) {
        struct terrane_class *to = &out->objects.of[c];
        const struct terrane_class *from = &in->objects.of[c];
        name_canonical(to->name, from->name, sizeof to->name);
        members_canonical(&class_members, 0, to, from);
        to->model = from->model;
        to->radius_m = from->radius_m;
        to->small = from->small;
        to->large = from->large;
        to->conditions = from->conditions;
        floats_canonical(to->on, from->on, in->cover.materials);
        for (int k = 0; k < to->conditions; k++)
            condition_canonical(&to->condition[k], &from->condition[k]);
    }
}

/* A recipe without objects keeps the digest it had before objects were added. */
void recipe_objects_digest(struct digest *digest, const struct terrane_recipe *recipe)
{
    if (recipe->objects.classes == 0)
        return;
    digest_put(digest, UINT64_C(0x73746A624F), 8); /* "Objts" */
    digest_put(digest, (uint64_t)recipe->objects.classes, 4);
    for (int c = 0; c < recipe->objects.classes; c++) {
        const struct terrane_class *class = &recipe->objects.of[c];
        digest_put_bytes(digest, (const uint8_t *)class->name, sizeof class->name);
        digest_put(digest, (uint64_t) class->model, 4);
        members_digest(&class_members, digest, class);
        digest_put_float(digest, class->radius_m);
        digest_put_float(digest, class->small);
        digest_put_float(digest, class->large);
        floats_digest(digest, class->on, TERRANE_MATERIALS_MAX);
        digest_put(digest, (uint64_t) class->conditions, 4);
        for (int k = 0; k < class->conditions; k++)
            condition_digest(digest, &class->condition[k]);
    }
}
