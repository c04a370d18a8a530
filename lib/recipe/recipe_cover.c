/* Recipes: check, canonical form and digest of cover. */
#include "../base/digest.h"
#include "member.h"
#include "recipe.h"

/* ---- Checks -------------------------------------------------------------------------------------------- */

bool cover_pair_rises(const float pair[2])
{
    return within((double)pair[0], -COVER_NUMBER_MAX, COVER_NUMBER_MAX) &&
           within((double)pair[1], -COVER_NUMBER_MAX, COVER_NUMBER_MAX) &&
           (double)pair[1] - (double)pair[0] >= COVER_MIN_STEP;
}

static bool of_climate(int quantity)
{
    return quantity == TERRANE_COVER_TEMPERATURE || quantity == TERRANE_COVER_PRECIPITATION;
}

bool condition_fine(const struct terrane_condition *condition, int min, const struct terrane_recipe *recipe)
{
    return condition->of >= min && condition->of < TERRANE_COVER_QUANTITIES + recipe->terms &&
           (!of_climate(condition->of) || recipe->climate.cell_log2 != 0) &&
           (!condition->rises || cover_pair_rises(condition->rise)) &&
           (!condition->falls || cover_pair_rises(condition->fall)) &&
           (!condition->rises || !condition->falls || condition->fall[0] >= condition->rise[1]);
}

static bool texture_fine(const struct terrane_texture *texture)
{
    return texture->kind == TERRANE_PLAIN ||
           (texture->kind > TERRANE_PLAIN && texture->kind < TERRANE_TEXTURES &&
            within((double)texture->size_m[0], TEXTURE_SIZE_MIN, TEXTURE_SIZE_MAX) &&
            within((double)texture->size_m[1], (double)texture->size_m[0], TEXTURE_SIZE_MAX) &&
            members_within(&texture_members, texture->kind == TERRANE_DUNES ? TEXTURE_WIND : 0, texture));
}

static bool material_fine(const struct terrane_material *material, const struct terrane_recipe *recipe)
{
    if (!members_within(&material_members, 0, material) || material->conditions < 0 ||
        material->conditions > TERRANE_CONDITIONS_MAX)
        return false;
    for (int k = 0; k < material->conditions; k++)
        if (!condition_fine(&material->condition[k], 0, recipe))
            return false;
    return true;
}

int recipe_cover_check(const struct terrane_recipe *recipe)
{
    const struct terrane_cover *cover = &recipe->cover;
    if (cover->materials < 0 || cover->materials > TERRANE_MATERIALS_MAX)
        return TERRANE_ECOVER;
    for (int m = 0; m < cover->materials - 1; m++)
        if (!material_fine(&cover->material[m], recipe))
            return TERRANE_ECOVER;
    for (int m = 0; m < cover->materials; m++)
        if (!texture_fine(&cover->material[m].texture))
            return TERRANE_ECOVER;
    return 0;
}

/* ---- Canonical form and digest ------------------------------------------------------------------------- */

void condition_canonical(struct terrane_condition *out, const struct terrane_condition *in)
{
    out->of = in->of;
    out->rises = in->rises;
    out->falls = in->falls;
    if (in->rises)
        floats_canonical(out->rise, in->rise, 2);
    if (in->falls)
        floats_canonical(out->fall, in->fall, 2);
}

static void texture_canonical(struct terrane_texture *out, const struct terrane_texture *in)
{
    if (in->kind == TERRANE_PLAIN)
        return;
    out->kind = in->kind;
    floats_canonical(out->size_m, in->size_m, 2);
    members_canonical(&texture_members, in->kind == TERRANE_DUNES ? TEXTURE_WIND : 0, out, in);
}

void recipe_cover_canonical(struct terrane_recipe *out, const struct terrane_recipe *in)
{
    out->cover.materials = in->cover.materials;
    for (int m = 0; m < in->cover.materials; m++) {
        struct terrane_material *to = &out->cover.material[m];
        const struct terrane_material *from = &in->cover.material[m];
        const bool last = m == in->cover.materials - 1;
        name_canonical(to->name, from->name, sizeof to->name);
        members_canonical(&material_members, 0, to, from);
        texture_canonical(&to->texture, &from->texture);
        to->share = last ? 1 : to->share;
        to->conditions = last ? 0 : from->conditions;
        for (int k = 0; k < to->conditions; k++)
            condition_canonical(&to->condition[k], &from->condition[k]);
    }
}

void condition_digest(struct digest *digest, const struct terrane_condition *condition)
{
    digest_put(digest, (uint64_t)(int64_t)condition->of, 4);
    digest_put(digest, condition->rises, 1);
    digest_put(digest, condition->falls, 1);
    floats_digest(digest, condition->rise, 2);
    floats_digest(digest, condition->fall, 2);
}

/* Adds nothing for a plain material, which keeps the digest it had before textures were added. */
static void texture_digest(struct digest *digest, const struct terrane_texture *texture)
{
    if (texture->kind == TERRANE_PLAIN)
        return;
    digest_put(digest, UINT64_C(0x65727574786554), 8); /* "Texture" */
    digest_put(digest, (uint64_t)texture->kind, 4);
    floats_digest(digest, texture->size_m, 2);
    members_digest(&texture_members, digest, texture);
}

/* A recipe without cover keeps the digest it had before cover was added. */
void recipe_cover_digest(struct digest *digest, const struct terrane_recipe *recipe)
{
    const struct terrane_cover *cover = &recipe->cover;
    if (cover->materials == 0)
        return;
    digest_put(digest, UINT64_C(0x7265766F43), 8); /* "Cover" */
    digest_put(digest, (uint64_t)cover->materials, 4);
    for (int m = 0; m < cover->materials; m++) {
        const struct terrane_material *material = &cover->material[m];
        digest_put_bytes(digest, (const uint8_t *)material->name, sizeof material->name);
        members_digest(&material_members, digest, material);
        digest_put(digest, (uint64_t)material->conditions, 4);
        for (int k = 0; k < material->conditions; k++)
            condition_digest(digest, &material->condition[k]);
        texture_digest(digest, &material->texture);
    }
}
