/*
 * Windows with many operations go on from a state (edit_states.h). It is behind the newest operations by LAG, so that it stays good
 * when people undo what they just did.
 *
 * A state has all numbers that smooth and sharpen may read anywhere in its window, at the levels that some have read; so all
 * operations that touch those lattices are applied, whether they matter or not.
 */
#include "tile_edits.h"

#include <stdlib.h>
#include <string.h>

enum {
    LAG = 128,
    SOME = 2 * LAG,
    MANY = 8 * LAG,
    WIDEST = 1100 /* of windows that have states: of the largest tile, with samples around */
};

/* How many operations behind a state, or behind nothing, ask for one. Keeping the first takes as long as to apply some 500; where they read
 * ground, that is made again without one. */
static size_t many(const struct tile_edits *edits, const struct terrane_edit_needs *needs)
{
    return edits->state.packed || needs->count > 0 ? SOME : MANY;
}

static void done(void *user)
{
    struct tile_edits *edits = user;
    free(edits->state.packed);
    free(edits->edits);
    edits->state.packed = NULL;
    edits->edits = NULL;
}

static void keep(void *user, const struct terrane_editing *editing)
{
    struct tile_edits *edits = user;
    edits->next.bytes = terrane_edit_pack(editing, NULL);
    edits->next.packed = malloc(edits->next.bytes);
    if (!edits->next.packed)
        return;
    terrane_edit_pack(editing, edits->next.packed);
    edit_states_put(edit_log_states(edits->log), &edits->window, edits->kind, &edits->next);
    free(edits->next.packed);
}

/* Whether a state that there is holds what is to be gone on from; else it is let go. */
static bool take_state(struct tile_edits *edits, struct terrane_edit_needs *needs)
{
    struct edit_state *state = &edits->state;
    if (!edit_states_get(edit_log_states(edits->log), &edits->window, edits->kind, edits->at, state))
        return false;
    if (terrane_edit_packed_fits(&edits->window, state->packed, state->bytes, needs) &&
        edit_log_stays(edits->log, state->from, state->seen, edits->at, &edits->window, state->margin))
        return true;
    free(state->packed);
    state->packed = NULL;
    return false;
}

/* Adds levels of more that needs do not have; false: it has them all. */
static bool add_levels(struct terrane_edit_needs *needs, const struct terrane_edit_needs *more)
{
    const int before = needs->count;
    for (int k = 0; k < more->count; k++) {
        int at = needs->count;
        while (at > 0 && needs->window[at - 1].level > more->window[k].level)
            at--;
        if ((at > 0 && needs->window[at - 1].level == more->window[k].level) ||
            needs->count == TERRANE_EDIT_LATTICES)
            continue;
        for (int j = needs->count++; j > at; j--)
            needs->window[j] = needs->window[j - 1];
        needs->window[at] = more->window[k];
    }
    return needs->count > before;
}

/* Operations behind those of the state, or all of them where there is none, that touch the window and what is read for it. */
static int list(struct tile_edits *edits, struct terrane_edit_found *found)
{
    struct {
        struct terrane_window window[1 + TERRANE_EDIT_LATTICES];
    } all = {{edits->window}};
    struct terrane_edit_needs wanted;
    const uint64_t from = edits->state.packed ? edits->state.from : 0;
    uint32_t *number;
    for (int k = 0; k < found->needs.count; k++)
        all.window[1 + k] = found->needs.window[k];
    found->count = edit_log_between(edits->log, from, edits->at, all.window, 1 + found->needs.count,
                                    &edits->edits, &number);
    if (found->count == EDIT_LOG_FAILED)
        return TERRANE_EMEMORY;
    found->edits = edits->edits;
    terrane_edit_needs(edits->edits, found->count, &edits->window, true, &wanted);
    if (add_levels(&found->needs, &wanted)) { /* which a state lacks: all is listed anew */
        free(number);
        done(edits);
        return list(edits, found);
    }
    found->keep_at = found->count >= many(edits, &found->needs) ? found->count - LAG : 0;
    edits->next = (struct edit_state){.from = found->keep_at > 0 ? number[found->keep_at - 1] : 0,
                                      .seen = edits->at,
                                      .margin = edit_log_margin(&edits->window, &found->needs)};
    free(number);
    found->packed = edits->state.packed;
    found->packed_bytes = edits->state.bytes;
    return 0;
}

static int find(void *user, const struct terrane_window *window, unsigned kind,
                struct terrane_edit_found *found)
{
    struct tile_edits *edits = user;
    edits->window = *window;
    edits->kind = kind;
    const bool wide = window->width > WIDEST || window->height > WIDEST;
    if (!wide && take_state(edits, &found->needs))
        return list(edits, found);
    found->count = edit_log_touching(edits->log, edits->at, window, &edits->edits);
    if (found->count == EDIT_LOG_FAILED)
        return TERRANE_EMEMORY;
    found->edits = edits->edits;
    terrane_edit_needs(edits->edits, found->count, window, false, &found->needs);
    if (wide || found->count < many(edits, &found->needs))
        return 0;
    terrane_edit_needs(edits->edits, found->count, window, true, &found->needs);
    free(edits->edits);
    edits->edits = NULL;
    return list(edits, found);
}

int tile_edits_regions(const struct tile_key *key, const struct terrane_recipe *recipe,
                       const struct terrane_plan *plan, struct terrane_region *region, int count, int max)
{
    const bool rests = plan->eroded || plan->carved || plan->drainage.count > 0;
    const struct terrane_window around = {.level = plan->window.level,
                                          .gi = plan->window.gi - 1,
                                          .gj = plan->window.gj - 1,
                                          .step = 1,
                                          .width = (plan->window.width - 1) * plan->window.step + 3,
                                          .height = (plan->window.height - 1) * plan->window.step + 3};
    struct terrane_region_list list = {region, count, max};
    struct terrane_edit_needs needs = {.count = 0};
    struct terrane_edit *edits;
    if (!key->edits || !rests || key->format == FORMAT_SUBTREE)
        return count;
    const size_t found = edit_log_touching(key->edits, key->at, &around, &edits);
    if (found == 0 || found == EDIT_LOG_FAILED)
        return count;
    terrane_edit_needs(edits, found, &around, found >= SOME, &needs);
    free(edits);
    return terrane_edit_regions(recipe, plan, &needs, &list) == 0 && list.count <= max ? list.count : count;
}

bool tile_edits_open(const struct tile_key *key, struct tile_edits *edits)
{
    static const struct terrane_digest none;
    *edits = (struct tile_edits){.source = {.user = edits, .find = find, .keep = keep, .done = done},
                                 .log = key->edits,
                                 .at = key->at};
    if (!tile_edits_digest(key, &edits->source.digest))
        return false;
    edits->touched = memcmp(&none, &edits->source.digest, sizeof none) != 0;
    return true;
}
