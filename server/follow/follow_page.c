/*
 * A page of a log, as its home sends it: lines of JSON.
 *
 *     {"terrane_world": 1, "epoch": "9f86d081884c7d65", "count": 1234}     and seed, generator, recipe where it begins the log
 *     {"seq": 1, ...}                                                      shared_line
 *     {"next": 256, "chain": "0123..."}                                    which is last: a page that was cut off is none
 */
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "follow_parts.h"

static bool refuse(char *why, size_t why_bytes, const char *what)
{
    text_print(why, why_bytes, "what the home sent is no page of a log: %s", what);
    return false;
}

static bool read_head(struct follow_page *page, const char *text, size_t bytes, bool begins)
{
    json_t *line = json_loadb(text, bytes, JSON_REJECT_DUPLICATES, NULL);
    const char *epoch, *number = NULL, *recipe = NULL;
    json_int_t version, count;
    bool good = line &&
                json_unpack(line, "{s:I, s:s, s:I}", "terrane_world", &version, "epoch", &epoch, "count",
                            &count) == 0 &&
                version == 1 && count >= 0 && shared_is_epoch(epoch);
    if (good && begins)
        good = json_unpack(line, "{s:s, s:i, s:s}", "seed", &number, "generator", &page->seed.generator,
                           "recipe", &recipe) == 0 &&
               text_seed(number, &page->seed.seed);
    if (good) {
        memcpy(page->epoch, epoch, sizeof page->epoch);
        page->count = (uint64_t)count;
    }
    if (good && begins) {
        page->seed.text = strdup(recipe);
        page->seed.bytes = strlen(recipe);
        good = page->seed.text != NULL;
    }
    json_decref(line);
    return good;
}

static bool read_hex(const char *text, unsigned char *out, size_t bytes)
{
    static const char digits[] = "0123456789abcdef";
    if (strlen(text) != 2 * bytes)
        return false;
    for (size_t k = 0; k < 2 * bytes; k++) {
        const char *digit = strchr(digits, text[k]);
        if (!digit)
            return false;
        out[k / 2] = (unsigned char)(k % 2 ? out[k / 2] | (digit - digits) : (digit - digits) << 4);
    }
    return true;
}

/* false: it is not the last line. */
static bool read_end(struct follow_page *page, const char *text, size_t bytes)
{
    json_t *line = json_loadb(text, bytes, JSON_REJECT_DUPLICATES, NULL);
    const char *chain;
    json_int_t next;
    const bool good = line && json_unpack(line, "{s:I, s:s !}", "next", &next, "chain", &chain) == 0 &&
                      next >= 0 && read_hex(chain, page->chain, SHARED_CHAIN_BYTES);
    if (good)
        page->next = (uint64_t)next;
    json_decref(line);
    return good;
}

/* An operation's line, into its place; false: it is none, or memory is short. */
static bool read_edit(const char *text, size_t bytes, struct shared_edit *edit)
{
    struct terrane_path_point room[TERRANE_EDIT_WAY_POINTS];
    struct terrane_edit *one = &edit->entry.edit;
    const bool good = shared_line_read(text, bytes, room, edit);
    const size_t points = good ? (size_t)one->points * sizeof *room : 0;
    one->line = points > 0 ? malloc(points) : NULL;
    if (one->line)
        memcpy((void *)(uintptr_t)one->line, room, points);
    return good && (points == 0 || one->line);
}

bool follow_page_read(struct follow_page *page, const char *text, size_t bytes, uint64_t since, char *why,
                      size_t why_bytes)
{
    const char *const end = text + bytes;
    *page = (struct follow_page){.edits = 0};
    page->edit = calloc(SHARED_BATCH_MAX, sizeof *page->edit);
    if (!page->edit)
        return refuse(why, why_bytes, "memory is short");
    for (size_t k = 0; text < end; k++) {
        const char *stop = memchr(text, '\n', (size_t)(end - text));
        const size_t length = stop ? (size_t)(stop - text) : 0;
        if (!stop)
            return refuse(why, why_bytes, "it was cut off");
        if (k == 0 && !read_head(page, text, length, since == 0))
            return refuse(why, why_bytes, "its first line");
        text = stop + 1;
        if (text == end) {
            if (k == 0 || !read_end(page, stop - length, length) ||
                (page->edits && page->next != since + page->edits) || (!page->edits && page->next > since))
                return refuse(why, why_bytes, "its last line");
            return true;
        }
        if (k == 0)
            continue;
        if (page->edits == SHARED_BATCH_MAX || !read_edit(stop - length, length, &page->edit[page->edits]) ||
            page->edit[page->edits].number != since + page->edits + 1 ||
            page->edit[page->edits].entry.undoes > since + page->edits)
            return refuse(why, why_bytes, "an operation that this program does not know");
        page->edits++;
    }
    return refuse(why, why_bytes, "it is empty");
}

void follow_page_free(struct follow_page *page)
{
    free((void *)(uintptr_t)page->seed.text);
    for (size_t k = 0; page->edit && k < SHARED_BATCH_MAX; k++)
        free((void *)(uintptr_t)page->edit[k].entry.edit.line);
    free(page->edit);
    *page = (struct follow_page){.edits = 0};
}
