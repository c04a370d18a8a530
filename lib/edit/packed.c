/*
 * What operations made of a window, in bytes: a head, what was added to the window's samples, and of each lattice that is read its ground
 * and what was added there. Numbers are as the machine has them: they do not leave it. Who has kept them somewhere is not trusted.
 */
#include <string.h>

#include "../base/lend.h"
#include "../base/window.h"
#include "editing.h"

enum { LAYOUT = 1 };

struct head {
    int64_t layout;
    struct terrane_window window;
    struct terrane_edit_needs needs;
};

static size_t bytes_of(const struct terrane_window *window, const struct terrane_edit_needs *needs)
{
    size_t numbers = samples_of(window);
    for (int k = 0; k < needs->count; k++)
        numbers += 2 * samples_of(&needs->window[k]);
    return sizeof(struct head) + numbers * sizeof(int32_t);
}

/* Member by member: what is between them stays as it was. */
static void copy_window(struct terrane_window *to, const struct terrane_window *from)
{
    to->level = from->level;
    to->gi = from->gi;
    to->gj = from->gj;
    to->step = from->step;
    to->width = from->width;
    to->height = from->height;
}

static void head_of(const struct terrane_editing *editing, struct head *head)
{
    memset(head, 0, sizeof *head); /* what is between members, too */
    head->layout = LAYOUT;
    copy_window(&head->window, &editing->own.ground.window);
    head->needs.count = editing->reads;
    for (int k = 0; k < editing->reads; k++)
        copy_window(&head->needs.window[k], &editing->read[k].ground.window);
}

static unsigned char *put(unsigned char *at, const int32_t *from, const struct terrane_window *window)
{
    const size_t bytes = samples_of(window) * sizeof *from;
    memcpy(at, from, bytes);
    return at + bytes;
}

size_t terrane_edit_pack(const struct terrane_editing *editing, void *packed)
{
    struct head head;
    head_of(editing, &head);
    const size_t bytes = bytes_of(&head.window, &head.needs);
    if (!packed)
        return bytes;
    memcpy(packed, &head, sizeof head);
    unsigned char *at = put((unsigned char *)packed + sizeof head, editing->own.ground.delta, &head.window);
    for (int k = 0; k < editing->reads; k++) {
        at = put(at, editing->read[k].ground.base, &head.needs.window[k]);
        at = put(at, editing->read[k].ground.delta, &head.needs.window[k]);
    }
    return bytes;
}

bool terrane_edit_packed_fits(const struct terrane_window *window, const void *packed, size_t bytes,
                              struct terrane_edit_needs *needs)
{
    struct head head;
    if (bytes < sizeof head)
        return false;
    memcpy(&head, packed, sizeof head);
    bool fits = head.layout == LAYOUT && window_same(&head.window, window) && head.needs.count >= 0 &&
                head.needs.count <= TERRANE_EDIT_LATTICES;
    for (int k = 0; k < head.needs.count && fits; k++)
        fits = window_valid(&head.needs.window[k]) && head.needs.window[k].step == 1;
    if (!fits || bytes != bytes_of(window, &head.needs))
        return false;
    *needs = head.needs;
    return true;
}

static const unsigned char *take(const unsigned char *at, int32_t *to, const struct terrane_window *window,
                                 int32_t max)
{
    const size_t count = samples_of(window);
    memcpy(to, at, count * sizeof *to);
    for (size_t k = 0; k < count; k++)
        to[k] = to[k] > max ? max : to[k] < -max ? -max : to[k];
    return at + count * sizeof *to;
}

int editing_resume(const struct terrane_world *world, const struct terrane_window *window,
                   const float *heights, const void *packed, size_t bytes,
                   const struct terrane_memory *memory, struct terrane_editing **editing)
{
    struct terrane_edit_needs needs;
    if (!window_valid(window) || !terrane_edit_packed_fits(window, packed, bytes, &needs))
        return TERRANE_EWINDOW;
    const int error = editing_begin(world, window, heights, &needs, memory, editing);
    if (error != 0)
        return error;
    struct terrane_editing *made = *editing;
    const unsigned char *at = take((const unsigned char *)packed + sizeof(struct head),
                                   made->own.ground.delta, window, EDIT_MOVE_MAX);
    for (int k = 0; k < needs.count; k++) {
        at = take(at, made->read[k].ground.base, &needs.window[k], EDIT_GROUND_MAX);
        at = take(at, made->read[k].ground.delta, &needs.window[k], EDIT_MOVE_MAX);
    }
    return 0;
}
